// Opens the CUDA driver when one of its functions is first called, and fills the table
// through which the trampolines jump. A program linked this way also starts on a machine
// without a driver, where each function answers that there is none.

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

// How the driver's own error codes call these; the toolkit's stub answers the first too.
enum { STUB_LIBRARY = 34, SYMBOL_NOT_FOUND = 302 };

typedef int (*function)(void);

extern function starpath_cuda_table[] __attribute__((visibility("hidden")));
extern const char starpath_cuda_names[] __attribute__((visibility("hidden")));

static int no_driver(void) { return STUB_LIBRARY; }
static int no_function(void) { return SYMBOL_NOT_FOUND; }

static void fill(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    function *slot = starpath_cuda_table;
    for (const char *name = starpath_cuda_names; *name; name += strlen(name) + 1, slot++) {
        function found = no_driver;
        if (driver != NULL) {
            *(void **)&found = dlsym(driver, name);
            if (found == NULL) found = no_function;
        }
        // Other threads may be reading the slot: they get the old function, which waits
        // below, or the new one.
        __atomic_store_n(slot, found, __ATOMIC_RELEASE);
    }
}

__attribute__((visibility("hidden"))) void starpath_cuda_resolve(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill);
}

//! The methods of this crate's types in both builds, as one list. Without the feature `cuda` the
//! methods are generated from it; with the feature they are checked against it.

/// Passes the methods of each type to the macro `$each`.
macro_rules! interface {
    ($each:ident) => {
        $each! { [] Gpu {
            fn properties(&self) -> &DeviceProperties;
            fn with_memory_cap(&self, bytes: u64) -> Gpu;
            fn available_bytes(&self) -> Result<u64>;
            fn check_fits(&self, what: &'static str, required: u64) -> Result<()>;
            fn buffer<T>(&self, len: usize) -> Result<Buffer<T>>;
            fn upload<T>(&self, values: &[T]) -> Result<Buffer<T>>;
            unsafe fn foreign<T>(&self, address: u64, len: usize) -> Result<Buffer<T>>;
            unsafe fn wait_for_stream(&self, stream: *mut c_void) -> Result<()>;
            fn pinned<T>(&self, len: usize) -> Result<PinnedBuffer<T>>;
            fn mailbox(&self, len: usize) -> Result<Mailbox>;
            fn kernel(&self, module: &Ptx, name: &str) -> Result<Kernel>;
            unsafe fn launch(
                &self, kernel: &Kernel, config: LaunchConfig, args: &[Arg<'_>]
            ) -> Result<()>;
            fn synchronize(&self) -> Result<()>;
            fn has_failed(&self) -> bool;
            fn new_stream(&self, priority: Priority) -> Result<Gpu>;
            fn event(&self) -> Result<Event>;
            fn timed_event(&self) -> Result<Event>;
            fn wait_for(&self, event: &Event) -> Result<()>;
            unsafe fn queue_upload<T>(
                &self, source: &PinnedBuffer<T>, range: Range<usize>, target: &Buffer<T>, at: usize
            ) -> Result<()>;
            unsafe fn queue_download<T>(
                &self, source: &Buffer<T>, range: Range<usize>, target: &mut PinnedBuffer<T>,
                at: usize
            ) -> Result<()>;
            unsafe fn queue_copy<T>(
                &self, source: &Buffer<T>, range: Range<usize>, target: &Buffer<T>, at: usize
            ) -> Result<()>;
            unsafe fn queue_upload_rectangle<T>(
                &self, source: &PinnedBuffer<T>, from: Rectangle, target: &Buffer<T>, to: Rectangle
            ) -> Result<()>;
            unsafe fn queue_copy_rectangle<T>(
                &self, source: &Buffer<T>, from: Rectangle, target: &Buffer<T>, to: Rectangle
            ) -> Result<()>;
            fn reach(&self, other: &Gpu) -> Result<bool>;
            fn uuid(&self) -> Result<[u8; 16]>;
            fn stream_handle(&self) -> Result<*mut c_void>;
            fn timer(&self) -> Result<Timer>;
            fn jit_ms(&self) -> f64;
        } }
        $each! { [T,] Buffer<T> {
            fn address(&self) -> u64;
            fn len(&self) -> usize;
            fn is_empty(&self) -> bool;
            fn bytes(&self) -> u64;
        } }
        $each! { [T: Pod,] Buffer<T> {
            fn cast<U>(self) -> Buffer<U>;
            fn upload(&mut self, values: &[T]) -> Result<()>;
            fn download(&self) -> Result<Vec<T>>;
            fn download_range(&self, range: Range<usize>) -> Result<Vec<T>>;
            fn download_into(&self, values: &mut [T]) -> Result<()>;
            fn fill_bytes(&mut self, byte: u8) -> Result<()>;
        } }
        $each! { [T,] PinnedBuffer<T> {
            fn address(&self) -> Result<u64>;
        } }
        $each! { [] Mailbox {
            fn address(&self) -> Result<u64>;
        } }
        $each! { [] Kernel {
            fn name(&self) -> &'static str;
            fn attributes(&self) -> Result<KernelAttributes>;
            fn occupancy(&self, block: u32, shared_bytes: u32) -> Result<u32>;
            fn allow_shared(&self, bytes: u32) -> Result<()>;
        } }
        $each! { [] Event {
            fn record(&self, gpu: &Gpu) -> Result<()>;
            fn wait(&self) -> Result<()>;
            fn ms_since(&self, earlier: &Event) -> Result<f64>;
        } }
        $each! { [] Timer {
            fn start(&self) -> Result<()>;
            fn stop(&self) -> Result<()>;
            fn is_done(&self) -> Result<bool>;
            fn elapsed_ms(&self) -> Result<f64>;
        } }
    };
}
pub(crate) use interface;

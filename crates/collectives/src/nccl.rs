//! Broadcasts between the memories of GPUs, by NVIDIA's library NCCL.
//!
//! It is loaded when it is first asked for, so that neither building nor running needs it:
//! `libnccl.so.2`, or the file that the variable `STARPATH_NCCL` names. What it does is queued on
//! a stream of the GPU, and the host does not wait.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt;
use std::ptr;
use std::sync::OnceLock;

use libloading::Library;

use crate::{Communicator, RanksError};

/// What says which communicator ranks are of.
type Id = [u8; 128];
type Comm = *mut c_void;

/// `ncclUint8`.
const BYTES: c_int = 1;

/// The functions used of the library, which stays loaded.
struct Functions {
    get_unique_id: unsafe extern "C" fn(*mut UniqueId) -> c_int,
    init: unsafe extern "C" fn(*mut Comm, c_int, UniqueId, c_int) -> c_int,
    broadcast: unsafe extern "C" fn(
        *const c_void,
        *mut c_void,
        usize,
        c_int,
        c_int,
        Comm,
        *mut c_void,
    ) -> c_int,
    abort: unsafe extern "C" fn(Comm) -> c_int,
    error_string: unsafe extern "C" fn(c_int) -> *const c_char,
}

/// `ncclUniqueId`, which is passed by value.
#[derive(Clone, Copy)]
#[repr(C)]
struct UniqueId {
    bytes: Id,
}

/// Ranks with a GPU each.
pub struct Nccl {
    functions: &'static Functions,
    comm: Comm,
}

impl fmt::Debug for Nccl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nccl").finish_non_exhaustive()
    }
}

impl Functions {
    /// The library's, loaded once.
    fn get() -> Result<&'static Self, String> {
        static LOADED: OnceLock<Result<Functions, String>> = OnceLock::new();
        let loaded = LOADED.get_or_init(|| Self::load().map_err(|error| error.to_string()));
        loaded.as_ref().map_err(Clone::clone)
    }

    fn load() -> Result<Self, libloading::Error> {
        let name = std::env::var_os("STARPATH_NCCL").unwrap_or_else(|| "libnccl.so.2".into());
        // SAFETY: what the library does when it is loaded is fit for any process and thread; the
        // types are those of its header, since version 2.0; it is never unloaded.
        unsafe {
            let library = Box::leak(Box::new(Library::new(name)?));
            Ok(Self {
                get_unique_id: *library.get(b"ncclGetUniqueId\0")?,
                init: *library.get(b"ncclCommInitRank\0")?,
                broadcast: *library.get(b"ncclBroadcast\0")?,
                abort: *library.get(b"ncclCommAbort\0")?,
                error_string: *library.get(b"ncclGetErrorString\0")?,
            })
        }
    }

    fn check(&self, code: c_int) -> Result<(), String> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the function answers any number with a text that stays.
        let text = unsafe { CStr::from_ptr((self.error_string)(code)) };
        Err(text.to_string_lossy().into_owned())
    }
}

impl Nccl {
    /// Connects the current GPUs of all ranks, which call it together. No two may have the same:
    /// NCCL refuses that.
    ///
    /// # Errors
    /// On all ranks where there is no NCCL on any, or it refuses; a rank that it refuses nothing
    /// hears of that by `ranks`.
    pub fn connect(ranks: &dyn Communicator) -> Result<Self, RanksError> {
        let mut id = UniqueId { bytes: [0; 128] };
        let begun = Functions::get().and_then(|functions| {
            if ranks.is_root() {
                // SAFETY: the function writes an identifier, to a place that is one.
                functions.check(unsafe { (functions.get_unique_id)(&raw mut id) })?;
            }
            Ok(functions)
        });
        let functions = together(ranks, begun)?;
        ranks.broadcast(0, &mut id.bytes)?;
        let mut comm = ptr::null_mut();
        let (rank, size) = (ranks.rank() as c_int, ranks.size() as c_int);
        // SAFETY: the identifier is of this library, and the function writes one pointer.
        let connected = functions.check(unsafe { (functions.init)(&raw mut comm, size, id, rank) });
        // where another rank fails, dropping it lets go of what there is
        let own = connected.map(|()| Self { functions, comm });
        together(ranks, own)
    }

    /// Queues, on a stream of this rank's GPU, the copying of bytes from the GPU of rank `root` to
    /// those of all others. To be called by all ranks, in the same order.
    ///
    /// # Errors
    /// Where NCCL refuses; the others then wait for this rank.
    ///
    /// # Safety
    /// At `address` lie so many bytes of the memory of the current GPU, of which `stream` is a
    /// `CUstream`, and both stay until the copy is done. Until then nobody uses these bytes
    /// without being ordered after it, or on `root` writes them.
    pub unsafe fn broadcast(
        &self,
        address: u64,
        n_bytes: usize,
        root: usize,
        stream: *mut c_void,
    ) -> Result<(), RanksError> {
        let place = address as *mut c_void;
        // SAFETY: the caller's, and the communicator is open.
        let code = unsafe {
            let root = root as c_int;
            (self.functions.broadcast)(place, place, n_bytes, BYTES, root, self.comm, stream)
        };
        self.functions.check(code).map_err(RanksError::Nccl)
    }
}

impl Drop for Nccl {
    /// Without waiting for ranks that may be gone.
    fn drop(&mut self) {
        // SAFETY: the communicator is open, and nobody uses it any more.
        unsafe { (self.functions.abort)(self.comm) };
    }
}

/// An error on all ranks where there is one on any.
fn together<T>(ranks: &dyn Communicator, own: Result<T, String>) -> Result<T, RanksError> {
    let message = own.as_ref().err().map(String::as_str);
    match (ranks.first_message(message)?, own) {
        (None, Ok(own)) => Ok(own),
        (_, Err(message)) | (Some((_, message)), Ok(_)) => Err(RanksError::Nccl(message)),
    }
}

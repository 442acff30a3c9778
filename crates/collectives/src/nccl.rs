//! Broadcasts and exchanges between the memories of GPUs, by NVIDIA's library NCCL.
//!
//! It is loaded at its first use, so that neither building nor running needs it: `libnccl.so.2`, or
//! the file that the variable `STARPATH_NCCL` names. What it does is queued on a stream of the GPU,
//! and the host does not wait.
//!
//! If the library refuses a call on one rank, the others would wait inside it. So no call blocks:
//! ranks poll until the call is done on all of them. If it is refused on one, all give up the
//! communicator.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt;
use std::ptr;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use libloading::Library;

use crate::{Communicator, RanksError};

/// What says which communicator ranks are of.
type Id = [u8; 128];
type Comm = *mut c_void;

/// `ncclUint8`.
const BYTES: c_int = 1;
/// `ncclSuccess`.
const DONE: c_int = 0;
/// `ncclInProgress`.
const IN_PROGRESS: c_int = 7;
/// From one question how far the library is to the next.
const PAUSE: Duration = Duration::from_micros(20);

/// The functions used of the library, which stays loaded.
struct Functions {
    get_unique_id: unsafe extern "C" fn(*mut UniqueId) -> c_int,
    init: unsafe extern "C" fn(*mut Comm, c_int, UniqueId, c_int, *mut Config) -> c_int,
    broadcast: unsafe extern "C" fn(
        *const c_void,
        *mut c_void,
        usize,
        c_int,
        c_int,
        Comm,
        *mut c_void,
    ) -> c_int,
    send: unsafe extern "C" fn(*const c_void, usize, c_int, c_int, Comm, *mut c_void) -> c_int,
    receive: unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, Comm, *mut c_void) -> c_int,
    group_start: unsafe extern "C" fn() -> c_int,
    group_end: unsafe extern "C" fn() -> c_int,
    state: unsafe extern "C" fn(Comm, *mut c_int) -> c_int,
    abort: unsafe extern "C" fn(Comm) -> c_int,
    error_string: unsafe extern "C" fn(c_int) -> *const c_char,
}

/// `ncclUniqueId`, which is passed by value.
#[derive(Clone, Copy)]
#[repr(C)]
struct UniqueId {
    bytes: Id,
}

/// `ncclConfig_t` as it was in version 2.14, which later ones take.
#[repr(C)]
struct Config {
    size: usize,
    magic: u32,
    version: u32,
    blocking: c_int,
}

impl Config {
    /// Of a communicator whose functions do not wait for other ranks.
    const NON_BLOCKING: Self =
        Self { size: size_of::<Self>(), magic: 0xcafe_beef, version: 21_400, blocking: 0 };
}

/// How far the library is, the worst last.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Step {
    Done,
    InProgress,
    Refused,
}

/// Ranks with a GPU each.
pub struct Nccl {
    functions: &'static Functions,
    /// Null once it is given up.
    comm: Cell<Comm>,
}

// SAFETY: NCCL lets any thread use a communicator, one at a time, and a `Cell` is not shared.
unsafe impl Send for Nccl {}

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
        // types are those of its header, since version 2.14; it is never unloaded.
        unsafe {
            let library = Box::leak(Box::new(Library::new(name)?));
            Ok(Self {
                get_unique_id: *library.get(b"ncclGetUniqueId\0")?,
                init: *library.get(b"ncclCommInitRankConfig\0")?,
                broadcast: *library.get(b"ncclBroadcast\0")?,
                send: *library.get(b"ncclSend\0")?,
                receive: *library.get(b"ncclRecv\0")?,
                group_start: *library.get(b"ncclGroupStart\0")?,
                group_end: *library.get(b"ncclGroupEnd\0")?,
                state: *library.get(b"ncclCommGetAsyncError\0")?,
                abort: *library.get(b"ncclCommAbort\0")?,
                error_string: *library.get(b"ncclGetErrorString\0")?,
            })
        }
    }

    fn check(&self, code: c_int) -> Result<(), String> {
        if matches!(code, DONE | IN_PROGRESS) {
            return Ok(());
        }
        // SAFETY: the function answers any number with a text that stays.
        let text = unsafe { CStr::from_ptr((self.error_string)(code)) };
        Err(text.to_string_lossy().into_owned())
    }
}

impl Nccl {
    /// Connects the current GPUs of all ranks, which call it together, each with what names its GPU:
    /// the connection, or why there is none, the same on all ranks. `try_it` uses the connection, for
    /// NCCL connects when it first sends.
    ///
    /// # Errors
    /// When another rank has ended.
    pub fn between(
        ranks: &dyn Communicator,
        gpu: [u8; 16],
        try_it: impl FnOnce(&Self) -> Result<(), String>,
    ) -> Result<Result<Self, String>, RanksError> {
        let gpus = ranks.gather(0, &gpu)?;
        let is_shared = (1..gpus.len()).any(|i| gpus[..i].contains(&gpus[i]));
        let connected = match ranks.any(is_shared)? {
            true => Err("ranks share a GPU".to_owned()),
            false => Self::connect(ranks).map_err(|error| error.to_string()),
        };
        let tried = connected.and_then(|nccl| try_it(&nccl).map(|()| nccl));
        let reason = ranks.first_message(tried.as_ref().err().map(String::as_str))?;
        Ok(match reason {
            Some((_, reason)) => Err(reason),
            None => tried,
        })
    }

    /// Connects the current GPUs of all ranks, which call it together. No two may have the same:
    /// NCCL refuses that.
    ///
    /// # Errors
    /// On all ranks, if any rank has no NCCL, or if NCCL refuses on any rank. The other ranks learn
    /// of it by `ranks`.
    pub fn connect(ranks: &dyn Communicator) -> Result<Self, RanksError> {
        Self::connect_by(Functions::get(), ranks)
    }

    fn connect_by(
        functions: Result<&'static Functions, String>,
        ranks: &dyn Communicator,
    ) -> Result<Self, RanksError> {
        let mut id = UniqueId { bytes: [0; 128] };
        let begun = functions.and_then(|functions| {
            if ranks.is_root() {
                // SAFETY: the function writes an identifier, to a place that is one.
                functions.check(unsafe { (functions.get_unique_id)(&raw mut id) })?;
            }
            Ok(functions)
        });
        let functions = together(ranks, begun)?;
        ranks.broadcast(0, &mut id.bytes)?;
        let (mut comm, mut config) = (ptr::null_mut(), Config::NON_BLOCKING);
        let (rank, size) = (ranks.rank() as c_int, ranks.size() as c_int);
        // SAFETY: the identifier is of this library; the function writes one pointer, and reads
        // a configuration that says which version's it is.
        let code = unsafe { (functions.init)(&raw mut comm, size, id, rank, &raw mut config) };
        let connected = Self { functions, comm: Cell::new(comm) };
        connected.settle(ranks, code)?;
        Ok(connected)
    }

    /// Queues, on a stream of this rank's GPU, the copying of bytes from the GPU of rank `root` to
    /// those of all others. To be called by all ranks, in the same order.
    ///
    /// # Errors
    /// On all ranks where NCCL refuses on any; then what is queued ends, and nothing more can be.
    ///
    /// # Safety
    /// At `address` lie `n_bytes` bytes of the memory of the current GPU, of which `stream` is a
    /// `CUstream`, and both stay until the copy is done. Until then these bytes are not used by
    /// work that is not ordered after the copy, and on `root` they are not written.
    pub unsafe fn broadcast(
        &self,
        ranks: &dyn Communicator,
        address: u64,
        n_bytes: usize,
        root: usize,
        stream: *mut c_void,
    ) -> Result<(), RanksError> {
        let (place, comm) = (address as *mut c_void, self.open()?);
        // SAFETY: the caller's, and the communicator is open.
        let code = unsafe {
            (self.functions.broadcast)(place, place, n_bytes, BYTES, root as c_int, comm, stream)
        };
        self.settle(ranks, code)
    }

    /// Queues, on a stream of this rank's GPU, an exchange of bytes between the GPUs of all ranks.
    /// `sent` and `received` have an address and a number of bytes for each, none for this rank itself.
    /// To be called by all ranks, in the same order.
    ///
    /// # Errors
    /// As [`broadcast`](Self::broadcast).
    ///
    /// # Safety
    /// At each address lie the bytes in the memory of the current GPU, of which `stream` is a
    /// `CUstream`, and they stay until the exchange is done. Until then what is received is not used, and what
    /// is sent not written, by work that is not ordered after it. A rank receives from another as many
    /// bytes as that sends it.
    pub unsafe fn exchange(
        &self,
        ranks: &dyn Communicator,
        sent: &[(u64, usize)],
        received: &[(u64, usize)],
        stream: *mut c_void,
    ) -> Result<(), RanksError> {
        let comm = self.open()?;
        let mut worst = DONE;
        let mut call = |code| {
            if !matches!(code, DONE | IN_PROGRESS) && worst == DONE {
                worst = code;
            }
        };
        // SAFETY: the caller's, and the communicator is open. A group has both sides of each message, so
        // that none waits for another.
        let ended = unsafe {
            call((self.functions.group_start)());
            for (other, &(address, n_bytes)) in (0..).zip(sent).filter(|(_, sent)| sent.1 > 0) {
                let from = address as *const c_void;
                call((self.functions.send)(from, n_bytes, BYTES, other, comm, stream));
            }
            for (other, &(address, n_bytes)) in (0..).zip(received).filter(|(_, to)| to.1 > 0) {
                let to = address as *mut c_void;
                call((self.functions.receive)(to, n_bytes, BYTES, other, comm, stream));
            }
            (self.functions.group_end)()
        };
        self.settle(ranks, if worst == DONE { ended } else { worst })
    }

    /// The communicator, if it was not given up.
    fn open(&self) -> Result<Comm, RanksError> {
        let comm = self.comm.get();
        if comm.is_null() {
            return Err(RanksError::Nccl(
                "the connection of the ranks has been closed by an earlier error".to_owned(),
            ));
        }
        Ok(comm)
    }

    /// Waits until a call, which returned `code` here, is done on all ranks. If it is refused on
    /// one, or a rank has ended, the communicator is given up on all.
    fn settle(&self, ranks: &dyn Communicator, code: c_int) -> Result<(), RanksError> {
        let settled = self.follow(ranks, code);
        if settled.is_err() {
            self.give_up();
        }
        settled
    }

    fn follow(&self, ranks: &dyn Communicator, mut code: c_int) -> Result<(), RanksError> {
        loop {
            let step = match code {
                DONE => Step::Done,
                IN_PROGRESS => Step::InProgress,
                _ => Step::Refused,
            };
            let worst = ranks.max(step as u8)?;
            if worst == Step::Done as u8 {
                return Ok(());
            }
            if worst == Step::Refused as u8 {
                return together(ranks, self.functions.check(code));
            }
            thread::sleep(PAUSE);
            if step == Step::InProgress {
                // SAFETY: the communicator is open, and the function writes one number.
                let asked = unsafe { (self.functions.state)(self.comm.get(), &raw mut code) };
                code = if asked == DONE { code } else { asked };
            }
        }
    }

    /// Ends what is queued, without waiting for ranks that may be gone.
    fn give_up(&self) {
        let comm = self.comm.replace(ptr::null_mut());
        if !comm.is_null() {
            // SAFETY: the communicator is open, and is not used any more.
            unsafe { (self.functions.abort)(comm) };
        }
    }
}

impl Drop for Nccl {
    fn drop(&mut self) {
        self.give_up();
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

#[cfg(test)]
mod tests {
    //! A library that has no GPUs: it is in progress until all ranks have called it, which is for
    //! ever where it refuses one.

    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::Threads;

    const N_RANKS: usize = 3;
    /// `ncclSystemError`.
    const REFUSED: c_int = 2;

    static FUNCTIONS: Functions = Functions {
        get_unique_id,
        init,
        broadcast,
        send,
        receive,
        group_start,
        group_end,
        state,
        abort,
        error_string,
    };

    /// What the library refuses: a function, of a rank.
    static REFUSES: Mutex<Option<(&str, usize)>> = Mutex::new(None);
    /// Calls that all ranks make, and how often a communicator was given up.
    static N_CALLS: AtomicUsize = AtomicUsize::new(0);
    static N_ABORTS: AtomicUsize = AtomicUsize::new(0);

    /// Messages: from which rank, to which, and bytes.
    static SENT: Mutex<Vec<(usize, usize, usize)>> = Mutex::new(Vec::new());
    static RECEIVED: Mutex<Vec<(usize, usize, usize)>> = Mutex::new(Vec::new());

    thread_local! {
        /// The rank that has received last.
        static THIS: Cell<usize> = const { Cell::new(0) };
    }

    /// A communicator is its rank, from 1.
    fn call(function: &str, rank: usize) -> c_int {
        if *REFUSES.lock().unwrap() == Some((function, rank)) {
            return REFUSED;
        }
        N_CALLS.fetch_add(1, Ordering::SeqCst);
        IN_PROGRESS
    }

    unsafe extern "C" fn get_unique_id(_: *mut UniqueId) -> c_int {
        N_CALLS.store(0, Ordering::SeqCst);
        DONE
    }

    unsafe extern "C" fn init(
        comm: *mut Comm,
        _: c_int,
        _: UniqueId,
        rank: c_int,
        config: *mut Config,
    ) -> c_int {
        // SAFETY: both are places of the caller's.
        unsafe {
            assert_eq!((*config).blocking, 0);
            *comm = ptr::without_provenance_mut(rank as usize + 1);
        }
        call("init", rank as usize)
    }

    unsafe extern "C" fn broadcast(
        _: *const c_void,
        _: *mut c_void,
        _: usize,
        _: c_int,
        _: c_int,
        comm: Comm,
        _: *mut c_void,
    ) -> c_int {
        call("broadcast", comm.addr() - 1)
    }

    unsafe extern "C" fn send(
        _: *const c_void,
        n: usize,
        _: c_int,
        to: c_int,
        comm: Comm,
        _: *mut c_void,
    ) -> c_int {
        SENT.lock().unwrap().push((comm.addr() - 1, to as usize, n));
        DONE
    }

    unsafe extern "C" fn receive(
        _: *mut c_void,
        n: usize,
        _: c_int,
        from: c_int,
        comm: Comm,
        _: *mut c_void,
    ) -> c_int {
        RECEIVED.lock().unwrap().push((from as usize, comm.addr() - 1, n));
        THIS.set(comm.addr() - 1);
        DONE
    }

    unsafe extern "C" fn group_start() -> c_int {
        DONE
    }

    unsafe extern "C" fn group_end() -> c_int {
        call("exchange", THIS.get())
    }

    unsafe extern "C" fn state(_: Comm, state: *mut c_int) -> c_int {
        let is_done = N_CALLS.load(Ordering::SeqCst).is_multiple_of(N_RANKS);
        // SAFETY: it is a place of the caller's.
        unsafe { *state = if is_done { DONE } else { IN_PROGRESS } };
        DONE
    }

    unsafe extern "C" fn abort(comm: Comm) -> c_int {
        assert!(!comm.is_null());
        N_ABORTS.fetch_add(1, Ordering::SeqCst);
        DONE
    }

    unsafe extern "C" fn error_string(_: c_int) -> *const c_char {
        c"unhandled system error".as_ptr()
    }

    /// Two broadcasts after connecting; what each rank hears.
    fn hear(refuses: Option<(&'static str, usize)>) -> Vec<Result<(), RanksError>> {
        *REFUSES.lock().unwrap() = refuses;
        N_ABORTS.store(0, Ordering::SeqCst);
        let work = |ranks: &Threads| {
            let talk = || {
                let nccl = Nccl::connect_by(Ok(&FUNCTIONS), ranks)?;
                // SAFETY: this library copies nothing.
                let broadcast = || unsafe { nccl.broadcast(ranks, 0, 0, 0, ptr::null_mut()) };
                let first = broadcast();
                assert_eq!(first.is_err(), broadcast().is_err());
                first?;
                let bytes = |from: usize, to: usize| if from == to { 0 } else { 10 * from + to };
                let rank = ranks.rank();
                let sent: Vec<_> = (0..N_RANKS).map(|other| (0, bytes(rank, other))).collect();
                let received: Vec<_> = (0..N_RANKS).map(|other| (0, bytes(other, rank))).collect();
                // SAFETY: as before.
                unsafe { nccl.exchange(ranks, &sent, &received, ptr::null_mut()) }
            };
            Ok::<_, RanksError>(talk())
        };
        Threads::run(N_RANKS, work).unwrap()
    }

    #[test]
    fn what_one_rank_is_refused_ends_for_all() {
        assert_eq!(hear(None), vec![Ok(()); N_RANKS]);
        assert_eq!(N_ABORTS.load(Ordering::SeqCst), N_RANKS);
        let refused = Err(RanksError::Nccl("unhandled system error".to_owned()));
        let mut messages = [&SENT, &RECEIVED].map(|all| std::mem::take(&mut *all.lock().unwrap()));
        messages.iter_mut().for_each(|all| all.sort_unstable());
        assert_eq!(messages[0], messages[1]);
        assert_eq!(messages[0].len(), N_RANKS * (N_RANKS - 1));
        for function in ["init", "broadcast", "exchange"] {
            for rank in 0..N_RANKS {
                assert_eq!(hear(Some((function, rank))), vec![refused.clone(); N_RANKS]);
                assert_eq!(N_ABORTS.load(Ordering::SeqCst), N_RANKS, "{function} {rank}");
            }
        }
    }
}

//! What threads of Python use in turn.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use crate::error::Error;

/// A value that one thread of Python uses at a time, and others wait for without the interpreter's
/// lock.
///
/// A thread looks for signals while it waits for its work, and their handlers may ask for the same
/// value: they would wait for what they interrupt.
pub(crate) struct Turns<T> {
    value: Mutex<T>,
    user: Mutex<Option<ThreadId>>,
}

impl<T> Turns<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { value: Mutex::new(value), user: Mutex::new(None) }
    }

    /// Uses the value for a thread of Python, when it is its turn. Not to be called with the
    /// interpreter's lock.
    ///
    /// # Errors
    /// Where that thread is using it, and those of `work`.
    pub(crate) fn take<R>(
        &self,
        user: ThreadId,
        work: impl FnOnce(&mut T) -> Result<R, Error>,
    ) -> Result<R, Error> {
        if *unpoisoned(&self.user) == Some(user) {
            return Err(Error::argument(
                "a signal's handler asks for what it interrupts, which would never end; give it an \
                 object of its own, or have it leave the question for later",
            ));
        }
        let mut value = unpoisoned(&self.value);
        let _turn = Turn::of(&self.user, user);
        work(&mut value)
    }
}

/// The time in which a thread uses the value.
struct Turn<'a>(&'a Mutex<Option<ThreadId>>);

impl<'a> Turn<'a> {
    fn of(place: &'a Mutex<Option<ThreadId>>, user: ThreadId) -> Self {
        *unpoisoned(place) = Some(user);
        Self(place)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *unpoisoned(self.0) = None;
    }
}

/// The lock, also after a panic: that has become an error.
pub(crate) fn unpoisoned<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

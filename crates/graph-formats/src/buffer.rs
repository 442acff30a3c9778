//! An array that is either owned or a window of a memory-mapped file.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use memmap2::Mmap;

/// A read-only array of plain data: a `Vec`, or part of a mapped file that lives as
/// long as the array does. It dereferences to a slice.
#[derive(Clone)]
pub struct Buffer<T>(Storage<T>);

#[derive(Clone)]
enum Storage<T> {
    Owned(Arc<Vec<T>>),
    Mapped { map: Arc<Mmap>, start: usize, bytes: usize },
}

impl<T: bytemuck::Pod> Buffer<T> {
    /// The `bytes` bytes of `map` from `start` on as an array of `T`; `None` when the
    /// range leaves the map or is not aligned for `T`.
    pub(crate) fn mapped(map: Arc<Mmap>, start: usize, bytes: usize) -> Option<Self> {
        let window = map.get(start..start.checked_add(bytes)?)?;
        bytemuck::try_cast_slice::<u8, T>(window).ok()?;
        Some(Self(Storage::Mapped { map, start, bytes }))
    }

    /// The array as a `Vec`: moved out where this is its only owner, else copied.
    pub fn into_vec(self) -> Vec<T> {
        match self.0 {
            Storage::Owned(vec) => Arc::unwrap_or_clone(vec),
            Storage::Mapped { .. } => self.to_vec(),
        }
    }
}

impl<T> From<Vec<T>> for Buffer<T> {
    fn from(vec: Vec<T>) -> Self {
        Self(Storage::Owned(Arc::new(vec)))
    }
}

impl<T: bytemuck::Pod> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Storage::Owned(vec) => vec,
            // `mapped` made this same cast when the buffer was built
            Storage::Mapped { map, start, bytes } => {
                bytemuck::cast_slice(&map[*start..*start + *bytes])
            }
        }
    }
}

impl<T: bytemuck::Pod + fmt::Debug> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.deref().fmt(f)
    }
}

impl<T: bytemuck::Pod + PartialEq> PartialEq for Buffer<T> {
    fn eq(&self, other: &Self) -> bool {
        self.deref() == other.deref()
    }
}

//! A read-only array whose memory belongs to this crate, a mapped file, or the caller.

use std::any::Any;
use std::fmt;
use std::ops::{Deref, Range};
use std::ptr::NonNull;
use std::sync::Arc;

use bytemuck::Pod;

/// A read-only array: a `Vec`, or memory of [another owner](Buffer::of_owner). It dereferences to
/// a slice, and its clones share the memory.
pub struct Buffer<T> {
    /// Points into memory that `owner` keeps in place.
    slice: NonNull<[T]>,
    owner: Owner<T>,
}

enum Owner<T> {
    Vec(Arc<Vec<T>>),
    Other(Arc<dyn Any + Send + Sync>),
}

// SAFETY: it gives shared references to T, as &[T] does, and its owners may be sent and shared
unsafe impl<T: Send + Sync> Send for Buffer<T> {}
// SAFETY: as above
unsafe impl<T: Send + Sync> Sync for Buffer<T> {}

impl<T> Buffer<T> {
    /// The array of `owner`, which is dropped with the last clone. O(1).
    ///
    /// ```
    /// use graph_formats::{Buffer, Csr};
    ///
    /// let columns: Buffer<u32> = Buffer::of_owner([1, 2, 0]);
    /// let address = columns.as_ptr();
    /// let triangle = Csr::new(vec![0, 1, 2, 3], columns, vec![5u32, 6, 7])?;
    /// assert_eq!(triangle.column_indices().as_ptr(), address);
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    pub fn of_owner(owner: impl AsRef<[T]> + Send + Sync + 'static) -> Self {
        let owner = Arc::new(owner);
        let slice = NonNull::from((*owner).as_ref());
        Self { slice, owner: Owner::Other(owner) }
    }

    /// The array as a `Vec`: moved out if it is one and has no other clone, else copied.
    pub fn into_vec(self) -> Vec<T>
    where
        T: Clone,
    {
        match self.owner {
            Owner::Vec(vec) => Arc::unwrap_or_clone(vec),
            Owner::Other(_) => self.to_vec(),
        }
    }
}

impl<T: Pod + Send + Sync> Buffer<T> {
    /// The same memory as elements of another type of the same size. O(1).
    pub(crate) fn cast<U: Pod>(&self) -> Buffer<U> {
        Buffer::of_owner(Cast(self.clone()))
    }
}

/// Elements that are read as another type of the same size.
struct Cast<T>(Buffer<T>);

impl<T: Pod, U: Pod> AsRef<[U]> for Cast<T> {
    fn as_ref(&self) -> &[U] {
        bytemuck::cast_slice(&self.0)
    }
}

impl Buffer<u8> {
    /// The bytes in `range` as an array: in place, or copied if they are not aligned for `T`. Bytes
    /// after the last whole `T` are left out.
    ///
    /// # Panics
    /// When the range is not within the bytes.
    ///
    /// ```
    /// use graph_formats::Buffer;
    ///
    /// let bytes = Buffer::from(vec![1, 0, 0, 0, 2, 0, 0, 0]);
    /// assert_eq!(*bytes.array::<u32>(0..8), [1, 2]);
    /// assert_eq!(*bytes.array::<u16>(4..6), [2]);
    /// ```
    pub fn array<T: Pod>(&self, range: Range<usize>) -> Buffer<T> {
        let length = range.len() / size_of::<T>().max(1) * size_of::<T>();
        let range = range.start..range.start + length;
        match bytemuck::try_cast_slice::<u8, T>(&self[range.clone()]) {
            Ok(_) => Buffer::of_owner(Window { bytes: self.clone(), range }),
            Err(_) => bytemuck::pod_collect_to_vec(&self[range]).into(),
        }
    }
}

/// Bytes, of which those in `range` are an array.
struct Window {
    bytes: Buffer<u8>,
    range: Range<usize>,
}

impl<T: Pod> AsRef<[T]> for Window {
    fn as_ref(&self) -> &[T] {
        bytemuck::cast_slice(&self.bytes[self.range.clone()])
    }
}

impl<T> From<Vec<T>> for Buffer<T> {
    fn from(vec: Vec<T>) -> Self {
        let owner = Arc::new(vec);
        Self { slice: NonNull::from(owner.as_slice()), owner: Owner::Vec(owner) }
    }
}

impl<T> Default for Buffer<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T> Deref for Buffer<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the slice was borrowed from what `owner` points to, which is not changed and
        // stays in place as long as `self.owner`
        unsafe { self.slice.as_ref() }
    }
}

impl<T> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        let owner = match &self.owner {
            Owner::Vec(vec) => Owner::Vec(vec.clone()),
            Owner::Other(other) => Owner::Other(other.clone()),
        };
        Self { slice: self.slice, owner }
    }
}

impl<T: fmt::Debug> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.deref().fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Buffer<T> {
    fn eq(&self, other: &Self) -> bool {
        self.deref() == other.deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_clone_drops_the_owner() {
        struct Owner(#[expect(dead_code, reason = "it counts")] Arc<()>, [u8; 3]);
        impl AsRef<[u8]> for Owner {
            fn as_ref(&self) -> &[u8] {
                &self.1
            }
        }
        let alive = Arc::new(());
        let buffer = Buffer::of_owner(Owner(alive.clone(), [3, 1, 2]));
        let clone = buffer.clone();
        drop(buffer);
        assert_eq!((&*clone, Arc::strong_count(&alive)), (&[3, 1, 2][..], 2));
        assert_eq!(clone.into_vec(), [3, 1, 2]);
        assert_eq!(Arc::strong_count(&alive), 1);
    }

    #[test]
    fn a_vec_moves_out_of_its_only_owner() {
        let vec = vec![1, 2, 3];
        let address = vec.as_ptr();
        let buffer = Buffer::from(vec);
        let clone = buffer.clone();
        let (copied, moved) = (clone.into_vec(), buffer.into_vec());
        assert_ne!(copied.as_ptr(), address);
        assert_eq!(moved.as_ptr(), address);
    }
}

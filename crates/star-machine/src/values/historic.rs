//! Operations that the language had in 1993, as a summary of it names them: masks, shifts,
//! rotations, mirror images, selections, the union of all columns. No definition was to be
//! had, so what they do exactly is this project's. They are of values only; machines have the
//! operations of the seed paper.

use std::ops::Range;

use super::{Field, Slice, Table};
use crate::StarError;

impl Slice {
    /// `MASK`: ones exactly in this range.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`] where the range is reversed or does not end within the slice,
    /// and those of [`zeros`](Self::zeros).
    pub fn mask(len: usize, range: Range<usize>) -> Result<Self, StarError> {
        let mut mask = Self::zeros(len)?;
        mask.has(&range)?;
        mask.rep(range.clone(), &Self::ones(range.len())?)?;
        Ok(mask)
    }

    /// `ONE`: whether all bits are ones; true without bits.
    #[must_use]
    pub fn one(&self) -> bool {
        self.numb() == self.len()
    }

    /// `ZERO`: whether all bits are zeros.
    #[must_use]
    pub fn zero(&self) -> bool {
        !self.some()
    }

    /// `SHIFT`: every bit `by` positions further on, or back where it is negative; zeros come
    /// in, and what leaves is lost.
    ///
    /// ```
    /// use star_machine::Slice;
    ///
    /// let x = Slice::from_positions(6, [0, 1, 4])?;
    /// assert_eq!(x.shift(2).to_string(), "001100");
    /// assert_eq!(x.shift(-1).to_string(), "100100");
    /// assert_eq!(x.rotate(2).to_string(), "101100");
    /// assert_eq!(x.mirror().to_string(), "010011");
    /// # Ok::<(), star_machine::StarError>(())
    /// ```
    #[must_use]
    pub fn shift(&self, by: isize) -> Self {
        // nothing is left of the bits from the length on
        let by = by.clamp(-(self.len() as isize), self.len() as isize);
        Self::of_windows(self.len(), |at| self.window(at - by))
    }

    /// `ROTATE`: every bit `by` positions further on, or back; what leaves comes in at the
    /// other end.
    #[must_use]
    pub fn rotate(&self, by: isize) -> Self {
        let len = self.len() as isize;
        let by = by.checked_rem_euclid(len).unwrap_or(0);
        Self::of_windows(self.len(), |at| self.window(at - by) | self.window(at - by + len))
    }

    /// `MIRROR`: the bits from the last to the first.
    #[must_use]
    pub fn mirror(&self) -> Self {
        let len = self.len() as isize;
        Self::of_windows(self.len(), |at| self.window(len - at - 64).reverse_bits())
    }

    /// The bits that `selected` marks, in order, and no others.
    ///
    /// # Errors
    /// [`StarError::LengthMismatch`].
    pub fn compress(&self, selected: &Self) -> Result<Self, StarError> {
        self.same_len("a selection", selected)?;
        let ones = selected.positions().enumerate().filter(|(_, from)| self.bit(*from));
        Self::from_positions(selected.numb(), ones.map(|(to, _)| to))
    }
}

impl Field<'_> {
    /// The union of all columns: the rows that are not zero.
    #[must_use]
    pub fn row_or(&self) -> Slice {
        let mut all = vec![0; self.stride()];
        for column in self.as_words().chunks(self.stride().max(1)) {
            all.iter_mut().zip(column).for_each(|(all, word)| *all |= word);
        }
        Slice::of_words(self.rows(), all)
    }
}

impl Table {
    /// The union of all columns: the rows that are not zero.
    #[must_use]
    pub fn row_or(&self) -> Slice {
        self.view().row_or()
    }
}

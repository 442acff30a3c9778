//! Launches: their kinds and sizes, and the time that they take.

use gpu_runtime::{GpuError, Timer};

/// What a launch works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// A tile of the diagonal.
    Pivot,
    /// The other tiles in its row and column.
    Panels,
    /// All other tiles; all products of the recursive form; all of the plain form.
    Bulk,
}

impl Phase {
    /// All of them, in order.
    pub const ALL: [Self; 3] = [Self::Pivot, Self::Panels, Self::Bulk];
}

/// A launch: its kind and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Launch {
    /// What it works on.
    pub phase: Phase,
    /// How many sums it has to compare with an element. All launches of a form together have n³
    /// of them, where n is the number of vertices, up to a multiple of the tile's side.
    pub relaxations: u64,
}

impl Launch {
    /// A product of a matrix of these rows and columns and one of these rows and columns.
    pub(super) fn of(phase: Phase, rows: u64, between: u64, columns: u64) -> Self {
        Self { phase, relaxations: rows.saturating_mul(between).saturating_mul(columns) }
    }
}

/// What launches are timed with.
pub(super) enum Clock<'a> {
    None,
    /// All of them together.
    Whole(&'a Timer),
    /// Each, by waiting for it.
    Each(&'a Timer, &'a mut Vec<f64>),
}

impl Clock<'_> {
    /// Queues a launch for each step, in order; returns how many.
    pub(super) fn time<S>(
        mut self,
        steps: impl IntoIterator<Item = S>,
        mut queue: impl FnMut(S) -> Result<(), GpuError>,
    ) -> Result<u64, GpuError> {
        let mut count = 0;
        if let Self::Whole(timer) = self {
            timer.start()?;
        }
        for step in steps {
            count += 1;
            let Self::Each(timer, times) = &mut self else {
                queue(step)?;
                continue;
            };
            timer.start()?;
            queue(step)?;
            timer.stop()?;
            times.push(timer.elapsed_ms()?);
        }
        if let Self::Whole(timer) = self {
            timer.stop()?;
        }
        Ok(count)
    }
}

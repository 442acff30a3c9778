//! Launches: their order in the iterative forms, their number, and the time each kind takes.

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

/// Milliseconds by kind of launch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseTimes {
    ms: [f64; 3],
}

impl PhaseTimes {
    /// What the launches of this kind took together.
    #[must_use]
    pub fn ms(&self, phase: Phase) -> f64 {
        self.ms[phase as usize]
    }
}

/// The launches of the iterative forms: for each tile of the diagonal three, with its number;
/// one where there are no others.
pub(super) fn iterative(n_tiles: u32) -> impl Iterator<Item = (u32, Phase)> {
    let phases = if n_tiles == 1 { &Phase::ALL[..1] } else { &Phase::ALL };
    (0..n_tiles).flat_map(move |pivot| phases.iter().map(move |&phase| (pivot, phase)))
}

/// What the counted launches are timed with.
#[derive(Debug, Default)]
pub(super) enum Clock<'a> {
    #[default]
    None,
    /// All of them together.
    Whole(&'a Timer),
    /// Each, by waiting for it.
    Each(&'a Timer),
}

/// Counts launches, and times them.
#[derive(Debug, Default)]
pub(super) struct Launches<'a> {
    pub(super) count: u64,
    pub(super) clock: Clock<'a>,
    pub(super) times: PhaseTimes,
}

impl Launches<'_> {
    /// Queues all of them in order.
    pub(super) fn all<S>(
        &mut self,
        steps: impl IntoIterator<Item = (Phase, S)>,
        mut launch: impl FnMut(S) -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        if let Clock::Whole(timer) = self.clock {
            timer.start()?;
        }
        for (phase, step) in steps {
            self.count += 1;
            let Clock::Each(timer) = self.clock else {
                launch(step)?;
                continue;
            };
            timer.start()?;
            launch(step)?;
            timer.stop()?;
            self.times.ms[phase as usize] += timer.elapsed_ms()?;
        }
        match self.clock {
            Clock::Whole(timer) => timer.stop(),
            _ => Ok(()),
        }
    }
}

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

/// Counts launches, and with a timer waits for each and adds up their times.
#[derive(Debug, Default)]
pub(super) struct Launches {
    pub(super) count: u64,
    pub(super) timer: Option<Timer>,
    pub(super) times: PhaseTimes,
}

impl Launches {
    pub(super) fn one(
        &mut self,
        phase: Phase,
        launch: impl FnOnce() -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        self.count += 1;
        let Some(timer) = &self.timer else { return launch() };
        timer.start()?;
        launch()?;
        timer.stop()?;
        self.times.ms[phase as usize] += timer.elapsed_ms()?;
        Ok(())
    }
}

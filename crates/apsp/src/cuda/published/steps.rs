//! Launches: their order in the iterative forms, their number, and the time each takes.

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

/// Milliseconds of each launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhaseTimes {
    each: Vec<(Launch, f64)>,
}

impl PhaseTimes {
    /// What the launches of this kind took together.
    #[must_use]
    pub fn ms(&self, phase: Phase) -> f64 {
        let of_phase = self.each.iter().filter(|each| each.0.phase == phase);
        // the sum of no floats has a sign
        of_phase.fold(0.0, |ms, each| ms + each.1)
    }

    /// What each launch took, in order.
    #[must_use]
    pub fn each(&self) -> &[(Launch, f64)] {
        &self.each
    }
}

/// The launches of the iterative forms for tiles of side `t`: for each of the diagonal three, with
/// its number; one where there are no others.
pub(super) fn iterative(n_tiles: u32, t: u32) -> impl Iterator<Item = (Launch, u32)> {
    let phases = if n_tiles == 1 { &Phase::ALL[..1] } else { &Phase::ALL };
    let (others, tile) = (u64::from(n_tiles).saturating_sub(1), u64::from(t).saturating_pow(3));
    let tiles = move |phase| match phase {
        Phase::Pivot => 1,
        Phase::Panels => 2 * others,
        Phase::Bulk => others * others,
    };
    let launch = move |phase| Launch { phase, relaxations: tile.saturating_mul(tiles(phase)) };
    (0..n_tiles).flat_map(move |pivot| phases.iter().map(move |&phase| (launch(phase), pivot)))
}

/// The launches of the plain form, each with its vertex.
pub(super) fn plain(n: u32) -> impl Iterator<Item = (Launch, u32)> {
    let relaxations = u64::from(n) * u64::from(n);
    (0..n).map(move |k| (Launch { phase: Phase::Bulk, relaxations }, k))
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
        steps: impl IntoIterator<Item = (Launch, S)>,
        mut queue: impl FnMut(Phase, S) -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        if let Clock::Whole(timer) = self.clock {
            timer.start()?;
        }
        for (launch, step) in steps {
            self.count += 1;
            let Clock::Each(timer) = self.clock else {
                queue(launch.phase, step)?;
                continue;
            };
            timer.start()?;
            queue(launch.phase, step)?;
            timer.stop()?;
            self.times.each.push((launch, timer.elapsed_ms()?));
        }
        match self.clock {
            Clock::Whole(timer) => timer.stop(),
            _ => Ok(()),
        }
    }
}

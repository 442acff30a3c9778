//! The configuration of a launch, and the priority of a stream.

/// The priority of a stream: the kernels of a higher one start first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priority {
    /// After all others.
    #[default]
    Normal,
    /// Between the two, if the device has as many priorities.
    Raised,
    /// Before all others.
    High,
}

/// How a kernel is launched.
///
/// ```
/// use gpu_runtime::LaunchConfig;
///
/// let config = LaunchConfig { cooperative: true, ..LaunchConfig::new(132, 256) };
/// assert_eq!((config.grid, config.block, config.shared_bytes), ((132, 1, 1), 256, 0));
/// assert_eq!(LaunchConfig::covering(1000, 256).grid, (4, 1, 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks in x, y and z; none of them 0.
    pub grid: (u32, u32, u32),
    /// Threads of a block, in a line; 1 to 1024.
    pub block: u32,
    /// Dynamic shared memory of a block, in bytes; above 48 KiB only after
    /// [`Kernel::allow_shared`](crate::Kernel::allow_shared).
    pub shared_bytes: u32,
    /// Whether all blocks must be resident at once, so that they can wait for one another.
    pub cooperative: bool,
}

impl LaunchConfig {
    /// `blocks` blocks of `block` threads in a line.
    #[must_use]
    pub const fn new(blocks: u32, block: u32) -> Self {
        Self { grid: (blocks, 1, 1), block, shared_bytes: 0, cooperative: false }
    }

    /// A thread for each of `n` elements: the fewest blocks, at least one, that have `n` threads.
    /// The number of blocks saturates at `u32::MAX`, which the driver refuses.
    #[must_use]
    pub fn covering(n: u64, block: u32) -> Self {
        let blocks = n.div_ceil(u64::from(block.max(1))).max(1);
        Self::new(u32::try_from(blocks).unwrap_or(u32::MAX), block)
    }
}

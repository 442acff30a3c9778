//! The properties of a device, and the attributes of a compiled kernel.

/// The properties of an opened device, constant while it is open.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceProperties {
    /// Its number, counted from 0.
    pub ordinal: u32,
    /// The product's name.
    pub name: String,
    /// Major and minor version of the instruction set.
    pub compute_capability: (u32, u32),
    /// How many multiprocessors it has.
    pub multiprocessors: u32,
    /// The greatest clock rate of a multiprocessor, in Hz.
    pub clock_hz: u64,
    /// All of its memory, in bytes, used or free.
    pub memory_bytes: u64,
    /// Its second-level cache, in bytes.
    pub l2_bytes: u64,
    /// Threads that can be resident on one multiprocessor.
    pub max_threads_per_multiprocessor: u32,
    /// Shared memory that one block may have, in bytes, after
    /// [`Kernel::allow_shared`](crate::Kernel::allow_shared).
    pub shared_bytes_per_block: u64,
    /// Major and minor of the newest CUDA that the driver supports.
    pub driver_version: (u32, u32),
    /// Whether it can start all blocks of a kernel at once.
    pub cooperative_launch: bool,
}

/// The resources of a compiled kernel, which bound how many blocks run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelAttributes {
    /// Registers of a thread.
    pub registers: u32,
    /// Shared memory that a block has declared, in bytes, without the dynamic part.
    pub shared_bytes: u32,
    /// Memory of a thread for what did not fit into registers, in bytes.
    pub local_bytes: u32,
}

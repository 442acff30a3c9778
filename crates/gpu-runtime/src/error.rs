//! The errors of GPUs.

/// Why an operation on a GPU failed.
///
/// A message names the operation, and what to change where something can be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// The program was built without GPU support.
    #[error("this build has no GPU support")]
    NotCompiled,
    /// There is no CUDA driver on this machine.
    #[error("this machine has no CUDA driver (the loader finds no libcuda.so.1)")]
    NoDriver,
    /// There is a driver, but no GPU of this number.
    #[error("there is no GPU {ordinal}: the CUDA driver shows {count}, counted from 0")]
    NoDevice {
        /// The number of the GPU.
        ordinal: u32,
        /// The number of GPUs that the driver shows.
        count: u32,
    },
    /// More memory is needed than there is.
    #[error("{what} needs {required} bytes of GPU memory, but only {available} are available")]
    OutOfMemory {
        /// What the memory is for.
        what: &'static str,
        /// Its size in bytes; `u64::MAX` if it is larger than a `u64`.
        required: u64,
        /// Bytes that are free, below the cap where one is set.
        available: u64,
    },
    /// The driver refused an operation, or reports that an earlier launch failed.
    #[error("{operation}: {name} (CUDA error {code})")]
    Driver {
        /// What was to be done.
        operation: String,
        /// The driver's code.
        code: i32,
        /// The driver's name for it.
        name: String,
    },
    /// The driver's refusal, with the GPU that it is about.
    #[error("{gpu} has failed: {error}")]
    OnGpu {
        /// Its number, counted from 0, and the product's name: `GPU 1 (NVIDIA H200)`. Where the
        /// driver does not say which of several it is, all of them, with `or` between.
        gpu: String,
        /// What the driver says.
        error: Box<Self>,
    },
    /// A module could not be loaded.
    #[error(
        "module {module} (PTX {ptx}, for {target}): {reason}; the driver supports CUDA {}.{}, the \
         GPU has compute capability {}.{}{hint}",
        driver.0, driver.1, capability.0, capability.1
    )]
    Module {
        /// The module's name.
        module: &'static str,
        /// Its `.version`.
        ptx: String,
        /// Its `.target`.
        target: String,
        /// What is wrong with it.
        reason: String,
        /// The newest CUDA that the driver supports.
        driver: (u32, u32),
        /// The compute capability of the GPU.
        capability: (u32, u32),
        /// What to do about it, where that is known.
        hint: &'static str,
    },
    /// A module has no kernel of this name.
    #[error("module {module} has no kernel {kernel}")]
    Kernel {
        /// The module's name.
        module: &'static str,
        /// The kernel asked for.
        kernel: String,
    },
    /// The arguments of a launch are not what the kernel takes. Nothing was launched.
    #[error("kernel {kernel} of module {module}: {reason}")]
    Arguments {
        /// The module's name.
        module: &'static str,
        /// The kernel.
        kernel: &'static str,
        /// Which argument, what was expected and what was given.
        reason: String,
    },
    /// Two arrays that must be equally long are not, or a range does not fit into one.
    #[error("{operation}: expected {expected} elements, as the buffer has, found {found}")]
    Length {
        /// What was to be done.
        operation: &'static str,
        /// The length of the buffer.
        expected: usize,
        /// The length of the other array, or the end of the range.
        found: usize,
    },
    /// An array of another library is not in memory that a kernel can read.
    #[error("the array at address {address:#x} is not in the memory of {place}")]
    NotThere {
        /// Where it lies.
        address: u64,
        /// Where it should: `GPU 0`, or `a GPU`.
        place: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_what_and_where() {
        let module = GpuError::Module {
            module: "bellman_ford",
            ptx: "9.0".into(),
            target: "sm_75".into(),
            reason: "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (CUDA error 222)".into(),
            driver: (12, 4),
            capability: (9, 0),
            hint: "; update the driver",
        };
        assert_eq!(
            module.to_string(),
            "module bellman_ford (PTX 9.0, for sm_75): CUDA_ERROR_UNSUPPORTED_PTX_VERSION (CUDA \
             error 222); the driver supports CUDA 12.4, the GPU has compute capability 9.0; \
             update the driver"
        );
        let memory = GpuError::OutOfMemory { what: "a table", required: 12, available: 7 };
        assert_eq!(
            memory.to_string(),
            "a table needs 12 bytes of GPU memory, but only 7 are available"
        );
        let device = GpuError::NoDevice { ordinal: 3, count: 1 };
        assert!(device.to_string().contains("there is no GPU 3: the CUDA driver shows 1"));
    }
}

//! Kernels and their launches.

use std::ffi::c_void;

use cust::sys::{self, CUfunction, CUfunction_attribute_enum as Attribute};

use super::Gpu;
use super::signature::Signature;
use super::status::check;
use crate::{Arg, GpuError, KernelAttributes, LaunchConfig};

/// A kernel, ready to be launched. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Kernel {
    module: &'static str,
    name: &'static str,
    function: CUfunction,
    signature: Signature,
    /// Keeps the module loaded.
    gpu: Gpu,
}

// SAFETY: the driver's handles are valid on every thread that has made their context current.
unsafe impl Send for Kernel {}
// SAFETY: as above; the driver has locks of its own.
unsafe impl Sync for Kernel {}

/// The kernel behind a handle of the driver, which is valid while `gpu` is open.
pub(super) fn kernel(
    gpu: Gpu,
    module: &'static str,
    name: &'static str,
    function: CUfunction,
    signature: Signature,
) -> Kernel {
    Kernel { module, name, function, signature, gpu }
}

impl Kernel {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The resources that the compiled kernel takes.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn attributes(&self) -> Result<KernelAttributes, GpuError> {
        Ok(KernelAttributes {
            registers: self.attribute(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            shared_bytes: self.attribute(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            local_bytes: self.attribute(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
        })
    }

    fn attribute(&self, attribute: Attribute) -> Result<u32, GpuError> {
        self.gpu.make_current()?;
        let mut value = 0;
        // SAFETY: the driver writes one integer, to a place that is one; the function's
        // module is loaded.
        let result = unsafe { sys::cuFuncGetAttribute(&raw mut value, attribute, self.function) };
        check(format_args!("asking for the attributes of kernel {}", self.name), result)?;
        Ok(value.unsigned_abs())
    }

    /// How many blocks of `block` threads and `shared_bytes` of dynamic shared memory fit
    /// on one multiprocessor at once. Times [`DeviceProperties::multiprocessors`], it is the
    /// largest cooperative launch.
    ///
    /// [`DeviceProperties::multiprocessors`]: crate::DeviceProperties::multiprocessors
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn occupancy(&self, block: u32, shared_bytes: u32) -> Result<u32, GpuError> {
        self.gpu.make_current()?;
        let block = i32::try_from(block).unwrap_or(i32::MAX);
        let mut blocks = 0;
        // SAFETY: the driver writes one integer, to a place that is one; the function's
        // module is loaded.
        let result = unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &raw mut blocks,
                self.function,
                block,
                shared_bytes as usize,
            )
        };
        check(format_args!("asking for the occupancy of kernel {}", self.name), result)?;
        Ok(blocks.unsigned_abs())
    }

    /// Allows launches up to `bytes` of dynamic shared memory; without it, 48 KiB less what the
    /// kernel itself declares. It holds for all uses of the kernel in the process.
    ///
    /// # Errors
    /// [`GpuError::Driver`] where the device has less.
    pub fn allow_shared(&self, bytes: u32) -> Result<(), GpuError> {
        self.gpu.make_current()?;
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: the function's module is loaded.
        let result = unsafe { sys::cuFuncSetAttribute(self.function, attribute, bytes) };
        check(format_args!("allowing kernel {} {bytes} bytes of shared memory", self.name), result)
    }

    /// Checks the number and the sizes of the arguments, and that kernel and buffers belong to the
    /// launch's GPU.
    fn check_arguments(&self, gpu: &Gpu, args: &[Arg<'_>]) -> Result<(), GpuError> {
        let wrong =
            |reason| Err(GpuError::Arguments { module: self.module, kernel: self.name, reason });
        if !std::ptr::eq(gpu.context(), self.gpu.context()) {
            return wrong("it was loaded into another GPU".into());
        }
        if args.len() != self.signature.len() {
            let (takes, given) = (self.signature.len(), args.len());
            return wrong(format!("it takes {takes} arguments, not {given}"));
        }
        for (number, (arg, &size)) in args.iter().zip(self.signature.iter()).enumerate() {
            if arg.bytes().len() != size {
                let given = arg.bytes().len();
                return wrong(format!("argument {number} has {size} bytes, not {given}"));
            }
            if arg.stream.is_some_and(|stream| stream != gpu.stream_id()) {
                return wrong(format!("argument {number} is a buffer of another Gpu"));
            }
        }
        Ok(())
    }
}

impl Gpu {
    /// Queues a launch of `kernel`, after all work queued before. A failure of the kernel itself
    /// shows in a later call, at the latest in [`synchronize`](Self::synchronize).
    ///
    /// # Errors
    /// [`GpuError::Arguments`] if the number or the sizes of `args` are not those of the kernel's
    /// parameters, or if a buffer or the kernel is another `Gpu`'s. [`GpuError::Driver`] if the
    /// driver refuses the configuration.
    ///
    /// # Safety
    /// The arguments must have the meaning and the order that the kernel expects. It must read and
    /// write inside the buffers only, and not write a buffer that another thread's launch or copy
    /// uses meanwhile. It must not rely on undefined contents. A buffer may be dropped before the
    /// launch has ended: the drop waits.
    pub unsafe fn launch(
        &self,
        kernel: &Kernel,
        config: LaunchConfig,
        args: &[Arg<'_>],
    ) -> Result<(), GpuError> {
        kernel.check_arguments(self, args)?;
        self.make_current()?;
        let mut addresses: Vec<*mut c_void> =
            args.iter().map(|arg| arg.bytes().as_ptr().cast_mut().cast()).collect();
        let ((x, y, z), block, shared) = (config.grid, config.block, config.shared_bytes);
        let (function, stream) = (kernel.function, self.raw_stream());
        let addresses = addresses.as_mut_ptr();
        // SAFETY: the function's module is loaded and the stream is open. There is an address for
        // each parameter of the kernel, of as many bytes as it takes, which the driver copies
        // before it returns. The caller guarantees the meaning of the arguments.
        let result = unsafe {
            if config.cooperative {
                sys::cuLaunchCooperativeKernel(
                    function, x, y, z, block, 1, 1, shared, stream, addresses,
                )
            } else {
                let extra = std::ptr::null_mut();
                sys::cuLaunchKernel(
                    function, x, y, z, block, 1, 1, shared, stream, addresses, extra,
                )
            }
        };
        check(format_args!("launching kernel {} of module {}", kernel.name, kernel.module), result)
    }
}

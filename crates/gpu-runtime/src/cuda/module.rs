//! Modules: PTX, compiled by the driver for the device at hand.
//!
//! A context loads a module once and keeps it; kernels point into it.

use std::collections::hash_map::Entry;
use std::ffi::CString;
use std::ptr;
use std::time::Instant;

use cust::sys::{self, CUfunction, CUmodule, CUresult};

use super::context::{Module, lock};
use super::launch::Kernel;
use super::signature::signatures;
use super::{Gpu, launch};
use crate::{GpuError, Ptx};

impl Gpu {
    /// The kernel of this name in `module`, which is compiled for the device at its first use.
    ///
    /// # Errors
    /// [`GpuError::Module`] where the driver does not take the module,
    /// [`GpuError::Kernel`] where it has no such kernel, or [`GpuError::Driver`].
    pub fn kernel(&self, module: &Ptx, name: &str) -> Result<Kernel, GpuError> {
        let missing = || GpuError::Kernel { module: module.name, kernel: name.to_owned() };
        let c_name = CString::new(name).map_err(|_| missing())?;
        self.make_current()?;
        let start = Instant::now();
        // Held while loading, so that two threads do not load the same module.
        let mut modules = lock(&self.context().modules);
        let key = (module.name, module.text.as_ptr().addr());
        let loaded = match modules.0.entry(key) {
            Entry::Occupied(loaded) => loaded.into_mut(),
            Entry::Vacant(place) => place.insert(self.load(module)?),
        };
        let (&name, signature) = loaded.kernels.get_key_value(name).ok_or_else(missing)?;
        let signature = signature.clone();
        let mut function: CUfunction = ptr::null_mut();
        // SAFETY: the driver writes one handle, to a place that is one; the module is
        // loaded; the name ends with a zero.
        let result =
            unsafe { sys::cuModuleGetFunction(&raw mut function, loaded.handle, c_name.as_ptr()) };
        // A driver that loads lazily compiles only here.
        self.add_jit_time(start.elapsed());
        match result {
            CUresult::CUDA_ERROR_NOT_FOUND => Err(missing()),
            CUresult::CUDA_SUCCESS => {
                Ok(launch::kernel(self.clone(), module.name, name, function, signature))
            }
            failure => Err(self.refusal(module, failure)),
        }
    }

    fn load(&self, module: &Ptx) -> Result<Module, GpuError> {
        let wrong = |reason| self.module_error(module, reason, "");
        let kernels = signatures(module.text).map_err(wrong)?;
        let text =
            CString::new(module.text).map_err(|_| wrong("its text has a zero byte".into()))?;
        let mut handle: CUmodule = ptr::null_mut();
        // SAFETY: the driver writes one handle, to a place that is one, and reads the text
        // up to its zero.
        match unsafe { sys::cuModuleLoadData(&raw mut handle, text.as_ptr().cast()) } {
            CUresult::CUDA_SUCCESS => Ok(Module { handle, kernels }),
            failure => Err(self.refusal(module, failure)),
        }
    }

    fn refusal(&self, module: &Ptx, failure: CUresult) -> GpuError {
        let hint = match failure {
            CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => "; update the driver",
            CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU => "; the module is for newer GPUs",
            _ => "",
        };
        self.module_error(module, format!("{failure:?} (CUDA error {})", failure as i32), hint)
    }

    fn module_error(&self, module: &Ptx, reason: String, hint: &'static str) -> GpuError {
        GpuError::Module {
            module: module.name,
            ptx: module.version().into(),
            target: module.target().into(),
            reason,
            driver: self.properties().driver_version,
            capability: self.properties().compute_capability,
            hint,
        }
    }
}

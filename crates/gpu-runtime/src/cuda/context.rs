//! The process's one context of each device.
//!
//! All [`Gpu`](super::Gpu)s of a device share its primary context and the modules in it, so that
//! opening it again is cheap and a module is compiled once. The context is released with the last
//! of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use cust::context::{Context as Retained, ContextHandle, CurrentContext};
use cust::device::Device;
use cust::sys::{self, CUdevice, CUmodule, CUresult};

use super::properties;
use super::signature::Signature;
use super::status::{check, failed};
use crate::{DeviceProperties, GpuError};

/// The primary context of a device, held.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) properties: DeviceProperties,
    pub(super) modules: Mutex<Modules>,
    device: CUdevice,
    retained: Retained,
}

/// The contexts that are open in this process, by device.
static OPEN: Mutex<Option<HashMap<u32, Weak<Context>>>> = Mutex::new(None);

impl Context {
    /// How many devices there are. Starts the driver.
    pub(super) fn count() -> Result<u32, GpuError> {
        // The driver's start is safe to repeat, from many threads too.
        // SAFETY: 0 is the one value that the driver takes for its flags.
        match unsafe { sys::cuInit(0) } {
            CUresult::CUDA_ERROR_STUB_LIBRARY => return Err(GpuError::NoDriver),
            CUresult::CUDA_ERROR_NO_DEVICE => return Ok(0),
            result => check("starting the driver", result)?,
        }
        Device::num_devices().map_err(failed("counting the GPUs"))
    }

    /// The context of the device, opened if it is not open already.
    pub(super) fn open(ordinal: u32) -> Result<Arc<Self>, GpuError> {
        let count = Self::count()?;
        if ordinal >= count {
            return Err(GpuError::NoDevice { ordinal, count });
        }
        let mut open = lock(&OPEN);
        let open = open.get_or_insert_default();
        if let Some(context) = open.get(&ordinal).and_then(Weak::upgrade) {
            return Ok(context);
        }
        let context = Arc::new(Self::retain(ordinal)?);
        open.insert(ordinal, Arc::downgrade(&context));
        Ok(context)
    }

    fn retain(ordinal: u32) -> Result<Self, GpuError> {
        let device = Device::get_device(ordinal).map_err(failed("finding the GPU"))?;
        let properties = properties::read(ordinal, device)?;
        let retained = Retained::new(device).map_err(failed("opening the GPU"))?;
        Ok(Self { device: device.as_raw(), properties, modules: Mutex::default(), retained })
    }

    /// Enables direct copies between this device and another; false if they cannot.
    pub(super) fn reach(&self, other: &Self) -> Result<bool, GpuError> {
        if self.device == other.device {
            return Ok(true);
        }
        for (from, to) in [(self, other), (other, self)] {
            let mut reaches = 0;
            // SAFETY: the driver writes one number; both are devices of its own.
            let result =
                unsafe { sys::cuDeviceCanAccessPeer(&raw mut reaches, from.device, to.device) };
            check("checking for direct copies between GPUs", result)?;
            if reaches == 0 {
                return Ok(false);
            }
            from.make_current()?;
            // SAFETY: both contexts are held, and 0 is the one value for the flags.
            match unsafe { sys::cuCtxEnablePeerAccess(to.retained.get_inner(), 0) } {
                CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => {}
                result => check("enabling direct copies between GPUs", result)?,
            }
        }
        Ok(true)
    }

    pub(super) fn uuid(&self) -> Result<[u8; 16], GpuError> {
        let mut uuid = sys::CUuuid { bytes: [0; 16] };
        // SAFETY: the driver writes 16 bytes, to a place that has them.
        let result = unsafe { sys::cuDeviceGetUuid(&raw mut uuid, self.device) };
        check("reading the GPU's identifier", result)?;
        Ok(uuid.bytes.map(|byte| byte as u8))
    }

    /// Makes it the current context of this thread, to which driver calls refer.
    pub(super) fn make_current(&self) -> Result<(), GpuError> {
        CurrentContext::set_current(&self.retained).map_err(failed("choosing the GPU's context"))
    }
}

/// The modules of a context, by name and by where their text lies.
#[derive(Debug, Default)]
pub(super) struct Modules(pub(super) HashMap<(&'static str, usize), Module>);

#[derive(Debug)]
pub(super) struct Module {
    pub(super) handle: CUmodule,
    pub(super) kernels: HashMap<&'static str, Signature>,
}

// SAFETY: the driver's handles are valid on every thread that has made their context current.
unsafe impl Send for Module {}

impl Modules {
    /// Unloads all modules. Their context must be current, and no kernel may point to them.
    fn unload(&mut self) {
        for (_, module) in self.0.drain() {
            // SAFETY: the module was loaded into the current context and is not used again.
            unsafe { sys::cuModuleUnload(module.handle) };
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.make_current().is_ok() {
            // A kernel may still run. Errors are ignored, here and below.
            let _ = CurrentContext::synchronize();
            lock(&self.modules).unload();
        }
    }
}

/// Locks a map, also after a panic: a map changes in single steps, so it is consistent then too.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

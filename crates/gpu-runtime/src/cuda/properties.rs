//! Asks the driver for the properties of a device.

use cust::device::Device;
use cust::sys::{self, CUdevice_attribute_enum as Attribute};

use super::status::{check, failed};
use crate::{DeviceProperties, GpuError};

const ASKING: &str = "asking for the device's properties";

pub(super) fn read(ordinal: u32, device: Device) -> Result<DeviceProperties, GpuError> {
    let number = |attribute| number(device, attribute);
    let mut driver = 0;
    // SAFETY: the driver writes one integer, to a place that is one.
    check(ASKING, unsafe { sys::cuDriverGetVersion(&raw mut driver) })?;
    let driver = driver.unsigned_abs();
    Ok(DeviceProperties {
        ordinal,
        name: device.name().map_err(failed(ASKING))?,
        compute_capability: (
            number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        multiprocessors: number(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        // the driver reports kHz
        clock_hz: 1000 * u64::from(number(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?),
        memory_bytes: device.total_memory().map_err(failed(ASKING))? as u64,
        l2_bytes: number(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?.into(),
        max_threads_per_multiprocessor: number(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
        )?,
        shared_bytes_per_block: number(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        )?
        .into(),
        // 13020 is 13.2.
        driver_version: (driver / 1000, driver % 1000 / 10),
        cooperative_launch: number(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? != 0,
    })
}

fn number(device: Device, attribute: Attribute) -> Result<u32, GpuError> {
    let mut value = 0;
    // SAFETY: the driver writes one integer, to a place that is one.
    let result = unsafe { sys::cuDeviceGetAttribute(&raw mut value, attribute, device.as_raw()) };
    check(ASKING, result)?;
    Ok(value.unsigned_abs())
}

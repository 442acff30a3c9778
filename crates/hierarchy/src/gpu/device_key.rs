//! The types of keys that there are kernels for.

use bytemuck::Pod;
use gpu_runtime::{Gpu, GpuError, Kernel, Ptx};
use graph_formats::Distance;
use kernels::Module;
use kernels::hierarchy as modules;

use crate::metric::key::Key;

/// A key that kernels add up.
pub(super) trait DeviceKey: Key + Pod {
    /// What the names of its kernels end with.
    const NAME: &'static str;
    /// `customize.cu`, `sweep.cu`, `results.cu`, `labels.cu` and `aggregate.cu`.
    const MODULES: [Module; 5];

    /// The same but for zero, which has no sign.
    fn without_sign(self) -> Self;
    /// The bits of the greatest length up to this distance, in 64 bits.
    fn limit_bits<D: Distance>(limit: D) -> u64;
}

/// The place of a module in [`DeviceKey::MODULES`].
#[derive(Clone, Copy)]
pub(super) enum Part {
    Customize,
    Sweep,
    Results,
    Labels,
    Aggregate,
}

/// The kernel whose name begins like this.
pub(super) fn kernel<K: DeviceKey>(gpu: &Gpu, part: Part, name: &str) -> Result<Kernel, GpuError> {
    let module = K::MODULES[part as usize];
    gpu.kernel(&Ptx::new(module.name, module.ptx), &format!("{name}_{}", K::NAME))
}

impl DeviceKey for u32 {
    const NAME: &'static str = "u32";
    const MODULES: [Module; 5] = [
        modules::CUSTOMIZE_U32,
        modules::SWEEP_U32,
        modules::RESULTS_U32,
        modules::LABELS_U32,
        modules::AGGREGATE_U32,
    ];

    fn without_sign(self) -> Self {
        self
    }

    fn limit_bits<D: Distance>(limit: D) -> u64 {
        Self::at_most(limit).map_or(0, u64::from)
    }
}

impl DeviceKey for u64 {
    const NAME: &'static str = "u64";
    const MODULES: [Module; 5] = [
        modules::CUSTOMIZE_U64,
        modules::SWEEP_U64,
        modules::RESULTS_U64,
        modules::LABELS_U64,
        modules::AGGREGATE_U64,
    ];

    fn without_sign(self) -> Self {
        self
    }

    fn limit_bits<D: Distance>(limit: D) -> u64 {
        Self::at_most(limit).unwrap_or(0)
    }
}

impl DeviceKey for f64 {
    const NAME: &'static str = "f64";
    const MODULES: [Module; 5] = [
        modules::CUSTOMIZE_F64,
        modules::SWEEP_F64,
        modules::RESULTS_F64,
        modules::LABELS_F64,
        modules::AGGREGATE_F64,
    ];

    fn without_sign(self) -> Self {
        self + 0.0
    }

    fn limit_bits<D: Distance>(limit: D) -> u64 {
        limit.to_f64().to_bits()
    }
}

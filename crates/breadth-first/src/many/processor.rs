//! Loops over bits, compiled for the registers that the processor has.

/// A loop that is compiled several times.
pub(super) trait Loop {
    type Result;

    /// To be inlined, with all that it calls, by an attribute: what is not has the instructions of
    /// any processor.
    fn run(self) -> Self::Result;
}

/// Runs it with the widest registers.
pub(super) fn run<L: Loop>(this: L) -> L::Result {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq") {
            // SAFETY: the processor has these instructions.
            return unsafe { run_by_avx512(this) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
            // SAFETY: the processor has these instructions.
            return unsafe { run_by_avx2(this) };
        }
    }
    this.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
fn run_by_avx512<L: Loop>(this: L) -> L::Result {
    this.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn run_by_avx2<L: Loop>(this: L) -> L::Result {
    this.run()
}

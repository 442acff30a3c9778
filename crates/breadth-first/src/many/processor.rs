//! Loops over bits, compiled for several widths of registers.

/// A loop that is compiled for several instruction sets.
pub(super) trait Loop {
    type Result;

    /// Must be inlined, with all that it calls: a call that is not inlined is compiled for the
    /// baseline CPU.
    fn run(self) -> Self::Result;
}

/// Runs the loop with the widest registers of the CPU.
pub(super) fn run<L: Loop>(this: L) -> L::Result {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq") {
            // SAFETY: the CPU has these instructions.
            return unsafe { run_by_avx512(this) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
            // SAFETY: the CPU has these instructions.
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

//! Relaxing in the semiring in which sums stand for products and the least for sums:
//! c[i][j] = min(c[i][j], a[i][k] + b[k][j] over all k).
//!
//! It is what Floyd-Warshall over a matrix spends its time on, and it is computed like a
//! product of matrices: b is copied to strips as wide as two registers, a to groups of a few
//! rows, and a block of c, so many rows of one strip, stays in registers while k runs
//! ([`Kernel`]). There is a form of that for any processor and for AVX2 and AVX-512, chosen
//! when it runs. O(rows · pivots · columns).
//!
//! Reference: floyd-1962

mod kernel;
mod kernels;
mod pack;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use kernel::{Kernel, copies};
pub(crate) use kernels::MinPlus;
pub(crate) use pack::{
    pack, pack_groups, pack_some, packed_len, packed_place, relax_packed, relax_rows, unpack_row,
};

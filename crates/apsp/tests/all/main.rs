//! The tests of this crate, in one program: what it is generic over is compiled once.

mod agreement;
mod any;
mod common;
mod dynamic;
mod dynamic_saved;
mod gpu;
mod gpu_dynamic;
mod gpu_failure;
mod gpu_folder;
mod gpu_memory;
mod gpu_several;
mod next_hops;
mod ranks;
mod scratch;
mod scratch_changes;
mod scratch_damage;
mod scratch_floats;
mod scratch_ranks;
mod sixteen_bits;
mod supernodes;

//! The tests of the measures, in one program: each test program compiles every solver
//! for every weight type anew.

mod approximate;
mod betweenness;
mod checkpoint;
mod conventions;
mod diameter;
mod exact;
mod gpu;
mod measures;
mod ranks;

//! The tests of this crate, in one program: each test program compiles the crate's generic code
//! anew.

mod binary;
mod changes;
mod columns;
mod common;
mod compressed;
mod coordinates;
mod generators;
mod hostile;
mod layouts;
mod lists;
mod malformed;
mod names;
mod networks;
mod reference;
mod round_trips;

//! Searches over ranks, which are threads here, against those of one process.

mod graph500;
mod laws;
mod many;
mod parts;
mod written;

//! Threads that stay, numbers that stand for distances, and rows on a device.

mod keys;
mod rows;
mod threads;

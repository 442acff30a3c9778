//! Threads that stay, and numbers that stand for distances.

mod keys;
mod threads;

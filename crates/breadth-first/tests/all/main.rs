//! Tests of breadth-first search from many sources at once.

mod hop_sums;

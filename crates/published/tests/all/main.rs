//! What measurements of the published forms rest on. The tests of a GPU print `SKIPPED` without one;
//! those of the forms themselves are `sssp`'s, which takes them by name.

mod bounds;
mod extract_min;

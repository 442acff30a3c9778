//! What measurements of the published forms rest on. The tests of a GPU print `SKIPPED` without one;
//! those of searches are `sssp`'s, which takes them by name, those of all pairs lie in `src/pairs`.

mod bounds;
mod extract_min;

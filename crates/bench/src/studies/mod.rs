//! The studies, a file each.

mod all_pairs;
mod closure;
mod digraph;
mod min_plus;
mod star_algorithms;
mod star_closures;
mod star_memory;
mod star_operations;
mod star_printed;

use crate::study::Entry;

/// All of them.
pub const ALL: [Entry; 8] = [
    Entry::of::<all_pairs::AllPairs>(),
    Entry::of::<closure::ClosureStudy>(),
    Entry::of::<min_plus::MinPlus>(),
    Entry::of::<star_algorithms::StarAlgorithms>(),
    Entry::of::<star_closures::StarClosures>(),
    Entry::of::<star_memory::StarMemory>(),
    Entry::of::<star_operations::StarOperations>(),
    Entry::of::<star_printed::StarPrinted>(),
];

/// The one of this name.
pub fn find(name: &str) -> Option<Entry> {
    ALL.into_iter().find(|entry| entry.name == name)
}

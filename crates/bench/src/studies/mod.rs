//! The studies, a file each.

mod all_pairs;
mod auto;
mod choice;
mod closure;
mod digraph;
mod extract_min;
mod families;
mod floyd_warshall;
mod min_plus;
mod published;
mod segments;
pub(crate) mod sssp;
mod star_algorithms;
mod star_closures;
mod star_memory;
mod star_operations;
mod star_printed;

use crate::study::Entry;

/// All of them.
pub(crate) const ALL: [Entry; 15] = [
    Entry::of::<sssp::Sssp>(),
    Entry::of::<families::Families>(),
    Entry::of::<auto::Auto>(),
    Entry::of::<extract_min::LeastLabel>(),
    Entry::of::<choice::Choice>(),
    Entry::of::<segments::Segments>(),
    Entry::of::<all_pairs::AllPairs>(),
    Entry::of::<floyd_warshall::FloydWarshall>(),
    Entry::of::<min_plus::MinPlus>(),
    Entry::of::<closure::ClosureStudy>(),
    Entry::of::<star_algorithms::StarAlgorithms>(),
    Entry::of::<star_closures::StarClosures>(),
    Entry::of::<star_memory::StarMemory>(),
    Entry::of::<star_operations::StarOperations>(),
    Entry::of::<star_printed::StarPrinted>(),
];

/// The one of this name.
pub(crate) fn find(name: &str) -> Option<Entry> {
    ALL.into_iter().find(|entry| entry.name == name)
}

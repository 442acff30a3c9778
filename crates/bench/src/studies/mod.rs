//! The studies, a file each.

mod all_pairs;
mod min_plus;

use crate::study::Entry;

/// All of them.
pub const ALL: [Entry; 2] = [Entry::of::<all_pairs::AllPairs>(), Entry::of::<min_plus::MinPlus>()];

/// The one of this name.
pub fn find(name: &str) -> Option<Entry> {
    ALL.into_iter().find(|entry| entry.name == name)
}

//! The studies, a file each, and what most of them use.

mod all_pairs;
mod auto;
mod changes;
mod closeness;
mod closure;
mod digraph;
mod families;
mod floyd_warshall;
mod min_plus;
mod published;
mod roads;
mod scaling;
mod segments;
pub(crate) mod sssp;
mod star_algorithms;
mod star_operations;

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::slice;
use std::time::Duration;

use ::sssp::{Algorithm, Config, Delta, Goal, Queue, SearchWeight, Solver, gpu};
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId, Weight};

use crate::clock::{Contender, Excuse, Terms, timed};
use crate::draws::{Draws, connected};
use crate::field::{Asked, Field, of_graph, on_cpu, on_field, section};
use crate::graphs::{Graph, at_hand};
use crate::page::{Figure, Page, least, median};
use crate::plot::Axis;
use crate::programs::{Source, output};
use crate::records::{Record, Records, Run};
use crate::study::{Bench, Entry, Study};
use crate::table::number;
use crate::verify::{Columns, Rows, check};

/// All of them.
pub(crate) const ALL: [Entry; 14] = [
    Entry::of::<sssp::Sssp>(),
    Entry::of::<families::Families>(),
    Entry::of::<auto::Auto>(),
    Entry::of::<roads::Roads>(),
    Entry::of::<segments::Segments>(),
    Entry::of::<all_pairs::AllPairs>(),
    Entry::of::<changes::Changes>(),
    Entry::of::<scaling::Scaling>(),
    Entry::of::<floyd_warshall::FloydWarshall>(),
    Entry::of::<min_plus::MinPlus>(),
    Entry::of::<closure::ClosureStudy>(),
    Entry::of::<closeness::Closeness>(),
    Entry::of::<star_algorithms::StarAlgorithms>(),
    Entry::of::<star_operations::StarOperations>(),
];

/// The one of this name.
pub(crate) fn find(name: &str) -> Option<Entry> {
    ALL.into_iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::{failed, written};

    /// A line, how many records at least have two timed runs, and what the summary says.
    type Tiny = (&'static str, usize, &'static [&'static str]);

    const RUNS: &[Tiny] = &[
        (
            "sssp --graphs rmat-8 --sweep --threads 2 --backend cpu",
            37,
            &["| auto | ", "| rmat-8 | delta-stepping/2-threads |", "The best of the crate graph"],
        ),
        (
            "families --graphs rmat-6,grid-9,grid-12+seed-3,torus-6+negative --backend cpu",
            30,
            &["(grid-by-size.svg)", "SKIPPED: torus-6+negative, host/dijkstra: "],
        ),
        (
            "auto --graphs uniform-60-3+heavy+seed-2,bipartite-30-3+negative --backend cpu",
            10,
            &["## On the cpu", "Of 2 graphs", "| uniform-60-3+heavy+seed-2 | named | "],
        ),
        (
            "segments --without-gpu --scales 7,8 --sources 2 --sweep 16,64 --host-up-to 7",
            62,
            &["## u32: M arcs/s", "## f64: M arcs/s", "(f64-arcs.svg)", "(u32-speed-up.svg)"],
        ),
        (
            "roads --graphs grid-12,geometric-9 --pairs 70",
            2 * 3,
            &["## grid-12", "| hierarchy |", "| cch 0.3.0 |"],
        ),
        (
            "changes --sizes 90 --degrees 4 --changes 3,20 --closures 90 --graphs grid-12 --changes-of-tree 2",
            2 * (1 + 6 * 2) + 2,
            &["| all pairs | 0 | 90 | 357 | yes | deleted | 3 |", "| grid-12 | 144 | edges | 2 |"],
        ),
        ("min-plus --sizes 60", 5, &["| 60 | blocked | u16 |"]),
        (
            "closure --backend cpu --cpu-sizes 200 --paper-sizes 60,90 --paper-degrees 5,9",
            10 + 4 * 3,
            &[
                "| components: ",
                "| plain / this |",
                "| sequential ",
                "SKIPPED: all that needs a GPU",
            ],
        ),
        (
            "star-operations --backend cpu --sizes 70,100 --long 1000 --calls 200",
            10 + 10 + 8,
            &["| ROW, read | K40, the paper | - | 18.6 | - |"],
        ),
        (
            "star-algorithms --backend cpu --search-vertices 70 --forest-edges 300 \
             --forest-vertices 90 --pairs-vertices 20 --changing-edges 200 --changing-vertices 60 \
             --changes 60",
            10,
            &["| tree edge |", "| the forest stays |", "## Floyd"],
        ),
    ];

    #[test]
    fn every_study_measures_something_tiny() {
        let mut wrong = Vec::new();
        for (line, timed, says) in RUNS {
            let (summary, records) = written(line);
            let found = records.iter().filter(|record| record.n_runs() == 2).count();
            if found < *timed {
                wrong.push(format!("{line}: {found} records of two runs, and not {timed}"));
            }
            let missing = says.iter().filter(|text| !summary.contains(**text));
            wrong.extend(missing.map(|text| format!("{line}: no {text:?} in {summary}")));
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        // those that need a GPU too
        for entry in ALL {
            assert!(!(entry.page)(&Records::default()).files("").is_empty(), "{}", entry.name);
        }
        assert!(failed("sssp --graphs grid-9 --solvers nothing").contains("no solver is called"));
        assert!(failed("sssp --graphs grid-9 --patience 0").contains("--patience"));
    }
}

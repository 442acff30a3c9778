//! `starpath centrality --measure diameter`: the diameter alone, by bounds.

use std::fmt;

use ::centrality::any;
use serde::Serialize;

use super::{lengths, n_threads, name_of};
use crate::backend;
use crate::cli::{CentralityArgs, Common};
use crate::ids::Id;
use crate::load::load;
use crate::progress::progress;
use crate::report::{Amount, Head, SEARCHES, counted};
use crate::search::repeated;

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    /// How paths are measured: "hops" or "weights".
    lengths: &'static str,
    diameter: Option<Amount>,
    /// The ends of a shortest path of this length.
    from: Option<Id>,
    to: Option<Id>,
    /// The number of searches that it took.
    searches: usize,
}

pub(super) fn run(args: &CentralityArgs, common: &Common) -> anyhow::Result<()> {
    backend::cpu("--measure diameter", common)?;
    let loaded = load(&args.graph, common)?;
    let names = loaded.names();
    let lengths = lengths(&loaded.csr, args, common);
    let step = progress("excluding", common);
    let (found, times) = repeated(common, || {
        let found = any::diameter(&loaded.csr, lengths, common.threads, Some(&step));
        found.map_err(|error| names.explain(error))
    })?;
    drop(step);
    let report = Report {
        head: Head {
            threads: n_threads(common),
            ..loaded.head("centrality").solved("bounds", &times, common)
        },
        lengths: name_of(lengths),
        diameter: found.map(|found| found.value.into()),
        from: found.map(|found| names.name(found.from).into()),
        to: found.map(|found| names.name(found.to).into()),
        searches: found.map_or(0, |found| found.n_searches),
    };
    loaded.print(Ok(report), common)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        let (Some(diameter), Some(from), Some(to)) = (self.diameter, &self.from, &self.to) else {
            return Ok(());
        };
        let searches = counted(self.searches, SEARCHES);
        writeln!(f, "diameter {diameter} in {}, from {from} to {to}, by {searches}", self.lengths)
    }
}

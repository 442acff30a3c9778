//! `starpath sssp --source --partitioned`: one search of a graph in parts, by the processes that
//! `mpirun` has started, or by one.
//!
//! Of an `.spg` file each rank reads its rows. Files of other formats are read by rank 0, which
//! deals the rows. Rank 0 has the names of the vertices, and writes the results.

use std::time::Instant;

use anyhow::anyhow;
use collectives::Communicator;
use graph_formats::{IdKind, Ids, SpgRows, VertexId};
use partitioned::Part;
use paths::Number;
use sssp::Goal;

use super::sssp::{Outputs, Report, parse_cutoff};
use crate::cli::{Backend, Common, SsspArgs};
use crate::failure::{WrongUse, say};
use crate::ids::Names;
use crate::load::{load, print_with_notes};
use crate::progress::progress;
use crate::ranks::agree;
use crate::report::{Head, Ms, by_ranks, median, milliseconds};
use crate::search::{Searched, repeated_by};

/// The part of a rank, and what rank 0 knows of the file beside.
struct Dealt {
    part: Part,
    ids: Ids,
    notes: Vec<String>,
    load_ms: Ms,
    prepare_ms: Ms,
}

/// Called by all ranks.
pub(crate) fn run(
    ranks: &dyn Communicator,
    args: &SsspArgs,
    common: &Common,
) -> anyhow::Result<()> {
    if common.backend == Backend::Cuda {
        let text = "--partitioned searches on CPUs; leave out --backend cuda or --partitioned";
        return Err(WrongUse(text.to_owned()).into());
    }
    let outputs = agree(ranks, ranks.is_root().then(|| Outputs::check(args)).transpose())?;
    let dealt = match args.graph.is_in_parts() {
        true => Dealt::read(ranks, args, common)?,
        false => Dealt::of_graph(ranks, args, common)?,
    };
    let names = dealt.names(args);
    let mut ends = agree(ranks, if ranks.is_root() { ends(&names, args) } else { Ok([0; 2]) })?;
    ranks.broadcast(0, &mut ends)?;
    let [source, target] = ends;
    let target = args.target.as_ref().map(|_| target);
    let goal: Goal<Number> = match (target, &args.cutoff) {
        (Some(target), _) => Goal::Target(target),
        (None, Some(cutoff)) => Goal::Within(parse_cutoff(cutoff, dealt.part.kind())?),
        (None, None) => Goal::All,
    };
    let step = progress("searching", common);
    let (mut search_ms, mut predecessors_ms) = (Vec::new(), Vec::new());
    let (found, _) = repeated_by(ranks, common, || {
        let found = partitioned::tree(ranks, &dealt.part, source, goal, Some(&step));
        let found = found.map_err(|error| names.explain(error))?;
        search_ms.push(milliseconds(found.search_time).0);
        predecessors_ms.push(milliseconds(found.predecessors_time).0);
        Ok(found)
    })?;
    drop(step);
    let n_ranks = Some(ranks.size()).filter(|&n| n > 1);
    let written = found.tree.zip(outputs).map(|(tree, outputs)| {
        outputs.write(&names, &tree)?;
        if common.explain {
            say(format_args!("{}", by_ranks(&found.algorithm, n_ranks)));
            say(format_args!(
                "work: {} arcs relaxed, {} vertices settled, {} exchanges between ranks",
                found.relaxations, found.settled, found.exchanges
            ));
        }
        let head = dealt.head().solved(found.algorithm, &search_ms, common);
        let (prepare_ms, predecessors_ms) = (dealt.prepare_ms, median(&predecessors_ms));
        let searched = Searched::on_cpus(head, prepare_ms, predecessors_ms, found.relaxations);
        let mut report = Report::of(&names, &tree, target, searched);
        report.ranks = n_ranks;
        Ok(report)
    });
    match agree(ranks, written.transpose())? {
        Some(report) => print_with_notes(&report, &dealt.notes, common),
        None => Ok(()),
    }
}

/// The source and the target, if there is one.
fn ends(names: &Names<'_>, args: &SsspArgs) -> anyhow::Result<[VertexId; 2]> {
    let source = args.source.as_deref();
    let source = source.ok_or_else(|| anyhow!("--source is missing; name a vertex"))?;
    let target = args.target.as_deref().map(|id| names.vertex("target", id)).transpose()?;
    Ok([names.vertex("source", source)?, target.unwrap_or_default()])
}

impl Dealt {
    /// Each rank reads its part of the file.
    fn read(ranks: &dyn Communicator, args: &SsspArgs, common: &Common) -> anyhow::Result<Self> {
        // options that do not apply to the format
        args.graph.options()?;
        let step = progress("reading", common);
        let start = Instant::now();
        let path = &args.graph.path;
        let ids = ranks.is_root().then(|| Ok(SpgRows::open(path).and_then(|file| file.ids())?));
        let ids = agree(ranks, ids.transpose())?.unwrap_or(Ids::FromZero);
        let part = Part::read(ranks, path, args.graph.unweighted);
        let names = Names { path, ids: &ids, id_kind: IdKind::Auto, n_vertices: 0, new: &[] };
        let part = agree(ranks, part.map_err(|error| names.explain(error)))?;
        drop(step);
        let load_ms = milliseconds(start.elapsed());
        Ok(Self { part, ids, notes: Vec::new(), load_ms, prepare_ms: Ms(0.0) })
    }

    /// Rank 0 reads the file.
    fn of_graph(
        ranks: &dyn Communicator,
        args: &SsspArgs,
        common: &Common,
    ) -> anyhow::Result<Self> {
        let loaded = ranks.is_root().then(|| load(&args.graph, common));
        let loaded = agree(ranks, loaded.transpose())?;
        let start = Instant::now();
        let part = Part::of_graph(ranks, loaded.as_ref().map(|loaded| &loaded.csr));
        let part = part.map_err(|error| match &loaded {
            Some(loaded) => loaded.names().explain(error),
            None => error.into(),
        });
        let part = agree(ranks, part)?;
        let (ids, notes, load_ms) = match loaded {
            Some(loaded) => (loaded.ids, loaded.notes, loaded.load_ms),
            None => (Ids::FromZero, Vec::new(), Ms(0.0)),
        };
        Ok(Self { part, ids, notes, load_ms, prepare_ms: milliseconds(start.elapsed()) })
    }

    fn names<'a>(&'a self, args: &'a SsspArgs) -> Names<'a> {
        let n_vertices = self.part.deal().n_vertices();
        let (path, id_kind) = (&args.graph.path, args.graph.id_kind());
        Names { path, ids: &self.ids, id_kind, n_vertices, new: &[] }
    }

    fn head(&self) -> Head {
        Head {
            command: "sssp",
            algorithm: None,
            backend: "cpu",
            threads: 1,
            vertices: self.part.deal().n_vertices(),
            edges: self.part.n_arcs() as usize,
            load_ms: Some(self.load_ms),
            solve_ms: None,
            solve_min_ms: None,
        }
    }
}

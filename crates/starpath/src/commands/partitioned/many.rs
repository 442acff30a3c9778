//! `starpath sssp --sources --partitioned`: a table, or the nearest sources, of a graph in parts.

use collectives::Communicator;
use graph_formats::VertexId;
use paths::{AnyDistances, AnyNearest, AnyTable, Number};

use super::{Dealt, ensure_memory};
use crate::cli::{Common, SsspArgs};
use crate::commands::many::Report;
use crate::commands::sssp::{output_file, parse_cutoff};
use crate::failure::{WrongUse, say};
use crate::ids::{IdList, Names};
use crate::load::print_with_notes;
use crate::output::ResultFile;
use crate::progress::progress;
use crate::ranks::agree;
use crate::report::{Amount, by_ranks};
use crate::search::repeated_by;

/// What rank 0 reads beside the graph.
struct Lists {
    sources: IdList,
    targets: Option<IdList>,
    output: Option<ResultFile>,
}

/// The result, at rank 0.
enum Answer {
    Table(AnyTable),
    Nearest(AnyNearest),
}

impl Answer {
    fn distances(&self) -> &AnyDistances {
        match self {
            Self::Table(table) => &table.distances,
            Self::Nearest(nearest) => &nearest.distances,
        }
    }
}

/// Called by all ranks.
pub(super) fn run(
    ranks: &dyn Communicator,
    args: &SsspArgs,
    common: &Common,
) -> anyhow::Result<()> {
    refuse(args)?;
    let lists = agree(ranks, ranks.is_root().then(|| Lists::read(args)).transpose())?;
    ensure_memory(ranks, args, common)?;
    let mut dealt = Dealt::load(ranks, &args.graph, false, common)?;
    dealt.move_to_gpu(ranks, args, common)?;
    let names = dealt.names(&args.graph);
    let vertices = lists.as_ref().map(|lists| lists.vertices(&names)).transpose();
    let [sources, targets] = agree(ranks, vertices)?.unwrap_or_default();
    let (sources, targets) = (ranks.broadcast_vec(0, sources)?, ranks.broadcast_vec(0, targets)?);
    let cutoff = args.cutoff.as_deref().map(|text| parse_cutoff(text, dealt.part.kind()));
    let cutoff: Option<Number> = cutoff.transpose()?;
    let step = progress("searching", common);
    let mut found = None;
    let (answer, times) = repeated_by(ranks, common, || {
        let part = &dealt.part;
        if args.nearest {
            let nearest = partitioned::nearest(ranks, part, &sources, cutoff, Some(&step));
            let nearest = nearest.map_err(|error| names.explain(error))?;
            found = Some((nearest.algorithm, nearest.relaxations, nearest.exchanges));
            return Ok(nearest.tree.map(Answer::Nearest));
        }
        let table = partitioned::table(ranks, part, &sources, &targets, cutoff, Some(&step));
        let table = table.map_err(|error| names.explain(error))?;
        found = Some((table.algorithm, table.relaxations, table.exchanges));
        Ok(table.tree.map(Answer::Table))
    })?;
    drop(step);
    let (algorithm, relaxations, exchanges) = found.unwrap_or_default();
    let n_ranks = Some(ranks.size()).filter(|&n| n > 1);
    let written = answer.zip(lists).map(|(answer, lists)| {
        match (&lists.output, &answer) {
            (Some(output), Answer::Table(table)) => {
                output.write_table(&names, &sources, &targets, table)?;
            }
            (Some(output), Answer::Nearest(nearest)) => output.write_nearest(&names, nearest)?,
            (None, _) => (),
        }
        if common.explain {
            say(format_args!("{}", by_ranks(&algorithm, n_ranks)));
            say(format_args!(
                "work: {relaxations} arcs relaxed, {exchanges} exchanges between ranks"
            ));
        }
        let head = dealt.head("sssp").solved(algorithm, &times, common);
        let mut report = Report::of_all(head, sources.len(), answer.distances());
        report.targets = lists.targets.map(|_| targets.len());
        report.cutoff = cutoff.map(Amount::from);
        report.ranks = n_ranks;
        Ok(report)
    });
    match agree(ranks, written.transpose())? {
        Some(report) => print_with_notes(&report, &dealt.notes, common),
        None => Ok(()),
    }
}

/// Refuses what searches in parts do not have.
fn refuse(args: &SsspArgs) -> Result<(), WrongUse> {
    if args.gpus.is_some() {
        let text = "--partitioned with --sources takes one GPU for each process; leave out --gpus, and \
                    start a process for each GPU with mpirun";
        return Err(WrongUse(text.to_owned()));
    }
    if args.targets.is_none() && !args.nearest {
        let text = "--partitioned needs --targets or --nearest where there are many sources; \
                    --cutoff alone works in one process without --partitioned";
        return Err(WrongUse(text.to_owned()));
    }
    Ok(())
}

impl Lists {
    fn read(args: &SsspArgs) -> anyhow::Result<Self> {
        let mut output = output_file(args)?;
        if args.targets.is_none() {
            let what = "both sources and distances";
            output = output.map(|file| file.needs_columns(what)).transpose()?;
        }
        let path = args.sources.as_deref();
        let path = path.ok_or_else(|| anyhow::anyhow!("--sources is missing; name a file"))?;
        let targets = args.targets.as_deref().map(IdList::read).transpose()?;
        Ok(Self { sources: IdList::read(path)?, targets, output })
    }

    /// The sources and the targets.
    fn vertices(&self, names: &Names<'_>) -> anyhow::Result<[Vec<VertexId>; 2]> {
        let targets = self.targets.as_ref().map(|targets| targets.vertices(names)).transpose()?;
        Ok([self.sources.vertices(names)?, targets.unwrap_or_default()])
    }
}

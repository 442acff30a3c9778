//! `starpath sssp --sources --partitioned`: a table, or the nearest sources, of a graph in parts.

use collectives::Communicator;
use gpu_runtime::Gpu;
use graph_formats::{VertexId, WeightKind};
use partitioned::Found;
use paths::{AnyDistances, AnyNearest, AnyTable, Number};

use super::{Dealt, dealt, ensure_memory, explain, worthwhile};
use crate::backend::gpus_on_request;
use crate::cli::{Backend, Common, SsspArgs};
use crate::commands::many::Report;
use crate::commands::sssp::{output_file, parse_cutoff};
use crate::failure::{WrongUse, say};
use crate::ids::{IdList, Names};
use crate::load::{Loaded, load, print_with_notes};
use crate::output::ResultFile;
use crate::progress::progress;
use crate::ranks::{self, agree};
use crate::report::{Amount, Head, Ms, by_ranks};
use crate::search::{Device, repeated, repeated_by};

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

/// What a search has found, and what it has done: its algorithm, arcs relaxed, and exchanges or steps.
type Answered<A> = (A, (&'static str, u64, u64));

/// Called by all ranks.
pub(super) fn run(
    ranks: &dyn Communicator,
    args: &SsspArgs,
    common: &Common,
) -> anyhow::Result<()> {
    refuse(ranks, args)?;
    if common.backend == Backend::Cuda && ranks.size() == 1 {
        return on_gpus(args, common);
    }
    let lists = agree(ranks, ranks.is_root().then(|| Lists::read(args)).transpose())?;
    ensure_memory(ranks, args, common)?;
    let mut dealt = Dealt::load(ranks, &args.graph, false, common)?;
    dealt.move_to_gpu(ranks, args, common)?;
    let names = dealt.names(&args.graph);
    let vertices = lists.as_ref().map(|lists| lists.vertices(&names)).transpose();
    let [sources, targets] = agree(ranks, vertices)?.unwrap_or_default();
    let (sources, targets) = (ranks.broadcast_vec(0, sources)?, ranks.broadcast_vec(0, targets)?);
    let cutoff = cutoff(args, dealt.part.kind())?;
    let step = progress("searching", common);
    let ((answer, work), times) = repeated_by(ranks, common, || {
        let part = &dealt.part;
        if args.nearest {
            let found = partitioned::nearest(ranks, part, &sources, cutoff, Some(&step));
            return answered(found, &names, |nearest| nearest.map(Answer::Nearest));
        }
        let found = partitioned::table(ranks, part, &sources, &targets, cutoff, Some(&step));
        answered(found, &names, |table| table.map(Answer::Table))
    })?;
    drop(step);
    let (algorithm, relaxations, exchanges) = work;
    let n_ranks = Some(ranks.size()).filter(|&n| n > 1);
    let written = answer.zip(lists).map(|(answer, lists)| {
        lists.write(&names, &sources, &targets, &answer)?;
        if common.explain {
            say(format_args!("{}", by_ranks(&algorithm, n_ranks)));
            say(format_args!(
                "work: {relaxations} arcs relaxed, {exchanges} exchanges between ranks"
            ));
        }
        let head = dealt.head("sssp").solved(algorithm, &times, common);
        let mut report = lists.report(head, &sources, &targets, cutoff, &answer);
        report.ranks = n_ranks;
        Ok(report)
    });
    match agree(ranks, written.transpose())? {
        Some(report) => print_with_notes(&report, &dealt.notes, common),
        None => Ok(()),
    }
}

/// The answer of the GPUs of this machine.
fn on_gpus(args: &SsspArgs, common: &Common) -> anyhow::Result<()> {
    let lists = Lists::read(args)?;
    let loaded = load(&args.graph, common)?;
    loaded.print(ask_gpus(&loaded, &lists, args, common), common)
}

fn ask_gpus(
    loaded: &Loaded,
    lists: &Lists,
    args: &SsspArgs,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let [sources, targets] = lists.vertices(&names)?;
    let cutoff = cutoff(args, loaded.csr.kind())?;
    let gpus = worthwhile(gpus_on_request(args.gpus, args.memory, common)?, loaded, args, common)?;
    let step = progress("searching", common);
    let (mut searches, prepare_ms) = dealt(&gpus, loaded)?;
    let ((answer, work), times) = repeated(common, || {
        if args.nearest {
            let found = searches.nearest(&sources, cutoff, Some(&step));
            return answered(found, &names, Answer::Nearest);
        }
        let found = searches.table(&sources, &targets, cutoff, Some(&step));
        answered(found, &names, Answer::Table)
    })?;
    drop(step);
    lists.write(&names, &sources, &targets, &answer)?;
    let (algorithm, relaxations, steps) = work;
    if common.explain {
        explain(&searches, relaxations, steps);
    }
    let head = loaded.head("sssp").solved(algorithm, &times, common);
    let head = Head { backend: "cuda", threads: 1, ..head };
    let mut report = lists.report(head, &sources, &targets, cutoff, &answer);
    report.prepare_ms = Some(prepare_ms);
    report.device = Some(Device::on(&gpus[0], gpus.iter().map(Gpu::jit_ms).sum(), Ms(0.0)));
    report.gpus = Some(gpus.len());
    Ok(report)
}

fn answered<T, A, E: Into<anyhow::Error>>(
    found: Result<Found<T>, E>,
    names: &Names<'_>,
    answer: impl FnOnce(T) -> A,
) -> anyhow::Result<Answered<A>> {
    let found = found.map_err(|error| names.explain(error))?;
    let work = (found.algorithm, found.relaxations, found.exchanges);
    Ok((answer(found.tree), work))
}

fn cutoff(args: &SsspArgs, weights: WeightKind) -> anyhow::Result<Option<Number>> {
    Ok(args.cutoff.as_deref().map(|text| parse_cutoff(text, weights)).transpose()?)
}

/// Refuses what searches in parts do not have.
fn refuse(ranks: &dyn Communicator, args: &SsspArgs) -> Result<(), WrongUse> {
    ranks::refuse("--gpus", ranks.size() > 1 && args.gpus.is_some())?;
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

    fn write(
        &self,
        names: &Names<'_>,
        sources: &[VertexId],
        targets: &[VertexId],
        answer: &Answer,
    ) -> anyhow::Result<()> {
        match (&self.output, answer) {
            (Some(output), Answer::Table(table)) => {
                output.write_table(names, sources, targets, table)
            }
            (Some(output), Answer::Nearest(nearest)) => output.write_nearest(names, nearest),
            (None, _) => Ok(()),
        }
    }

    /// The report of one process without a GPU.
    fn report(
        &self,
        head: Head,
        sources: &[VertexId],
        targets: &[VertexId],
        cutoff: Option<Number>,
        answer: &Answer,
    ) -> Report {
        let mut report = Report::of_all(head, sources.len(), answer.distances());
        report.targets = self.targets.as_ref().map(|_| targets.len());
        report.cutoff = cutoff.map(Amount::from);
        report
    }
}

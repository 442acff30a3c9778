//! `starpath components`: the weakly connected components, by one process, its GPUs, or ranks.

use std::fmt;
use std::path::Path;

use collectives::Communicator;
use graph_formats::{DisjointSets, VertexId};
use partitioned::COMPONENTS_BYTES;
use partitioned::gpu::LevelsOnGpus;
use serde::Serialize;

use super::partitioned::{Dealt, needs};
use crate::backend::gpus_on_request;
use crate::cli::{Backend, Common, ComponentsArgs, GpuCount};
use crate::ids::Names;
use crate::load::{load, print_with_notes};
use crate::output::ResultFile;
use crate::ranks::{agree, refuse};
use crate::report::{Head, VERTICES, by_ranks, counted, grouped};
use crate::search::{repeated, repeated_by};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    #[serde(skip_serializing_if = "Option::is_none")]
    ranks: Option<usize>,
    /// Those that shared the graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    gpus: Option<usize>,
    components: usize,
    /// The vertices of the largest.
    largest_component: usize,
}

pub(crate) fn run(args: &ComponentsArgs, common: &Common) -> anyhow::Result<()> {
    let output = checked(args, common)?;
    let loaded = load(&args.graph, common)?;
    let gpus = gpus_on_request(args.gpus, None, common)?;
    let arcs = loaded.csr.unweighted();
    let (first_vertices, times) = if gpus.is_empty() {
        repeated(common, || {
            let mut sets = DisjointSets::joined_by(&arcs);
            Ok((0..arcs.n_vertices() as VertexId).map(|v| sets.root(v)).collect::<Vec<_>>())
        })?
    } else {
        let on_gpus = LevelsOnGpus::new(&gpus, &arcs)?;
        repeated(common, || Ok(on_gpus.components()?))?
    };
    let backend = if gpus.is_empty() { "cpu" } else { "cuda" };
    let head = Head { backend, ..solved(loaded.head("components"), &times, common) };
    let report = written(&first_vertices, &loaded.names(), head, output);
    let n_gpus = Some(gpus.len()).filter(|&n| n > 0);
    loaded.print(report.map(|report| Report { gpus: n_gpus, ..report }), common)
}

/// Called by all ranks.
pub(crate) fn run_over(
    ranks: &dyn Communicator,
    args: &ComponentsArgs,
    common: &Common,
) -> anyhow::Result<()> {
    if common.backend == Backend::Cuda && ranks.size() == 1 {
        return run(args, common);
    }
    refuse("--backend cuda", common.backend == Backend::Cuda)?;
    let output = agree(ranks, if ranks.is_root() { checked(args, common) } else { Ok(None) })?;
    if common.explain {
        needs(ranks, &args.graph, true, COMPONENTS_BYTES, common)?;
    }
    let dealt = Dealt::load(ranks, &args.graph, true, common)?;
    let (first_vertices, times) = repeated_by(ranks, common, || {
        let own = partitioned::components(ranks, &dealt.part)?;
        Ok(dealt.part.gather(ranks, &own)?)
    })?;
    let report = first_vertices.map(|first_vertices| {
        let head = solved(dealt.head("components"), &times, common);
        let report = written(&first_vertices, &dealt.names(&args.graph), head, output)?;
        Ok(Report { ranks: Some(ranks.size()).filter(|&n| n > 1), ..report })
    });
    match agree(ranks, report.transpose())? {
        Some(report) => print_with_notes(&report, &dealt.notes, common),
        None => Ok(()),
    }
}

fn checked(args: &ComponentsArgs, common: &Common) -> anyhow::Result<Option<ResultFile>> {
    GpuCount::check(args.gpus, common)?;
    let inputs: Vec<&Path> = args.graph.inputs().collect();
    ResultFile::check(&args.output, &inputs)
}

fn solved(head: Head, times: &[f64], common: &Common) -> Head {
    Head { threads: 1, ..head.solved("union-find", times, common) }
}

/// Writes the component of each vertex, by the first of its vertices.
fn written(
    first_vertices: &[VertexId],
    names: &Names<'_>,
    head: Head,
    output: Option<ResultFile>,
) -> anyhow::Result<Report> {
    if let Some(output) = output {
        output.write_components(names, first_vertices)?;
    }
    let mut sizes = vec![0; first_vertices.len()];
    first_vertices.iter().for_each(|&first| sizes[first as usize] += 1);
    Ok(Report {
        head,
        ranks: None,
        gpus: None,
        components: sizes.iter().filter(|&&size| size > 0).count(),
        largest_component: sizes.into_iter().max().unwrap_or(0),
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", by_ranks(&self.head, self.ranks))?;
        let (n, largest) = (self.components, counted(self.largest_component, VERTICES));
        let components = if n == 1 { "component" } else { "components" };
        writeln!(f, "{} {components}; the largest has {largest}", grouped(n as u64))
    }
}

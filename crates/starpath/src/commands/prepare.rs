//! `starpath prepare` and `starpath customize`: a graph with its hierarchy, in one file.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{anyhow, bail};
use graph_formats::{Ids, read_coordinates};
use hierarchy::{Hierarchy, HierarchyError, Order, Prepared, any};
use serde::Serialize;

use crate::backend;
use crate::changes::{Batches, Changes};
use crate::cli::{Common, CustomizeArgs, PrepareArgs};
use crate::failure::WrongUse;
use crate::ids::shown;
use crate::load::{Loaded, load};
use crate::output::{check_file, is_standard_output, shown_output};
use crate::progress::{EndAtOnce, check_interrupt, progress};
use crate::report::{ARCS, Head, Ms, counted, milliseconds};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    /// Time to order the vertices and to contract them in this order.
    #[serde(skip_serializing_if = "Option::is_none")]
    order_ms: Option<Ms>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contract_ms: Option<Ms>,
    /// How many changes were made.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<usize>,
    /// Time to compute the weights of the hierarchy, and to make the changes.
    customize_ms: Ms,
    write_ms: Ms,
    /// Pairs of vertices that an arc or a shortcut joins.
    hierarchy_arcs: usize,
    /// Vertices of the longest upward path.
    height: usize,
    output: String,
}

pub(crate) fn prepare(args: &PrepareArgs, common: &Common) -> anyhow::Result<()> {
    backend::cpu("prepare", common)?;
    let inputs: Vec<&Path> = args.graph.inputs().chain(args.coordinates.as_deref()).collect();
    check_output(&args.output, &inputs)?;
    let loaded = load(&args.graph, common)?;
    loaded.print(order(&loaded, args, common), common)
}

pub(crate) fn customize(args: &CustomizeArgs, common: &Common) -> anyhow::Result<()> {
    backend::cpu("customize", common)?;
    let changes = args.changes.iter().map(PathBuf::as_path);
    let inputs: Vec<&Path> = args.graph.inputs().chain([&*args.prepared]).chain(changes).collect();
    check_output(&args.output, &inputs)?;
    let before = read_prepared(&args.prepared)?;
    let loaded = load(&args.graph, common)?;
    loaded.print(weigh(&loaded, &before, args), common)
}

/// Orders a graph, and writes its hierarchy.
fn order(loaded: &Loaded, args: &PrepareArgs, common: &Common) -> anyhow::Result<Report> {
    if let Some((from, to, weight)) = loaded.csr.first_negative() {
        return Err(HierarchyError::NegativeWeight { from, to, weight }.into());
    }
    let arcs = loaded.csr.unweighted();
    let coordinates = args.coordinates.as_deref();
    let coordinates = coordinates
        .map(|path| read_coordinates(path, &loaded.ids, arcs.n_vertices()))
        .transpose()?;
    let step = progress("ordering", common);
    // nothing is open for writing yet
    let at_once = EndAtOnce::new();
    let start = Instant::now();
    let order = Order::by_dissection(&arcs, coordinates.as_deref(), Some(&step));
    let order = order.map_err(HierarchyError::from)?;
    let order_ms = milliseconds(start.elapsed());
    drop(step);
    let _bar = progress("contracting", common);
    let start = Instant::now();
    let hierarchy = Hierarchy::new(&arcs, &order)?;
    let contract_ms = milliseconds(start.elapsed());
    drop(at_once);
    let report = write(loaded, &hierarchy, &[], &args.output)?;
    let solve_ms = Some(Ms(order_ms.0 + contract_ms.0 + report.customize_ms.0));
    let head = Head { algorithm: Some("nested-dissection"), solve_ms, ..report.head };
    let (order_ms, contract_ms) = (Some(order_ms), Some(contract_ms));
    Ok(Report { head, order_ms, contract_ms, ..report })
}

/// Gives a prepared hierarchy the weights of this graph, and writes it.
fn weigh(
    loaded: &Loaded,
    before: &(Prepared, Ids),
    args: &CustomizeArgs,
) -> anyhow::Result<Report> {
    let (prepared, ids) = before;
    if *ids != loaded.ids {
        let (new, old) = (shown(&loaded.path), args.prepared.display());
        bail!("{new} and {old} name their vertices differently; use `starpath prepare` on {new}");
    }
    let batches = Batches::read(loaded, &args.changes)?.list;
    let report = write(loaded, prepared.hierarchy(), &batches, &args.output)?;
    let solve_ms = Some(report.customize_ms);
    let head = Head { command: "customize", algorithm: Some("triangles"), solve_ms, ..report.head };
    Ok(Report { head, ..report })
}

/// Computes the weights of a hierarchy, makes changes of the graph, and writes it.
fn write(
    loaded: &Loaded,
    hierarchy: &Hierarchy,
    batches: &[Changes],
    output: &Path,
) -> anyhow::Result<Report> {
    let start = Instant::now();
    let mut metric = any::customize(hierarchy, &loaded.csr).map_err(|error| match error {
        HierarchyError::AnotherGraph => {
            anyhow!(
                "{}: its arcs are not those of the prepared graph; use `starpath prepare` on it",
                shown(&loaded.path)
            )
        }
        other => other.into(),
    })?;
    for changes in batches {
        metric.change(changes.list()).map_err(|error| explain(changes, error))?;
    }
    let customize_ms = milliseconds(start.elapsed());
    check_interrupt()?;
    let start = Instant::now();
    metric.write(output, &loaded.ids)?;
    Ok(Report {
        head: loaded.head("prepare"),
        order_ms: None,
        contract_ms: None,
        changes: (!batches.is_empty()).then(|| batches.iter().map(|of| of.list().len()).sum()),
        customize_ms,
        write_ms: milliseconds(start.elapsed()),
        hierarchy_arcs: hierarchy.n_arcs(),
        height: hierarchy.height(),
        output: shown_output(output),
    })
}

/// An error with the line of the change.
fn explain(changes: &Changes, error: HierarchyError) -> anyhow::Error {
    match error {
        HierarchyError::Change(bad) => changes.explain(&bad),
        HierarchyError::NoPlace { position, .. } => anyhow!(
            "{}: neither a road nor a shortcut joins these vertices yet; use `starpath prepare` on \
             the graph with the new road",
            changes.place(position)
        ),
        HierarchyError::NewVertex { position } => anyhow!(
            "{}: a prepared graph takes no new vertices; use `starpath prepare` on the graph with it",
            changes.place(position)
        ),
        other => other.into(),
    }
}

/// A prepared graph and the names of its vertices.
fn read_prepared(path: &Path) -> anyhow::Result<(Prepared, Ids)> {
    let loaded = graph_formats::read(path)?;
    match Prepared::of(&loaded).map_err(|error| anyhow!("{}: {error}", path.display()))? {
        Some(prepared) => Ok((prepared, loaded.ids)),
        None => {
            bail!("{}: this graph is not prepared; `starpath prepare` prepares it", path.display())
        }
    }
}

/// The suffix must be .prepared, by which the file is recognised when it is read.
fn check_output(output: &Path, inputs: &[&Path]) -> anyhow::Result<()> {
    let is_named = output.extension().is_some_and(|suffix| suffix == "prepared");
    if !is_named && !is_standard_output(output) {
        let shown = output.display();
        return Err(WrongUse(format!(
            "{shown}: expected an output file that ends in .prepared, or -"
        ))
        .into());
    }
    check_file(output, inputs)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        let (arcs, height) = (counted(self.hierarchy_arcs, ARCS), self.height);
        writeln!(f, "{}: a hierarchy of {arcs}, {height} high", self.output)
    }
}

//! `starpath query`: a shortest path from the arrays that `starpath apsp` wrote.

use std::fmt;
use std::time::Instant;

use anyhow::{anyhow, bail};
use apsp::any::SavedMatrix;
use graph_formats::IdKind;
use graph_formats::npy::Dtype;
use paths::Number;
use serde::Serialize;

use crate::cli::{Common, QueryArgs};
use crate::output::check_same_graph;
use crate::progress::check_interrupt;
use crate::report::{self, Ms, grouped, milliseconds};
use crate::route::Route;
use crate::saved::saved_ids;

/// The types of distances.
const DISTANCES: [Dtype; 4] = [Dtype::U64, Dtype::I64, Dtype::F32, Dtype::F64];

#[derive(Serialize)]
struct Report {
    command: &'static str,
    backend: &'static str,
    vertices: usize,
    load_ms: Ms,
    solve_ms: Ms,
    #[serde(flatten)]
    route: Route,
}

pub(crate) fn run(args: &QueryArgs, common: &Common) -> anyhow::Result<()> {
    let start = Instant::now();
    let mut distances = SavedMatrix::open(&args.distances, &DISTANCES)?;
    let mut hops = SavedMatrix::open_hops(&args.next_hops)?;
    let (dist, hop) = (args.distances.display(), args.next_hops.display());
    let vertices = hops.n_vertices();
    if distances.n_vertices() != vertices {
        let found = distances.n_vertices();
        bail!("{dist} is for {found} vertices and {hop} for {vertices}; give two files of one run");
    }
    check_same_graph(&args.distances, &args.next_hops)?;
    let ids = saved_ids(&args.distances, &args.next_hops, vertices)?;
    let names = ids.names(&args.next_hops, IdKind::Auto, vertices);
    let load_ms = milliseconds(start.elapsed());

    let start = Instant::now();
    let source = names.vertex("source", &args.source)?;
    let target = names.vertex("target", &args.target)?;
    let distance = distances.distance(source, target)?;
    let mut path = vec![source];
    let mut at = source;
    while distance.is_some() && at != target {
        check_interrupt()?;
        let next = hops.hop(at, target)?.filter(|_| path.len() < vertices);
        at = next.ok_or_else(|| {
            anyhow!(
                "{hop}: the hops from {} do not lead to {}, though {dist} has a distance; give \
                 two files of one run",
                args.source,
                args.target
            )
        })?;
        path.push(at);
    }
    if let Some(distance) = distance {
        let legs = path.windows(2).map(|leg| distances.distance(leg[0], leg[1]));
        let legs = legs.collect::<Result<Option<Vec<_>>, _>>()?;
        if !legs.is_some_and(|legs| add_up(&legs, distance)) {
            bail!(
                "{hop}: the arcs of the path do not add up to {distance}, the distance in {dist}; \
                 give two files of one run"
            );
        }
    }
    let solve_ms = milliseconds(start.elapsed());
    let route = Route::of(&names, (source, target), distance.map(|distance| (distance, path)));
    let report = Report { command: "query", backend: "cpu", vertices, load_ms, solve_ms, route };
    report::print(&report, common)
}

/// Whether the lengths of a path's arcs add up to its length, for floats up to rounding errors.
fn add_up(legs: &[Number], length: Number) -> bool {
    let whole = legs.iter().map(|leg| leg.to_i128()).sum::<Option<i128>>();
    if let (Some(sum), Some(length)) = (whole, length.to_i128()) {
        return sum == length;
    }
    let unit = match length {
        Number::F32(_) => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    };
    let (sum, size) = legs.iter().fold((0.0, 0.0), |(sum, size): (f64, f64), leg| {
        (sum + leg.to_f64(), size + leg.to_f64().abs())
    });
    (sum - length.to_f64()).abs() <= 2.0 * legs.len() as f64 * unit * size
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} vertices", grouped(self.vertices as u64))?;
        self.route.fmt(f)
    }
}

//! `starpath plot matrix`: the distances of all pairs, or a closure, as a heat map.

use std::fmt;

use anyhow::anyhow;
use closure::ComponentOrder;
use serde::Serialize;

use super::file_name;
use super::pairs::AllPairs;
use crate::backend;
use crate::cli::{Common, MatrixArgs};
use crate::failure::WrongUse;
use crate::ids::shown;
use crate::plot::bands::Bands;
use crate::plot::heat::{Heat, for_each_row, reached};
use crate::plot::picture::PictureFile;
use crate::report::{self, counted, grouped};

#[derive(Serialize)]
struct Shows {
    /// Ordered pairs with a path.
    pairs: usize,
    /// Strongly connected components.
    components: usize,
}

pub(crate) fn run(args: &MatrixArgs, common: &Common) -> anyhow::Result<()> {
    let file = PictureFile::check(&args.picture.output, args.graph.inputs())?;
    backend::cpu("plot matrix", common)?;
    let all = AllPairs::of(&args.graph, args.closure, common)?;
    let AllPairs { mut rows, is_closure, is_whole, ids, made, loaded } = all;
    let rows = &mut *rows;
    if is_closure && (args.step.is_some() || args.unit.is_given()) {
        let shown = shown(&args.graph.path);
        let text = format!("{shown}: a closure has no distances; leave --step and --unit out");
        return Err(WrongUse(text).into());
    }
    let order = ComponentOrder::of(&reached(rows)?).map_err(|(u, v)| {
        let shown = shown(&args.graph.path);
        anyhow!(
            "{shown}: this is not a matrix of shortest paths: by position, vertex {u} reaches {v}, \
             but not every vertex that {v} reaches"
        )
    })?;
    let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
    for_each_row(rows, |_, row| {
        for &distance in row.iter().flatten() {
            (least, greatest) = (least.min(distance), greatest.max(distance));
        }
    })?;
    let ends = [least, greatest].into_iter().filter(|end| end.is_finite());
    let bands = Bands::new(ends, args.step, is_whole).map_err(WrongUse)?;
    let mut counts = vec![0; if is_closure { 1 } else { bands.len() }];
    for_each_row(rows, |_, row| {
        for &distance in row.iter().flatten() {
            counts[if is_closure { 0 } else { bands.band_of(distance) }] += 1;
        }
    })?;
    let n = rows.n_vertices();
    let pairs: usize = counts.iter().sum();
    let shows = Shows { pairs, components: order.n_components() };
    let what = if is_closure { "Closure" } else { "Distances of all pairs" };
    let (path, id_kind) = (&args.graph.path, args.graph.id_kind());
    let names = ids.names(path, id_kind, n);
    let heat = Heat {
        title: format!("{what} of {}", file_name(&args.graph.path)),
        quantity: if is_closure { "closure".to_owned() } else { args.unit.quantity() },
        order: &order,
        bands: (!is_closure).then_some(&bands),
        counts: &counts,
        without: n * n - pairs,
        name: &|vertex| names.name(vertex).to_string(),
    };
    let report = made.report(&file, shows, || heat.draw(rows, args.picture.size));
    match &loaded {
        Some(loaded) => loaded.print(report, common),
        None => report::print(&report?, common),
    }
}

impl fmt::Display for Shows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let components = counted(self.components, ("component", "components"));
        writeln!(f, "{} pairs have a path; {components}", grouped(self.pairs as u64))
    }
}

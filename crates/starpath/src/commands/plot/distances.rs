//! `starpath plot distances`: a histogram of distances.

use std::fmt;

use paths::Number;
use pictures::{label, round_step};
use serde::Serialize;
use sssp::Goal;

use super::pairs::AllPairs;
use super::{Made, Report, file_name};
use crate::backend;
use crate::cli::{Common, Configs, DistancesArgs};
use crate::failure::WrongUse;
use crate::load::{Loaded, load};
use crate::plot::heat::for_each_row;
use crate::plot::histogram::{Bins, Histogram};
use crate::plot::picture::PictureFile;
use crate::report::{self, grouped};
use crate::search::search;

#[derive(Serialize)]
struct Shows {
    /// Vertices, or pairs, that have a distance.
    reached: u64,
    unreached: u64,
}

pub(crate) fn run(args: &DistancesArgs, common: &Common) -> anyhow::Result<()> {
    let file = PictureFile::check(&args.picture.output, args.graph.inputs())?;
    if let Some(source) = &args.source {
        let configs = Configs::auto(common);
        let loaded = load(&args.graph, common)?;
        return loaded.print(of_search(&loaded, source, args, &configs, &file, common), common);
    }
    backend::cpu("plot distances of all pairs", common)?;
    let all = AllPairs::of(&args.graph, false, common)?;
    if all.is_closure {
        let shown = args.graph.path.display();
        return Err(WrongUse(format!("{shown}: a closure has no distances")).into());
    }
    let title = format!("Distances of all pairs of {}", file_name(&args.graph.path));
    let AllPairs { mut rows, is_whole, made, loaded, .. } = all;
    let mut each = |visit: &mut Visit<'_>| {
        for_each_row(&mut *rows, |_, row| row.iter().for_each(|&distance| visit(distance)))
    };
    let what = What { title, up: "pairs", is_whole };
    let report = draw(&mut each, what, args, made, &file);
    match &loaded {
        Some(loaded) => loaded.print(report, common),
        None => report::print(&report?, common),
    }
}

fn of_search(
    loaded: &Loaded,
    source: &str,
    args: &DistancesArgs,
    configs: &Configs,
    file: &PictureFile,
    common: &Common,
) -> anyhow::Result<Report<Shows>> {
    let names = loaded.names();
    let source = names.vertex("source", source)?;
    let (tree, searched) = search(loaded, "plot", source, Goal::All, configs, common)?;
    let title = format!("Distances from {} in {}", names.name(source), file_name(&loaded.path));
    let what = What { title, up: "vertices", is_whole: loaded.csr.kind().is_integer() };
    let mut each = |visit: &mut Visit<'_>| {
        tree.distances.iter().for_each(|distance| visit(distance.map(Number::to_f64)));
        Ok(())
    };
    draw(&mut each, what, args, Made::of(searched.head), file)
}

/// What the distances are of.
struct What {
    title: String,
    up: &'static str,
    /// Whether they are integers.
    is_whole: bool,
}

/// Called with each distance, or with `None` where there is no path.
type Visit<'a> = dyn FnMut(Option<f64>) + 'a;

/// Counts the distances that `each` visits, and draws the histogram.
fn draw(
    each: &mut dyn FnMut(&mut Visit<'_>) -> anyhow::Result<()>,
    what: What,
    args: &DistancesArgs,
    made: Made,
    file: &PictureFile,
) -> anyhow::Result<Report<Shows>> {
    let (mut least, mut greatest, mut mean) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
    let (mut reached, mut unreached) = (0u64, 0u64);
    each(&mut |distance| match distance {
        Some(distance) => {
            reached += 1;
            (least, greatest) = (least.min(distance), greatest.max(distance));
            mean += distance / reached as f64 - mean / reached as f64;
        }
        None => unreached += 1,
    })?;
    let (least, greatest) = if reached > 0 { (least, greatest) } else { (0.0, 0.0) };
    let bins = Bins::of_distances(least, greatest, what.is_whole);
    let mut counts = vec![0; bins.len()];
    each(&mut |distance| {
        if let Some(distance) = distance {
            counts[bins.bin_of(distance)] += 1;
        }
    })?;
    let remark = |text: &str, number: f64| {
        let step = if what.is_whole { 1.0 } else { round_step(number.abs() / 1000.0) };
        (text.to_owned(), args.unit.with(&label(number, step)))
    };
    let mut remarks = vec![remark("mean", mean), remark("greatest", greatest)];
    if unreached > 0 {
        remarks.push(("unreached".to_owned(), grouped(unreached)));
    }
    let histogram = Histogram {
        title: what.title,
        across: args.unit.quantity(),
        up: what.up,
        bins: &bins,
        series: &[("with a distance", counts)],
        remarks,
    };
    let shows = Shows { reached, unreached };
    made.report(file, shows, || Ok(histogram.draw(args.picture.size)))
}

impl fmt::Display for Shows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reached, unreached } = *self;
        writeln!(f, "{} have a distance, {} have none", grouped(reached), grouped(unreached))
    }
}

//! `starpath plot degrees`: a histogram of the degrees.

use std::fmt;

use graph_formats::Direction;
use serde::Serialize;

use super::{Made, Report, file_name};
use crate::backend;
use crate::cli::{Common, DegreesArgs};
use crate::load::{Loaded, load};
use crate::plot::histogram::{Bins, Histogram};
use crate::plot::picture::PictureFile;
use crate::report::grouped;

#[derive(Serialize)]
struct Shows {
    /// The greatest out-degree or in-degree.
    max_degree: usize,
}

pub(crate) fn run(args: &DegreesArgs, common: &Common) -> anyhow::Result<()> {
    let file = PictureFile::check(&args.picture.output, args.graph.inputs())?;
    backend::cpu("plot degrees", common)?;
    let loaded = load(&args.graph, common)?;
    loaded.print(draw(&loaded, args, &file), common)
}

fn draw(loaded: &Loaded, args: &DegreesArgs, file: &PictureFile) -> anyhow::Result<Report<Shows>> {
    let graph = loaded.csr.unweighted();
    let out: Vec<_> = graph.vertices().map(|vertex| graph.out_degree(vertex)).collect();
    let mut into = vec![0; graph.n_vertices()];
    graph.column_indices().iter().for_each(|&vertex| into[vertex as usize] += 1);
    let degrees = match graph.direction() {
        Direction::Undirected => vec![("degrees", out)],
        Direction::Directed => vec![("out-degrees", out), ("in-degrees", into)],
    };
    let all = || degrees.iter().flat_map(|(_, degrees)| degrees.iter().copied());
    let max_degree = all().max().unwrap_or(0);
    let bins = Bins::of_degrees(max_degree);
    let counted = degrees.iter().map(|(name, degrees)| {
        let mut counts = vec![0; bins.len()];
        degrees.iter().for_each(|&degree| counts[bins.bin_of(degree as f64)] += 1);
        (*name, counts)
    });
    let series: Vec<_> = counted.collect();
    let mean = graph.n_arcs() as f64 / graph.n_vertices().max(1) as f64;
    let histogram = Histogram {
        title: format!("Degrees in {}", file_name(&loaded.path)),
        across: match bins {
            Bins::Doubling(_) => "arcs of a vertex, from this number to one less than the next",
            _ => "arcs of a vertex",
        }
        .to_owned(),
        up: "vertices",
        bins: &bins,
        series: &series,
        remarks: vec![
            ("mean".to_owned(), format!("{mean:.2}")),
            ("greatest".to_owned(), grouped(max_degree as u64)),
        ],
    };
    let made = Made::of(loaded.head("plot"));
    made.report(file, Shows { max_degree }, || Ok(histogram.draw(args.picture.size)))
}

impl fmt::Display for Shows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the greatest degree is {}", grouped(self.max_degree as u64))
    }
}

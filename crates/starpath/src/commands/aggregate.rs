//! `starpath aggregate`: the points within a cutoff of every vertex, counted or added up.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use anyhow::{anyhow, bail};
use graph_formats::VertexId;
use serde::Serialize;
use sssp::{Categories, Points, Statistic, any};

use crate::backend;
use crate::cli::{AggregateArgs, Common};
use crate::failure::{WrongUse, say};
use crate::ids::{Id, Names, fields};
use crate::load::{Loaded, load};
use crate::numbers::read_entries;
use crate::output::ResultFile;
use crate::progress::progress;
use crate::report::{Head, POINTS, counted};
use crate::search::repeated;

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    statistic: &'static str,
    cutoff: f64,
    points: usize,
    /// The names of the categories, if points have any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    categories: Vec<String>,
    /// The greatest number that was found.
    greatest: Option<f64>,
    /// The first vertex that has it.
    vertex: Option<Id>,
}

/// The points of a file.
struct Read {
    vertices: Vec<VertexId>,
    values: Option<Vec<f64>>,
    categories: Vec<u32>,
    /// Their names, in order; none if points have no category.
    names: Vec<String>,
}

pub(crate) fn run(args: &AggregateArgs, common: &Common) -> anyhow::Result<()> {
    backend::cpu("aggregate", common)?;
    args.aggregate()?;
    let inputs: Vec<&Path> = args.graph.inputs().chain([&*args.points]).collect();
    let output = ResultFile::check(&args.output, &inputs)?;
    let entries = read_entries(&args.points, "point")?;
    let loaded = load(&args.graph, common)?;
    let read = Read::of(&args.points, &entries, &loaded.names())?;
    loaded.print(find(&loaded, read, args, output, common), common)
}

impl Read {
    fn of(file: &Path, entries: &[(usize, String)], names: &Names<'_>) -> anyhow::Result<Self> {
        let (mut vertices, mut values, mut categories) = (Vec::new(), Vec::new(), Vec::new());
        let n_fields = entries.first().map_or(0, |(_, text)| fields(text).len());
        for (line, text) in entries {
            let (place, fields) = (format!("{}:{line}", file.display()), fields(text));
            if !(1..=3).contains(&fields.len()) || fields.len() != n_fields {
                bail!(
                    "{place}: `{text}` has {} fields and the first point {n_fields}; expected a \
                     vertex id, or also a value, or also a category, and in each line the same",
                    fields.len()
                );
            }
            let vertex = names.vertex("vertex", &fields[0]);
            vertices.push(vertex.map_err(|error| anyhow!("{place}: {error}"))?);
            if let Some(value) = fields.get(1) {
                match value.parse::<f64>() {
                    Ok(value) if value.is_finite() => values.push(value),
                    _ => bail!("{place}: expected a number as the point's value, found `{value}`"),
                }
            }
            categories.extend(fields.get(2).map(|category| category.to_string()));
        }
        let all: BTreeSet<_> = categories.iter().cloned().collect();
        let names: Vec<_> = all.into_iter().collect();
        let number = |category: &String| names.partition_point(|name| name < category) as u32;
        let categories = categories.iter().map(number).collect();
        let values = (n_fields > 1).then_some(values);
        Ok(Self { vertices, values, categories, names })
    }
}

fn find(
    loaded: &Loaded,
    read: Read,
    args: &AggregateArgs,
    output: Option<ResultFile>,
    common: &Common,
) -> anyhow::Result<Report> {
    let Read { vertices, values, categories, names: categories_by_name } = read;
    let n_categories = categories_by_name.len();
    let output = match n_categories {
        0 => output,
        _ => output.map(|file| file.needs_columns("names of categories")).transpose()?,
    };
    let aggregate = args.aggregate()?;
    let needs_values = matches!(aggregate.statistic, Statistic::Mean | Statistic::Minimum);
    if needs_values && values.is_none() {
        let text = format!(
            "--statistic {} needs values; write one after each vertex id in {}",
            args.statistic.name(),
            args.points.display()
        );
        return Err(WrongUse(text).into());
    }
    let of_points = Categories { of_points: &categories, n_categories };
    let points = Points {
        vertices: &vertices,
        values: values.as_deref(),
        categories: (n_categories > 0).then_some(of_points),
    };
    let step = progress("searching", common);
    let mut solver = any::solver(&loaded.csr, &common.config(), Some(&step))?;
    let work = || Ok(solver.aggregate(&points, args.cutoff, &aggregate)?);
    let (found, times) = repeated(common, work)?;
    if common.explain {
        say(format_args!("{}, from each vertex with points", found.plan));
    }
    let (names, numbers) = (loaded.names(), &found.answer);
    if let Some(output) = output {
        let header: Vec<_> = match n_categories {
            0 => vec![args.statistic.name()],
            _ => categories_by_name.iter().map(String::as_str).collect(),
        };
        output.write_numbers(&names, &header, numbers)?;
    }
    let greatest = numbers.iter().copied().filter(|number| !number.is_nan()).reduce(f64::max);
    let place = numbers.iter().position(|&number| Some(number) == greatest);
    let vertex = place.map(|place| names.name((place / n_categories.max(1)) as VertexId).into());
    let head = loaded.head("aggregate").solved(found.plan.algorithm, &times, common);
    Ok(Report {
        head: Head { threads: found.plan.threads, ..head },
        statistic: args.statistic.name(),
        cutoff: args.cutoff,
        points: vertices.len(),
        categories: categories_by_name,
        greatest,
        vertex,
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        write!(f, "{} within {} of each vertex", counted(self.points, POINTS), self.cutoff)?;
        match (self.greatest, &self.vertex) {
            (Some(greatest), Some(vertex)) => {
                writeln!(f, "; the greatest {} is {greatest}, at {vertex}", self.statistic)
            }
            _ => writeln!(f),
        }
    }
}

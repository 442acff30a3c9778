//! One report from those of several runs: a study of large graphs is long, and may be made
//! in parts.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use graph_formats::WeightKind;
use sssp::Queue;
use sssp::gpu::{EdgeOrder, Loads};

use super::HEADER;
use super::figures::{Line, Sample, ScaleReport, Who};

/// What runs of the study have left in these folders: the machine of the first, and a
/// report for each scale, ascending.
pub(super) fn read(folders: &[PathBuf]) -> Result<(String, Vec<ScaleReport>)> {
    let mut reports: Vec<ScaleReport> = Vec::new();
    for folder in folders {
        let path = folder.join("raw.csv");
        let raw = text(&path)?;
        let mut lines = (1..).zip(raw.lines());
        let is_raw = lines.next().is_some_and(|(_, header)| header == HEADER);
        ensure!(is_raw, "{}: this is no raw.csv of a study of segments", path.display());
        for (number, line) in lines {
            let context = || format!("{}:{number}: {line:?} is no solve", path.display());
            add(&mut reports, line).with_context(context)?;
        }
    }
    reports.sort_by_key(|report| report.scale);
    for report in &mut reports {
        report.n_sources = report.lines.iter().map(|line| line.samples.len()).max().unwrap_or(0);
    }
    let first = folders.first().context("there is nothing to merge")?.join("summary.md");
    let machine: String = text(&first)?
        .lines()
        .filter(|l| l.starts_with("- "))
        .map(|l| l.to_owned() + "\n")
        .collect();
    Ok((machine, reports))
}

fn text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Adds a line of `raw.csv`.
fn add(reports: &mut Vec<ScaleReport>, line: &str) -> Result<()> {
    let fields: Vec<&str> = line.split(',').collect();
    let &[scale, n_vertices, n_arcs, kind, solver, order, reads, source, ms, rounds] =
        fields.as_slice()
    else {
        bail!("it has {} fields, not 10", fields.len())
    };
    let scale = scale.parse()?;
    let kind = match kind {
        "u32" => WeightKind::U32,
        "f64" => WeightKind::F64,
        _ => bail!("the type is u32 or f64, not {kind:?}"),
    };
    let queue = solver.strip_prefix("host/dijkstra/");
    let who = match solver {
        "gpu/bellman-ford" => Who::BellmanFord {
            order: match order {
                "stored" => EdgeOrder::AsStored,
                size => EdgeOrder::Segments { vertices: size.parse()? },
            },
            reads: if reads == "read-only" { Loads::ReadOnly } else { Loads::Plain },
        },
        "gpu/delta-stepping" => Who::DeltaStepping,
        "host/delta-stepping" => Who::HostDeltaStepping,
        _ if queue.is_some() => Who::HostDijkstra,
        _ => bail!("there is no solver {solver:?}"),
    };
    let queue: Option<Queue> = queue.map(str::parse).transpose()?;
    let sample = Sample { source: source.parse()?, ms: ms.parse()?, rounds: rounds.parse()? };
    let report = match reports.iter_mut().find(|report| report.scale == scale) {
        Some(report) => report,
        None => {
            let (n_vertices, n_arcs) = (n_vertices.parse()?, n_arcs.parse()?);
            let (n_sources, lines) = (0, Vec::new());
            reports.push(ScaleReport { scale, n_vertices, n_arcs, n_sources, lines });
            reports.last_mut().context("one was just added")?
        }
    };
    match report.lines.iter_mut().find(|line| line.kind == kind && line.who == who) {
        Some(line) => line.samples.push(sample),
        None => report.lines.push(Line { kind, who, queue, samples: vec![sample] }),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_no_solves_are_named() {
        let good = "8,256,1000,u32,gpu/bellman-ford,64,plain,3,0.5,7";
        let mut reports = Vec::new();
        for line in [good, good] {
            add(&mut reports, line).unwrap();
        }
        assert_eq!((reports.len(), reports[0].lines[0].samples.len()), (1, 2));
        for (part, instead) in
            [("u32", "u16"), ("gpu/", "tpu/"), ("64", "some"), (",7", ""), ("0.5", "fast")]
        {
            assert!(add(&mut reports, &good.replacen(part, instead, 1)).is_err(), "{instead}");
        }
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("raw.csv"), format!("{HEADER}\n{good}\n8,9\n")).unwrap();
        let error = format!("{:#}", read(&[folder.path().to_owned()]).unwrap_err());
        assert!(error.contains("raw.csv:3: \"8,9\" is no solve"), "{error}");
        fs::write(folder.path().join("raw.csv"), "graph,solver\n").unwrap();
        assert!(read(&[folder.path().to_owned()]).is_err());
    }
}

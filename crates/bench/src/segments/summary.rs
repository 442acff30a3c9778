//! The study in words and tables.

use std::collections::BTreeSet;
use std::fmt::Write;

use graph_formats::WeightKind;
use sssp::gpu::{EdgeOrder, Loads};

use super::figures::{Line, ScaleReport, Spread, Who};
use super::{Options, WeightType};
use crate::table::{number, table};

const MIB: f64 = 1_048_576.0;
/// What is less is noise.
const PAYING: f64 = 1.05;

/// `summary.md`.
pub(super) fn text(machine: &str, options: &Options, reports: &[ScaleReport]) -> String {
    let mut text = String::from("# Edge-parallel Bellman-Ford on a GPU\n\n");
    text += machine;
    let segment = match options.segments() {
        EdgeOrder::Segments { vertices } => format!("{vertices} vertices"),
        _ => "2^16 vertices, or of a 64th of the graph's where that is more,".to_owned(),
    };
    let n_sources = reports.iter().map(|report| report.n_sources).max().unwrap_or(0);
    let checked = match options.merge.is_empty() {
        true => {
            let certified = options.certify.unwrap_or(n_sources).min(n_sources);
            format!("{certified} of the {n_sources} reference answers of a graph are certified")
        }
        false => "The reports that this one was made from say how many reference answers \
                  were certified"
            .to_owned(),
    };
    // writing to a String does not fail
    let _ = write!(
        text,
        "\nUndirected R-MAT, 16 edges drawn a vertex, weights 1 to 255; segments are of \
         {segment} where no size is named; one untimed solve, and then one from each \
         of up to {n_sources} sources spread over the large component. Times are of the solve alone, \
         distances only, on a GPU by its own clock. {checked}, and every solve of every solver, timed or not, \
         found the same distances. A figure is the arcs of the graph, each counted once, by the \
         time of a solve.\n"
    );
    text += &sizes(reports);
    for kind in options.types().map(WeightType::kind) {
        text += &rates(kind, options, reports);
        text += &speed_ups(kind, options, reports);
        text += &rounds(kind, options, reports);
        text += &sweep(kind, options, reports);
    }
    text
}

/// The paper's table of graphs: an edge is two ends of 4 bytes and a weight.
fn sizes(reports: &[ScaleReport]) -> String {
    let headings = ["scale", "vertices", "arcs", "distances u32", "f64", "edges u32", "f64"];
    let rows = reports.iter().map(|report| {
        let (n, n_edges) = (report.n_vertices as f64, report.n_arcs as f64 / 2.0);
        let mib = |bytes: f64| match bytes / MIB {
            little if little < 1.0 => format!("{little:.3}"),
            much => number(Some(much)),
        };
        vec![
            report.scale.to_string(),
            report.n_vertices.to_string(),
            report.n_arcs.to_string(),
            mib(4.0 * n),
            mib(8.0 * n),
            mib((8.0 + 4.0) * n_edges),
            mib((8.0 + 8.0) * n_edges),
        ]
    });
    "\n## Graphs\n\nDistances, and edges with their weights, in MiB.\n\n".to_owned()
        + &table(0, &headings, &rows.collect::<Vec<_>>())
}

/// A row for each scale and a column for each of `solvers`, with what `cell` says of a line.
fn by_solver(
    kind: WeightKind,
    solvers: &[Who],
    reports: &[ScaleReport],
    cell: impl Fn(&ScaleReport, &Line) -> Option<String>,
) -> String {
    let is_there = |who: &Who| reports.iter().any(|report| report.find(kind, *who).is_some());
    let solvers: Vec<Who> = solvers.iter().copied().filter(is_there).collect();
    let names: Vec<String> = solvers.iter().map(|who| who.heading()).collect();
    let headings: Vec<&str> =
        std::iter::once("scale").chain(names.iter().map(String::as_str)).collect();
    let row = |report: &ScaleReport| {
        let cells = solvers.iter().map(|who| {
            let line = report.find(kind, *who);
            line.and_then(|line| cell(report, line)).unwrap_or_else(|| "-".to_owned())
        });
        std::iter::once(report.scale.to_string()).chain(cells).collect()
    };
    table(0, &headings, &reports.iter().map(row).collect::<Vec<_>>())
}

fn rates(kind: WeightKind, options: &Options, reports: &[ScaleReport]) -> String {
    let cell = |report: &ScaleReport, line: &Line| {
        let Spread { min, mean, max } = line.rate(report.n_arcs);
        let queue =
            if line.queue.is_some() { format!(" {}", line.queue_name()) } else { String::new() };
        Some(format!("{min:.0} / {mean:.0} / {max:.0}{queue}"))
    };
    let note = match kind {
        WeightKind::F64 => " Delta-stepping on a GPU takes weights of 32 bits only.",
        _ => "",
    };
    format!(
        "\n## {kind}: M arcs/s\n\nLeast, mean and greatest over the sources; Dijkstra's with its \
         queue.{note}\n\n"
    ) + &by_solver(kind, &Who::all(options.segments()), reports, cell)
}

fn speed_ups(kind: WeightKind, options: &Options, reports: &[ScaleReport]) -> String {
    let cell = |report: &ScaleReport, line: &Line| {
        Some(number(Some(report.speed_up(kind, line.who)?.mean)))
    };
    if reports.iter().all(|report| report.find(kind, Who::HostDijkstra).is_none()) {
        return String::new();
    }
    let mut solvers = Who::all(options.segments()).to_vec();
    solvers.retain(|who| *who != Who::HostDijkstra);
    format!("\n## {kind}: times as fast as host Dijkstra\n\nMean figure by mean figure.\n\n")
        + &by_solver(kind, &solvers, reports, cell)
}

fn rounds(kind: WeightKind, options: &Options, reports: &[ScaleReport]) -> String {
    let cell = |_: &ScaleReport, line: &Line| Some(number(Some(line.mean_rounds())));
    format!("\n## {kind}: iterations\n\nMean over the sources.\n\n")
        + &by_solver(kind, &Who::variants(options.segments()), reports, cell)
}

/// Times by the size of segments, and where the best of them beats the order as stored.
fn sweep(kind: WeightKind, options: &Options, reports: &[ScaleReport]) -> String {
    let n_sources = reports.iter().map(|report| report.n_sources).max().unwrap_or(0);
    let n = options.sweep_sources.min(n_sources);
    if n == 0 {
        return String::new();
    }
    let stored = Who::BellmanFord { order: EdgeOrder::AsStored, reads: Loads::Plain };
    let by_size = |report: &ScaleReport| report.by_size(kind, n);
    let sizes: BTreeSet<u32> = reports.iter().flat_map(by_size).map(|entry| entry.0).collect();
    let mut paying = Vec::new();
    let mut rows = Vec::new();
    for report in reports {
        let entries = by_size(report);
        let best = entries.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
        let stored = report.find(kind, stored).map(|line| line.mean_ms(n));
        let ratio = stored.zip(best).map(|(stored, (_, best))| stored / best);
        if ratio.is_some_and(|ratio| ratio >= PAYING) {
            paying.push(report.scale.to_string());
        }
        let cell = |size: &u32| match entries.iter().find(|entry| entry.0 == *size) {
            Some(entry) if Some(*entry) == best => format!("**{}**", number(Some(entry.1))),
            entry => number(entry.map(|entry| entry.1)),
        };
        let mut row = vec![report.scale.to_string(), number(stored)];
        row.extend(sizes.iter().map(cell));
        row.push(number(ratio));
        rows.push(row);
    }
    let mut headings = vec!["scale".to_owned(), "stored".to_owned()];
    headings.extend(sizes.iter().map(u32::to_string));
    headings.push("stored / best".to_owned());
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let paying = match paying.len() {
        0 => "They pay, by 5 % or more, at no scale.".to_owned(),
        _ => format!("They pay, by 5 % or more, at scale {}.", paying.join(", ")),
    };
    format!(
        "\n## {kind}: sizes of segments\n\nMilliseconds with plain loads by the vertices of a \
         segment, means over the first {n} sources, the best in bold. {paying}\n\n"
    ) + &table(0, &headings, &rows)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::segments::figures::tests::report;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        options: Options,
    }

    fn summary(arguments: &[&str]) -> String {
        let options = Program::parse_from([&["bench"], arguments].concat()).options;
        text("", &options, &[report()])
    }

    /// The cells of the row of scale 8 below this heading.
    fn row(text: &str, heading: &str) -> Vec<String> {
        let section = text.split(heading).nth(1).unwrap_or_else(|| panic!("{heading} in {text}"));
        let row = section.lines().find(|line| line.starts_with("|     8 ")).unwrap();
        row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    }

    #[test]
    fn tables_say_what_was_measured() {
        let text = summary(&["--sweep-sources", "1", "--certify", "1", "--types", "u32"]);
        assert!(text.contains("1 of the 2 reference answers"), "{text}");
        let graphs = row(&text, "## Graphs");
        assert_eq!(graphs[..3], ["8", "256", "1000"]);
        // in the order of the tables; nobody read through the read-only cache
        assert_eq!(
            row(&text, "## u32: M arcs/s"),
            ["8", "1 / 2 / 4", "2 / 3 / 4", "0 / 0 / 0 radix"]
        );
        assert_eq!(row(&text, "## u32: times as fast"), ["8", "5.00", "6.00"]);
        assert_eq!(row(&text, "## u32: iterations"), ["8", "4.00", "4.00"]);
        assert_eq!(
            row(&text, "## u32: sizes of segments"),
            ["8", "0.50", "**0.12**", "0.25", "4.00"]
        );
        assert!(text.contains("They pay, by 5 % or more, at scale 8."), "{text}");
        assert!(!text.contains("f64:"), "{text}");
    }

    #[test]
    fn array_sizes_are_those_of_the_paper() {
        let full = ScaleReport { scale: 8, n_vertices: 1 << 20, n_arcs: 32 << 20, ..report() };
        let cells = row(&sizes(&[full]), "## Graphs");
        assert_eq!(cells[3..7], ["4.00", "8.00", "192", "256"]);
    }
}

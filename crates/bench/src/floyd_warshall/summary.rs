//! The study in words and tables.

use std::fmt::Write;

use super::figures::{Form, Line, Report};
use super::{Options, beside_forms, table_forms, text_forms};
use crate::machine::Machine;
use crate::table::{digits, median, number, table};

/// `summary.md`.
pub(super) fn text(machine: &Machine, options: &Options, report: &Report) -> String {
    let mut text = String::from("# The published forms of Floyd-Warshall on a GPU\n\n");
    text += &machine.markdown();
    // writing to a String does not fail
    let _ = write!(
        text,
        "\nRandom digraphs of 4 n arcs, weights 1 to 255. Times are the median of {} solves \
         (fewer where they took {} s together), after an untimed one, in milliseconds by the \
         GPU's clock, with the matrix resident; the way to and from the blocked layout is not \
         in them. Every solve, timed or tried, started from a fresh copy of the arcs, and rows of \
         its result were the same as those of searches on the host. h, t' (method B) and l (A \
         and B) were tuned one after the other for each column and size. \"recursive\" \
         launches its two products one after the other, as the paper measured it.\n",
        options.runs, options.patience
    );
    let sizes: Vec<String> = options.sizes.iter().map(|n| format!("random-{n}")).collect();
    for element in elements(report) {
        let times = |forms: &[Form]| {
            by_graph(report, &sizes, element, forms, |line| Some(line.median_ms()))
        };
        let _ = write!(text, "\n## {element}: milliseconds (table 1)\n\n{}", times(&table_forms()));
        let _ = write!(
            text,
            "\nBeside the paper's columns, with what was tuned for them:\n\n{}",
            times(&beside_forms())
        );
        if let Some(largest) = options.sizes.iter().max() {
            text += &of_largest(report, options, &format!("random-{largest}"), element);
        }
        let whole =
            by_graph(report, &sizes, element, &table_forms(), |line| median(&line.whole_ms));
        let _ = write!(
            text,
            "\n## {element}: with memory taken and given back, and copies\n\nFrom pageable \
             memory of the host and back to it.\n\n{whole}"
        );
        let share = by_graph(report, &sizes, element, &table_forms(), |line| {
            median(&line.whole_ms).map(|whole| 100.0 * line.median_ms() / whole)
        });
        let _ = write!(text, "\nOf this, the solve took so many %:\n\n{share}");
        text += &of_text(report, element);
    }
    text
}

fn elements(report: &Report) -> Vec<&'static str> {
    let mut elements: Vec<&'static str> = Vec::new();
    for line in &report.lines {
        if !elements.contains(&line.element) {
            elements.push(line.element);
        }
    }
    elements
}

/// A row a graph, a column a form.
fn by_graph(
    report: &Report,
    graphs: &[String],
    element: &str,
    forms: &[Form],
    value: impl Fn(&Line) -> Option<f64>,
) -> String {
    let names: Vec<String> = forms.iter().map(Form::heading).collect();
    let headings: Vec<&str> =
        ["graph"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let rows: Vec<Vec<String>> = graphs
        .iter()
        .map(|graph| {
            let cell = |form| digits(report.find(graph, element, form).and_then(&value));
            [graph.clone()].into_iter().chain(forms.iter().map(cell)).collect()
        })
        .collect();
    table(1, &headings, &rows)
}

/// The paper's tables 2, 3 and 4, of the largest graph.
fn of_largest(report: &Report, options: &Options, graph: &str, element: &str) -> String {
    let forms = [table_forms(), beside_forms()].concat();
    let lines: Vec<&Line> =
        forms.iter().filter_map(|form| report.find(graph, element, form)).collect();
    let rows = lines.iter().map(|line| parameters(line)).collect::<Vec<_>>();
    let mut text = format!("\n## {element}: parameters on {graph} (table 2)\n\n");
    text += &table(
        1,
        &[
            "form",
            "h",
            "t'",
            "l",
            "launches",
            "threads",
            "shared bytes",
            "registers",
            "local bytes",
            "blocks",
            "occupancy %",
        ],
        &rows,
    );
    let peak = options.peak(element);
    let told = peak.map_or_else(
        || "No peak was given; rates are in billions of relaxations a second.".to_owned(),
        |peak| format!("In % of {peak} billion relaxations a second."),
    );
    let efficiency = |line: &Line| {
        let percent = peak.map(|peak| 100.0 * line.gops() / peak);
        vec![line.form.heading(), number(Some(line.gops())), number(percent)]
    };
    let rows: Vec<_> = lines.iter().map(|line| efficiency(line)).collect();
    let _ = write!(
        text,
        "\n## {element}: efficiency on {graph} (table 3)\n\n{told} As the paper does, all forms \
         are taken to do n (n - 1)^2 relaxations.\n\n{}",
        table(1, &["form", "G/s", "%"], &rows)
    );
    let phases = |line: &&Line| {
        let phases = line.phases_ms.map_or([None; 3], |phases| phases.map(Some));
        [line.form.heading()].into_iter().chain(phases.map(digits)).collect()
    };
    let rows: Vec<Vec<String>> = lines.iter().map(phases).collect();
    let _ = write!(
        text,
        "\n## {element}: milliseconds by phase on {graph} (table 4)\n\nOf one solve that waits \
         for each launch; products of the recursive form are in the last column.\n\n{}",
        table(1, &["form", "pivot", "row and column", "others"], &rows)
    );
    text
}

fn parameters(line: &Line) -> Vec<String> {
    let parameters = &line.form.parameters;
    let is_tiled = line.form.heading() != "plain";
    let is_b = line.form.heading().starts_with('B');
    let is_iterative = is_b || line.form.heading().starts_with('A');
    let cell = |shown: bool, value: u64| if shown { value.to_string() } else { "-".to_owned() };
    let mut cells = vec![
        line.form.heading(),
        cell(is_tiled, parameters.step_rows.into()),
        cell(is_b, parameters.small_tile.into()),
        cell(is_iterative, parameters.per_block.into()),
        line.launches.to_string(),
    ];
    match &line.kernel {
        None => cells.extend(std::iter::repeat_n("-".to_owned(), 6)),
        Some(kernel) => cells.extend([
            kernel.threads.to_string(),
            kernel.shared_bytes.to_string(),
            kernel.registers.to_string(),
            kernel.local_bytes.to_string(),
            kernel.blocks.to_string(),
            format!("{:.0}", 100.0 * kernel.occupancy),
        ]),
    }
    cells
}

/// The other text's table.
fn of_text(report: &Report, element: &str) -> String {
    let is_other = |line: &&Line| line.element == element && line.form.parameters.last_vertices;
    let graphs: Vec<String> =
        report.lines.iter().filter(is_other).map(|line| line.graph.clone()).collect();
    if graphs.is_empty() {
        return String::new();
    }
    let forms = text_forms();
    let resident = by_graph(report, &graphs, element, &forms, |line| Some(line.median_ms()));
    let whole = by_graph(report, &graphs, element, &forms, |line| median(&line.whole_ms));
    let mut text = format!(
        "\n## {element}: the graphs of the text on large matrices\n\nMilliseconds with the matrix \
         resident:\n\n{resident}\nWith memory and copies:\n\n{whole}"
    );
    for line in &report.host {
        let _ = write!(
            text,
            "\nOne thread of the host takes {:.0} ms for the three loops on {}, in i32.\n",
            line.ms, line.graph
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::floyd_warshall::figures::HostLine;

    fn line(form: Form, ms: f64) -> Line {
        Line {
            graph: "rome99".to_owned(),
            n_vertices: 1001,
            n_arcs: 8870,
            element: "i32",
            form,
            launches: 3353,
            ms: vec![ms, ms + 1.0, ms + 2.0],
            whole_ms: vec![2.0 * ms],
            phases_ms: None,
            kernel: None,
        }
    }

    #[test]
    fn the_other_text_has_its_own_table() {
        let lines = text_forms().into_iter().zip([10.0, 20.0, 30.0, 0.5]);
        let host = HostLine { graph: "rome99".to_owned(), n_vertices: 1001, ms: 61_699.0 };
        let lines = lines.map(|(form, ms)| line(form, ms)).collect();
        let report = Report { lines, host: vec![host], ..Report::default() };
        let text = of_text(&report, "i32");
        assert!(text.contains("| plain | plain, last vertices | A 32 | B 32 |"), "{text}");
        assert!(text.contains("|  11.0 |                 21.0 | 31.0 | 1.50 |"), "{text}");
        assert!(text.contains("takes 61699 ms for the three loops on rome99"), "{text}");
        assert_eq!(of_text(&report, "f32"), "");
        // 1001 * 1000^2 in 11 ms
        assert_eq!(report.lines[0].gops().round(), 91.0);
    }
}

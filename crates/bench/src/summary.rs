//! The report in words: who was how fast, and what became of the papers' claims.

use std::fmt::Write;

use crate::measure::{Family, GraphReport, Measured};
use crate::roster::YARDSTICK;
use crate::table::{number, ratio, table};

/// The queue rules of the second paper, and how much better than first in, first out it
/// says they are.
const CLAIMS: [(&str, &str); 3] = [
    ("bellman-ford-slf", "15-20 % better"),
    ("bellman-ford-lll", "-"),
    ("bellman-ford-slf-lll", "50 % better"),
];
const FIFO: &str = "bellman-ford-queue";

/// The solvers of one graph.
pub(crate) fn graph_section(graph: &GraphReport) -> String {
    let yardstick = graph.median_of(YARDSTICK);
    let best = graph.best_of(Family::Graph);
    let rows: Vec<Vec<String>> = graph
        .measured
        .iter()
        .map(|m| {
            let times = m.sorted_ms();
            vec![
                m.name.clone(),
                m.samples.len().to_string(),
                number(Some(m.prepare.as_secs_f64() * 1e3)),
                number(Some(m.median_ms())),
                number(times.first().copied()),
                number(times.last().copied()),
                ratio(Some(m.median_ms()), yardstick),
                ratio(Some(m.median_ms()), best.map(Measured::median_ms)),
                ratio(m.relaxations().map(|r| r as f64), Some(graph.n_arcs as f64)),
            ]
        })
        .collect();
    let headings = [
        "solver",
        "runs",
        "prepare ms",
        "median ms",
        "min ms",
        "max ms",
        "/ dial",
        "/ graph",
        "relaxations / arc",
    ];
    let mut text = format!(
        "\n## {}\n\n{} vertices, {} arcs, weights up to {}; made or read in {} ms. From vertex \
         {}: {} reached, the farthest at {}.\n",
        graph.name,
        graph.n_vertices,
        graph.n_arcs,
        graph.max_weight,
        number(Some(graph.load.as_secs_f64() * 1e3)),
        graph.source,
        graph.n_reached,
        graph.max_distance,
    );
    if let Some(plan) = graph.find("auto").and_then(|auto| auto.plan.as_ref()) {
        let _ = writeln!(text, "Auto chose {plan}.");
    }
    if let Some(best) = best {
        let _ = writeln!(text, "The best of the crate graph is {}.", best.name);
    }
    text.push('\n');
    text += &table(1, &headings, &rows);
    if !graph.skipped.is_empty() {
        text += "\nNot timed:\n\n";
    }
    for skipped in &graph.skipped {
        let _ = writeln!(text, "- {}: {}", skipped.name, skipped.reason);
    }
    text
}

/// The queue rules against first in, first out.
pub(crate) fn claims(graphs: &[GraphReport]) -> String {
    let mut rows = Vec::new();
    for graph in graphs {
        let Some(fifo) = graph.find(FIFO) else { continue };
        for (name, claim) in CLAIMS {
            let Some(rule) = graph.find(name) else { continue };
            let relaxations = |m: &Measured| m.relaxations().map(|r| r as f64);
            rows.push(vec![
                graph.name.clone(),
                name.to_owned(),
                ratio(Some(rule.median_ms()), Some(fifo.median_ms())),
                ratio(relaxations(rule), relaxations(fifo)),
                claim.to_owned(),
            ]);
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let headings = ["graph", "queue", "time / FIFO", "relaxations / FIFO", "claimed"];
    "\n## Claims: queue rules of Bellman-Ford\n\nSmallest label first (SLF) and large label \
     last (LLL) against first in, first out (FIFO), beside what the paper has.\n\n"
        .to_owned()
        + &table(2, &headings, &rows)
}

/// The rules for Δ side by side, on all threads.
pub(crate) fn delta_rules(graphs: &[GraphReport]) -> String {
    let mut rows = Vec::new();
    for graph in graphs {
        let family = graph.measured.iter().filter(|m| m.family == Family::DeltaStepping);
        let rules: Vec<_> = family.filter(|m| m.name != "delta-stepping/1-thread").collect();
        let least = rules.iter().map(|m| m.median_ms()).min_by(f64::total_cmp);
        for rule in rules {
            rows.push(vec![
                graph.name.clone(),
                rule.name.clone(),
                number(rule.plan.as_ref().and_then(|plan| plan.delta)),
                number(Some(rule.median_ms())),
                ratio(Some(rule.median_ms()), least),
                ratio(rule.relaxations().map(|r| r as f64), Some(graph.n_arcs as f64)),
            ]);
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let headings = ["graph", "rule", "delta", "median ms", "/ least", "relaxations / arc"];
    "\n## Rules for the bucket width of delta-stepping\n\nThe rule named after the threads is \
     this project's own; the others are published.\n\n"
        .to_owned()
        + &table(2, &headings, &rows)
}

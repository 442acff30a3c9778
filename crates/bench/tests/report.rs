//! The whole report, on graphs small enough for a test.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use bench::report::{Options, run};
use bench::roster::{Family, Sweep, roster};
use bench::workloads::Workload;
use gpu_runtime::Gpu;

fn options(out: &Path) -> Options {
    Options {
        workloads: vec![Workload::Rmat { scale: 8 }, Workload::Grid { side: 16 }],
        families: Vec::new(),
        runs: 2,
        threads: NonZeroUsize::new(2).unwrap(),
        sweep: Sweep::Full,
        patience: Duration::from_secs(10),
        out: out.to_path_buf(),
        name: Some("tiny".to_owned()),
    }
}

#[test]
fn a_report_has_every_solver_on_every_graph() {
    let out = tempfile::tempdir().unwrap();
    let options = options(out.path());
    let written = run(&options).unwrap();
    assert_eq!(written.folder, out.path().join("tiny"));

    let raw = fs::read_to_string(written.folder.join("raw.csv")).unwrap();
    let mut lines = raw.lines();
    let header = "graph,solver,run,ms,relaxations,improvements,settled,rounds";
    assert_eq!(lines.next(), Some(header));
    let mut seen = BTreeSet::new();
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let [graph, solver, run, ms, counts @ ..] = &fields[..] else { panic!("{line}") };
        assert!(ms.parse::<f64>().unwrap() >= 0.0, "{line}");
        let is_theirs = ["graph/", "petgraph/", "yardstick/"].iter().any(|p| solver.starts_with(p));
        assert_eq!(counts.len(), 4, "{line}");
        assert!(counts.iter().all(|count| count.is_empty() == is_theirs), "{line}");
        if !is_theirs {
            assert!(counts[0].parse::<u64>().unwrap() > 0, "{line}");
        }
        let run = run.parse::<usize>().unwrap();
        assert!(seen.insert((graph.to_string(), solver.to_string(), run)), "twice: {line}");
    }
    let solvers = roster(255, options.threads, options.sweep, Gpu::open().ok().as_ref());
    for graph in ["rmat-8", "grid-16"] {
        for solver in &solvers {
            for run in 1..=options.runs {
                let key = (graph.to_owned(), solver.name.clone(), run);
                assert!(seen.contains(&key), "missing: {key:?}");
            }
        }
        let svg = fs::read_to_string(written.folder.join(format!("{graph}.svg"))).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(solvers.iter().all(|solver| svg.contains(&solver.name)));
    }
    let summary = fs::read_to_string(written.folder.join("summary.md")).unwrap();
    assert_eq!(summary, written.summary);
    for expected in ["## rmat-8", "## grid-16", "relaxations / FIFO", "delta-stepping/median"] {
        assert!(summary.contains(expected), "{expected} in {summary}");
    }
}

#[test]
fn solvers_can_be_picked_and_folders_are_not_overwritten() {
    let out = tempfile::tempdir().unwrap();
    let options = Options {
        workloads: vec![Workload::Geometric { scale: 7 }],
        families: vec![Family::Yardstick],
        ..options(out.path())
    };
    let written = run(&options).unwrap();
    let raw = fs::read_to_string(written.folder.join("raw.csv")).unwrap();
    assert_eq!(raw.lines().count(), 1 + options.runs);

    let error = format!("{:#}", run(&options).unwrap_err());
    assert!(error.contains("cannot make the folder") && error.contains("tiny"), "{error}");
    assert_eq!(fs::read_to_string(written.folder.join("raw.csv")).unwrap(), raw);
}

//! `sssp --partitioned --backend cuda` and `components --backend cuda`: a graph that GPUs share, beside the CPU.

use std::fs;
use std::path::Path;

use serde_json::Value;
use test_support::gpu;

use crate::support::{json_in, run_in};

/// The report of a command line on GPUs; `None` if there is none.
fn on_gpus(folder: &Path, line: &str) -> Option<Value> {
    let run = run_in(folder, &format!("{line} --json"));
    if run.code != Some(0) {
        assert!(run.stderr.contains("backend cuda: "), "{run:?}");
        return gpu(Err(run.stderr.trim()));
    }
    Some(serde_json::from_str(&run.stdout).unwrap())
}

#[test]
fn gpus_that_share_a_graph_leave_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate rmat --scale 10 -o {}/r.spg");
    json_in(folder, "generate uniform --vertices 900 --edges 2000 --directed -o {}/u.wel");
    for (graph, goal) in [
        ("r.spg", ""),
        ("r.spg", "--cutoff 40"),
        ("r.spg", "--target 7"),
        ("u.wel", ""),
        ("u.wel", "--target 3"),
    ] {
        let line = |name: &str, how: &str| {
            format!(
                "sssp {{}}/{graph} --source 5 {goal} {how} -o {{}}/{name}.tsv --predecessors \
                 {{}}/{name}.npy"
            )
        };
        let shared = line("shared", "--partitioned --backend cuda --gpus all --memory 350K");
        let Some(found) = on_gpus(folder, &shared) else { return };
        let expected = json_in(folder, &line("alone", "--backend cpu"));
        assert_eq!(found["backend"], "cuda");
        for field in ["reached", "distance_sum", "distance", "path_arcs", "within_cutoff"] {
            assert_eq!(found[field], expected[field], "{graph} {goal}: {field}");
        }
        for suffix in ["tsv", "npy"] {
            let [shared, alone] = ["shared", "alone"]
                .map(|name| fs::read(folder.join(format!("{name}.{suffix}"))).unwrap());
            assert!(shared == alone, "{graph} {goal}: {suffix}");
        }
    }
}

#[test]
fn gpus_that_share_a_graph_answer_for_many() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate rmat --scale 10 -o {}/r.spg");
    fs::write(folder.join("few"), "5\n9\n700\n5\n").unwrap();
    for (question, parts) in [
        ("sssp {}/r.spg --sources {}/few --targets {}/few", "--partitioned --memory 350K"),
        ("sssp {}/r.spg --sources {}/few --targets {}/few --cutoff 30", "--partitioned"),
        ("sssp {}/r.spg --sources {}/few --nearest --cutoff 50", "--partitioned"),
        ("sssp {}/r.spg --sources {}/few --nearest --unweighted", "--partitioned"),
        ("components {}/r.spg", ""),
        ("components {}/r.spg", "--partitioned"),
    ] {
        let shared = format!("{question} {parts} --backend cuda --gpus all -o {{}}/shared.tsv");
        let Some(found) = on_gpus(folder, &shared) else { return };
        assert_eq!((&found["backend"], found["gpus"].is_u64()), (&"cuda".into(), true));
        let expected = json_in(folder, &format!("{question} --backend cpu -o {{}}/alone.tsv"));
        for field in ["reached", "distance_sum", "components", "largest_component", "cutoff"] {
            assert_eq!(found[field], expected[field], "{question}: {field}");
        }
        let [shared, alone] =
            ["shared.tsv", "alone.tsv"].map(|name| fs::read(folder.join(name)).unwrap());
        assert!(shared == alone, "{question}");
    }
}

#[test]
fn what_gpus_cannot_share_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate rmat --scale 6 -o {}/r.spg");
    for (line, said) in [
        ("sssp {}/r.spg --source 5 --gpus 2", "--partitioned"),
        ("sssp {}/r.spg --source 5 --partitioned --gpus 2", "--gpus is for --backend cuda"),
        ("sssp {}/r.spg --source 5 --memory 2G", "--partitioned"),
        ("components {}/r.spg --gpus 2", "--gpus is for --backend cuda"),
    ] {
        let run = run_in(folder, line);
        assert_eq!(run.code, Some(2), "{line}: {run:?}");
        assert!(run.stderr.contains(said), "{line}: {}", run.stderr);
    }
}

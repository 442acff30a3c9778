//! `mpirun starpath … --partitioned`: a graph in parts has the results of one process.
//!
//! Without `mpirun`, the parts are on one process alone.

use std::fs;

use serde_json::Value;
use test_support::gpu;

use crate::ranks::{comparable, end, read, start};
use crate::support::{json_in, program, run_in};

/// A report without what depends on how the search was made.
fn of_any_search(report: Value) -> Value {
    let mut report = comparable(report);
    for field in ["algorithm", "threads", "prepare_ms", "predecessors_ms", "relaxations"] {
        report[field] = Value::Null;
    }
    report.as_object_mut().unwrap().remove("ranks");
    report
}

/// A graph whose parts are on ranks gives what one process finds, from files of all kinds.
#[test]
fn a_graph_in_parts_has_the_results_of_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate rmat --scale 9 -o {}/social.spg");
    json_in(folder, "generate grid --side 20 -o {}/grid.gr");
    let arcs = (0..500u32).flat_map(|u| [(u, (u + 1) % 500), (u, (u * 7 + 3) % 500)]);
    let lines = arcs.map(|(u, v)| format!("{} {} {}.5\n", u + 5, v + 5, u % 50 + v % 9));
    fs::write(folder.join("named.wel"), lines.collect::<String>()).unwrap();
    json_in(folder, "convert {}/named.wel {}/named.spg");
    for (command, n_ranks) in [
        ("social.spg --source 5", 3),
        ("social.spg --source 5 --unweighted", 2),
        ("grid.gr --source 7 --cutoff 500", 4),
        ("named.wel --source 77 --target 9", 2),
        ("named.spg --source 77", 5),
    ] {
        let line = |name: &str| {
            let files = format!("-o {{}}/{name}.tsv --predecessors {{}}/{name}.npy");
            format!("sssp {{}}/{command} {files} --threads 1")
        };
        let expected = of_any_search(json_in(folder, &line("one")));
        let alone = json_in(folder, &format!("{} --partitioned", line("alone")));
        assert_eq!(of_any_search(alone), expected, "{command}");
        let line = format!("{} --partitioned --json", line("many"));
        if let Some(child) = start(folder, n_ranks, &line) {
            let run = end(child);
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{n_ranks} {line}");
            let found: Value = serde_json::from_str(&run.stdout).unwrap();
            assert_eq!(found["ranks"], n_ranks);
            assert_eq!(of_any_search(found), expected, "{n_ranks} {line}");
            fs::remove_file(folder.join("alone.tsv")).unwrap();
            fs::rename(folder.join("many.tsv"), folder.join("alone.tsv")).unwrap();
            let [alone, many] = ["alone.npy", "many.npy"].map(|name| read(folder, &[name]));
            assert!(alone == many, "{command}");
        }
        for suffix in ["tsv", "npy"] {
            let [one, alone] =
                ["one", "alone"].map(|name| read(folder, &[&format!("{name}.{suffix}")]));
            assert!(one == alone, "{command} {suffix}");
        }
    }
}

/// So has a table of it, and the nearest of several sources.
#[test]
fn many_sources_in_parts_have_the_results_of_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate rmat --scale 8 --directed -o {}/social.spg");
    json_in(folder, "generate grid --side 12 -o {}/grid.gr");
    let ids = |ids: &[u32]| ids.iter().map(|id| format!("{id}\n")).collect::<String>();
    fs::write(folder.join("sources"), ids(&[77, 5, 130])).unwrap();
    fs::write(folder.join("targets"), ids(&[9, 77, 140, 2])).unwrap();
    for (command, n_ranks) in [
        ("social.spg --sources {}/sources --targets {}/targets", 3),
        ("social.spg --sources {}/sources --nearest", 2),
        ("social.spg --sources {}/sources --nearest --unweighted", 4),
        ("grid.gr --sources {}/sources --targets {}/targets --cutoff 700", 2),
        ("grid.gr --sources {}/sources --nearest --cutoff 300", 3),
    ] {
        let line = |name: &str| format!("sssp {{}}/{command} -o {{}}/{name}.tsv --threads 1");
        let expected = of_any_search(json_in(folder, &line("one")));
        let alone = json_in(folder, &format!("{} --partitioned", line("alone")));
        assert_eq!(of_any_search(alone), expected, "{command}");
        assert!(read(folder, &["one.tsv"]) == read(folder, &["alone.tsv"]), "{command}");
        let line = format!("{} --partitioned --json", line("many"));
        let Some(child) = start(folder, n_ranks, &line) else { continue };
        let run = end(child);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{n_ranks} {line}");
        let found: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(found["ranks"], n_ranks);
        assert_eq!(of_any_search(found), expected, "{n_ranks} {line}");
        assert!(read(folder, &["one.tsv"]) == read(folder, &["many.tsv"]), "{n_ranks} {line}");
    }
}

/// Ranks write the bytes of one process, and leave no other file.
#[test]
fn ranks_generate_a_graph_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (command, n_ranks) in [
        ("rmat --scale 8 --seed 3", 3),
        ("uniform --vertices 3 --edges 4 --directed", 4),
        ("graph500 --scale 7", 2),
    ] {
        let line = |name: &str| format!("generate {command} -o {{}}/{name}.spg");
        let expected = json_in(folder, &line("one"));
        let alone = json_in(folder, &format!("{} --partitioned", line("many")));
        assert_eq!(alone["edges"], expected["edges"]);
        assert!(read(folder, &["one.spg"]) == read(folder, &["many.spg"]), "{command}");
        let Some(child) = start(folder, n_ranks, &format!("{} --partitioned", line("many"))) else {
            continue;
        };
        let run = end(child);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{n_ranks} {command}");
        assert!(read(folder, &["one.spg"]) == read(folder, &["many.spg"]), "{command}");
        assert_eq!(fs::read_dir(folder).unwrap().count(), 2);
    }
}

#[test]
fn ranks_run_graph500() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let line = "graph500 --scale 7 --roots 9";
    let counts = |report: &Value| {
        let edges = ["bfs", "sssp"].map(|kernel| report[kernel]["traversed_edges"].clone());
        (["edges", "vertices", "drawn_edges", "roots"].map(|key| report[key].clone()), edges)
    };
    let expected = counts(&json_in(folder, line));
    let alone = json_in(folder, &format!("{line} --partitioned"));
    assert_eq!((counts(&alone), alone.get("ranks")), (expected.clone(), None));
    for n_ranks in [2, 3] {
        let line = format!("{line} --partitioned --json");
        let Some(child) = start(folder, n_ranks, &line) else { return };
        let run = end(child);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{n_ranks}");
        let found: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((counts(&found), &found["ranks"]), (expected.clone(), &n_ranks.into()));
    }
}

/// The components are those of one process, whatever the weights.
#[test]
fn components_in_parts_are_those_of_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate uniform --vertices 300 --edges 250 --directed -o {}/sparse.spg");
    fs::write(folder.join("named.wel"), "7 9 -1\n3 2 5\n9 30 0\n").unwrap();
    for (file, n_ranks, suffix) in [("sparse.spg", 3, "npy"), ("named.wel", 2, "tsv")] {
        let line = |name: &str| format!("components {{}}/{file} -o {{}}/{name}.{suffix}");
        let expected = comparable(json_in(folder, &line("one")));
        let info = json_in(folder, &format!("info {{}}/{file}"));
        for field in ["components", "largest_component"] {
            assert_eq!(expected[field], info[field], "{file}");
        }
        let alone = json_in(folder, &format!("{} --partitioned", line("alone")));
        assert_eq!(comparable(alone), expected, "{file}");
        let same_as_one = |name: &str| {
            let [one, other] = ["one", name].map(|name| format!("{name}.{suffix}"));
            read(folder, &[&one]) == read(folder, &[&other])
        };
        assert!(same_as_one("alone"), "{file}");
        let line = format!("{} --partitioned --json", line("many"));
        let Some(child) = start(folder, n_ranks, &line) else { continue };
        let run = end(child);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{n_ranks} {line}");
        let mut found: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(found.as_object_mut().unwrap().remove("ranks"), Some(n_ranks.into()));
        assert_eq!(comparable(found), expected, "{n_ranks} {line}");
        assert!(same_as_one("many"), "{n_ranks} {line}");
    }
    let named = fs::read_to_string(folder.join("one.tsv")).unwrap();
    assert_eq!(named, "vertex\tcomponent\n2\t2\n3\t2\n7\t7\n9\t7\n30\t7\n");
}

/// Ranks say what they take, and if one has not as much, all end before they read.
#[test]
fn too_little_memory_ends_all_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate rmat --scale 10 -o {}/social.spg");
    // an arc ends at no vertex, which a rank finds when it reads its part
    let mut bytes = fs::read(folder.join("social.spg")).unwrap();
    let start_of_heads = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
    bytes[start_of_heads..start_of_heads + 4].fill(255);
    fs::write(folder.join("damaged.spg"), bytes).unwrap();
    let line = |memory: &str| {
        format!("sssp {{}}/damaged.spg --source 5 --partitioned -o {{}}/out.tsv {memory}")
    };
    let explained = |stderr: &str| -> Vec<u64> {
        let said = stderr.lines().find(|line| line.starts_with("memory: ")).unwrap_or(stderr);
        said.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect()
    };
    let run = run_in(folder, &line("--explain"));
    let [whole, part, search] = explained(&run.stderr)[..] else { panic!("{run:?}") };
    assert!(run.stderr.contains("a vertex that the graph does not have"), "{run:?}");
    assert_eq!((part + search, search), (whole, 24 << 10));
    let run = run_in(folder, &line(&format!("--memory {whole}")));
    assert!(run.stderr.contains("a vertex that the graph does not have"), "{run:?}");
    let run = run_in(folder, &line(&format!("--memory {}", search + part / 3)));
    assert!(run.stderr.contains("start some 4 ranks (mpirun -n 4), or give more"), "{run:?}");
    let run = run_in(folder, &line("--memory 24K"));
    assert!(run.stderr.contains("more ranks do not help"), "{run:?}");
    let run = run_in(folder, &line("--memory 1G").replace("damaged.spg", "roads.gr"));
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("--memory on ranks is for .spg files"), "{run:?}");

    // of three ranks the last has a bound
    let other = line(&format!("--memory {search}"));
    let all = format!("{} : -n 1 {} {other}", line(""), program().display());
    if let Some(child) = start(folder, 2, &all) {
        let run = end(child);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.stderr.contains("rank 2 needs"), "{run:?}");
    }
    assert!(!folder.join("out.tsv").exists());
}

#[test]
fn ranks_that_differ_end_with_one_message() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate rmat --scale 6 -o {}/r.spg");
    json_in(folder, "generate rmat --scale 6 --seed 2 -o {}/s.spg");
    let line = "sssp {}/r.spg --source 5 --partitioned";
    for other in [
        "sssp {}/s.spg --source 5 --partitioned",
        "sssp {}/r.spg --source 5",
        "sssp {}/r.spg --source 5 --partitioned --bogus",
        "components {}/r.spg --partitioned",
    ] {
        let all = format!("{line} : -n 1 {} {other}", program().display());
        let Some(child) = start(folder, 1, &all) else { return };
        let run = end(child);
        assert_eq!(run.code, Some(2), "{run:?}");
        let message = "rank 1 has other arguments than rank 0";
        assert_eq!(run.stderr.matches(message).count(), 1, "{run:?}");
    }
    // a value that one rank alone refuses
    let all = format!("{line} --threads 1 : -n 1 {} {line} --threads none", program().display());
    let Some(child) = start(folder, 1, &all) else { return };
    let run = end(child);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert_eq!(run.stderr.matches("rank 1: invalid value").count(), 1, "{run:?}");
}

#[test]
fn an_arc_of_negative_weight_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("n.gr"), "p sp 6 2\na 1 2 5\na 2 3 -2\n").unwrap();
    run_in(folder, "convert {}/n.gr {}/n.spg");
    let line = "sssp {}/n.spg --source 1 --partitioned";
    let mut runs = vec![run_in(folder, line)];
    runs.extend(start(folder, 2, line).map(end));
    for run in runs {
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.stderr.contains("the arc from 2 to 3 has -2"), "{run:?}");
    }
}

#[test]
fn ranks_take_one_gpu_each() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate rmat --scale 6 -o {}/r.spg");
    let line = "sssp {}/r.spg --source 5 --partitioned --backend cuda --gpus 2";
    let Some(child) = start(folder, 2, line) else { return };
    let run = end(child);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("--gpus works on one rank only"), "{}", run.stderr);
}

#[test]
fn ranks_with_gpus_leave_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate rmat --scale 10 -o {}/r.spg");
    fs::write(folder.join("few"), "5\n9\n700\n").unwrap();
    for (n_ranks, question) in [
        (2, "--source 5 --predecessors {}/NAME.npy"),
        (3, "--source 5 --unweighted --predecessors {}/NAME.npy"),
        (2, "--source 5 --target 7"),
        (3, "--sources {}/few --targets {}/few"),
        (2, "--sources {}/few --nearest"),
    ] {
        let line = |name: &str, how: &str| {
            let question = question.replace("NAME", name);
            format!("sssp {{}}/r.spg {question} {how} -o {{}}/{name}.tsv --json")
        };
        let Some(child) = start(folder, n_ranks, &line("many", "--partitioned --backend cuda"))
        else {
            return;
        };
        let run = end(child);
        if run.code != Some(0) {
            assert!(run.stderr.contains("backend cuda: "), "{run:?}");
            gpu::<(), _>(Err(run.stderr.trim()));
            return;
        }
        let found: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((&found["backend"], &found["ranks"]), (&"cuda".into(), &n_ranks.into()));
        run_in(folder, &line("one", "--backend cpu"));
        for suffix in if question.contains("NAME") { &["tsv", "npy"][..] } else { &["tsv"] } {
            let [many, one] = ["many", "one"]
                .map(|name| fs::read(folder.join(format!("{name}.{suffix}"))).unwrap());
            assert!(many == one, "{n_ranks} {question}: {suffix}");
        }
    }
}

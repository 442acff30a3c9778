//! `starpath apsp --scratch`: the answers of `apsp` without it, and of a run that is killed
//! again and again those of one that is not.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ndarray::Array2;

use crate::support::{json_in, program, read_npy, run_in};

const KILLS: usize = 20;
/// The least number of kills while the matrix or the next hops are computed.
const KILLS_AT_WORK: usize = 10;

/// A digraph whose matrix takes eight blocks of pivots.
fn graph(folder: &Path) {
    json_in(folder, "generate uniform --vertices 1000 --edges 9000 --directed -o {}/graph.spg");
}

/// A command line without the program and without blanks in words.
fn words(folder: &Path, line: &str) -> Vec<String> {
    let folder = folder.to_str().unwrap();
    line.split_whitespace().map(|word| word.replace("{}", folder)).collect()
}

fn start(folder: &Path, line: &str) -> Child {
    Command::new(program())
        .args(words(folder, line))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Whether a scratch folder has begun its matrix, and not ended all it is asked for.
fn is_at_work(scratch: &Path) -> bool {
    let journal = fs::read_to_string(scratch.join("journal")).unwrap_or_default();
    let has = |line: &str| journal.lines().any(|found| found == line);
    let is_ended = has("blocks-done 8") && has("hop-rows 1000");
    !journal.is_empty() && !is_ended
}

/// A run in the folder of this name, or what is left of it.
fn line(name: &str) -> String {
    format!(
        "apsp {{}}/graph.spg --threads 1 --memory 4M --scratch {{}}/{name} --resume \
         --distances {{}}/{name}.d.npy --next-hops {{}}/{name}.h.npy --quiet"
    )
}

/// Numbers from 0 to 1 as if they were drawn.
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 33) as f64 / f64::from(1u32 << 31)
}

#[test]
fn killed_at_twenty_moments_it_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    graph(folder);
    let results = |name: &str| {
        [format!("{name}.d.npy"), format!("{name}.h.npy"), format!("{name}/matrix.bin")]
            .map(|file| fs::read(folder.join(file)).unwrap())
    };
    let begin = Instant::now();
    assert_eq!(run_in(folder, &line("whole")).code, Some(0));
    let whole_time = begin.elapsed();
    let whole = results("whole");

    let mut state = 7u64;
    let (mut kills, mut kills_at_work, mut finished) = (0, 0, 0);
    let name = |finished: usize| format!("run{finished}");
    while kills < KILLS || kills_at_work < KILLS_AT_WORK {
        let mut child = start(folder, &line(&name(finished)));
        // a run takes several of these, and is nowhere sure to outlive one
        std::thread::sleep(whole_time.mul_f64(random(&mut state) / 2.0));
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        if output.status.signal() == Some(9) {
            kills += 1;
            kills_at_work += usize::from(is_at_work(&folder.join(name(finished))));
        } else {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            assert!(results(&name(finished)) == whole, "{}", name(finished));
            finished += 1;
        }
        assert!(kills + finished < 400, "{kills} of {KILLS} kills, {kills_at_work} at work");
    }
    let run = run_in(folder, &line(&name(finished)));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(results(&name(finished)) == whole);
    println!("{kills} kills, {kills_at_work} at work, {finished} runs ended before theirs");
}

/// Whenever it is killed, the same command follows the changes that it has not followed yet.
#[test]
fn killed_while_it_follows_changes_it_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate uniform --vertices 400 --edges 3000 --directed -o {}/graph.spg");
    for (name, part) in [("first", 0), ("second", 1)] {
        let line = |v: u32| format!("insert {} {} 1\n", v * 5, (v * 31 + part) % 390 + 2);
        let lines: String = (0..70).map(line).collect();
        let text = format!("{lines}delete-vertex {}\n", 397 + part);
        fs::write(folder.join(format!("{name}.txt")), text).unwrap();
    }
    let line = |name: &str| {
        format!(
            "apsp {{}}/graph.spg --threads 1 --scratch {{}}/{name} --changes {{}}/first.txt \
             --changes {{}}/second.txt --distances {{}}/{name}.npy --quiet"
        )
    };
    let close = "apsp {}/graph.spg --threads 1 --scratch {}/before --quiet";
    assert_eq!(run_in(folder, close).code, Some(0));
    let copy = |name: &str| {
        fs::create_dir(folder.join(name)).unwrap();
        for entry in fs::read_dir(folder.join("before")).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), folder.join(name).join(entry.file_name())).unwrap();
        }
    };
    // not followed, but closed after the changes
    assert_eq!(run_in(folder, &line("closed")).code, Some(0));
    let expected = fs::read(folder.join("closed.npy")).unwrap();
    copy("whole");
    let begin = Instant::now();
    assert_eq!(run_in(folder, &line("whole")).code, Some(0));
    let whole_time = begin.elapsed();
    assert!(fs::read(folder.join("whole.npy")).unwrap() == expected);
    let (mut state, mut kills) = (11u64, 0);
    for number in 0..5 {
        let name = &format!("run{number}");
        copy(name);
        let mut child = start(folder, &line(name));
        std::thread::sleep(whole_time.mul_f64(random(&mut state)));
        child.kill().unwrap();
        kills += usize::from(child.wait_with_output().unwrap().status.signal() == Some(9));
        let run = run_in(folder, &line(name));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(fs::read(folder.join(format!("{name}.npy"))).unwrap() == expected, "{name}");
    }
    println!("{kills} of 5 runs were killed");
}

/// A bit of a folder changes when the run in it has been killed: the rest of it ends with an error
/// that says what to do, or with the right answer.
#[test]
fn killed_and_damaged_it_is_refused_or_right() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    graph(folder);
    let results = |name: &str| {
        [format!("{name}.d.npy"), format!("{name}.h.npy")]
            .map(|file| fs::read(folder.join(file)).unwrap())
    };
    let begin = Instant::now();
    assert_eq!(run_in(folder, &line("whole")).code, Some(0));
    let whole_time = begin.elapsed();
    let whole = results("whole");
    let mut state = 11u64;
    let (mut refused, mut tried) = (0, 0);
    for kill in 0..60 {
        let name = format!("run{kill}");
        let mut child = start(folder, &line(&name));
        std::thread::sleep(whole_time.mul_f64(random(&mut state)));
        child.kill().unwrap();
        child.wait().unwrap();
        if !is_at_work(&folder.join(&name)) {
            continue;
        }
        let files: Vec<_> = fs::read_dir(folder.join(&name)).unwrap().collect();
        let at = (random(&mut state) * files.len() as f64) as usize;
        let file = files[at].as_ref().unwrap().path();
        let mut bytes = fs::read(&file).unwrap();
        let Some(last) = bytes.len().checked_sub(1) else { continue };
        bytes[(random(&mut state) * last as f64) as usize] ^= 1 << (kill % 8);
        fs::write(&file, bytes).unwrap();
        let run = run_in(folder, &line(&name));
        match run.code {
            Some(0) => assert!(results(&name) == whole, "{} of {name}", file.display()),
            _ => {
                let says = |text| run.stderr.contains(text);
                assert!(
                    says("start again") && says(file.to_str().unwrap()) || says("sums.bin"),
                    "{run:?}"
                );
                refused += 1;
            }
        }
        tried += 1;
        // how much of a folder is still to be read hangs on when the run was killed
        if tried >= 12 && refused > 1 {
            break;
        }
    }
    assert!(refused > 1, "{refused} of {tried}");
}

/// What is written row by row is what a table in memory is written as.
#[test]
fn results_are_those_without_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    graph(folder);
    for suffix in ["npy", "tsv"] {
        let table =
            json_in(folder, &format!("apsp {{}}/graph.spg --distances {{}}/table.{suffix}"));
        let rows = json_in(
            folder,
            &format!("apsp {{}}/graph.spg --scratch {{}}/{suffix} --distances {{}}/rows.{suffix}"),
        );
        for field in ["command", "vertices", "edges", "reachable_pairs", "distance_sum"] {
            assert_eq!(table[field], rows[field], "{field}");
        }
        assert_eq!(table["max_distance"], rows["max_distance"]);
        assert_eq!(rows["algorithm"], "blocked");
    }
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    assert!(read("table.tsv") == read("rows.tsv"));
    let table: Array2<u64> = read_npy(folder.join("table.npy"));
    let line = "apsp {}/graph.spg --scratch {}/npy --resume --next-hops {}/hops.npy";
    json_in(folder, line);
    let distances: Array2<u64> = read_npy(folder.join("rows.npy"));
    assert!(distances == table);
    let hops: Array2<u16> = read_npy(folder.join("hops.npy"));
    for ((pair, &hop), &distance) in hops.indexed_iter().zip(&distances) {
        assert_eq!(hop == u16::MAX, distance == u64::MAX || pair.0 == pair.1, "{pair:?}");
        let rest = distances.get((usize::from(hop), pair.1));
        assert!(rest.is_none_or(|rest| *rest < distance), "{pair:?}");
    }
}

/// Where files may not grow, as on a full disk: an error that says so, and then the rest.
#[test]
fn a_full_disk_is_an_error_and_no_loss() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    graph(folder);
    let line = "apsp {}/graph.spg --scratch {}/work --resume --json";
    let limited = Command::new("sh")
        .args(["-c", "ulimit -f 2000 && trap '' XFSZ && exec \"$0\" \"$@\""])
        .arg(program())
        .args(words(folder, line))
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&limited.stderr);
    assert_eq!(limited.status.code(), Some(1), "{error}");
    assert!(error.contains("matrix.bin: cannot write") && error.contains("--resume"), "{error}");
    let rest = json_in(folder, "apsp {}/graph.spg --scratch {}/work --resume --check 20");
    assert_eq!(rest["checked_rows"], 20);
    let whole = json_in(folder, "apsp {}/graph.spg");
    assert_eq!(rest["distance_sum"], whole["distance_sum"]);
}

/// Ctrl-C says how to go on.
#[test]
fn an_interrupted_run_says_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let uniform = "generate uniform --vertices 4000 --edges 9000 --directed -o {}/graph.spg";
    json_in(folder, uniform);
    let child = start(folder, "apsp {}/graph.spg --threads 1 --scratch {}/work");
    let begin = Instant::now();
    while !is_at_work(&folder.join("work")) {
        assert!(begin.elapsed() < Duration::from_secs(60), "it does not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{error}");
    assert!(error.contains("--resume"), "{error}");
    let refused = run_in(folder, "apsp {}/graph.spg --scratch {}/work");
    assert_eq!(refused.code, Some(1));
    let (state, way) = ("blocks done; resume it", "(--resume)");
    assert!(refused.stderr.contains(state) && refused.stderr.contains(way), "{}", refused.stderr);
}

/// A disk that is too small is known before anything is written.
#[test]
fn room_on_the_disk_is_looked_for_first() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // 18 terabytes and more
    json_in(folder, "generate uniform --vertices 3000000 --edges 1 -o {}/graph.spg");
    let run = run_in(folder, "apsp {}/graph.spg --scratch {}/scratch");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("bytes on the disk") && run.stderr.contains("are free"), "{run:?}");
    let names = fs::read_dir(folder.join("scratch")).unwrap();
    assert!(names.map(|entry| entry.unwrap().file_name()).eq(["lock"]));
}

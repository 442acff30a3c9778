//! Runs that are ended and gone on with, and files that they refuse.

use std::fs;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use centrality::{
    CentralityError, Config, Lengths, MeasureWeight, Side, Sources, totals, totals_by_hierarchy,
};
use graph_formats::Csr;
use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};
use hierarchy::{Hierarchy, Order};

/// Sources of two threads between two states.
const PART: u64 = 4096;

fn config(lengths: Lengths, file: Option<&Path>) -> Config {
    Config {
        lengths,
        threads: NonZeroUsize::new(2),
        checkpoint: file.map(Path::to_owned),
        ..Config::default()
    }
}

/// Ended after a part or two, again and again until it is done.
fn check<W: MeasureWeight>(graph: &Csr<W>, config: &Config) {
    let file = config.checkpoint.as_deref().unwrap();
    let plain = Config { checkpoint: None, ..config.clone() };
    let expected = totals(graph, &plain, None).unwrap();
    let mut n_runs = 0;
    let found = loop {
        let first = AtomicU64::new(u64::MAX);
        let step = |done, total| {
            let _ = first.compare_exchange(u64::MAX, done, Relaxed, Relaxed);
            let is_enough = done > first.load(Relaxed) + PART && done < total;
            if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        n_runs += 1;
        match totals(graph, config, Some(&step)) {
            Ok(found) => break found,
            Err(CentralityError::Interrupted(_)) => assert!(file.exists()),
            Err(error) => panic!("{error}"),
        }
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "one whole file");
    };
    assert!(n_runs > 1);
    assert_eq!(found, expected);
    // what is done is not done again
    let none = |done, total| {
        assert_eq!(done, total);
        ControlFlow::Continue(())
    };
    assert_eq!(totals(graph, config, Some(&none)).unwrap(), expected);
}

/// The same of sweeps: a run on a graph of this size is one round, which begins again.
#[test]
fn sweeps_go_on_where_others_ended() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state");
    let graph = grid(&GridConfig { side: 40, ..Default::default() }).unwrap();
    let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph).unwrap()).unwrap();
    let sweep = |checkpoint: Option<&Path>, end: u64| {
        let step = |done, _| match done > end {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let config = config(Lengths::Weights, checkpoint);
        totals_by_hierarchy(&hierarchy, &[], &graph, &config, Some(&step))
    };
    let expected = sweep(None, u64::MAX).unwrap();
    let ended = sweep(Some(&file), 900).unwrap_err();
    assert!(matches!(ended, CentralityError::Interrupted(_)));
    assert_eq!(sweep(Some(&file), u64::MAX).unwrap(), expected);
    // a state of searches adds floats up in another order
    let searched = totals(&graph, &config(Lengths::Weights, Some(&file)), None).unwrap_err();
    assert!(matches!(searched, CentralityError::Checkpoint { .. }), "{searched}");
}

#[test]
fn runs_go_on_where_others_ended() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state");
    let graph = rmat(&RmatConfig { scale: 13, edge_factor: 3, ..Default::default() }).unwrap();
    let graph = graph.convert_weights::<f32>().unwrap();
    check(&graph, &Config { side: Side::In, ..config(Lengths::Weights, Some(&file)) });
    fs::remove_file(&file).unwrap();
    let sources = Sources::Sample { n: NonZeroUsize::new(8100).unwrap(), seed: 3 };
    check(&graph, &Config { sources, ..config(Lengths::Hops, Some(&file)) });
}

#[test]
fn files_of_other_runs_are_refused_and_left() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state");
    let grid = |seed| {
        let mut config = GridConfig { side: 12, ..Default::default() };
        config.options.seed = seed;
        grid(&config).unwrap()
    };
    let (graph, other) = (grid(1), grid(2));
    let ours = config(Lengths::Weights, Some(&file));
    totals(&graph, &ours, None).unwrap();
    let whole = fs::read(&file).unwrap();
    let refused = |graph: &Csr<u32>, config: &Config, part: &str| {
        let before = fs::read(&file).unwrap();
        let error = totals(graph, config, None).unwrap_err();
        assert!(matches!(error, CentralityError::Checkpoint { .. }), "{error}");
        assert!(error.to_string().contains(part), "{error}");
        assert!(fs::read(&file).unwrap() == before, "what is there stays");
    };
    refused(&other, &ours, "another graph");
    refused(
        &graph,
        &config(Lengths::Hops, Some(&file)),
        "the state of a run for Weights, Out, All",
    );
    refused(&graph, &Config { side: Side::In, ..ours.clone() }, "and this run is for Weights, In");
    for end in [0, 10, 16, 40, 90, whole.len() - 1] {
        fs::write(&file, &whole[..end]).unwrap();
        refused(&graph, &ours, if end < 16 { "name another file" } else { "damaged" });
    }
    for at in [20, 60, 100, whole.len() - 40, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(&file, bytes).unwrap();
        refused(&graph, &ours, "damaged");
    }
    // one without end is not read to it
    let endless = fs::OpenOptions::new().write(true).open(&file).unwrap();
    fs::write(&file, &whole).unwrap();
    endless.set_len(1 << 40).unwrap();
    let error = totals(&graph, &ours, None).unwrap_err();
    assert!(error.to_string().contains("damaged"), "{error}");
    let nowhere = folder.path().join("no").join("state");
    let error = totals(&graph, &config(Lengths::Hops, Some(&nowhere)), None).unwrap_err();
    assert!(error.to_string().contains("no"), "{error}");
}

//! Roads with live traffic: weights change while other threads ask.
//!
//! The metric lies behind a lock, which is held no longer than it takes to copy a handle. Traffic
//! comes into a clone, which then takes the place of the metric; a thread that has a handle of the
//! one before goes on with that. Every answer is compared with Dijkstra's algorithm on the weights
//! of its metric.
//!
//! `cargo run --release -p starpath-hierarchy --example traffic`

use std::error::Error;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;

use graph_formats::Csr;
use graph_formats::generate::{GridConfig, grid};
use hierarchy::{Hierarchy, HierarchyError, Metric, Order};
use paths::oracle;

type Failure = Box<dyn Error + Send + Sync>;

/// What a service holds.
struct Roads {
    metric: RwLock<Arc<Metric<u32>>>,
}

impl Roads {
    fn new(graph: &Csr<u32>) -> Result<Self, HierarchyError> {
        let hierarchy = Hierarchy::new(graph, &Order::by_landmarks(graph)?)?;
        Ok(Self { metric: RwLock::new(Arc::new(hierarchy.customize(graph)?)) })
    }

    /// The roads as they are now.
    fn now(&self) -> Arc<Metric<u32>> {
        self.metric.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes in traffic: new weights of arcs by their positions. For one thread, or what another
    /// takes in meanwhile is lost.
    fn update(&self, traffic: &[(usize, u32)]) -> Result<(), HierarchyError> {
        let mut next = Metric::clone(&self.now());
        next.update(traffic)?;
        *self.metric.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        Ok(())
    }
}

/// Asks for a path on the roads as they are, and compares.
fn ask(roads: &Roads, source: u32, target: u32) -> Result<u64, Failure> {
    let metric = roads.now();
    let path = metric.query().path(source, target)?.ok_or("a grid is connected")?;
    let distances = oracle::dijkstra(metric.graph(), source)?;
    assert_eq!(Some(path.length), distances.get(target));
    let weights = path.arcs.iter().map(|&arc| u64::from(metric.graph().weight(arc)));
    assert_eq!(path.length, weights.sum::<u64>());
    Ok(path.length)
}

fn main() -> Result<(), Failure> {
    let graph = grid(&GridConfig { side: 50, ..Default::default() })?;
    let (n_vertices, n_arcs) = (graph.n_vertices() as u32, graph.n_arcs());
    let roads = Roads::new(&graph)?;
    let mut n_updates = 0;
    thread::scope(|scope| {
        let questions = |thread: u32| {
            let ends = (0..40).map(move |i| (997 * (i + thread) % n_vertices, 31 * i));
            let lengths = ends.map(|(source, target)| ask(&roads, source, target));
            lengths.sum::<Result<u64, _>>()
        };
        let threads: Vec<_> = (0..3).map(|thread| scope.spawn(move || questions(thread))).collect();
        while threads.iter().any(|thread| !thread.is_finished()) {
            let place = |i: usize| (7_919 * n_updates + 104_729 * i) % n_arcs;
            // a few arcs at a time, and now and then most of them
            let n_changes = if n_updates % 16 == 15 { n_arcs / 2 } else { 5 };
            let traffic: Vec<_> =
                (0..n_changes).map(|i| (place(i), (n_updates + i) as u32 % 400)).collect();
            roads.update(&traffic)?;
            n_updates += 1;
        }
        for thread in threads {
            let length = thread.join().map_err(|_| "an answer is not Dijkstra's")??;
            println!("40 paths, together {length} long");
        }
        Ok::<(), Failure>(())
    })?;
    println!("the traffic changed {n_updates} times");
    Ok(())
}

#[test]
fn answers_are_those_of_dijkstra() {
    main().unwrap();
}

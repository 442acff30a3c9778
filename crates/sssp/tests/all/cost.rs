//! Estimated costs of searches, on the measured machine and on others.

use sssp::cost::{Machine, Outline, Searches, seconds};

const fn outline(n_vertices: usize, n_arcs: usize, depth: f64, is_dense: bool) -> Outline {
    Outline { n_vertices, n_arcs, depth, is_dense, is_unweighted: false }
}

const ROME: Outline = outline(3_353, 8_870, 120.0, false);
const NEW_YORK: Outline = outline(264_346, 733_846, 1_080.0, false);
const GRID_1024: Outline = outline(1 << 20, 4_190_208, 2_150.0, false);
const GRID_2048: Outline = outline(1 << 22, 16_769_024, 4_300.0, false);
const RMAT_20: Outline = outline(1 << 20, 31_399_524, 20.0, true);
const RMAT_22: Outline = outline(1 << 22, 128_307_288, 25.0, true);
const RMAT_26: Outline = outline(1 << 26, 2_100_000_000, 30.0, true);
const PATH: Outline = outline(400_000, 799_998, 400_000.0, false);
const GRAPHS: [Outline; 10] = [
    ROME,
    NEW_YORK,
    GRID_1024,
    GRID_2048,
    RMAT_20,
    RMAT_22,
    RMAT_26,
    PATH,
    unweighted(GRID_2048),
    unweighted(RMAT_22),
];

const fn unweighted(graph: Outline) -> Outline {
    Outline { is_unweighted: true, ..graph }
}

/// The measured machine: sixteen threads beside an H200. The other two are made up.
fn measured() -> Machine {
    Machine::default()
}

fn laptop() -> Machine {
    Machine {
        threads: 8,
        speed: 0.8,
        multiprocessors: 20,
        clock_hz: 1.5e9,
        upload_rate: 5e9,
        opening: 0.15,
        closing: 0.05,
    }
}

fn server_with_a_slow_driver() -> Machine {
    Machine { threads: 64, speed: 1.1, opening: 3.0, closing: 0.5, ..measured() }
}

fn machines() -> [Machine; 3] {
    [measured(), laptop(), server_with_a_slow_driver()]
}

fn is_for_gpu(graph: &Outline, searches: Searches, machine: &Machine) -> bool {
    let (on_cpu, on_gpu) = seconds(graph, searches, machine);
    on_gpu < on_cpu
}

/// Trees and tables of 1, 2, 4, ... searches.
fn uses() -> impl Iterator<Item = [Searches; 2]> {
    (0..24).map(|bits| 1 << bits).map(|n| [Searches::Trees(n), Searches::Table(n)])
}

const SEARCHES: [Searches; 3] = [Searches::Trees(1), Searches::Table(8), Searches::Table(64)];

/// The faster device is chosen. The numbers are measured seconds of whole commands without loading;
/// the two differ by a quarter or more.
#[test]
fn choices_on_the_machine_that_was_measured() {
    for (graph, times) in [
        (ROME, [(0.004, 0.34), (0.004, 0.34), (0.006, 0.40)]),
        (NEW_YORK, [(0.028, 0.36), (0.035, 0.36), (0.118, 0.37)]),
        (GRID_1024, [(0.060, 0.38), (0.099, 0.36), (0.320, 0.42)]),
        (RMAT_20, [(0.084, 0.42), (0.248, 0.39), (0.978, 0.40)]),
        (GRID_2048, [(0.166, 0.44), (0.314, 0.39), (1.228, 0.45)]),
        (RMAT_22, [(0.266, 0.57), (1.16, 0.49), (3.52, 0.62)]),
    ] {
        for (searches, (on_the_cpu, on_the_gpu)) in SEARCHES.into_iter().zip(times) {
            let chosen = is_for_gpu(&graph, searches, &measured());
            assert_eq!(chosen, on_the_gpu < on_the_cpu, "{graph:?}, {searches:?}");
            let gpu = seconds(&graph, searches, &measured()).1 / on_the_gpu;
            assert!((0.75..1.35).contains(&gpu), "{graph:?}, {searches:?}: {gpu}");
        }
    }
}

/// The same with equal weights: the CPU was faster in all cases, since opening the GPU counts.
#[test]
fn choices_on_unweighted_graphs() {
    for graph in [ROME, NEW_YORK, GRID_1024, RMAT_20, GRID_2048, RMAT_22].map(unweighted) {
        for searches in SEARCHES {
            assert!(!is_for_gpu(&graph, searches, &measured()), "{graph:?}, {searches:?}");
        }
    }
}

#[test]
fn choices_on_other_machines() {
    let one = Searches::Trees(1);
    // sixteen threads end before a GPU is open; eight slower threads with two searches do not, nor
    // do two threads with one
    assert!(!is_for_gpu(&RMAT_22, one, &measured()));
    assert!(is_for_gpu(&RMAT_22, Searches::Trees(2), &laptop()));
    assert!(is_for_gpu(&RMAT_22, one, &Machine { threads: 2, ..measured() }));
    // a driver that takes seconds pays only if the CPU takes seconds
    assert!(is_for_gpu(&RMAT_20, Searches::Table(64), &measured()));
    assert!(!is_for_gpu(&RMAT_20, Searches::Table(64), &server_with_a_slow_driver()));
    assert!(is_for_gpu(&RMAT_26, Searches::Table(512), &server_with_a_slow_driver()));
    for machine in machines() {
        for [trees, table] in uses().take(7) {
            assert!(!is_for_gpu(&ROME, table, &machine), "{table:?} on {machine:?}");
            assert!(!is_for_gpu(&PATH, trees, &machine), "{trees:?} of a path on {machine:?}");
        }
    }
}

/// More searches or a slower CPU never move the choice from the GPU to the CPU; a slower GPU never
/// moves it from the CPU to the GPU.
#[test]
fn choices_move_one_way() {
    for machine in machines() {
        for graph in &GRAPHS {
            let mut before = [false; 2];
            for searches in uses() {
                let now = searches.map(|searches| is_for_gpu(graph, searches, &machine));
                for (now, before) in now.into_iter().zip(before) {
                    assert!(now >= before, "{searches:?} of {graph:?} on {machine:?}");
                }
                before = now;
                for searches in searches {
                    let slower = Machine { speed: machine.speed / 1.5, ..machine };
                    let fewer = Machine { threads: machine.threads / 2, ..machine };
                    let late = Machine { opening: machine.opening + 0.2, ..machine };
                    let far = Machine { upload_rate: machine.upload_rate / 2.0, ..machine };
                    let weak = Machine { multiprocessors: machine.multiprocessors / 2, ..machine };
                    let is_for_gpu = |machine| is_for_gpu(graph, searches, &machine);
                    let chosen = is_for_gpu(machine);
                    for worse_cpu in [slower, fewer] {
                        assert!(is_for_gpu(worse_cpu) >= chosen, "{graph:?} {worse_cpu:?}");
                    }
                    for worse_gpu in [late, far, weak] {
                        assert!(is_for_gpu(worse_gpu) <= chosen, "{graph:?} {worse_gpu:?}");
                    }
                }
            }
        }
    }
}

/// More arcs, vertices or depth never take less time.
#[test]
fn costs_grow() {
    for machine in machines() {
        for graph in GRAPHS {
            let more = [
                Outline { n_arcs: 2 * graph.n_arcs, ..graph },
                Outline { n_vertices: 2 * graph.n_vertices, ..graph },
                Outline { depth: 2.0 * graph.depth, ..graph },
            ];
            for searches in uses().flatten() {
                let (here, there) = seconds(&graph, searches, &machine);
                assert!(here > 0.0 && there > machine.opening);
                for more in &more {
                    let (more_here, more_there) = seconds(more, searches, &machine);
                    assert!(more_here >= here && more_there >= there, "{more:?}, {searches:?}");
                }
            }
        }
    }
    let nothing = outline(0, 0, 0.0, false);
    let idle = Machine { threads: 0, ..measured() };
    assert_eq!(seconds(&nothing, Searches::Table(0), &idle).0, 0.0);
}

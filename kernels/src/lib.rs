//! The GPU's code, as data: each module is PTX text, which the driver compiles for the GPU
//! that it finds.
//!
//! A family of kernels is a module here, a folder of CUDA C++ beside this crate's manifest,
//! and a folder of the PTX that `cargo xtask ptx` makes of it. There is one constant for a
//! PTX module, and one PTX module for a variant (a type of weights), so that only what is
//! used is compiled when it is loaded. What a kernel does, how it is launched, what it
//! reads and writes, and why its races are harmless, stands above it in the CUDA C++.
//!
//! ```
//! let module = kernels::sssp::BELLMAN_FORD[0];
//! assert_eq!(module.name, "sssp/bellman_ford_u32");
//! assert!(module.ptx.contains(".entry bellman_ford_start_u32("));
//! ```

/// A module of PTX.
#[derive(Clone, Copy)]
pub struct Module {
    /// The family and the name: no two modules have the same.
    pub name: &'static str,
    /// The text for the driver.
    pub ptx: &'static str,
}

macro_rules! module {
    ($name:literal) => {
        Module { name: $name, ptx: include_str!(concat!("../ptx/", $name, ".ptx")) }
    };
}

macro_rules! modules {
    ($($name:literal),*) => {
        [$(module!($name)),*]
    };
}

/// Shortest paths from one source, `kernels/sssp`. An array has a module for each type of weights
/// or keys, with which its name ends.
pub mod sssp {
    use super::Module;

    /// `bellman_ford.cu`, for each type of weights.
    pub const BELLMAN_FORD: [Module; 4] = modules![
        "sssp/bellman_ford_u32",
        "sssp/bellman_ford_i32",
        "sssp/bellman_ford_f32",
        "sssp/bellman_ford_f64"
    ];
    /// `prepare.cu`: edges from rows, and their order. It knows no weights.
    pub const PREPARE: Module = module!("sssp/prepare");
    /// `rows.cu`: rows as `delta_stepping.cu` reads them.
    pub const ROWS: [Module; 4] =
        modules!["sssp/rows_u32", "sssp/rows_f32", "sssp/rows_u64", "sssp/rows_f64"];
    /// `arrays.cu`.
    pub const ARRAYS: Module = module!("sssp/arrays");
    /// `distances.cu`: distances from keys, for each type of keys.
    pub const DISTANCES: [Module; 5] = modules![
        "sssp/distances_u32",
        "sssp/distances_f32",
        "sssp/distances_u32_wide",
        "sssp/distances_u64",
        "sssp/distances_f64"
    ];
    /// `delta_stepping.cu`, for each type of keys; `wide` ones have 64 bits, their weights 32.
    pub const DELTA_STEPPING: [Module; 5] = modules![
        "sssp/delta_stepping_u32",
        "sssp/delta_stepping_f32",
        "sssp/delta_stepping_u32_wide",
        "sssp/delta_stepping_u64",
        "sssp/delta_stepping_f64"
    ];

    /// `buckets.cu`: delta-stepping as published for GPUs.
    pub const BUCKETS: [Module; 2] = modules!["sssp/buckets_u32", "sssp/buckets_f32"];
    /// `queue.cu`: Bellman-Ford with a queue, for each type of weights.
    pub const QUEUE: [Module; 4] =
        modules!["sssp/queue_u32", "sssp/queue_i32", "sssp/queue_f32", "sssp/queue_f64"];

    /// `many_sources.cu`: delta-stepping from many sources, for each type of keys.
    pub const MANY_SOURCES: [Module; 5] = modules![
        "sssp/many_sources_u32",
        "sssp/many_sources_f32",
        "sssp/many_sources_u32_wide",
        "sssp/many_sources_u64",
        "sssp/many_sources_f64"
    ];

    /// Dijkstra's algorithm by reductions.
    pub const DIJKSTRA: [Module; 2] = modules!["sssp/dijkstra_u32", "sssp/dijkstra_f32"];
    /// The least of many `u32` labels.
    pub const EXTRACT_MIN_U32: Module = module!("sssp/extract_min_u32");
    /// `reduction_steps.cu` on labels of 32 bits: the reduction in shared memory, step by step.
    pub const REDUCTION_STEPS_U32: Module = module!("sssp/reduction_steps_u32");
    /// The other steps of Dijkstra's algorithm by launches, on `u32` weights.
    pub const DIJKSTRA_STEPS_U32: Module = module!("sssp/dijkstra_steps_u32");
    /// Dijkstra's algorithm by the criteria of Crauser and others.
    pub const CRAUSER: [Module; 2] = modules!["sssp/crauser_u32", "sssp/crauser_f32"];

    /// `changes.cu`: trees that follow changes of the graph, for each type of keys.
    pub const CHANGES: [Module; 5] = modules![
        "sssp/changes_u32",
        "sssp/changes_f32",
        "sssp/changes_u32_wide",
        "sssp/changes_u64",
        "sssp/changes_f64"
    ];

    /// `predecessors.cu`: the tree over rows, for each type of keys.
    pub const PREDECESSORS: [Module; 5] = modules![
        "sssp/predecessors_u32",
        "sssp/predecessors_f32",
        "sssp/predecessors_u32_wide",
        "sssp/predecessors_u64",
        "sssp/predecessors_f64"
    ];

    /// `nearest.cu`: the nearest of several sources, for each type of keys.
    pub const NEAREST: [Module; 5] = modules![
        "sssp/nearest_u32",
        "sssp/nearest_f32",
        "sssp/nearest_u32_wide",
        "sssp/nearest_u64",
        "sssp/nearest_f64"
    ];

    /// `breadth_first.cu`: levels, by how many arcs vertices are from one source.
    pub const BREADTH_FIRST: Module = module!("sssp/breadth_first");
    /// `breadth_first_tree.cu`: predecessors from levels.
    pub const BREADTH_FIRST_TREE: Module = module!("sssp/breadth_first_tree");
    /// `hop_sums.cu`: sums over searches from up to 64 sources at once.
    pub const HOP_SUMS_64: Module = module!("sssp/hop_sums_64");
    /// `hop_sums.cu`: sums over searches from up to 1024 sources at once.
    pub const HOP_SUMS_1024: Module = module!("sssp/hop_sums_1024");
    /// `ranked_rows.cu`: rows of drawn edges, or with other numbers for the vertices.
    pub const RANKED_ROWS: Module = module!("sssp/ranked_rows");

    /// `edge_predecessors.cu`: the tree over edges, for each type of weights.
    pub const EDGE_PREDECESSORS: [Module; 4] = modules![
        "sssp/edge_predecessors_u32",
        "sssp/edge_predecessors_i32",
        "sssp/edge_predecessors_f32",
        "sssp/edge_predecessors_f64"
    ];

    /// `spmv.cu`: Bellman-Ford as products of matrix and vector, for each type of weights.
    pub const SPMV: [Module; 4] =
        modules!["sssp/spmv_u32", "sssp/spmv_i32", "sssp/spmv_f32", "sssp/spmv_f64"];
}

/// Shortest paths between all pairs, `kernels/apsp`.
pub mod apsp {
    use super::Module;

    /// `published/plain.cu` on `i32`: plain Floyd-Warshall, a launch a vertex.
    pub const PUBLISHED_PLAIN_I32: Module = module!("apsp/published_plain_i32");
    /// `published/plain.cu` on `f32`: plain Floyd-Warshall, a launch a vertex.
    pub const PUBLISHED_PLAIN_F32: Module = module!("apsp/published_plain_f32");
    /// `published/out_of_core.cu` on `i32`: 32 rows through one pivot.
    pub const PUBLISHED_OUT_OF_CORE_I32: Module = module!("apsp/published_out_of_core_i32");
    /// `published/out_of_core.cu` on `f32`: 32 rows through one pivot.
    pub const PUBLISHED_OUT_OF_CORE_F32: Module = module!("apsp/published_out_of_core_f32");
    /// `published/tiles.cu` on `i32`: pivot tiles, and the tiles of their rows and columns.
    pub const PUBLISHED_TILES_I32: Module = module!("apsp/published_tiles_i32");
    /// `published/tiles.cu` on `f32`: pivot tiles, and the tiles of their rows and columns.
    pub const PUBLISHED_TILES_F32: Module = module!("apsp/published_tiles_f32");
    /// `published/product.cu` on `i32`: the min-plus product in registers.
    pub const PUBLISHED_PRODUCT_I32: Module = module!("apsp/published_product_i32");
    /// `published/product.cu` on `f32`: the min-plus product in registers.
    pub const PUBLISHED_PRODUCT_F32: Module = module!("apsp/published_product_f32");
    /// `published/two_level.cu` on `i32`: all other tiles by two levels of blocks.
    pub const PUBLISHED_TWO_LEVEL_I32: Module = module!("apsp/published_two_level_i32");
    /// `published/two_level.cu` on `f32`: all other tiles by two levels of blocks.
    pub const PUBLISHED_TWO_LEVEL_F32: Module = module!("apsp/published_two_level_f32");

    /// `blocked.cu` on `i32`: blocked Floyd-Warshall.
    pub const BLOCKED_I32: Module = module!("apsp/blocked_i32");
    /// `blocked.cu` on `f32` that is never negative: blocked Floyd-Warshall.
    pub const BLOCKED_F32: Module = module!("apsp/blocked_f32");
    /// `blocked.cu` on `f32` of any sign: blocked Floyd-Warshall.
    pub const BLOCKED_F32_SIGNED: Module = module!("apsp/blocked_f32_signed");
    /// `blocked.cu` on `i64`: blocked Floyd-Warshall.
    pub const BLOCKED_I64: Module = module!("apsp/blocked_i64");
    /// `blocked.cu` on `f64`: blocked Floyd-Warshall.
    pub const BLOCKED_F64: Module = module!("apsp/blocked_f64");
    /// `blocked.cu` on `i32`, for compute capability 9.0.
    pub const BLOCKED_90_I32: Module = module!("apsp/blocked_90_i32");
    /// `blocked.cu` on `u16`, for compute capability 9.0.
    pub const BLOCKED_90_U16: Module = module!("apsp/blocked_90_u16");
    /// `blocked.cu` on `f32` that is never negative, for compute capability 9.0.
    pub const BLOCKED_90_F32: Module = module!("apsp/blocked_90_f32");
    /// `blocked.cu` on `i64`, for compute capability 9.0.
    pub const BLOCKED_90_I64: Module = module!("apsp/blocked_90_i64");
    /// `blocked.cu` on `f64`, for compute capability 9.0.
    pub const BLOCKED_90_F64: Module = module!("apsp/blocked_90_f64");
    /// `strips.cu` on `i32`: rows of a matrix through pivots elsewhere.
    pub const STRIPS_I32: Module = module!("apsp/strips_i32");
    /// `strips.cu` on `f32` that is never negative: rows of a matrix through pivots elsewhere.
    pub const STRIPS_F32: Module = module!("apsp/strips_f32");
    /// `strips.cu` on `f32` of any sign: rows of a matrix through pivots elsewhere.
    pub const STRIPS_F32_SIGNED: Module = module!("apsp/strips_f32_signed");
    /// `strips.cu` on `i64`: rows of a matrix through pivots elsewhere.
    pub const STRIPS_I64: Module = module!("apsp/strips_i64");
    /// `strips.cu` on `f64`: rows of a matrix through pivots elsewhere.
    pub const STRIPS_F64: Module = module!("apsp/strips_f64");
    /// `strips.cu` on `i32`, for compute capability 9.0.
    pub const STRIPS_90_I32: Module = module!("apsp/strips_90_i32");
    /// `strips.cu` on `u16`, for compute capability 9.0.
    pub const STRIPS_90_U16: Module = module!("apsp/strips_90_u16");
    /// `strips.cu` on `f32` that is never negative, for compute capability 9.0.
    pub const STRIPS_90_F32: Module = module!("apsp/strips_90_f32");
    /// `strips.cu` on `i64`, for compute capability 9.0.
    pub const STRIPS_90_I64: Module = module!("apsp/strips_90_i64");
    /// `strips.cu` on `f64`, for compute capability 9.0.
    pub const STRIPS_90_F64: Module = module!("apsp/strips_90_f64");
    /// `changes.cu` on `i32`: pairs that follow changed arcs.
    pub const CHANGES_I32: Module = module!("apsp/changes_i32");
    /// `changes.cu` on `i64`.
    pub const CHANGES_I64: Module = module!("apsp/changes_i64");
    /// `changes.cu` on `f32`, for weights that are not negative.
    pub const CHANGES_F32: Module = module!("apsp/changes_f32");
    /// `changes.cu` on `f32`.
    pub const CHANGES_F32_SIGNED: Module = module!("apsp/changes_f32_signed");
    /// `changes.cu` on `f64`.
    pub const CHANGES_F64: Module = module!("apsp/changes_f64");
    /// `changes.cu` on `i32`, for compute capability 9.0.
    pub const CHANGES_90_I32: Module = module!("apsp/changes_90_i32");
    /// `changes.cu` on `f32`, for compute capability 9.0.
    pub const CHANGES_90_F32: Module = module!("apsp/changes_90_f32");
    /// `supernodes.cu` on `i32`: rows of supernodes through their ends.
    pub const SUPERNODES_I32: Module = module!("apsp/supernodes_i32");
    /// `supernodes.cu` on `i64`.
    pub const SUPERNODES_I64: Module = module!("apsp/supernodes_i64");
    /// `supernodes.cu` on `f32` that is never negative.
    pub const SUPERNODES_F32: Module = module!("apsp/supernodes_f32");
    /// `supernodes.cu` on `f64`.
    pub const SUPERNODES_F64: Module = module!("apsp/supernodes_f64");
    /// `supernodes.cu` on `i32`, for compute capability 9.0.
    pub const SUPERNODES_90_I32: Module = module!("apsp/supernodes_90_i32");
    /// `supernodes.cu` on `u16`, for compute capability 9.0.
    pub const SUPERNODES_90_U16: Module = module!("apsp/supernodes_90_u16");
    /// `supernodes.cu` on `f32` that is never negative, for compute capability 9.0.
    pub const SUPERNODES_90_F32: Module = module!("apsp/supernodes_90_f32");
    /// `matrix.cu` on `i32`: the matrix that solvers start from.
    pub const MATRIX_I32: Module = module!("apsp/matrix_i32");
    /// `matrix.cu` on `u16`: the matrix that solvers start from.
    pub const MATRIX_U16: Module = module!("apsp/matrix_u16");
    /// `matrix.cu` on `f32`: the matrix that solvers start from.
    pub const MATRIX_F32: Module = module!("apsp/matrix_f32");
    /// `matrix.cu` on `i64`: the matrix that solvers start from.
    pub const MATRIX_I64: Module = module!("apsp/matrix_i64");
    /// `matrix.cu` on `f64`: the matrix that solvers start from.
    pub const MATRIX_F64: Module = module!("apsp/matrix_f64");
    /// `next_hops.cu` on `i32`: next hops from distances.
    pub const NEXT_HOPS_I32: Module = module!("apsp/next_hops_i32");
    /// `next_hops.cu` on `u16`: next hops from distances.
    pub const NEXT_HOPS_U16: Module = module!("apsp/next_hops_u16");
    /// `next_hops.cu` on `f32`: next hops from distances.
    pub const NEXT_HOPS_F32: Module = module!("apsp/next_hops_f32");
    /// `next_hops.cu` on `i64`: next hops from distances.
    pub const NEXT_HOPS_I64: Module = module!("apsp/next_hops_i64");
    /// `next_hops.cu` on `f64`: next hops from distances.
    pub const NEXT_HOPS_F64: Module = module!("apsp/next_hops_f64");
}

/// Road networks, `kernels/hierarchy`.
pub mod hierarchy {
    use super::Module;

    /// `customize.cu` with keys of type `u32`.
    pub const CUSTOMIZE_U32: Module = module!("hierarchy/customize_u32");
    /// `customize.cu` with keys of type `u64`.
    pub const CUSTOMIZE_U64: Module = module!("hierarchy/customize_u64");
    /// `customize.cu` with keys of type `f64`.
    pub const CUSTOMIZE_F64: Module = module!("hierarchy/customize_f64");
    /// `sweep.cu` with keys of type `u32`.
    pub const SWEEP_U32: Module = module!("hierarchy/sweep_u32");
    /// `sweep.cu` with keys of type `u64`.
    pub const SWEEP_U64: Module = module!("hierarchy/sweep_u64");
    /// `sweep.cu` with keys of type `f64`.
    pub const SWEEP_F64: Module = module!("hierarchy/sweep_f64");
    /// `labels.cu` with keys of type `u32`.
    pub const LABELS_U32: Module = module!("hierarchy/labels_u32");
    /// `labels.cu` with keys of type `u64`.
    pub const LABELS_U64: Module = module!("hierarchy/labels_u64");
    /// `labels.cu` with keys of type `f64`.
    pub const LABELS_F64: Module = module!("hierarchy/labels_f64");
    /// `aggregate.cu` with keys of type `u32`.
    pub const AGGREGATE_U32: Module = module!("hierarchy/aggregate_u32");
    /// `aggregate.cu` with keys of type `u64`.
    pub const AGGREGATE_U64: Module = module!("hierarchy/aggregate_u64");
    /// `aggregate.cu` with keys of type `f64`.
    pub const AGGREGATE_F64: Module = module!("hierarchy/aggregate_f64");
    /// `results.cu` with keys of type `u32`.
    pub const RESULTS_U32: Module = module!("hierarchy/results_u32");
    /// `results.cu` with keys of type `u64`.
    pub const RESULTS_U64: Module = module!("hierarchy/results_u64");
    /// `results.cu` with keys of type `f64`.
    pub const RESULTS_F64: Module = module!("hierarchy/results_f64");
}

/// Measures of a whole graph, `kernels/centrality`.
pub mod centrality {
    use super::Module;

    /// `path_counts.cu`: numbers of shortest paths by hops, and dependencies on vertices and arcs.
    pub const PATH_COUNTS: [Module; 2] =
        modules!["centrality/path_counts_vertices", "centrality/path_counts_arcs"];
    /// `path_pairs.cu`: the same in weights, for each type of lengths.
    pub const PATH_PAIRS: [Module; 4] = modules![
        "centrality/path_pairs_u32",
        "centrality/path_pairs_u64",
        "centrality/path_pairs_f32",
        "centrality/path_pairs_f64"
    ];
    /// `path_samples.cu`: random shortest paths of random pairs, by hops.
    pub const PATH_SAMPLES: Module = module!("centrality/path_samples");
}

/// Transitive closure, `kernels/closure`.
pub mod closure {
    use super::Module;

    /// `arcs.cu`: the bits of a graph's arcs.
    pub const ARCS: Module = module!("closure/arcs");
    /// `changes.cu`: new arcs in a closure, and how two differ.
    pub const CHANGES: Module = module!("closure/changes");
    /// `panel_lop3.cu`: pivots closed, and their lines, by bitwise instructions.
    pub const PANEL_LOP3: Module = module!("closure/panel_lop3");
    /// `panel_mma.cu`: pivots closed, and their lines, by matrix units; from compute
    /// capability 8.0.
    pub const PANEL_MMA: Module = module!("closure/panel_mma");
    /// `lop3.cu`: lines raised by bitwise instructions.
    pub const LOP3: Module = module!("closure/lop3");
    /// `russians.cu`: lines raised by tables of unions.
    pub const RUSSIANS: Module = module!("closure/russians");
    /// `mma.cu`: lines raised by matrix units; from compute capability 8.0.
    pub const MMA: Module = module!("closure/mma");
    /// `wgmma.cu`: lines raised by matrix units that warps share; for compute capability
    /// 9.0 alone.
    pub const WGMMA: Module = module!("closure/wgmma");
}

/// Searches of graphs in parts, `kernels/partitioned`. An array has a module for each type of
/// weights or keys, with which its name ends.
pub mod partitioned {
    use super::Module;

    /// `rows.cu`: the rows of a part.
    pub const ROWS: [Module; 4] = modules![
        "partitioned/rows_u32",
        "partitioned/rows_f32",
        "partitioned/rows_u64",
        "partitioned/rows_f64"
    ];
    /// `levels.cu`: breadth-first search by one GPU, by several, and where arcs lie in host memory.
    pub const LEVELS: [Module; 3] = modules![
        "partitioned/levels_alone",
        "partitioned/levels_of_several",
        "partitioned/levels_in_host"
    ];
    /// `stepping.cu`: delta-stepping.
    pub const STEPPING: [Module; 5] = modules![
        "partitioned/stepping_u32",
        "partitioned/stepping_f32",
        "partitioned/stepping_u32_wide",
        "partitioned/stepping_u64",
        "partitioned/stepping_f64"
    ];
    /// `components.cu`: weakly connected components.
    pub const COMPONENTS: Module = module!("partitioned/components");
    /// `check.cu`: whether levels or keys are the distances.
    pub const CHECK: [Module; 6] = modules![
        "partitioned/check_levels",
        "partitioned/check_u32",
        "partitioned/check_f32",
        "partitioned/check_u32_wide",
        "partitioned/check_u64",
        "partitioned/check_f64"
    ];
}

/// The STAR-machine, `kernels/star`.
pub mod star {
    use super::Module;

    /// `operations.cu`: operations that have no answer.
    pub const OPERATIONS: Module = module!("star/operations");
    /// `questions.cu`: operations that have one.
    pub const QUESTIONS: Module = module!("star/questions");
    /// `fused.cu`: basic procedures, a launch each.
    pub const FUSED: Module = module!("star/fused");
    /// `adapted.cu`: transitive closure as published for GPUs.
    pub const ADAPTED: Module = module!("star/adapted");
    /// `as_printed.cu`: operations with the paper's launches.
    pub const AS_PRINTED: Module = module!("star/as_printed");
    /// `interpreter.cu`: recorded programs, one launch a run.
    pub const INTERPRETER: Module = module!("star/interpreter");
}

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

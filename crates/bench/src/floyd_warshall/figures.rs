//! What was measured, as `raw.json` has it.

use apsp::Algorithm;
use apsp::published::{Layout, Parameters};
use serde::Serialize;

use crate::table::median;

/// A form with all of its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Form {
    pub(super) algorithm: Algorithm,
    pub(super) parameters: Parameters,
}

impl Form {
    pub(super) fn new(algorithm: Algorithm, tile: u32) -> Self {
        Self { algorithm, parameters: Parameters::of_tile(tile) }
    }

    pub(super) fn with(self, change: impl FnOnce(&mut Parameters)) -> Self {
        let mut form = self;
        change(&mut form.parameters);
        form
    }

    /// Whether only what is tuned differs, so that both stand in one column.
    pub(super) fn is_tuned(&self, other: &Self) -> bool {
        let untuned = |form: &Self| {
            let Parameters { tile, layout, fused, last_vertices, .. } = form.parameters;
            let plain = form.algorithm == Algorithm::FloydWarshall;
            (form.algorithm, (!plain).then_some((tile, layout, fused)), last_vertices)
        };
        untuned(self) == untuned(other)
    }

    /// What differs between columns.
    pub(super) fn heading(&self) -> String {
        let Parameters { tile, layout, fused, last_vertices, .. } = self.parameters;
        match self.algorithm {
            Algorithm::FloydWarshall if last_vertices => "plain, last vertices".to_owned(),
            Algorithm::FloydWarshall => "plain".to_owned(),
            Algorithm::BlockedProduct => format!("A {tile}"),
            Algorithm::BlockedTwoLevel if layout == Layout::RowMajor => {
                format!("B {tile}, row-major")
            }
            Algorithm::BlockedTwoLevel => format!("B {tile}"),
            _ if fused => format!("recursive {tile}, fused"),
            _ => format!("recursive {tile}"),
        }
    }

    fn record(&self) -> FormRecord {
        let Parameters { tile, step_rows, small_tile, per_block, layout, fused, last_vertices } =
            self.parameters;
        FormRecord {
            algorithm: self.algorithm.name(),
            tile,
            step_rows,
            small_tile,
            per_block,
            layout: if layout == Layout::RowMajor { "row-major" } else { "blocked" },
            fused,
            last_vertices,
        }
    }
}

/// A form as the file has it.
#[derive(Serialize)]
struct FormRecord {
    algorithm: &'static str,
    tile: u32,
    step_rows: u32,
    small_tile: u32,
    per_block: u32,
    layout: &'static str,
    fused: bool,
    last_vertices: bool,
}

impl Serialize for Form {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.record().serialize(serializer)
    }
}

/// A try of parameters.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Trial {
    pub(super) graph: String,
    pub(super) element: &'static str,
    pub(super) form: Form,
    pub(super) ms: f64,
}

/// The kernel that does nearly all of the work.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Kernel {
    pub(super) name: &'static str,
    pub(super) registers: u32,
    pub(super) shared_bytes: u32,
    pub(super) local_bytes: u32,
    pub(super) threads: u32,
    pub(super) blocks: u64,
    pub(super) occupancy: f64,
}

/// A form on a graph.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Line {
    pub(super) graph: String,
    pub(super) n_vertices: usize,
    pub(super) n_arcs: usize,
    pub(super) element: &'static str,
    pub(super) form: Form,
    pub(super) launches: u64,
    /// Each solve, the matrix resident.
    pub(super) ms: Vec<f64>,
    /// Each solve with memory taken and given back, and copies in and out.
    pub(super) whole_ms: Vec<f64>,
    /// Pivot, panels, bulk, in a solve that waits for each launch.
    pub(super) phases_ms: Option<[f64; 3]>,
    pub(super) kernel: Option<Kernel>,
}

impl Line {
    /// 0 of no solve.
    pub(super) fn median_ms(&self) -> f64 {
        median(&self.ms).unwrap_or_default()
    }

    /// Billions of relaxations a second: as the paper counts them, n (n - 1)² each.
    pub(super) fn gops(&self) -> f64 {
        let n = self.n_vertices as f64;
        n * (n - 1.0).powi(2) / self.median_ms() / 1e6
    }
}

/// One thread of the host on a graph.
#[derive(Clone, Debug, Serialize)]
pub(super) struct HostLine {
    pub(super) graph: String,
    pub(super) n_vertices: usize,
    pub(super) ms: f64,
}

/// All that was measured.
#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    pub(super) lines: Vec<Line>,
    pub(super) trials: Vec<Trial>,
    pub(super) host: Vec<HostLine>,
}

impl Report {
    /// The line of a form, whatever was tuned.
    pub(super) fn find(&self, graph: &str, element: &str, form: &Form) -> Option<&Line> {
        let is_it = |line: &&Line| {
            line.graph == graph && line.element == element && line.form.is_tuned(form)
        };
        self.lines.iter().find(is_it)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_tuned_makes_no_other_column() {
        let form = Form::new(Algorithm::BlockedTwoLevel, 32);
        let tuned = form.with(|p| (p.small_tile, p.per_block, p.step_rows) = (16, 1, 4));
        assert!(form.is_tuned(&tuned));
        assert_eq!(form.heading(), tuned.heading());
        assert!(!form.is_tuned(&Form::new(Algorithm::BlockedTwoLevel, 64)));
        assert!(!form.is_tuned(&Form::new(Algorithm::BlockedProduct, 32)));
        assert!(!form.is_tuned(&form.with(|p| p.layout = Layout::RowMajor)));
    }
}

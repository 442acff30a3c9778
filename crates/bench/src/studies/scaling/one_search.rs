//! One search over several GPUs, of graphs that they draw: the host never has the arcs.

use std::fmt;
use std::str::FromStr;

use ::sssp::SsspError;
use gpu_runtime::GpuError;
use graph_formats::generate::{EdgeDraws, RmatConfig, UniformConfig};
use partitioned::gpu::{DistancesOnGpus, LevelsOnGpus, Query};

use super::super::*;

/// Edges that are drawn for each vertex.
const EDGE_FACTOR: u32 = 16;
/// Sources of a graph.
const SOURCES: usize = 4;
pub(super) const BREADTH_FIRST: &str = "breadth first";
pub(super) const WEIGHTED: &str = "weighted";

/// A graph of 2^scale vertices that is drawn, of weights from 1 to 255.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Drawn {
    is_rmat: bool,
    scale: u32,
}

impl FromStr for Drawn {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> Result<Self> {
        let (kind, scale) = name.split_once('-').unwrap_or_default();
        let is_rmat = kind == "rmat";
        let scale = scale.parse().ok().filter(|_| is_rmat || kind == "uniform");
        let scale = scale.with_context(|| format!("{name} is not as rmat-26 or uniform-26"))?;
        Ok(Self { is_rmat, scale })
    }
}

impl fmt::Display for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", if self.is_rmat { "rmat" } else { "uniform" }, self.scale)
    }
}

impl Drawn {
    pub(super) fn rmat(scale: u32) -> Self {
        Self { is_rmat: true, scale }
    }

    fn draws(self) -> Result<EdgeDraws> {
        let (scale, edge_factor) = (self.scale, EDGE_FACTOR);
        Ok(match self.is_rmat {
            true => RmatConfig { scale, edge_factor, ..RmatConfig::default() }.draws()?,
            false => {
                let n_vertices = 1usize.checked_shl(scale).context("the scale is too great")?;
                let n_edges = u64::from(edge_factor) << scale;
                UniformConfig { n_vertices, n_edges, ..UniformConfig::default() }.draws()?
            }
        })
    }
}

/// Times one graph on one number of GPUs, breadth first and by weights.
pub(super) fn measure(bench: &Bench, gpus: &[Gpu], graph: Drawn, is_weak: bool) -> Result<()> {
    let (draws, n_gpus) = (graph.draws()?, gpus.len());
    for search in [BREADTH_FIRST, WEIGHTED] {
        let labels: [(&str, &dyn fmt::Display); 3] =
            [("drawn", &graph), ("search", &search), ("gpus", &n_gpus)];
        match Searches::new(gpus, &draws, search) {
            Ok(searches) => searches.race(bench, &draws, Record::of(&labels), is_weak)?,
            Err(error) if is_too_large(&error) => bench.skip(&labels, &error.to_string()),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn is_too_large(error: &SsspError) -> bool {
    matches!(error, SsspError::Gpu(error) if matches!(**error, GpuError::OutOfMemory { .. }))
}

/// Searches that are ready.
enum Searches {
    Levels(LevelsOnGpus),
    Distances(DistancesOnGpus),
}

impl Searches {
    fn new(gpus: &[Gpu], draws: &EdgeDraws, search: &str) -> Result<Self, SsspError> {
        Ok(match search {
            BREADTH_FIRST => Self::Levels(LevelsOnGpus::drawn(gpus, draws)?),
            _ => Self::Distances(DistancesOnGpus::drawn(gpus, draws)?),
        })
    }

    fn has_arcs(&self, vertex: VertexId) -> bool {
        let dealt = match self {
            Self::Levels(searches) => searches.dealt(),
            Self::Distances(searches) => searches.dealt(),
        };
        dealt.number(vertex).is_some()
    }

    fn n_arcs(&self) -> u64 {
        match self {
            Self::Levels(searches) => searches.n_arcs(),
            Self::Distances(searches) => searches.n_arcs(),
        }
    }

    /// Searches from this vertex, and checks all arcs.
    fn run(&mut self, source: VertexId) -> Result<Run> {
        let (ms, waiting_ms, wrong) = match self {
            Self::Levels(searches) => {
                searches.search(&Query {
                    source,
                    targets: &[],
                    limit: u32::MAX,
                    progress: None,
                })?;
                (searches.solve_ms, searches.waiting_ms, searches.wrong()?)
            }
            Self::Distances(searches) => {
                searches.search(&Query {
                    source,
                    targets: &[],
                    limit: u64::MAX,
                    progress: None,
                })?;
                (searches.solve_ms, searches.waiting_ms, searches.wrong()?)
            }
        };
        ensure!(wrong == 0, "{wrong} arcs or vertices show that the search from {source} is wrong");
        Ok(vec![("ms", ms), ("waiting_ms", waiting_ms)])
    }

    /// Times searches from several sources, which take turns.
    fn race(
        mut self,
        bench: &Bench,
        draws: &EdgeDraws,
        record: Record,
        is_weak: bool,
    ) -> Result<()> {
        let mut random = Draws::new(1);
        let mut sources = Vec::with_capacity(SOURCES);
        while sources.len() < SOURCES {
            let source = random.below(draws.n_vertices()) as VertexId;
            if self.has_arcs(source) {
                sources.push(source);
            }
        }
        let record = record.with(&[
            ("edges drawn", &draws.n_edges()),
            ("arcs", &self.n_arcs()),
            ("weak", &if is_weak { "yes" } else { "" }),
        ]);
        let terms = bench.terms();
        let terms = Terms { runs: terms.runs * SOURCES, ..terms };
        let mut turn = 0;
        let run = || {
            turn += 1;
            self.run(sources[turn % SOURCES])
        };
        bench.race_by(&terms, vec![Contender::new(record, run)]).map(drop)
    }
}

/// What is said of them.
pub(super) fn page(page: &mut Page, records: &Records) {
    let records = records.having("drawn");
    if records.is_empty() {
        return;
    }
    let one = |r: &Record| {
        let same = [("drawn", r.label("drawn")), ("search", r.label("search")), ("gpus", "1")];
        Some(1.0 / records.over(r, "ms", &same)?)
    };
    let rate = |r: &Record| Some(r.number("edges drawn") / r.median("ms")? / 1e6);
    // of what one GPU does with the graph that it has in the weak scaling, for each
    let of_one = |r: &Record| {
        let one = [("weak", "yes"), ("gpus", "1"), ("search", r.label("search"))];
        Some(rate(r)? / r.number("gpus") / rate(records.find(&one)?)? * 100.0)
    };
    page.heading("One search");
    page.text(
        "G edges count those that were drawn. All arcs of every search were checked on the GPUs. \
         Waiting is the time from the end of a GPU's own part of a step to that of all, the mean of \
         all GPUs. The rest is computing, in which it also writes into the others' memory.",
    );
    let columns: [(&str, Figure<'_>); 5] = [
        ("ms", &median("ms")),
        ("G edges/s", &rate),
        ("times one", &one),
        ("% of one's rate", &of_one),
        ("waiting ms", &median("waiting_ms")),
    ];
    page.list(&records, &["drawn", "arcs", "search", "gpus"], &columns);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_drawn_graphs_are_read() {
        assert_eq!("rmat-26".parse::<Drawn>().unwrap(), Drawn::rmat(26));
        assert_eq!("uniform-9".parse::<Drawn>().unwrap().to_string(), "uniform-9");
        for wrong in ["rmat", "grid-9", "rmat-x", ""] {
            assert!(wrong.parse::<Drawn>().unwrap_err().to_string().contains("rmat-26"), "{wrong}");
        }
    }
}

//! Errors of the libraries as the program reports them: with the file's names of vertices, and the
//! options that help.

use anyhow::anyhow;
use apsp::any::RowError;
use apsp::{ApspError, ScratchError};
use centrality::CentralityError;
use closure::ClosureError;
use hierarchy::HierarchyError;
use partitioned::PartitionedError;
use paths::Number;
use sssp::SsspError;

use crate::ids::Names;

impl Names<'_> {
    /// An error of a library with names of vertices and options; other errors as they are.
    pub(crate) fn explain(&self, error: impl Into<anyhow::Error>) -> anyhow::Error {
        let error = error.into();
        let explained = (error.downcast_ref().and_then(|error| self.explain_search(error)))
            .or_else(|| match error.downcast_ref()? {
                PartitionedError::Search(error) => self.explain_search(error),
                _ => None,
            })
            .or_else(|| self.explain_hierarchy(error.downcast_ref()?))
            .or_else(|| self.explain_pairs(error.downcast_ref()?))
            .or_else(|| self.explain_rows(error.downcast_ref()?))
            .or_else(|| self.explain_measures(error.downcast_ref()?));
        explained.unwrap_or_else(|| match error.downcast_ref() {
            Some(ClosureError::TooLarge { .. }) => anyhow!("{error} (--counts OUT.tsv)"),
            _ => error,
        })
    }

    fn explain_search(&self, error: &SsspError) -> Option<anyhow::Error> {
        Some(match error {
            SsspError::NoSuchVertex { role, vertex, .. } => self.absent(role, vertex),
            SsspError::NegativeWeight { what, from, to, weight, advice } => anyhow!(
                "{what} needs weights of at least zero, but the arc from {} to {} has {weight}; \
                 {advice}",
                self.name(*from),
                self.name(*to)
            ),
            SsspError::NegativeCycle { cycle } => {
                let around = cycle.iter().chain(cycle.first()).map(|&v| self.name(v).to_string());
                anyhow!(
                    "negative cycle: {} has a weight below 0, so paths that reach it \
                     have no least length",
                    around.collect::<Vec<_>>().join(" -> ")
                )
            }
            SsspError::Overflow { vertex, kind } => {
                let or = if kind.starts_with('f') {
                    ""
                } else {
                    ", or write them with a decimal point, which makes them f64"
                };
                let vertex = self.name(*vertex);
                anyhow!("a path to vertex {vertex} overflows {kind}; scale the weights down{or}")
            }
            _ => return None,
        })
    }

    fn explain_hierarchy(&self, error: &HierarchyError) -> Option<anyhow::Error> {
        Some(match error {
            HierarchyError::NoSuchVertex { role, vertex, .. } => self.absent(role, vertex),
            HierarchyError::NegativeWeight { from, to, weight } => anyhow!(
                "a hierarchy needs weights of at least zero, but the arc from {} to {} has \
                 {weight}; search the graph itself",
                self.name(*from),
                self.name(*to)
            ),
            HierarchyError::Overflow { source_vertex, target, kind } => anyhow!(
                "the distance of vertex {} from {} overflows {kind}; scale the weights down",
                self.name(*target),
                self.name(*source_vertex)
            ),
            _ => return None,
        })
    }

    fn explain_pairs(&self, error: &ApspError) -> Option<anyhow::Error> {
        let help = match error {
            ApspError::Search(error) => return self.explain_search(error),
            ApspError::OtherDistance { source_vertex, target } => {
                let [from, to] = [source_vertex, target].map(|&vertex| self.name(vertex));
                return Some(anyhow!("the distance from {from} to {to} is another"));
            }
            ApspError::TooLarge { .. } => "--scratch DIR",
            ApspError::OverMemory { .. } => "--scratch DIR, --memory SIZE",
            ApspError::ScratchMemory { .. } => "--memory SIZE, --threads N",
            ApspError::ChangesMemory { .. } => "--memory SIZE",
            ApspError::NotFollowed { .. } => "--scratch DIR",
            ApspError::Scratch(ScratchError::Write { .. } | ScratchError::Started { .. }) => {
                "--resume"
            }
            _ => return None,
        };
        Some(anyhow!("{error} ({help})"))
    }

    fn explain_rows(&self, error: &RowError) -> Option<anyhow::Error> {
        let distance = |distance: &Option<Number>| {
            distance.map_or_else(|| "no path".to_owned(), |distance| distance.to_string())
        };
        match error {
            RowError::Search(error) => self.explain_search(error),
            RowError::Differs { source_vertex, target, found, right } => Some(anyhow!(
                "--check: from {} to {} the result has {}, and a search finds {}; please report \
                 this error",
                self.name(*source_vertex),
                self.name(*target),
                distance(found),
                distance(right)
            )),
            _ => None,
        }
    }

    fn explain_measures(&self, error: &CentralityError) -> Option<anyhow::Error> {
        Some(match error {
            CentralityError::Search(error) => return self.explain_search(error),
            CentralityError::Hierarchy(error) => return self.explain_hierarchy(error),
            CentralityError::NegativeWeight { from, to, weight } => anyhow!(
                "measures of distances need weights of at least zero, but the arc from {} to {} \
                 has {weight}; count arcs with --hops",
                self.name(*from),
                self.name(*to)
            ),
            CentralityError::WithoutLength { from, to, weight } => anyhow!(
                "betweenness needs weights that make every path longer, but the arc from {} to {} \
                 has weight {weight}; count arcs with --hops",
                self.name(*from),
                self.name(*to)
            ),
            _ => return None,
        })
    }
}

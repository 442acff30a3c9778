//! Betweenness as other programs state it: which pairs count, and by what a sum is divided.

use super::{Betweenness, Scored};

/// How betweenness is stated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Convention {
    /// Divided by the number of ordered pairs: [`Betweenness::normalised`].
    #[default]
    Starpath,
    /// As NetworkX and cuGraph do by default. Only in a sample it differs from
    /// [`Starpath`](Self::Starpath): no vertex is a source of paths through itself. So of k sources,
    /// the sum of a source is taken to be of k − 1, and that of another vertex of k. A single source
    /// has NaN. Where [ends](crate::Config::endpoints) count, there is no difference.
    NetworkX,
    /// As igraph does by default: [`Betweenness::raw`], but each pair of an undirected graph counts
    /// once.
    Igraph,
    /// As GAPBS does: divided by the greatest value, so that this is 1. Zeros stay zeros.
    Gapbs,
}

impl Betweenness {
    /// Betweenness of each vertex or arc as another program states it. The value of an undirected
    /// edge is the sum of its two arcs.
    ///
    /// ```
    /// use centrality::{Config, Convention, betweenness};
    /// use graph_formats::Csr;
    ///
    /// let path = Csr::from_edges(5, &[(0, 1, 1u32), (1, 2, 1), (2, 3, 1), (3, 4, 1)])?;
    /// let found = betweenness(&path, &Config::default(), None)?;
    /// assert_eq!(found.stated(Convention::NetworkX), [0.0, 0.5, 4.0 / 6.0, 0.5, 0.0]);
    /// assert_eq!(found.stated(Convention::Igraph), [0.0, 3.0, 4.0, 3.0, 0.0]);
    /// assert_eq!(found.stated(Convention::Gapbs), [0.0, 0.75, 1.0, 0.75, 0.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stated(&self, convention: Convention) -> Vec<f64> {
        match convention {
            Convention::Starpath => self.normalised(),
            Convention::NetworkX => self.of_networkx(),
            Convention::Igraph => {
                let directions = if self.is_undirected { 2.0 } else { 1.0 };
                self.raw().into_iter().map(|sum| sum / directions).collect()
            }
            Convention::Gapbs => {
                let greatest = self.sums.iter().copied().fold(0.0, f64::max);
                let of_greatest = |&sum| if sum > 0.0 { sum / greatest } else { 0.0 };
                self.sums.iter().map(of_greatest).collect()
            }
        }
    }

    fn of_networkx(&self) -> Vec<f64> {
        let mut values = self.normalised();
        if let (Some(sources), Scored::Vertices, 3.., false) =
            (&self.sources, self.scored, self.n_vertices, self.endpoints)
        {
            let (n, k) = (self.n_vertices as f64, sources.len() as f64);
            let of_others = |k: f64| move |sum: &f64| sum / (k * (n - 2.0));
            values = self.sums.iter().map(of_others(k)).collect();
            for &source in sources {
                values[source as usize] = of_others(k - 1.0)(&self.sums[source as usize]);
            }
        }
        values
    }
}

//! The forms and their settings.
//!
//! A new form is a `DeviceSearch` in a file of its own: one launch over keys has its `Parameters`,
//! Bellman-Ford is a `BellmanFordForm`. It has a variant here and an arm in `of_form`. `sssp` takes
//! it by an entry of `gpu::Algorithm::ALL`, which is also among the candidates there if `auto` may
//! take it; its tests are in `sssp/tests/gpu/`.

use std::num::NonZeroU32;
use std::str::FromStr;

use graph_formats::by_name;
use search_parts::SearchError;

/// A published form with its settings; `Width` is a number, or a rule for one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Form<Width = f64> {
    /// Δ-stepping in buckets of this width. Each vertex has the index of its bucket; prefix sums
    /// place the rows of a bucket's vertices one after the other.
    DeltaSteppingBuckets(Width),
    /// Dijkstra's algorithm: one vertex after another, the nearest found by a reduction.
    Dijkstra(BlockSize),
    /// Dijkstra's algorithm that settles at once every vertex whose distance is provably final, by
    /// the criteria of Crauser and others.
    Crauser,
    /// Dijkstra's algorithm that settles at once every vertex at most this look-ahead beyond the
    /// nearest, and settles a vertex again if that was too early.
    Eager(Width),
    /// Bellman-Ford: launches over all edges until one lowers nothing.
    BellmanFord {
        /// The order of the edges.
        edges: EdgeOrder,
        /// How distances are read.
        loads: Loads,
        /// How distances are written.
        stores: Stores,
    },
    /// Bellman-Ford as products of the graph's matrix, in this layout, with the vector of
    /// distances, over (min, +).
    BellmanFordSpmv(Layout),
}

impl<Width> Form<Width> {
    /// Bellman-Ford with default settings.
    pub const BELLMAN_FORD: Self =
        Self::BellmanFord { edges: EdgeOrder::Auto, loads: Loads::Plain, stores: Stores::Atomic };

    /// Its name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::DeltaSteppingBuckets(_) => "delta-stepping-buckets",
            Self::Dijkstra(_) => "dijkstra",
            Self::Crauser => "crauser",
            Self::Eager(_) => "eager",
            Self::BellmanFord { .. } => "bellman-ford",
            Self::BellmanFordSpmv(_) => "bellman-ford-spmv",
        }
    }

    /// True for the forms that admit negative weights.
    pub fn admits_negative(&self) -> bool {
        match self {
            Self::BellmanFord { stores, .. } => *stores == Stores::Atomic,
            Self::BellmanFordSpmv(_) => true,
            _ => false,
        }
    }

    /// The width of the buckets, or the look-ahead; `None` for the other forms.
    pub fn width(self) -> Option<Width> {
        match self {
            Self::DeltaSteppingBuckets(width) | Self::Eager(width) => Some(width),
            _ => None,
        }
    }

    /// The same form with the result of `of` for its width.
    ///
    /// # Errors
    /// Those of `of`.
    ///
    /// ```
    /// use published::Form;
    ///
    /// let form = Form::Eager("2.5").try_map_width(str::parse)?;
    /// assert_eq!(form, Form::Eager(2.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_map_width<T, E>(self, of: impl FnOnce(Width) -> Result<T, E>) -> Result<Form<T>, E> {
        Ok(match self {
            Self::DeltaSteppingBuckets(width) => Form::DeltaSteppingBuckets(of(width)?),
            Self::Eager(lookahead) => Form::Eager(of(lookahead)?),
            Self::Dijkstra(block) => Form::Dijkstra(block),
            Self::Crauser => Form::Crauser,
            Self::BellmanFord { edges, loads, stores } => {
                Form::BellmanFord { edges, loads, stores }
            }
            Self::BellmanFordSpmv(layout) => Form::BellmanFordSpmv(layout),
        })
    }
}

/// The order in which [`Form::BellmanFord`] relaxes the edges. The result is the same.
///
/// Edges may be sorted by the segment of their head, then by that of their tail, so that
/// neighbouring threads access few distances. A solver sorts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EdgeOrder {
    /// By segments of 2^16 vertices, or of a 64th of the graph's vertices if that is more. Of the
    /// sizes tried, that is the fastest or nearly so on graphs of 2^18 to 2^26 vertices: see
    /// docs/results/2026-11-21-h200.
    #[default]
    Auto,
    /// Row by row.
    AsStored,
    /// By segments.
    Segments {
        /// Vertices of a segment.
        vertices: NonZeroU32,
    },
}

impl EdgeOrder {
    /// The vertices of a segment on a graph of `n_vertices`; `None` for the order as stored.
    ///
    /// ```
    /// use published::EdgeOrder;
    ///
    /// let length = |n| EdgeOrder::Auto.segment(n).map(|length| length.get());
    /// assert_eq!((length(1000), length(1 << 24)), (Some(1 << 16), Some(1 << 18)));
    /// ```
    pub fn segment(self, n_vertices: usize) -> Option<NonZeroU32> {
        const MIN_VERTICES: u32 = 1 << 16;
        match self {
            Self::Auto => {
                let part = u32::try_from(n_vertices.div_ceil(64)).unwrap_or(MIN_VERTICES);
                NonZeroU32::new(
                    part.checked_next_power_of_two().unwrap_or(MIN_VERTICES).max(MIN_VERTICES),
                )
            }
            Self::AsStored => None,
            Self::Segments { vertices } => Some(vertices),
        }
    }
}

/// How [`Form::BellmanFord`] reads distances. The result is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Loads {
    /// As data that other threads write.
    #[default]
    Plain,
    /// Through the read-only cache, which may return values an iteration old; costs one more
    /// iteration, of plain reads, at the end.
    ReadOnly,
}

/// How [`Form::BellmanFord`] writes distances. The result is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stores {
    /// By an atomic minimum.
    #[default]
    Atomic,
    /// As in the article: a plain store, which may overwrite a lower value of another thread; later
    /// launches repair that. For non-negative weights.
    Racing,
}

/// How [`Form::BellmanFordSpmv`] stores the matrix and shares a product among threads. The result
/// is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// Rows one after the other; all threads take equally many arcs.
    #[default]
    CsrBalanced,
    /// A thread a row.
    CsrScalar,
    /// A warp a row, or as many of its lanes as an average row has arcs, rounded up to a
    /// power of two.
    CsrVector,
    /// Rows padded to the longest and stored side by side, a thread a row.
    Ell,
}

impl Layout {
    /// All layouts by name.
    pub const ALL: [(&'static str, Self); 4] = [
        ("csr-balanced", Self::CsrBalanced),
        ("csr-scalar", Self::CsrScalar),
        ("csr-vector", Self::CsrVector),
        ("ell", Self::Ell),
    ];
}

/// Threads of a block that together find the least of its labels, in [`Form::Dijkstra`]. The result
/// is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BlockSize {
    /// 128 threads.
    Threads128 = 128,
    /// 256 threads.
    Threads256 = 256,
    /// 512 threads.
    #[default]
    Threads512 = 512,
    /// 1024 threads.
    Threads1024 = 1024,
}

impl BlockSize {
    /// All sizes by name.
    pub const ALL: [(&'static str, Self); 4] = [
        ("128", Self::Threads128),
        ("256", Self::Threads256),
        ("512", Self::Threads512),
        ("1024", Self::Threads1024),
    ];

    /// The number of threads.
    pub fn threads(self) -> u32 {
        self as u32
    }
}

impl FromStr for Layout {
    type Err = SearchError;

    fn from_str(name: &str) -> Result<Self, SearchError> {
        Ok(by_name("product", name, &Self::ALL)?)
    }
}

impl FromStr for BlockSize {
    type Err = SearchError;

    fn from_str(name: &str) -> Result<Self, SearchError> {
        Ok(by_name("reduction block", name, &Self::ALL)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        for (name, layout) in Layout::ALL {
            assert_eq!(name.parse(), Ok(layout));
        }
        for (name, block) in BlockSize::ALL {
            assert_eq!(name.parse(), Ok(block));
            assert_eq!(block.threads().to_string(), name);
        }
        let error = "384".parse::<BlockSize>().unwrap_err().to_string();
        assert!(error.contains("384") && error.contains("512"), "{error}");
    }
}

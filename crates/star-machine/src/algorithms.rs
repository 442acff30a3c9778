//! Graph algorithms of the STAR-machine, as texts for [`Text`](crate::Text).
//!
//! Each says what its tables hold, what it gives and what it costs; positions count from 0.
//!
//! ```
//! use star_machine::{CountFrom, Host, Machine, Size, Slice, Table, Text, Variable, algorithms};
//!
//! // the edges {0, 1} of weight 3, {1, 2} of weight 1 and {0, 2} of weight 2
//! let columns = [[0, 1, 0], [1, 2, 2], [3, 1, 2]];
//! let sizes = [[Size::Table(3, 2); 3].as_slice(), &[Size::Bits(3); 2]].concat();
//! let kruskal = Text::parse(algorithms::KRUSKAL)?.compile("KRUSKAL", &sizes, CountFrom::Zero)?;
//!
//! let mut m = Host::new();
//! let mut arguments: Vec<Variable> = Vec::new();
//! for column in columns {
//!     arguments.push(m.load_table(&Table::from_values(&column, 2)?)?.into());
//! }
//! let (edges, forest) = (m.load_slice(&Slice::ones(3)?)?, m.load_slice(&Slice::zeros(3)?)?);
//! arguments.push(edges.into());
//! arguments.push(forest.into());
//! kruskal.run(&mut m, &arguments)?;
//! assert_eq!(m.slice_value(forest)?.to_string(), "011");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

/// `KRUSKAL(L, R, W, X; T)`: a minimum spanning forest.
pub const KRUSKAL: &str = include_str!("algorithms/kruskal.star");

/// `PRIM(L, R, W, X, r; T)`: a minimum spanning tree of the component of a vertex.
pub const PRIM: &str = include_str!("algorithms/prim.star");

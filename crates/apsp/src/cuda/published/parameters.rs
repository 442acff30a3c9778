//! What the papers vary.

use super::{Launch, names, recursive, steps};
use crate::{Algorithm, ApspError};

/// How elements of a matrix lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Row by row.
    RowMajor,
    /// Tile by tile, each row by row: the blocked data layout.
    #[default]
    Blocked,
}

/// What the papers vary. Each form looks at its own only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    /// t, or t_R of the recursive form, the side of a tile: 16, 32 or 64.
    pub tile: u32,
    /// h, the rows of a pivot or panel tile that its threads hold at a time: 1, 2, 4, 8 or 16.
    /// All forms but the plain one.
    pub step_rows: u32,
    /// t' of method B, the side of a small tile: 1, 2, 4, 8 or 16.
    pub small_tile: u32,
    /// l, the neighbouring sub-matrices (method A) or tiles (B) that a block makes one after
    /// the other: from 1 on.
    pub per_block: u32,
    /// The layout that method B works in. It takes a second matrix, and a launch before and
    /// one after, for the blocked one.
    pub layout: Layout,
    /// Whether the recursive form has lines 4 and 5 of its text in one launch, and lines 8
    /// and 9.
    pub fused: bool,
    /// Whether the recursive form has its tiles, of side 16, closed by one thread each.
    pub sequential: bool,
    /// Whether the plain form keeps the last vertex that each path falls through.
    pub last_vertices: bool,
}

impl Parameters {
    /// With tiles of this side, and what goes with them.
    #[must_use]
    pub fn of_tile(tile: u32) -> Self {
        Self {
            tile,
            step_rows: tile / 4,
            small_tile: 4,
            per_block: 8,
            layout: Layout::Blocked,
            fused: true,
            sequential: false,
            last_vertices: false,
        }
    }

    /// How many launches `algorithm` takes for `n` vertices, for as many tiles as that makes:
    /// n for the plain form; 3 n/t for the iterative ones, but 1 for one tile; 5 n/t - 4 for
    /// the recursive one, or 7 n/t - 6 where products are not fused. Those that convert
    /// between layouts are not counted.
    ///
    /// ```
    /// use apsp::Algorithm;
    /// use apsp::published::Parameters;
    ///
    /// let parameters = Parameters { fused: false, ..Parameters::of_tile(32) };
    /// assert_eq!(parameters.n_launches(Algorithm::BlockedProduct, 8192), 768);
    /// assert_eq!(parameters.n_launches(Algorithm::Recursive, 8192), 1786);
    /// ```
    #[must_use]
    pub fn n_launches(&self, algorithm: Algorithm, n: usize) -> u64 {
        let n_tiles = n.div_ceil(self.tile.max(1) as usize) as u32;
        match algorithm {
            Algorithm::FloydWarshall => n as u64,
            Algorithm::Recursive => recursive::steps(n_tiles, self.fused).len() as u64,
            _ => steps::iterative(n_tiles, self.tile).count() as u64,
        }
    }

    /// These launches in order, each with its kind and size.
    ///
    /// ```
    /// use apsp::Algorithm;
    /// use apsp::published::Parameters;
    ///
    /// let parameters = Parameters { fused: false, ..Parameters::of_tile(32) };
    /// let launches = parameters.launches(Algorithm::Recursive, 8192);
    /// let largest = 4096u64.pow(3);
    /// assert_eq!(launches.iter().filter(|launch| launch.relaxations == largest).count(), 6);
    /// ```
    #[must_use]
    pub fn launches(&self, algorithm: Algorithm, n: usize) -> Vec<Launch> {
        let n_tiles = n.div_ceil(self.tile.max(1) as usize) as u32;
        match algorithm {
            Algorithm::FloydWarshall => steps::plain(n as u32).map(|step| step.0).collect(),
            Algorithm::Recursive => {
                let steps = recursive::steps(n_tiles, self.fused);
                steps.into_iter().map(|step| step.launch(self.tile)).collect()
            }
            _ => steps::iterative(n_tiles, self.tile).map(|step| step.0).collect(),
        }
    }

    /// How many matrices `algorithm` takes beside the one that it solves: one for the products
    /// of the recursive form, for the blocked layout of method B, or for last vertices.
    pub(in crate::cuda) fn n_matrices_beside(&self, algorithm: Algorithm) -> usize {
        let has_second = match algorithm {
            Algorithm::FloydWarshall => self.last_vertices,
            Algorithm::BlockedTwoLevel => self.layout == Layout::Blocked,
            Algorithm::Recursive => true,
            _ => false,
        };
        usize::from(has_second)
    }

    /// That there are kernels for them.
    pub(super) fn check(&self, algorithm: Algorithm) -> Result<(), ApspError> {
        let wrong = |name, value, expected: &str| {
            Err(ApspError::Parameter { name, value, expected: expected.to_owned() })
        };
        let names = &names::I32;
        let tile_is_known = names.products.iter().any(|known| known.0 == self.tile);
        let rows_are_known =
            names.closings.iter().any(|known| (known.0, known.1) == (self.tile, self.step_rows));
        let small_is_known =
            names.two_levels.iter().any(|known| (known.0, known.1) == (self.tile, self.small_tile));
        match algorithm {
            Algorithm::FloydWarshall => return Ok(()),
            Algorithm::BlockedProduct | Algorithm::BlockedTwoLevel | Algorithm::Recursive => {}
            _ => return Err(ApspError::NotHere { algorithm }),
        }
        if !tile_is_known {
            return wrong("the side of a tile", self.tile, "16, 32 or 64");
        }
        if !rows_are_known {
            return wrong("the number of rows per step", self.step_rows, "1, 2, 4, 8 or 16");
        }
        if algorithm == Algorithm::Recursive && self.sequential && self.tile != 16 {
            return wrong("the side of a tile", self.tile, "16 where one thread closes it");
        }
        if algorithm == Algorithm::BlockedTwoLevel && !small_is_known {
            return wrong("the side of a small tile", self.small_tile, "1, 2, 4, 8 or 16");
        }
        if self.per_block == 0 {
            return wrong("the number of sub-matrices per block", 0, "1 or more");
        }
        Ok(())
    }
}

impl Default for Parameters {
    /// With tiles of 32, which the papers found best.
    fn default() -> Self {
        Self::of_tile(32)
    }
}

//! The forms, and what the papers vary.

use gpu_runtime::GpuError;
use graph_formats::UnknownName;
use search_parts::SearchError;

/// Sides of matrices are multiples of it.
pub const SIDE_STEP: usize = 128;

/// A published form of Floyd-Warshall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// A pass over the matrix for each vertex: the plain form.
    FloydWarshall,
    /// Tile by tile with a product in registers: method A of okuyama-2010.
    BlockedProduct,
    /// Tile by tile on two levels: method B of okuyama-2010.
    BlockedTwoLevel,
    /// With the matrix in the host's memory: 32 rows of it at a time are on the GPU, as
    /// origin-out-of-core has it.
    BlockedOutOfCore,
    /// By halves, and halves of halves, of the vertices.
    Recursive,
}

impl Form {
    /// Its name on the command line.
    ///
    /// ```
    /// use published::pairs::Form;
    ///
    /// assert_eq!(Form::BlockedTwoLevel.name(), "blocked-two-level");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::FloydWarshall => "floyd-warshall",
            Self::BlockedProduct => "blocked-product",
            Self::BlockedTwoLevel => "blocked-two-level",
            Self::BlockedOutOfCore => "blocked-out-of-core",
            Self::Recursive => "recursive",
        }
    }

    /// Whether it has tiles of several sides.
    pub fn has_tiles(self) -> bool {
        matches!(self, Self::BlockedProduct | Self::BlockedTwoLevel | Self::Recursive)
    }
}

/// What the papers vary. Each form uses its own only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    /// t, or t_R of the recursive form, the side of a tile: 16, 32 or 64.
    pub tile: u32,
    /// h, the rows of a pivot or panel tile that its threads hold at a time: 1, 2, 4, 8 or 16.
    /// All forms with tiles.
    pub step_rows: u32,
    /// t' of method B, the side of a small tile: 1, 2, 4, 8 or 16.
    pub small_tile: u32,
    /// l, the neighbouring sub-matrices (method A) or tiles (B) that a block makes one after
    /// the other: from 1 on.
    pub per_block: u32,
    /// Whether method B works in the matrix as it is, row by row; else in a second one, tile by
    /// tile, with a launch before and one after: the blocked data layout.
    pub row_major: bool,
    /// Whether the recursive form has lines 4 and 5 of its text in one launch, and lines 8
    /// and 9.
    pub fused: bool,
    /// Whether the recursive form has its tiles, of side 16, closed by one thread each.
    pub sequential: bool,
    /// Whether the plain form keeps the last vertex of each path.
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
            row_major: false,
            fused: true,
            sequential: false,
            last_vertices: false,
        }
    }

    /// How many matrices `form` takes beside the one that it solves: one for the products
    /// of the recursive form, for the blocked layout of method B, or for last vertices.
    #[must_use]
    pub fn n_matrices_beside(&self, form: Form) -> usize {
        let has_second = match form {
            Form::FloydWarshall => self.last_vertices,
            Form::BlockedTwoLevel => !self.row_major,
            Form::Recursive => true,
            Form::BlockedProduct | Form::BlockedOutOfCore => false,
        };
        usize::from(has_second)
    }

    /// The tiles along a side of a matrix of `n` vertices.
    pub(super) fn n_tiles(&self, n: usize) -> u32 {
        n.div_ceil(self.tile.max(1) as usize) as u32
    }

    /// That there are kernels for them.
    pub(super) fn check(&self, form: Form) -> Result<(), SearchError> {
        const POWERS: &[u32] = &[1, 2, 4, 8, 16];
        let is_one_of = |what, value: u32, known: &[u32]| {
            let names = known.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
            if known.contains(&value) { Ok(()) } else { Err(unknown(what, value, names)) }
        };
        if !form.has_tiles() {
            return Ok(());
        }
        is_one_of("side of a tile", self.tile, &[16, 32, 64])?;
        is_one_of("number of rows per step", self.step_rows, POWERS)?;
        if form == Form::Recursive && self.sequential {
            is_one_of("side of a tile that one thread closes", self.tile, &[16])?;
        }
        if form == Form::BlockedTwoLevel {
            is_one_of("side of a small tile", self.small_tile, POWERS)?;
        }
        if self.per_block == 0 {
            return Err(unknown("number of sub-matrices per block", 0, "all from 1 on".to_owned()));
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

/// That a matrix may have this side.
pub(super) fn check_side(side: usize) -> Result<(), SearchError> {
    if side.is_multiple_of(SIDE_STEP) && u32::try_from(side).is_ok() {
        return Ok(());
    }
    Err(unknown("side of a matrix", side, format!("the multiples of {SIDE_STEP} below 2^32")))
}

/// Checks that a matrix of `len` elements has this side, and room for `n` vertices.
pub(super) fn check_matrix(len: usize, n: usize, side: usize) -> Result<(), GpuError> {
    let length =
        |expected, found| GpuError::Length { operation: "solving all pairs", expected, found };
    match (len == side * side, n <= side) {
        (true, true) => Ok(()),
        (false, _) => Err(length(side * side, len)),
        (true, false) => Err(length(side, n)),
    }
}

/// Where no kernel takes a value.
fn unknown(what: &'static str, value: impl ToString, known: String) -> SearchError {
    UnknownName { what, name: value.to_string(), known }.into()
}

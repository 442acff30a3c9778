//! Recursive blocked Floyd-Warshall: each half of the matrix is closed by recursion, and what
//! lies beside and across from it follows by min-plus products.
//!
//! The kernels are `product.cu` and, for tiles where the recursion ends, `tiles.cu` in
//! `kernels/apsp/published`. O(n³); with halves M11 ... M22 of the matrix
//!
//! ```text
//! close M11;  M12 = M11 M12, M21 = M21 M11;  M22 = M22 + M21 M12;
//! close M22;  M21 = M22 M21, M12 = M12 M22;  M11 = M11 + M12 M21
//! ```
//!
//! What differs: there a product overwrites one of its factors, which is harmless where sums are
//! exact, and in floats leaves the last bits to whichever thread is first. Here the products of the
//! first line go to a second matrix, where the last of them is read again, and those of the second
//! line come back. Halves need not be equal: a tree of n/t_R leaves has n/t_R - 1 inner nodes
//! however it branches. So any number of tiles takes 5 n/t_R - 4 launches, or 7 n/t_R - 6 if the
//! two products beside a closed half are launched one after the other.
//!
//! With tiles of 16 the second paper measures the first paper's kernel for tiles, which it calls
//! sequential. With [`Parameters::sequential`] one thread closes a tile so. The paper says that
//! this kernel takes sides up to 22, as a block of 512 threads would with an element each; that is
//! the kernel of `tiles.cu` with 16 rows at a time.
//!
//! Reference: buluc-2008, okuyama-2010

use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig};
use graph_formats::WeightKind;
use kernels::apsp::{PUBLISHED_PRODUCT_F32, PUBLISHED_PRODUCT_I32};
use search_parts::{Kernels, SearchError};

use super::parameters::Parameters;
use super::steps::{Clock, Launch, Phase};
use super::tiles::{TileKernel, Tiles};

/// Rows and columns of a sub-matrix of the product; and threads of a block.
const ROWS: u32 = 16;
const COLUMNS: u32 = 64;

/// Tiles of the diagonal: the first, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    first: u32,
    n: u32,
}

/// Which products beside a closed part are launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Products {
    Both,
    /// In its rows.
    Right,
    /// In its columns.
    Below,
}

/// A launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A tile of the diagonal.
    Close { tile: u32 },
    /// What lies beside a closed part, in the columns and rows of the other one: into the
    /// second matrix after the first half, and back after the second.
    Sides { closed: Span, other: Span, is_first: bool, products: Products },
    /// The other part by way of the closed one.
    Corner { closed: Span, other: Span, is_first: bool },
}

/// All launches in order.
fn steps(n_tiles: u32, fused: bool) -> Vec<Step> {
    let mut steps = Vec::new();
    if n_tiles > 0 {
        close(Span { first: 0, n: n_tiles }, fused, &mut steps);
    }
    steps
}

fn close(all: Span, fused: bool, steps: &mut Vec<Step>) {
    if all.n == 1 {
        return steps.push(Step::Close { tile: all.first });
    }
    let upper = Span { first: all.first, n: all.n / 2 };
    let lower = Span { first: all.first + upper.n, n: all.n - upper.n };
    let products: &[Products] = match fused {
        true => &[Products::Both],
        false => &[Products::Right, Products::Below],
    };
    for (closed, other, is_first) in [(upper, lower, true), (lower, upper, false)] {
        close(closed, fused, steps);
        let sides = products.iter();
        steps.extend(sides.map(|&products| Step::Sides { closed, other, is_first, products }));
        steps.push(Step::Corner { closed, other, is_first });
    }
}

/// The same for tiles of side `t`, each with its size.
pub(super) fn launches(n_tiles: u32, t: u32, fused: bool) -> impl Iterator<Item = Launch> {
    let side = move |tiles: u32| u64::from(tiles) * u64::from(t);
    steps(n_tiles, fused).into_iter().map(move |step| match step {
        Step::Close { .. } => Launch::of(Phase::Pivot, side(1), side(1), side(1)),
        Step::Sides { closed, other, products, .. } => {
            let n_products = if products == Products::Both { 2 } else { 1 };
            Launch::of(Phase::Bulk, n_products * side(closed.n), side(closed.n), side(other.n))
        }
        Step::Corner { closed, other, .. } => {
            Launch::of(Phase::Bulk, side(other.n), side(closed.n), side(other.n))
        }
    })
}

pub(super) struct Recursive {
    pivot: TileKernel,
    sides: Kernel,
    corner: Kernel,
    /// Products after the first half.
    second: Buffer<u32>,
    parameters: Parameters,
    side: u32,
}

impl Recursive {
    pub(super) fn new(
        gpu: &Gpu,
        parameters: &Parameters,
        kind: WeightKind,
        side: usize,
    ) -> Result<Self, SearchError> {
        let kernels = Kernels::of(gpu, &[PUBLISHED_PRODUCT_I32, PUBLISHED_PRODUCT_F32], kind)?;
        Ok(Self {
            pivot: match parameters.sequential {
                true => TileKernel::sequential(gpu, kind)?,
                false => TileKernel::new(gpu, "pivot", parameters, kind)?,
            },
            sides: kernels.get("multiply_sides")?,
            corner: kernels.get("multiply_corner")?,
            second: gpu.buffer(side * side)?,
            parameters: *parameters,
            side: side as u32,
        })
    }

    pub(super) fn solve(
        &self,
        gpu: &Gpu,
        matrix: &Buffer<u32>,
        n: u32,
        clock: Clock<'_>,
    ) -> Result<u64, GpuError> {
        let Parameters { tile, fused, .. } = self.parameters;
        let n_tiles = self.parameters.n_tiles(n as usize);
        let tiles = Tiles::row_major(tile, n_tiles, self.side);
        // first vertices and lengths
        let parts = |p: Span, q: Span| [p.first, p.n, q.first, q.n].map(|tiles| tiles * tile);
        let second = &self.second;
        clock.time(steps(n_tiles, fused), |step| match step {
            Step::Close { tile } => self.pivot.launch(gpu, matrix, tiles, tile, 1),
            Step::Sides { closed, other, is_first, products } => {
                let [p, n_p, q, n_q] = parts(closed, other);
                let (right, below) = (n_blocks(n_p, n_q), n_blocks(n_q, n_p));
                let (skip, blocks) = match products {
                    Products::Both => (0, right + below),
                    Products::Right => (0, right),
                    Products::Below => (right, below),
                };
                let (from, to) = if is_first { (matrix, second) } else { (second, matrix) };
                let matrices = [matrix, from, to].map(Arg::from).into_iter();
                let numbers = [self.side, p, n_p, q, n_q, skip].map(Arg::from);
                let args: Vec<_> = matrices.chain(numbers).collect();
                // SAFETY: both parts lie in matrices of the same side, and what is written lies in
                // neither what is read of `from`, another matrix, nor in the closed part.
                unsafe { gpu.launch(&self.sides, LaunchConfig::new(blocks, COLUMNS), &args) }
            }
            Step::Corner { closed, other, is_first } => {
                let [p, n_p, q, n_q] = parts(closed, other);
                let from = if is_first { second } else { matrix };
                let matrices = [from, matrix].map(Arg::from).into_iter();
                let numbers = [self.side, p, n_p, q, n_q].map(Arg::from);
                let args: Vec<_> = matrices.chain(numbers).collect();
                // SAFETY: both parts lie in the matrices, and what is written is not what is read.
                unsafe { gpu.launch(&self.corner, of_corner(n_q), &args) }
            }
        })
    }

    /// Of the last and largest product, across from the second half.
    pub(super) fn bulk(&self, n: u32) -> (&Kernel, LaunchConfig) {
        let upper = self.parameters.n_tiles(n as usize) / 2;
        (&self.corner, of_corner(upper.max(1) * self.parameters.tile))
    }
}

/// The launch for a corner of `n` vertices.
fn of_corner(n: u32) -> LaunchConfig {
    LaunchConfig::new(n_blocks(n, n), COLUMNS)
}

/// Sub-matrices that make up a matrix.
fn n_blocks(height: u32, width: u32) -> u32 {
    height / ROWS * width.div_ceil(COLUMNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_tiles_takes_as_many_launches_as_the_paper_counts() {
        for n in 1..=300 {
            assert_eq!(steps(n, true).len() as u32, 5 * n - 4);
            assert_eq!(steps(n, false).len() as u32, 7 * n - 6);
        }
        assert!(steps(0, true).is_empty());
        assert_eq!(steps(8192 / 32, false).len(), 1786);
    }
}

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
//! What is different: there a product overwrites one of its factors, which is harmless where
//! sums are exact, and in floats leaves the last bits to whichever thread is first. Here the
//! products of the first line go to a second matrix, where the last of them is read again,
//! and those of the second line come back. And halves need not be equal: a tree of n/t_R
//! leaves has n/t_R - 1 inner nodes however it branches, so any number of tiles takes
//! 5 n/t_R - 4 launches, or 7 n/t_R - 6 where the two products beside a closed half are
//! launched one after the other.
//!
//! With tiles of 16 the second paper measures the kernel of the first one for them, which it calls
//! sequential; one thread closes a tile so, if asked to ([`Parameters::sequential`]). It is said to
//! take sides up to 22, as a block of 512 threads would with an element each: that kernel is the
//! one of `tiles.cu` with 16 rows at a time.
//!
//! Reference: buluc-2008, okuyama-2010

use gpu_runtime::{Buffer, Gpu, GpuError, Kernel, LaunchConfig};

use super::kernels::{ProductKernel, Products, TileKernels, Tiles};
use super::steps::{Launch, Launches, Phase};
use super::{Element, Parameters};

/// Tiles of the diagonal: the first, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) first: u32,
    pub(super) n: u32,
}

/// A launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A tile of the diagonal.
    Close { tile: u32 },
    /// What lies beside a closed part, in the columns and rows of the other one: into the
    /// second matrix after the first half, and back after the second.
    Sides { closed: Span, other: Span, is_first: bool, products: Products },
    /// The other part by way of the closed one.
    Corner { closed: Span, other: Span, is_first: bool },
}

impl Step {
    /// What it does with tiles of side `t`: its products have the sides of the parts.
    pub(super) fn launch(self, t: u32) -> Launch {
        let side = |tiles: u32| u64::from(tiles) * u64::from(t);
        let (phase, [height, depth, width]) = match self {
            Self::Close { .. } => (Phase::Pivot, [side(1); 3]),
            Self::Sides { closed, other, products, .. } => {
                let n_products = if products == Products::Both { 2 } else { 1 };
                (Phase::Bulk, [n_products * side(closed.n), side(closed.n), side(other.n)])
            }
            Self::Corner { closed, other, .. } => {
                (Phase::Bulk, [side(other.n), side(closed.n), side(other.n)])
            }
        };
        Launch { phase, relaxations: height.saturating_mul(depth).saturating_mul(width) }
    }
}

/// All launches in order.
pub(super) fn steps(n_tiles: u32, fused: bool) -> Vec<Step> {
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

#[derive(Debug)]
pub(super) struct Recursive<E> {
    tiles: TileKernels,
    product: ProductKernel,
    /// Products after the first half.
    second: Buffer<E>,
    tile: u32,
    side: u32,
    fused: bool,
}

impl<E: Element> Recursive<E> {
    pub(super) fn new(gpu: &Gpu, parameters: &Parameters, side: usize) -> Result<Self, GpuError> {
        let tiles = match parameters.sequential {
            true => TileKernels::sequential::<E>(gpu)?,
            false => TileKernels::load::<E>(gpu, parameters)?,
        };
        Ok(Self {
            tiles,
            product: ProductKernel::load::<E>(gpu, parameters)?,
            second: gpu.buffer(side * side)?,
            tile: parameters.tile,
            side: side as u32,
            fused: parameters.fused,
        })
    }

    pub(super) fn launch(
        &mut self,
        gpu: &Gpu,
        matrix: &mut Buffer<E>,
        n: u32,
        launches: &mut Launches<'_>,
    ) -> Result<(), GpuError> {
        let n_tiles = n.div_ceil(self.tile);
        let tiles = Tiles::row_major(self.tile, n_tiles, self.side);
        let Self { product, second, .. } = self;
        let steps = steps(n_tiles, self.fused).into_iter();
        launches.all(steps.map(|step| (step.launch(self.tile), step)), |_, step| match step {
            Step::Close { tile } => self.tiles.pivot(gpu, matrix, tiles, tile),
            Step::Sides { closed, other, is_first: true, products } => {
                product.sides_out(gpu, matrix, second, tiles, [closed, other], products)
            }
            Step::Sides { closed, other, is_first: false, products } => {
                product.sides_back(gpu, matrix, second, tiles, [closed, other], products)
            }
            Step::Corner { closed, other, is_first } => {
                let from = if is_first { Some(&*second) } else { None };
                product.corner(gpu, from, matrix, tiles, [closed, other])
            }
        })
    }

    /// Of the last and largest product, across from the second half.
    pub(super) fn bulk(&self, n: u32) -> (&Kernel, LaunchConfig) {
        let upper = n.div_ceil(self.tile) / 2;
        self.product.corner_shape(upper.max(1) * self.tile)
    }
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

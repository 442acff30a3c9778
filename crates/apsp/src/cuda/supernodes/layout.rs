//! What a GPU needs to know of supernodes: their bands, and the paths of these to their ends, as
//! `kernels/apsp/supernodes.cu` reads them.

use std::ops::Range;

use bytemuck::{Pod, Zeroable, cast_slice};
use rayon::prelude::*;

use crate::cuda::arithmetic::Arithmetic;
use crate::element::Element;
use crate::host::{Matrix, MinPlus};
use crate::supernodes::{Fronts, Supernode, Supernodes};

/// Rows of the tiles that there are kernels for.
pub(super) const HEIGHTS: [usize; 3] = [128, 64, 32];
/// Rows and columns of a patch.
const PATCH: usize = 32;

/// `Band` of the kernels.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Band {
    top: u32,
    n_rows: u32,
    ends: u32,
    n_ends: u32,
    paths: u64,
    stride: u32,
    done_from: u32,
    done_to: u32,
    padding: u32,
}

/// `Place` of the kernels.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Place {
    band: u32,
    tile: u32,
}

/// `Patch` of the kernels.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Patch {
    top: u32,
    left: u32,
    n_rows: u32,
    n_columns: u32,
}

/// `Square` of the kernels.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Square {
    first: u32,
    side: u32,
    elements: u64,
}

/// What of the lists a level has, for each height of tiles where there are several.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    pub(super) bands: [Range<usize>; 3],
    /// Tiles of its rows in the columns of ranks above,
    pub(super) above: [Range<usize>; 3],
    /// and in its own columns.
    pub(super) own: [Range<usize>; 3],
    /// Patches between it and ranks above,
    pub(super) turned: Range<usize>,
    /// and on the diagonal.
    pub(super) diagonal: Range<usize>,
}

/// The lists for all levels.
pub(super) struct Layout<E> {
    pub(super) levels: Vec<Level>,
    pub(super) bands: [Vec<Band>; 3],
    /// The same bands with the paths from their ends.
    pub(super) bands_back: [Vec<Band>; 3],
    pub(super) places: [Vec<Place>; 3],
    pub(super) patches: Vec<Patch>,
    pub(super) squares: Vec<Square>,
    pub(super) ends: Vec<u32>,
    pub(super) paths: Vec<u32>,
    pub(super) elements: Vec<E>,
}

impl<E: MinPlus> Layout<E> {
    pub(super) fn of(supernodes: &Supernodes, fronts: &Fronts<E>, arithmetic: Arithmetic) -> Self {
        let mut layout = Self {
            levels: Vec::new(),
            bands: Default::default(),
            bands_back: Default::default(),
            places: Default::default(),
            patches: Vec::new(),
            squares: Vec::new(),
            ends: Vec::new(),
            paths: Vec::new(),
            elements: Vec::new(),
        };
        let firsts = supernodes.subtrees();
        let spread: Vec<[Vec<u32>; 2]> = fronts
            .nodes
            .par_iter()
            .map(|node| match fronts.is_symmetric {
                true => [spread_up(&node.up, arithmetic), Vec::new()],
                false => [spread_up(&node.up, arithmetic), spread_down(&node.down, arithmetic)],
            })
            .collect();
        for nodes in &supernodes.levels {
            let mut level = Level::default();
            let starts = layout.bands.each_ref().map(Vec::len);
            for &node in nodes {
                let (first, spread) = (firsts[node as usize], &spread[node as usize]);
                layout.add_bands(supernodes, node, first, spread, fronts, arithmetic);
            }
            for (h, start) in starts.into_iter().enumerate() {
                level.bands[h] = start..layout.bands[h].len();
            }
            layout.add_places(supernodes, nodes, arithmetic, &mut level);
            layout.add_patches(supernodes, nodes, &mut level);
            layout.levels.push(level);
        }
        layout
    }

    /// The bands of a supernode, of the fewest rows beyond its own.
    fn add_bands(
        &mut self,
        supernodes: &Supernodes,
        number: u32,
        first: u32,
        spread: &[Vec<u32>; 2],
        fronts: &Fronts<E>,
        arithmetic: Arithmetic,
    ) {
        let (node, front) = (supernodes.node(number), &fronts.nodes[number as usize]);
        self.squares.push(Square {
            first: node.ranks.start,
            side: node.len() as u32,
            elements: self.elements.len() as u64,
        });
        (0..node.len()).for_each(|row| self.elements.extend(front.own.row(row)));
        let stride = node.len().next_multiple_of(HEIGHTS[2]);
        let n_ends = node.ends.len().next_multiple_of(arithmetic.depth());
        let ends = self.ends.len() as u32;
        self.ends.extend(&node.ends);
        // any row, for there is no path to it
        self.ends.resize(ends as usize + n_ends, node.ends.last().copied().unwrap_or(0));
        let words = arithmetic.word_bytes() / size_of::<u32>();
        let mut append = |spread: &[u32]| {
            let start = self.paths.len() / words;
            self.paths.extend(spread);
            start as u64
        };
        let paths = append(&spread[0]);
        let back = if fronts.is_symmetric { paths } else { append(&spread[1]) };
        let mut row = 0;
        while row < stride {
            let fits = |&h: &usize| HEIGHTS[h] <= stride - row;
            let h = (0..3).find(fits).unwrap_or(2);
            let band = Band {
                top: node.ranks.start + row as u32,
                n_rows: (node.len() - row).min(HEIGHTS[h]) as u32,
                ends,
                n_ends: n_ends as u32,
                paths: paths + row as u64,
                stride: stride as u32,
                done_from: first,
                done_to: node.ranks.end,
                padding: 0,
            };
            self.bands[h].push(band);
            self.bands_back[h].push(Band { paths: back + row as u64, ..band });
            row += HEIGHTS[h];
        }
    }

    /// The tiles of phase 2, each once.
    fn add_places(
        &mut self,
        supernodes: &Supernodes,
        nodes: &[u32],
        arithmetic: Arithmetic,
        level: &mut Level,
    ) {
        let width = arithmetic.tile_width();
        let tiles =
            |ranks: &Range<u32>| ranks.start as usize / width..(ranks.end as usize).div_ceil(width);
        for (h, list) in self.places.iter_mut().enumerate() {
            // bands are in the order of the nodes
            let mut is_above = true;
            for part in [&mut level.above[h], &mut level.own[h]] {
                let start = list.len();
                let mut band = level.bands[h].start;
                for &node in nodes {
                    let ranks = &supernodes.node(node).ranks;
                    let mut found: Vec<usize> = match is_above {
                        true => supernodes
                            .above(node)
                            .flat_map(|above| tiles(&supernodes.node(above).ranks))
                            .collect(),
                        false => tiles(ranks).collect(),
                    };
                    found.dedup();
                    while band < level.bands[h].end && ranks.contains(&self.bands[h][band].top) {
                        let place = |&tile| Place { band: band as u32, tile: tile as u32 };
                        list.extend(found.iter().map(place));
                        band += 1;
                    }
                }
                *part = start..list.len();
                is_above = false;
            }
        }
    }

    fn add_patches(&mut self, supernodes: &Supernodes, nodes: &[u32], level: &mut Level) {
        let start = self.patches.len();
        for &node in nodes {
            let ranks = &supernodes.node(node).ranks;
            for above in supernodes.above(node) {
                self.add_patches_of(ranks, &supernodes.node(above).ranks);
            }
        }
        let middle = self.patches.len();
        for &node in nodes {
            let ranks = &supernodes.node(node).ranks;
            self.add_patches_of(ranks, ranks);
        }
        level.turned = start..middle;
        level.diagonal = middle..self.patches.len();
    }

    fn add_patches_of(&mut self, rows: &Range<u32>, columns: &Range<u32>) {
        let size = |from: u32, end: u32| (end - from).min(PATCH as u32);
        for top in rows.clone().step_by(PATCH) {
            self.patches.extend(columns.clone().step_by(PATCH).map(|left| Patch {
                top,
                left,
                n_rows: size(top, rows.end),
                n_columns: size(left, columns.end),
            }));
        }
    }
}

/// Paths from a supernode to its ends as the kernels read them: a row of words for each end.
fn spread_up<E: MinPlus>(up: &Matrix<E>, arithmetic: Arithmetic) -> Vec<u32> {
    let stride = up.n_rows().next_multiple_of(HEIGHTS[2]);
    let mut turned = nowhere(up.n_columns(), stride, arithmetic);
    for row in 0..up.n_rows() {
        let column = turned.iter_mut().skip(row).step_by(stride);
        column.zip(up.row(row)).for_each(|(to, &path)| *to = path);
    }
    spread(&turned)
}

/// Paths from the ends, a row for each, as the kernels read them.
fn spread_down<E: MinPlus>(down: &Matrix<E>, arithmetic: Arithmetic) -> Vec<u32> {
    let stride = down.n_columns().next_multiple_of(HEIGHTS[2]);
    let mut rows = nowhere(down.n_rows(), stride, arithmetic);
    for (row, to) in rows.chunks_exact_mut(stride).take(down.n_rows()).enumerate() {
        to[..down.n_columns()].copy_from_slice(down.row(row));
    }
    spread(&rows)
}

/// No paths, for as many ends as the kernels take at once, or twice, and so on.
fn nowhere<E: Element>(n_ends: usize, stride: usize, arithmetic: Arithmetic) -> Vec<E> {
    vec![E::INFINITE; n_ends.next_multiple_of(arithmetic.depth()) * stride]
}

/// Numbers, those of 16 bits twice, as the kernels' words have them.
fn spread<E: Element>(numbers: &[E]) -> Vec<u32> {
    match size_of::<E>() {
        2 => cast_slice::<E, u16>(numbers).iter().map(|&n| u32::from(n) * 0x1_0001).collect(),
        _ => cast_slice(numbers).to_vec(),
    }
}

/// Bytes on a GPU beside the matrix: the paths, with what the kernels round up, and the lists.
pub(super) fn bytes<E>(supernodes: &Supernodes, arithmetic: Arithmetic) -> u64 {
    let word = arithmetic.word_bytes() as u64;
    let of_node = |node: &Supernode| {
        let (own, ends) = (node.len().next_multiple_of(HEIGHTS[2]), node.ends.len());
        let ends = ends.next_multiple_of(arithmetic.depth()) as u64;
        2 * own as u64 * ends * word + ends * 4 + (node.len() * node.len() * size_of::<E>()) as u64
    };
    let nodes = supernodes.nodes.iter().map(of_node).sum::<u64>();
    let n_above = |node: u32| {
        let own = supernodes.node(node).len().div_ceil(PATCH) as u64;
        let above = supernodes.above(node).chain([node]);
        own * above.map(|node| supernodes.node(node).len().div_ceil(PATCH) as u64 + 1).sum::<u64>()
    };
    let patches: u64 = (0..supernodes.nodes.len() as u32).map(n_above).sum();
    nodes + 2 * patches * size_of::<Patch>() as u64
}

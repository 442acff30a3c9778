//! The launches that close the matrix, level by level.

use std::ops::Range;

use bytemuck::Pod;
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, LaunchConfig};

use super::kernels::{Kernels, Shape};
use super::layout::{Band, HEIGHTS, Layout, Level, Patch, Place, Square};

/// The lists on the GPU.
pub(super) struct Lists {
    bands: [Buffer<Band>; 3],
    bands_back: [Buffer<Band>; 3],
    places: [Buffer<Place>; 3],
    patches: Buffer<Patch>,
    ends: Buffer<u32>,
    paths: Buffer<u32>,
}

impl Lists {
    pub(super) fn of<E>(gpu: &Gpu, layout: &Layout<E>) -> Result<Self, GpuError> {
        fn three<T: Pod>(gpu: &Gpu, lists: &[Vec<T>; 3]) -> Result<[Buffer<T>; 3], GpuError> {
            Ok([gpu.upload(&lists[0])?, gpu.upload(&lists[1])?, gpu.upload(&lists[2])?])
        }
        Ok(Self {
            bands: three(gpu, &layout.bands)?,
            bands_back: three(gpu, &layout.bands_back)?,
            places: three(gpu, &layout.places)?,
            patches: gpu.upload(&layout.patches)?,
            ends: gpu.upload(&layout.ends)?,
            paths: gpu.upload(&layout.paths)?,
        })
    }
}

/// Queues the launches.
pub(super) struct Closer<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) kernels: &'a Kernels,
    pub(super) shape: Shape,
    pub(super) matrix: &'a Buffer<u32>,
    /// The transposed matrix, if it differs.
    pub(super) back: Option<&'a Buffer<u32>>,
    pub(super) lists: &'a Lists,
}

impl Closer<'_> {
    /// Fills the matrix with no paths.
    pub(super) fn clear(&self) -> Result<(), GpuError> {
        let n_words =
            (self.shape.len() * size_of::<u32>() / self.shape.arithmetic.word_bytes()) as u64;
        for matrix in [Some(self.matrix), self.back].into_iter().flatten() {
            let shape = LaunchConfig::covering(n_words.div_ceil(16), 256);
            // SAFETY: the matrix has this many words.
            unsafe {
                self.gpu.launch(
                    &self.kernels.clear_matrix,
                    shape,
                    &[matrix.into(), n_words.into()],
                )?
            };
        }
        Ok(())
    }

    /// The paths inside supernodes.
    pub(super) fn place(
        &self,
        squares: &Buffer<Square>,
        elements: &Buffer<u8>,
    ) -> Result<u64, GpuError> {
        if squares.is_empty() {
            return Ok(0);
        }
        let side = (self.shape.side as u64).into();
        let args: [Arg<'_>; 4] = [self.matrix.into(), side, elements.into(), squares.into()];
        let shape = LaunchConfig::new(squares.len() as u32, 256);
        // SAFETY: squares are of supernodes, whose ranks are rows and columns, and their elements
        // were uploaded with them.
        unsafe { self.gpu.launch(&self.kernels.place_squares, shape, &args)? };
        Ok(1)
    }

    /// The distances between a level and the ranks above it.
    pub(super) fn between(&self, level: &Level) -> Result<u64, GpuError> {
        let (matrix, back) = (self.matrix, self.back.unwrap_or(self.matrix));
        let mut launches = self.lower_places(matrix, &self.lists.bands, &level.above)?;
        if self.back.is_some() {
            launches += self.lower_places(back, &self.lists.bands_back, &level.above)?;
            launches += self.turn(back, matrix, &level.turned)?;
        }
        launches += self.turn(matrix, back, &level.turned)?;
        launches += self.lower_places(matrix, &self.lists.bands, &level.own)?;
        if self.back.is_some() {
            launches += self.turn(matrix, back, &level.diagonal)?;
        }
        Ok(launches)
    }

    /// The distances between a level and all that is not below it.
    pub(super) fn rows(&self, level: &Level) -> Result<u64, GpuError> {
        let n_tiles = (self.shape.side / self.shape.arithmetic.tile_width()) as u32;
        let mut launches = 0;
        for (h, bands) in level.bands.iter().enumerate().filter(|(_, bands)| !bands.is_empty()) {
            let first = self.lists.bands[h].address() + (bands.start * size_of::<Band>()) as u64;
            self.lower(h, self.matrix, first, 0, (bands.len() as u32, n_tiles, 1))?;
            launches += 1;
        }
        Ok(launches)
    }

    fn lower_places(
        &self,
        matrix: &Buffer<u32>,
        bands: &[Buffer<Band>; 3],
        places: &[Range<usize>; 3],
    ) -> Result<u64, GpuError> {
        let mut launches = 0;
        for (h, places) in places.iter().enumerate().filter(|(_, places)| !places.is_empty()) {
            let first = (places.start * size_of::<Place>()) as u64 + self.lists.places[h].address();
            self.lower(h, matrix, bands[h].address(), first, (places.len() as u32, 1, 1))?;
            launches += 1;
        }
        Ok(launches)
    }

    fn lower(
        &self,
        height: usize,
        matrix: &Buffer<u32>,
        bands: u64,
        places: u64,
        grid: (u32, u32, u32),
    ) -> Result<(), GpuError> {
        let Lists { paths, ends, .. } = self.lists;
        let stride = self.shape.arithmetic.words(self.shape.side) as u64;
        let args: [Arg<'_>; 6] =
            [matrix.into(), stride.into(), paths.into(), ends.into(), bands.into(), places.into()];
        let threads = 2 * HEIGHTS[height] as u32;
        let shape = LaunchConfig { grid, ..LaunchConfig::new(1, threads) };
        // SAFETY: bands are rows of the matrix, which has a tile's rows more than ranks, and tiles
        // are within its columns. Ends are ranks above the band's supernode, and no band of the
        // level has their rows. Paths have a row for each end. Places name bands of their list.
        unsafe { self.gpu.launch(&self.kernels.lower[height], shape, &args) }
    }

    fn turn(
        &self,
        from: &Buffer<u32>,
        to: &Buffer<u32>,
        patches: &Range<usize>,
    ) -> Result<u64, GpuError> {
        if patches.is_empty() {
            return Ok(0);
        }
        let first = self.lists.patches.address() + (patches.start * size_of::<Patch>()) as u64;
        let args: [Arg<'_>; 4] =
            [from.into(), to.into(), (self.shape.side as u64).into(), first.into()];
        let shape = LaunchConfig::new(patches.len() as u32, 256);
        // SAFETY: patches are of rows and columns of both matrices; within one, what is written are
        // rows of ranks above the level, whose own rows are read.
        unsafe { self.gpu.launch(&self.kernels.turn_patches, shape, &args)? };
        Ok(1)
    }
}

//! GPUs compute a matrix in a folder, by the same protocol as the CPU: rows of the mapped file pass
//! through the GPUs in strips.
//!
//! For a block of pivots their rows are closed on the first GPU as a matrix of their own is, and
//! go to the folder's panel. Then every other strip of
//! rows takes the sums of its columns and the closed rows, on the GPU whose turn it is. Strips
//! take turns on a few streams of each; while some are on their way or computed, the host copies
//! others between the file's pages and pinned memory. Every element depends on the panels and
//! itself alone, so a run may be ended and resumed as one on the CPU may. The arithmetic is of 32
//! bits or 64; a folder in 16 bits is made wider on the way to a GPU and narrow again on the way
//! back. O(n³).
//!
//! Reference: origin-out-of-core, katz-kider-2008

use std::ops::Range;

use bytemuck::{cast_slice, cast_slice_mut};
use gpu_runtime::{Buffer, Event, Gpu, GpuError, PinnedBuffer, Priority};
use rayon::prelude::*;

use super::arithmetic::{Arithmetic, Kernels, TILE_ROWS};
use super::panel::{Closer, Panel};
use super::product::update_strip;
use super::tile::Tile;
use crate::ApspError;
use crate::element::Element;
use crate::scratch::{Bytes, Engine, RowChecks};

/// Strips in flight at once on a GPU.
const SLOTS: usize = 3;
/// Rows of a strip, if there is memory.
const MAX_STRIP_ROWS: usize = 512;

/// A GPU, and its buffer for the rows of the pivots.
struct Device {
    gpu: Gpu,
    kernels: Kernels,
    panel: Buffer<u32>,
}

/// A stream, and its buffers for the strip that passes through it.
struct Slot {
    /// The number of its GPU.
    device: usize,
    /// The stream on that GPU.
    gpu: Gpu,
    rows: Buffer<u32>,
    columns: Buffer<u32>,
    transposed: Buffer<u32>,
    /// The strip's rows in the host's memory, and after them its columns.
    staging: PinnedBuffer<u32>,
    done: Event,
    /// The rows of the matrix that `staging` receives from the GPU.
    holds: Option<Range<usize>>,
}

/// Bytes of each GPU's memory and of the host's, for `n_gpus` GPUs and strips of `strip_rows` rows.
fn bytes_with(
    arithmetic: Arithmetic,
    side: usize,
    n_gpus: usize,
    width: usize,
    strip_rows: usize,
) -> Bytes {
    let bytes = |numbers: usize| numbers as u128 * arithmetic.word_bytes() as u128;
    let device = width * side + SLOTS * strip_rows * (side + 2 * width);
    let host = n_gpus * SLOTS * strip_rows * (side + width);
    let closer = Closer::bytes(arithmetic, width, side);
    Bytes { host: bytes(host), device: bytes(device) + u128::from(closer) }
}

/// The least bytes of the host's memory for copies of strips, with blocks of `width` pivots.
pub(crate) fn bytes(arithmetic: Arithmetic, side: usize, n_gpus: usize, width: usize) -> Bytes {
    bytes_with(arithmetic, side, n_gpus, width, TILE_ROWS)
}

/// The numbers of a folder as a GPU adds them. Numbers of 16 bits are made wider, others are
/// copied. The number for no path needs no special case, because no sum with it is less than it.
fn widen<E: Element>(words: &mut [u32], numbers: &[E]) {
    if size_of::<E>() == size_of::<u16>() {
        let numbers = cast_slice::<E, u16>(numbers);
        words.iter_mut().zip(numbers).for_each(|(word, &number)| *word = number.into());
    } else {
        words.copy_from_slice(cast_slice(numbers));
    }
}

/// The reverse of [`widen`]: numbers of 16 bits are limited to the number for no path.
fn narrow<E: Element>(numbers: &mut [E], words: &[u32]) {
    if size_of::<E>() == size_of::<u16>() {
        let numbers = cast_slice_mut::<E, u16>(numbers);
        let least = u32::from(u16::INFINITE);
        let pairs = numbers.iter_mut().zip(words);
        pairs.for_each(|(number, &word)| *number = word.min(least) as u16);
    } else {
        numbers.copy_from_slice(cast_slice(words));
    }
}

/// The work space on GPUs and on the host, for matrices of one side and blocks of one width.
pub(crate) struct GpuEngine {
    arithmetic: Arithmetic,
    side: usize,
    strip_rows: usize,
    devices: Vec<Device>,
    /// The closer of the first GPU.
    closer: Closer,
    /// The first slot of each GPU, then the second of each, and so on.
    slots: Vec<Slot>,
}

impl GpuEngine {
    /// A work space with strips as high as the `available` memory of each GPU and the `memory`
    /// allowed on the host hold. `memory` is at least [`bytes`].
    pub(crate) fn new(
        gpus: &[Gpu],
        arithmetic: Arithmetic,
        side: usize,
        width: usize,
        available: u64,
        memory: Option<u64>,
    ) -> Result<Self, GpuError> {
        let memory = memory.map_or(u128::MAX, u128::from);
        let mut heights = (TILE_ROWS..=MAX_STRIP_ROWS).rev().step_by(TILE_ROWS);
        let fits = heights.find(|&rows| {
            let Bytes { host, device } = bytes_with(arithmetic, side, gpus.len(), width, rows);
            device <= available.into() && host <= memory
        });
        let strip_rows = fits.unwrap_or(TILE_ROWS);
        let slot = |device: usize| {
            let gpu = &gpus[device];
            let (rows, columns) = (strip_rows * side, strip_rows * width);
            Ok(Slot {
                device,
                gpu: gpu.new_stream(Priority::Normal)?,
                rows: gpu.buffer(arithmetic.stride(rows))?,
                columns: gpu.buffer(arithmetic.stride(columns))?,
                transposed: gpu.buffer(arithmetic.turned(columns))?,
                staging: gpu.pinned(arithmetic.stride(rows + columns))?,
                done: gpu.event()?,
                holds: None,
            })
        };
        let slots = (0..SLOTS * gpus.len()).map(|number| slot(number % gpus.len()));
        let slots = slots.collect::<Result<_, GpuError>>()?;
        let closer = Closer::new(&gpus[0], arithmetic, width, side)?;
        let device = |gpu: &Gpu| {
            let kernels = Kernels::load(gpu, arithmetic)?;
            let panel = gpu.buffer(arithmetic.stride(width * side))?;
            // buffers are cleared on the first stream, and used on others
            gpu.synchronize()?;
            Ok(Device { gpu: gpu.clone(), kernels, panel })
        };
        let devices = gpus.iter().map(device).collect::<Result<_, GpuError>>()?;
        Ok(Self { arithmetic, side, strip_rows, devices, closer, slots })
    }

    /// Waits for the strip of a slot, if it has one, and copies it to its place in `matrix`.
    fn store<E: Element>(
        &mut self,
        number: usize,
        first: usize,
        matrix: &mut [E],
        checks: &RowChecks<'_>,
    ) -> Result<(), GpuError> {
        let stride = self.arithmetic.stride(self.side);
        let slot = &mut self.slots[number];
        slot.done.wait()?;
        if let Some(rows) = slot.holds.take() {
            let to = &mut matrix[rows.start * self.side..rows.end * self.side];
            let from = slot.staging[..rows.len() * stride].par_chunks(stride);
            let strip = to.par_chunks_mut(self.side).zip(from).enumerate();
            strip.for_each(|(row, (to, from))| {
                narrow(to, from);
                checks.after(first + rows.start + row, to);
            });
        }
        Ok(())
    }

    /// Queues a strip, the rows from vertex `first` on and their columns at the pivots, on a slot
    /// whose last strip has been stored.
    fn start<E: Element>(
        &mut self,
        number: usize,
        first: usize,
        rows: &[E],
        columns: &[E],
        checks: &RowChecks<'_>,
    ) -> Result<(), ApspError> {
        let (side, stride) = (self.side, self.arithmetic.stride(self.side));
        let n_rows = rows.len() / side;
        let width = columns.len() / n_rows;
        let slot = &mut self.slots[number];
        let device = &self.devices[slot.device];
        let n_words = n_rows * stride;
        let n_columns = n_rows * self.arithmetic.stride(width);
        let (to_rows, to_columns) = slot.staging[..n_words + n_columns].split_at_mut(n_words);
        let strip = to_rows.par_chunks_mut(stride).zip(rows.par_chunks(side));
        let strip = strip.zip(columns.par_chunks(width));
        strip.enumerate().try_for_each(|(row, ((to, from), columns))| {
            checks.before(first + row, from, columns)?;
            widen(to, from);
            Ok::<_, ApspError>(())
        })?;
        widen(to_columns, columns);
        let tile = |buffer, n_columns, n_rows| {
            Tile::rows_of(buffer, self.arithmetic, n_columns, 0..n_rows)
        };
        let Slot { gpu, rows, columns, transposed, staging, .. } = slot;
        let panel = tile(&device.panel, side, width);
        let (strip, at_pivots) = (tile(rows, side, n_rows), tile(columns, width, n_rows));
        let from_columns = n_words..n_words + n_columns;
        // SAFETY: the slot's buffers hold a strip of these rows and of its columns, and the panel
        // as many rows as there are pivots. The slot's stream orders all of it, and nothing else
        // touches the staging before `done`.
        unsafe {
            gpu.queue_upload(staging, 0..n_words, rows, 0)?;
            gpu.queue_upload(staging, from_columns, columns, 0)?;
            update_strip(gpu, &device.kernels, strip, at_pivots, transposed, panel)?;
            gpu.queue_download(rows, 0..n_words, staging, 0)?;
        }
        Ok(slot.done.record(&slot.gpu)?)
    }
}

impl<E: Element> Engine<E> for GpuEngine {
    fn load_pivots(
        &mut self,
        pivots: &Range<usize>,
        first: usize,
        rows: &[E],
    ) -> Result<(), ApspError> {
        let first = first - pivots.start;
        for (number, rows) in rows.chunks(self.strip_rows * self.side).enumerate() {
            let n_words = self.arithmetic.stride(rows.len());
            widen(&mut self.slots[0].staging[..n_words], rows);
            let at = self.arithmetic.stride((first + number * self.strip_rows) * self.side);
            let (staging, slots) = (&self.slots[0].staging, &self.slots);
            for (slot, device) in slots.iter().zip(&self.devices) {
                // SAFETY: as in `close_pivots`.
                unsafe { slot.gpu.queue_upload(staging, 0..n_words, &device.panel, at)? };
            }
            slots[..self.devices.len()].iter().try_for_each(|slot| slot.gpu.synchronize())?;
        }
        Ok(())
    }

    fn close_pivots(
        &mut self,
        pivots: &Range<usize>,
        first: usize,
        rows: &mut [E],
    ) -> Result<(), ApspError> {
        let side = self.side;
        let Device { gpu, kernels, panel } = &self.devices[0];
        let all = Tile::rows_of(panel, self.arithmetic, side, 0..pivots.len());
        self.closer.close(gpu, kernels, Panel { rows: all, first: pivots.start }, None)?;
        gpu.synchronize()?;
        let slot = &mut self.slots[0];
        for (number, rows) in rows.chunks_mut(self.strip_rows * side).enumerate() {
            let first = first - pivots.start + number * self.strip_rows;
            let first = self.arithmetic.stride(first * side);
            let n_words = self.arithmetic.stride(rows.len());
            // SAFETY: the rows lie in the panel, and no other copy uses the staging before this
            // one has been waited for.
            unsafe {
                let range = first..first + n_words;
                slot.gpu.queue_download(panel, range, &mut slot.staging, 0)?;
            }
            slot.gpu.synchronize()?;
            narrow(rows, &slot.staging[..n_words]);
        }
        Ok(())
    }

    fn lower(
        &mut self,
        pivots: &Range<usize>,
        first: usize,
        rows: &mut [E],
        columns: &[E],
        checks: &RowChecks<'_>,
    ) -> Result<(), ApspError> {
        let (side, width) = (self.side, pivots.len());
        let n_rows = rows.len() / side;
        let strips = (0..n_rows).step_by(self.strip_rows);
        let mut outcome = Ok(());
        for (start, number) in strips.zip((0..self.slots.len()).cycle()) {
            let strip = start..(start + self.strip_rows).min(n_rows);
            outcome = checks.advance(strip.len());
            if outcome.is_err() {
                break;
            }
            self.store(number, first, rows, checks)?;
            let of_rows = &rows[strip.start * side..strip.end * side];
            let of_columns = &columns[strip.start * width..strip.end * width];
            self.start(number, first + strip.start, of_rows, of_columns, checks)?;
            self.slots[number].holds = Some(strip);
        }
        (0..self.slots.len()).try_for_each(|number| self.store(number, first, rows, checks))?;
        outcome
    }
}

impl Drop for GpuEngine {
    fn drop(&mut self) {
        // Copies to and from `staging` may still be running; errors cannot be returned here.
        for slot in &self.slots {
            let _ = slot.gpu.synchronize();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_there_and_back() {
        let numbers = [0u16, 5, 32_766, u16::INFINITE];
        let mut words = [7; 4];
        widen(&mut words, &numbers);
        assert_eq!(words, [0, 5, 32_766, 32_767]);
        // a sum with no path, and a longer one
        words[0] += words[3];
        words[1] = 100_000;
        let mut back = [1; 4];
        narrow(&mut back, &words);
        assert_eq!(back, [u16::INFINITE, u16::INFINITE, 32_766, u16::INFINITE]);
        let mut floats = [0f32; 2];
        widen(&mut words[..2], &[1.5f32, f32::INFINITY]);
        narrow(&mut floats, &words[..2]);
        assert_eq!(floats, [1.5, f32::INFINITY]);
        let wide = [-7i64, i64::INFINITE];
        widen(&mut words, &wide);
        let mut back = [0i64; 2];
        narrow(&mut back, &words);
        assert_eq!(back, wide);
    }

    /// Lets paths of `matrix` lead through these pivots.
    fn relax<E: Element>(matrix: &mut [E], n: usize, pivots: Range<usize>) {
        for k in pivots {
            for (u, v) in (0..n).flat_map(|u| (0..n).map(move |v| (u, v))) {
                let sum = matrix[u * n + k].plus(matrix[k * n + v]);
                matrix[u * n + v] = matrix[u * n + v].smaller(sum);
            }
        }
    }

    /// A folder in 16 bits whose sums are in 32 has the bytes of arithmetic in 16. In 32 bits what
    /// stands for no path is a number like any other, and after each block of pivots the folder is
    /// back in 16.
    #[test]
    fn sums_in_32_bits_are_those_in_16() {
        let n = 60;
        // some arcs are too heavy for 16 bits, and some vertices lead nowhere
        let weight = |at: usize| match (at / n + at % n).is_multiple_of(3) {
            true => 40_000,
            false => 1 + (at / n * 31 + at % n * 17) as u32 % 50,
        };
        let is_arc = |at: usize| !(at / n).is_multiple_of(5) && (at * at + 5) % 23 < 2;
        let arc = |at| if is_arc(at) { u16::encode(weight(at)) } else { u16::INFINITE };
        let number = |at: usize| if at.is_multiple_of(n + 1) { 0 } else { arc(at) };
        let mut folder: Vec<u16> = (0..n * n).map(number).collect();
        let mut expected = folder.clone();
        relax(&mut expected, n, 0..n);
        for pivots in [0..20, 20..40, 40..n] {
            let mut words = vec![0u32; n * n];
            widen(&mut words, &folder);
            let mut sums: Vec<i32> = words.iter().map(|&word| word as i32).collect();
            relax(&mut sums, n, pivots);
            narrow(&mut folder, cast_slice(&sums));
        }
        assert!(folder == expected);
        assert!(folder.contains(&u16::INFINITE) && folder.iter().any(|&d| d > 50 && d < 1000));
    }
}

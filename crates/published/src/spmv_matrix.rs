//! The matrix of a graph on the device, for products with the vector of distances.
//!
//! A product lowers the distance of a vertex by the arcs into it, so row v has those: the matrix is
//! transposed. An undirected graph is its own transpose; a directed graph is transposed on the CPU.
//! Rows lie one after the other (CSR), or are padded to the length of the longest and lie side by
//! side, column by column (ELL).
//!
//! O(n + m), and O(n width) for padded rows. Bytes on the device, for weights of s bytes:
//! 4 (n + 1) + m (4 + s), and n width (4 + s) for padded rows. Host memory until the upload: another
//! graph if the graph is directed, and as many bytes as on the device for padded rows. One hub can
//! make padding larger than any memory, so the free memory of both is checked first.
//!
//! Reference: bell-garland-2009, rice-boisvert-1985

use std::time::Instant;

use gpu_runtime::{Buffer, Gpu};
use graph_formats::{Csr, Direction, Ell, VertexId, Weight, free_memory};
use search_parts::device::DeviceArcs;
use search_parts::{DeviceTimes, SearchError, milliseconds};

use crate::settings::Layout;

/// The matrix, a row for each vertex.
pub(crate) struct Matrix<W> {
    /// The offset of each row, and the number of arcs; `None` for padded rows.
    pub(crate) offsets: Option<Buffer<u32>>,
    /// The tail of each arc.
    pub(crate) starts: Buffer<VertexId>,
    /// The weight of each arc.
    pub(crate) weights: Buffer<W>,
    /// Slots of each padded row.
    pub(crate) width: usize,
}

impl<W: Weight> Matrix<W> {
    /// Uploads the matrix of `graph`, if it fits on the device with `others` more bytes. Adds the
    /// times to `times`.
    ///
    /// # Errors
    /// [`SearchError::Gpu`] if the device has too little memory, and [`SearchError::NotOnGpu`] if
    /// it or the host has too little for padded rows.
    pub(crate) fn of(
        gpu: &Gpu,
        graph: &Csr<W>,
        layout: Layout,
        others: u64,
        times: &mut DeviceTimes,
    ) -> Result<Self, SearchError> {
        let start = Instant::now();
        let is_padded = layout == Layout::Ell;
        if !is_padded {
            let (n, m) = (graph.n_vertices(), graph.n_arcs());
            let bytes = DeviceArcs::bytes(n, m) + (m * size_of::<W>()) as u64;
            gpu.check_fits("the graph's matrix and the distances", bytes + others)?;
        }
        let transposed = (graph.direction() != Direction::Undirected).then(|| graph.transposed());
        let rows = transposed.as_ref().unwrap_or(graph);
        let ell = if is_padded { Some(padded(gpu, rows, others)?) } else { None };
        times.prepare_ms += milliseconds(start);
        let start = Instant::now();
        let (offsets, starts) = match &ell {
            Some(ell) => (None, gpu.upload(ell.column_indices())?),
            None => {
                let DeviceArcs { offsets, ends } = DeviceArcs::upload(gpu, rows)?;
                (Some(offsets), ends)
            }
        };
        let weights = gpu.upload(ell.as_ref().map_or(rows.weights(), Ell::weights))?;
        gpu.synchronize()?;
        times.upload_ms += milliseconds(start);
        Ok(Self { offsets, starts, weights, width: ell.map_or(0, |ell| ell.width()) })
    }

    /// Arcs that a product reads, padding included.
    pub(crate) fn slots(&self) -> u64 {
        self.starts.len() as u64
    }
}

/// The padded rows, if they fit on the device with `others` more bytes, and on the host.
fn padded<W: Weight>(gpu: &Gpu, rows: &Csr<W>, others: u64) -> Result<Ell<W>, SearchError> {
    let on_gpu = gpu.available_bytes()?.saturating_sub(others);
    check_padding(rows, "GPU", on_gpu)?;
    if let Some(on_host) = free_memory() {
        check_padding(rows, "host", on_host)?;
    }
    // the free memory has been checked
    Ell::from_csr(rows, usize::MAX)
        .map_err(|error| SearchError::NotOnGpu { reason: error.to_string() })
}

/// An error if padded rows take more than `free` bytes of memory in this place.
fn check_padding<W: Weight>(rows: &Csr<W>, place: &str, free: u64) -> Result<(), SearchError> {
    let Some(longest) = rows.vertices().max_by_key(|&v| rows.out_degree(v)) else {
        return Ok(());
    };
    let (n, width) = (rows.n_vertices(), rows.out_degree(longest));
    let bytes = n as u128 * width as u128 * (size_of::<VertexId>() + size_of::<W>()) as u128;
    if bytes <= u128::from(free) {
        return Ok(());
    }
    let reason = format!(
        "ell pads all {n} rows to the longest, that of vertex {longest} with {width} arcs, which \
         takes {bytes} bytes, and the {place} has {free} free; use the product csr-balanced, which \
         has no padding"
    );
    Err(SearchError::NotOnGpu { reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_that_does_not_fit_is_refused_by_name() {
        let star: Vec<_> = (0..1000).map(|v| (1000, v, 1u32)).collect();
        let star = Csr::from_arcs(1001, &star).unwrap();
        let bytes = 1001 * 1000 * 8;
        check_padding(&star, "GPU", bytes).unwrap();
        let error = check_padding(&star, "GPU", bytes - 1).unwrap_err().to_string();
        for part in ["vertex 1000", "1000 arcs", "8008000 bytes", "8007999", "csr-balanced"] {
            assert!(error.contains(part), "{part}: {error}");
        }
        check_padding(&star.transposed(), "host", 1001 * 8).unwrap();
        check_padding(&Csr::<f64>::from_arcs(0, &[]).unwrap(), "host", 0).unwrap();
    }
}

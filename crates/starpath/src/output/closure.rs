//! The transitive closure as pairs, as a matrix, and as counts.

use std::io::Write;

use graph_formats::VertexId;
use graph_formats::npy::{self, Dtype};
use paths::Closure;

use super::arrays::Axes;
use super::{Format, ResultFile, shown_output};
use crate::failure::WrongUse;
use crate::ids::Names;
use crate::progress::check_interrupt;

impl ResultFile {
    /// Refuses formats other than `.npy`, which alone can be packed.
    pub(crate) fn needs_bits(self) -> anyhow::Result<Self> {
        if self.format != Format::Npy {
            let shown = shown_output(&self.path);
            return Err(WrongUse(format!("{shown}: --packed is for .npy files only")).into());
        }
        Ok(self)
    }

    /// Writes a line for every pair that has a path, or the array of all pairs.
    pub(crate) fn write_closure(&self, names: &Names<'_>, closure: &Closure) -> anyhow::Result<()> {
        let n = closure.n_vertices();
        if self.format == Format::Tsv {
            let pairs =
                (0..n as VertexId).flat_map(|u| closure.reached_from(u).map(move |v| (u, v)));
            return self.write_lines("from\tto", pairs, |out, (u, v)| {
                writeln!(out, "{}\t{}", names.name(u), names.name(v))
            });
        }
        self.write_rows_of_bytes(names, Dtype::Bool, n, |u, row| {
            closure.reached_from(u).for_each(|v| row[v as usize] = 1);
        })
    }

    /// Writes the array of all pairs, eight vertices a byte, the lowest bit first.
    pub(crate) fn write_packed_closure(
        &self,
        names: &Names<'_>,
        closure: &Closure,
    ) -> anyhow::Result<()> {
        let n = closure.n_vertices();
        let words = n.div_ceil(64);
        self.write_rows_of_bytes(names, Dtype::U8, n.div_ceil(8), |u, row| {
            let words = &closure.as_storage()[u as usize * words..][..words];
            let bytes = words.iter().flat_map(|word| word.to_le_bytes());
            row.iter_mut().zip(bytes).for_each(|(byte, word)| *byte = word);
        })
    }

    /// Writes for every vertex a row of bytes, which `fill` sets from zeros.
    fn write_rows_of_bytes(
        &self,
        names: &Names<'_>,
        dtype: Dtype,
        width: usize,
        fill: impl Fn(VertexId, &mut [u8]),
    ) -> anyhow::Result<()> {
        let n = names.n_vertices;
        self.write_named(names, Axes::Vertices, |file| {
            npy::write_header(file, dtype, &[n, width]).map_err(|error| file.error(error))?;
            let mut row = vec![0; width];
            for u in 0..n as VertexId {
                check_interrupt()?;
                row.fill(0);
                fill(u, &mut row);
                file.write_all(&row).map_err(|error| file.error(error))?;
            }
            Ok(())
        })
    }

    /// Writes a line for every vertex: how many it reaches, and how many reach it.
    pub(crate) fn write_counts(
        &self,
        names: &Names<'_>,
        counts: &[(VertexId, VertexId)],
    ) -> anyhow::Result<()> {
        let counts = (0..).zip(counts);
        self.write_lines("vertex\treaches\treached_by", counts, |out, (vertex, (to, from))| {
            writeln!(out, "{}\t{to}\t{from}", names.name(vertex))
        })
    }
}

//! Who reaches whom, as pairs, as a matrix, and in numbers.

use std::io::Write;

use anyhow::anyhow;
use graph_formats::VertexId;
use paths::Closure;

use super::{Axes, Format, ResultFile};
use crate::failure::WrongUse;
use crate::ids::Names;

impl ResultFile {
    /// Refuses what has no bits.
    pub(crate) fn needs_bits(self) -> anyhow::Result<Self> {
        if self.format != Format::Npy {
            let shown = self.path.display();
            return Err(WrongUse(format!("{shown}: only .npy files are packed")).into());
        }
        Ok(self)
    }

    /// Writes a line for every pair that is joined, or the array of all pairs.
    pub(crate) fn write_closure(&self, names: &Names<'_>, closure: &Closure) -> anyhow::Result<()> {
        let n = closure.n_vertices();
        let all = 0..n as VertexId;
        if self.format == Format::Tsv {
            let pairs = all.flat_map(|u| closure.reached_from(u).map(move |v| (u, v)));
            return self.write_lines("from\tto", pairs, |out, (u, v)| {
                writeln!(out, "{}\t{}", names.name(u), names.name(v))
            });
        }
        let mut joined = self.room(n, n, "write a .tsv file, or an array that is packed")?;
        for (row, u) in joined.chunks_mut(n.max(1)).zip(all) {
            closure.reached_from(u).for_each(|v| row[v as usize] = true);
        }
        self.write_array(names, Axes::Vertices, &joined, &[n, n])
    }

    /// Writes the array of all pairs, eight vertices a byte, the lowest bit first.
    pub(crate) fn write_packed_closure(
        &self,
        names: &Names<'_>,
        closure: &Closure,
    ) -> anyhow::Result<()> {
        let n = closure.n_vertices();
        let width = n.div_ceil(8);
        let mut bytes = self.room::<u8>(n, width, "write a .tsv file")?;
        let rows = closure.as_storage().chunks(n.div_ceil(64).max(1));
        for (row, words) in bytes.chunks_mut(width.max(1)).zip(rows) {
            let words = words.iter().flat_map(|word| word.to_le_bytes());
            row.iter_mut().zip(words).for_each(|(byte, word)| *byte = word);
        }
        self.write_array(names, Axes::Vertices, &bytes, &[n, width])
    }

    /// Writes a line for every vertex: how many it reaches, and how many reach it.
    pub(crate) fn write_counts(&self, names: &Names<'_>, closure: &Closure) -> anyhow::Result<()> {
        let counts = (0..).zip(closure.counts());
        self.write_lines("vertex\treaches\treached_by", counts, |out, (vertex, (to, from))| {
            writeln!(out, "{}\t{to}\t{from}", names.name(vertex))
        })
    }

    /// An array of zeros, or an error that names the way out.
    fn room<T: Clone + Default>(
        &self,
        rows: usize,
        columns: usize,
        way_out: &str,
    ) -> anyhow::Result<Vec<T>> {
        let size = rows.saturating_mul(columns);
        let mut array = Vec::new();
        array.try_reserve_exact(size).map_err(|_| {
            let shown = self.path.display();
            anyhow!("{shown}: an array of all pairs takes {size} bytes of memory; {way_out}")
        })?;
        array.resize(size, T::default());
        Ok(array)
    }
}

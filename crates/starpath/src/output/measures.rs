//! Measures of vertices as tables.

use std::io::Write;

use graph_formats::VertexId;
use paths::Number;

use super::arrays::Axes;
use super::{Format, ResultFile};
use crate::ids::Names;

impl ResultFile {
    /// Writes a line for every vertex, with a column for each measure.
    pub(crate) fn write_measures(
        &self,
        names: &Names<'_>,
        columns: &[(&str, Vec<Number>)],
    ) -> anyhow::Result<()> {
        let header = columns.iter().fold("vertex".to_owned(), |line, (name, _)| line + "\t" + name);
        self.write_lines(&header, 0..names.n_vertices, |out, vertex| {
            write!(out, "{}", names.name(vertex as VertexId))?;
            for (_, values) in columns {
                write!(out, "\t{}", values[vertex])?;
            }
            writeln!(out)
        })
    }

    /// Writes a line for every edge, with its value.
    pub(crate) fn write_edges(
        &self,
        names: &Names<'_>,
        measure: &str,
        ends: &[[VertexId; 2]],
        values: &[f64],
    ) -> anyhow::Result<()> {
        let header = format!("from\tto\t{measure}");
        self.write_lines(&header, ends.iter().zip(values), |out, (&[from, to], value)| {
            writeln!(out, "{}\t{}\t{value}", names.name(from), names.name(to))
        })
    }

    /// Writes a line for every vertex with the first vertex of its component; or the array of these.
    pub(crate) fn write_components(
        &self,
        names: &Names<'_>,
        first_vertices: &[VertexId],
    ) -> anyhow::Result<()> {
        if self.format == Format::Npy {
            let shape = [first_vertices.len()];
            return self.write_array(names, Axes::Vertices, first_vertices, &shape);
        }
        let lines = (0..).zip(first_vertices);
        self.write_lines("vertex\tcomponent", lines, |out, (vertex, &first)| {
            writeln!(out, "{}\t{}", names.name(vertex), names.name(first))
        })
    }

    /// Writes a line for every vertex with its numbers, row after row, empty where NaN stands; or
    /// the array of them.
    pub(crate) fn write_numbers(
        &self,
        names: &Names<'_>,
        columns: &[&str],
        numbers: &[f64],
    ) -> anyhow::Result<()> {
        if self.format == Format::Npy {
            return self.write_array(names, Axes::Vertices, numbers, &[numbers.len()]);
        }
        let header = columns.iter().fold("vertex".to_owned(), |line, name| line + "\t" + name);
        let rows = numbers.chunks_exact(columns.len()).zip(0..);
        self.write_lines(&header, rows, |out, (row, vertex)| {
            write!(out, "{}", names.name(vertex))?;
            for number in row {
                match number.is_nan() {
                    true => write!(out, "\t")?,
                    false => write!(out, "\t{number}")?,
                }
            }
            writeln!(out)
        })
    }
}

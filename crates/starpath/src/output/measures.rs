//! Measures of vertices as tables.

use std::io::Write;

use graph_formats::VertexId;
use paths::Number;

use super::ResultFile;
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
}

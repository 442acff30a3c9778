//! Arrays as .npy files. An array counts from 0, so a file beside it has the names of the vertices
//! that index it. Another file beside arrays of all pairs names their graph.

use std::io::Write;
use std::path::Path;

use graph_formats::npy::{self, Scalar};
use graph_formats::{AtomicFile, Name, VertexId, id_line};
use paths::{AnyDistances, with_distances};

use super::ResultFile;
use super::beside::{graph_path, names_beside};
use super::mark::Mark;
use super::written::Written;
use crate::ids::Names;
use crate::progress::check_interrupt;

/// The vertices that index the rows of an array and, if it has any, its columns.
#[derive(Clone, Copy)]
pub(super) enum Axes<'a> {
    /// All vertices, in order.
    Vertices,
    /// All vertices of this graph, for rows and columns.
    Pairs(&'a Mark),
    /// The vertices of two lists.
    Lists { rows: &'a [VertexId], columns: &'a [VertexId] },
}

impl ResultFile {
    /// Writes an array, whose bytes `write` gives, and beside it the names of its rows and columns,
    /// unless these are 0, 1, 2 and so on, and its graph. Such files of an earlier array are
    /// removed.
    ///
    /// Nothing is put in place before all of it has been written.
    pub(super) fn write_named(
        &self,
        names: &Names<'_>,
        axes: Axes<'_>,
        write: impl FnOnce(&mut AtomicFile) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.named(self.create()?, names, axes, write)?.put_in_place()
    }

    /// As `write_named`, to a file that [`create`](Self::create) has opened, and without putting it
    /// in place.
    pub(super) fn named(
        &self,
        mut array: AtomicFile,
        names: &Names<'_>,
        axes: Axes<'_>,
        write: impl FnOnce(&mut AtomicFile) -> anyhow::Result<()>,
    ) -> anyhow::Result<Written> {
        write(&mut array)?;
        array.flush().map_err(|error| array.error(error))?;
        let all: Vec<VertexId>;
        let lists: [Option<&[VertexId]>; 3] = match axes {
            Axes::Vertices | Axes::Pairs(_) => {
                all = (0..names.n_vertices as VertexId).collect();
                [Some(&all), None, None]
            }
            Axes::Lists { rows, columns } => [None, Some(rows), Some(columns)],
        };
        let (mut beside, mut needless) = (Vec::new(), Vec::new());
        for (path, list) in names_beside(&self.path).zip(lists) {
            match list.filter(|list| !is_counted(names, list)) {
                Some(list) => beside.push(write_names(&path, names, list)?),
                None => needless.push(path),
            }
        }
        let path = graph_path(&self.path);
        match axes {
            Axes::Pairs(mark) => beside.push(mark.write(&path)?),
            _ => needless.push(path),
        }
        check_interrupt()?;
        Ok(Written { file: array, beside, needless })
    }

    /// Writes these distances, row by row, as they are stored: the greatest value of an integer
    /// type and the infinity of a float stand for no path.
    pub(super) fn write_distances(
        &self,
        names: &Names<'_>,
        axes: Axes<'_>,
        distances: &AnyDistances,
        shape: &[usize],
    ) -> anyhow::Result<()> {
        with_distances!(distances, |distances| {
            self.write_array(names, axes, distances.as_storage(), shape)
        })
    }

    /// Writes these elements, row by row.
    pub(super) fn write_array<T: Scalar>(
        &self,
        names: &Names<'_>,
        axes: Axes<'_>,
        elements: &[T],
        shape: &[usize],
    ) -> anyhow::Result<()> {
        self.write_named(names, axes, |file| {
            Ok(npy::write(file, shape, elements).map_err(|error| file.error(error))?)
        })
    }
}

/// Whether the vertices are named 0, 1, 2 and so on.
fn is_counted(names: &Names<'_>, list: &[VertexId]) -> bool {
    (0..).zip(list).all(|(i, &vertex)| names.name(vertex) == Name::Number(i))
}

/// Writes the names of these vertices, one a line.
pub(crate) fn write_names(
    path: &Path,
    names: &Names<'_>,
    list: &[VertexId],
) -> anyhow::Result<AtomicFile> {
    let mut file = AtomicFile::create(path)?;
    list.iter()
        .try_for_each(|&vertex| writeln!(file, "{}", id_line(names.name(vertex))))
        .and_then(|()| file.flush())
        .map_err(|error| file.error(error))?;
    Ok(file)
}

//! Distances and paths, as tables to read or as arrays.

use std::io::{self, Write};
use std::ops::ControlFlow;

use anyhow::anyhow;
use apsp::ApspError;
use apsp::any::{AnyPairs, AnyRankPairs};
use collectives::Communicator;
use graph_formats::npy::{self, Dtype, Scalar};
use graph_formats::{AtomicFile, Distance, Name, VertexId};
use paths::{
    AnyDistances, AnyNearest, AnyTable, AnyTree, AnyWithin, Distances, Number, with_distances,
};
use sssp::Progress;

use super::arrays::Axes;
use super::mark::Mark;
use super::{Format, LINES_PER_CHECK, ResultFile, Written};
use crate::ids::Names;
use crate::progress::check_interrupt;

impl ResultFile {
    /// Writes a line for every reached vertex, or the array of all distances.
    pub(crate) fn write_tree(&self, names: &Names<'_>, tree: &AnyTree) -> anyhow::Result<()> {
        let mut file = self.start_tree(names, &tree.distances)?;
        file.add(names, &tree.distances, tree.predecessors.as_storage())?;
        file.finish(names)
    }

    /// The file of [`write_tree`](Self::write_tree), to which vertices with distances of the type of
    /// these are added.
    pub(crate) fn start_tree(
        &self,
        names: &Names<'_>,
        distances: &AnyDistances,
    ) -> anyhow::Result<TreeFile<'_>> {
        let mut file = self.create()?;
        let started = match self.format {
            Format::Npy => {
                let dtype = with_distances!(distances, |distances| dtype_of(distances));
                npy::write_header(&mut file, dtype, &[names.n_vertices])
            }
            Format::Tsv => writeln!(file, "vertex\tdistance\tpredecessor"),
        };
        started.map_err(|error| file.error(error))?;
        Ok(TreeFile { result: self, file, next: 0 })
    }

    /// The array of predecessors, to which vertices are added.
    pub(crate) fn start_predecessors(&self, names: &Names<'_>) -> anyhow::Result<TreeFile<'_>> {
        let mut file = self.create()?;
        let started = npy::write_header(&mut file, Dtype::U32, &[names.n_vertices]);
        started.map_err(|error| file.error(error))?;
        Ok(TreeFile { result: self, file, next: 0 })
    }

    /// Writes a line for every source and vertex within its limit.
    pub(crate) fn write_within(
        &self,
        names: &Names<'_>,
        sources: &[AnyWithin],
    ) -> anyhow::Result<()> {
        let lines = sources
            .iter()
            .flat_map(|within| (0..within.vertices.len()).map(move |place| (within, place)));
        self.write_lines("source\tvertex\tdistance\tpredecessor", lines, |out, (within, place)| {
            let (source, vertex) = (names.name(within.source), names.name(within.vertices[place]));
            write!(out, "{source}\t{vertex}\t")?;
            if let Some(distance) = within.distances.get(place) {
                write!(out, "{distance}\t")?;
            }
            match within.predecessors[place] {
                VertexId::MAX => writeln!(out),
                predecessor => writeln!(out, "{}", names.name(predecessor)),
            }
        })
    }

    /// Writes the array of predecessors.
    pub(crate) fn write_predecessors(
        &self,
        names: &Names<'_>,
        tree: &AnyTree,
    ) -> anyhow::Result<()> {
        let mut file = self.start_predecessors(names)?;
        file.add_predecessors(tree.predecessors.as_storage())?;
        file.finish(names)
    }

    /// Writes a row for every source and a column for every target.
    pub(crate) fn write_table(
        &self,
        names: &Names<'_>,
        sources: &[VertexId],
        targets: &[VertexId],
        table: &AnyTable,
    ) -> anyhow::Result<()> {
        if self.format == Format::Npy {
            let axes = Axes::Lists { rows: sources, columns: targets };
            let shape = [table.n_sources, table.n_targets];
            return self.write_distances(names, axes, &table.distances, &shape);
        }
        let header = header_of(names, targets.iter().copied());
        self.write_lines(&header, sources.iter().enumerate(), |out, (row, &source)| {
            write_row(out, names.name(source), table.row(row))
        })
    }

    /// A row for every vertex and a column for every vertex.
    pub(crate) fn pairs(
        &self,
        names: &Names<'_>,
        mark: &Mark,
        pairs: &dyn AnyPairs,
        progress: Progress<'_>,
    ) -> anyhow::Result<Written> {
        if self.format == Format::Npy {
            return self.named(self.create()?, names, Axes::Pairs(mark), |file| {
                self.done(pairs.write_npy(file, Some(progress)))
            });
        }
        let all = 0..pairs.n_vertices() as VertexId;
        let written = self.lines(&header_of(names, all.clone()), all, |out, source| {
            write_row(out, names.name(source), pairs.row(source).iter())
        });
        Ok(written?.into())
    }

    /// Writes what [`pairs`](Self::pairs) is, from the rows of several ranks. Rank 0 gathers them
    /// into a file that [`create`](Self::create) has opened.
    pub(crate) fn write_gathered(
        &self,
        mut file: AtomicFile,
        (names, mark): (&Names<'_>, &Mark),
        ranks: &dyn Communicator,
        pairs: &dyn AnyRankPairs,
        progress: Progress<'_>,
    ) -> anyhow::Result<()> {
        if self.format == Format::Npy {
            let written = self.named(file, names, Axes::Pairs(mark), |file| {
                self.done(pairs.write_npy(ranks, Some(file), Some(progress)))
            });
            return written?.put_in_place();
        }
        let header = header_of(names, 0..names.n_vertices as VertexId);
        let mut written = writeln!(file, "{header}");
        pairs.gather_rows(ranks, &mut |source, row| {
            if written.is_ok() {
                written = write_row(&mut file, names.name(source), row.iter());
            }
            match written.is_ok() && progress(source.into(), names.n_vertices as u64).is_continue()
            {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        })?;
        written.map_err(|error| file.error(error))?;
        check_interrupt()?;
        Ok(file.commit()?)
    }

    /// The array of next hops.
    pub(crate) fn next_hops(
        &self,
        names: &Names<'_>,
        mark: &Mark,
        pairs: &dyn AnyPairs,
        progress: Progress<'_>,
    ) -> anyhow::Result<Written> {
        self.named(self.create()?, names, Axes::Pairs(mark), |file| {
            self.done(pairs.write_next_hops_npy(file, Some(progress)))
        })
    }

    /// Writes the array of next hops from the rows of several ranks, at rank 0.
    pub(crate) fn write_gathered_hops(
        &self,
        file: AtomicFile,
        (names, mark): (&Names<'_>, &Mark),
        ranks: &dyn Communicator,
        pairs: &dyn AnyRankPairs,
        progress: Progress<'_>,
    ) -> anyhow::Result<()> {
        let written = self.named(file, names, Axes::Pairs(mark), |file| {
            self.done(pairs.write_next_hops_npy(ranks, Some(file), Some(progress)))
        });
        written?.put_in_place()
    }

    /// Adds the file's name to an error of writing.
    fn done(&self, written: Result<(), ApspError>) -> anyhow::Result<()> {
        written.map_err(|error| match error {
            ApspError::Interrupted(interrupted) => interrupted.into(),
            other => anyhow!("{}: {other}", self.path.display()),
        })
    }

    /// Writes the nearest source of every vertex that has one.
    pub(crate) fn write_nearest(
        &self,
        names: &Names<'_>,
        nearest: &AnyNearest,
    ) -> anyhow::Result<()> {
        let owned = nearest
            .distances
            .reached()
            .filter_map(|(vertex, distance)| Some((vertex, nearest.source_of(vertex)?, distance)));
        self.write_lines("vertex\tsource\tdistance", owned, |out, (vertex, source, distance)| {
            writeln!(out, "{}\t{}\t{distance}", names.name(vertex), names.name(source))
        })
    }
}

/// A file of a tree, to which vertices are added in their order.
pub(crate) struct TreeFile<'a> {
    result: &'a ResultFile,
    file: AtomicFile,
    next: VertexId,
}

impl TreeFile<'_> {
    /// Adds the next vertices: lines of those that are reached, or an array's distances.
    pub(crate) fn add(
        &mut self,
        names: &Names<'_>,
        distances: &AnyDistances,
        predecessors: &[VertexId],
    ) -> anyhow::Result<()> {
        let (first, file) = (self.next, &mut self.file);
        self.next += distances.len() as VertexId;
        if self.result.format == Format::Npy {
            let added = with_distances!(distances, |distances| {
                file.write_all(bytemuck::cast_slice(distances.as_storage()))
            });
            return Ok(added.map_err(|error| file.error(error))?);
        }
        for (written, (place, distance)) in distances.reached().enumerate() {
            if written % LINES_PER_CHECK == 0 {
                check_interrupt()?;
            }
            let predecessor = Some(predecessors[place as usize]).filter(|&v| v != VertexId::MAX);
            let added = write!(file, "{}\t{distance}\t", names.name(first + place));
            let added = added.and_then(|()| match predecessor {
                Some(predecessor) => writeln!(file, "{}", names.name(predecessor)),
                None => writeln!(file),
            });
            added.map_err(|error| file.error(error))?;
        }
        Ok(())
    }

    /// Adds the predecessors of the next vertices.
    pub(crate) fn add_predecessors(&mut self, predecessors: &[VertexId]) -> anyhow::Result<()> {
        let added = self.file.write_all(bytemuck::cast_slice(predecessors));
        Ok(added.map_err(|error| self.file.error(error))?)
    }

    /// Puts the file in its place, and the names of its vertices beside an array.
    pub(crate) fn finish(self, names: &Names<'_>) -> anyhow::Result<()> {
        check_interrupt()?;
        match self.result.format {
            Format::Npy => {
                self.result.named(self.file, names, Axes::Vertices, |_| Ok(()))?.put_in_place()
            }
            Format::Tsv => Ok(self.file.commit()?),
        }
    }
}

/// The type of the elements of an array of these distances.
fn dtype_of<D: Distance + Scalar>(_: &Distances<D>) -> Dtype {
    D::DTYPE
}

/// The header line of a table.
fn header_of(names: &Names<'_>, targets: impl Iterator<Item = VertexId>) -> String {
    targets.fold(String::from("source"), |header, target| {
        header + "\t" + &names.name(target).to_string()
    })
}

/// A line of a table.
fn write_row(
    out: &mut AtomicFile,
    source: Name<'_>,
    row: impl Iterator<Item = Option<Number>>,
) -> io::Result<()> {
    write!(out, "{source}")?;
    for distance in row {
        match distance {
            Some(distance) => write!(out, "\t{distance}")?,
            None => write!(out, "\t")?,
        }
    }
    writeln!(out)
}

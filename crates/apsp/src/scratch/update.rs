//! A closed matrix in a folder that follows a batch of changes, in one pass over its rows.
//!
//! The rows of the ends of changed arcs are read first, and kept. Then rows are read in blocks, as many
//! as memory allows, follow the changes (`dynamic/blocks.rs`), and are written beside the old ones, in
//! numbers that hold the new distances. When all are on the disk, they take the place of the old ones
//! ([`next`]). So a run that is ended at any moment leaves the matrix before the batch or after it. The
//! disk has to hold both for a while.
//!
//! Every row that is read is compared with its checksum, and every row that is written gets one. Next
//! hops are deleted; they are found again from the new distances.

use std::path::Path;

use collectives::Alone;
use graph_formats::{Csr, Distance, VertexId, Weight, WeightKind, ensure_granted, parallel, tell};
use rayon::ThreadPoolBuilder;
use sssp::Progress;

use super::folder::Folder;
use super::journal::{Journal, State, side_of};
use super::map::Output;
use super::matrix::{MATRIX, Scratch, write_panels};
use super::solve::{check_algorithm, check_disk, solve};
use super::sums::{Section, Sums};
use super::{ScratchError, ScratchFolder, digest, next};
use crate::dynamic::blocks::{Follower, Steps};
use crate::dynamic::weights::Weights;
use crate::element::{Element, with_element};
use crate::job::Job;
use crate::pairs::decode;
use crate::potentials::{RaisedWeight, potentials};
use crate::solver::WithChanges;
use crate::width::Narrow;
use crate::{Algorithm, ApspError, Config, InFolder, Plan, Updated};

/// Reads the old row of a vertex.
type ReadRow<D> = Box<dyn Fn(usize, &mut [D]) -> Result<(), ScratchError> + Send + Sync>;

/// The graph after the changes, of which the folder has the pairs then.
pub(crate) fn update<W: RaisedWeight>(
    (InFolder { solver, folder: scratch }, changes): WithChanges<'_, W>,
    progress: Option<Progress<'_>>,
) -> Result<(Csr<W>, Updated), ApspError> {
    // 1. what is asked for, and whether it is possible
    let graph = solver.graph;
    if solver.gpus.is_some() {
        let reason = "a matrix in a folder follows changes on the CPU".to_owned();
        return Err(ApspError::NotOnGpu { reason });
    }
    check_algorithm(solver.config)?;
    let algorithm = Algorithm::Blocked;
    let config = &Config { algorithm, next_hops: false, ..solver.config.clone() };
    let (steps, after) = Steps::of(graph, changes)?;
    check_sums(Weights::of(graph).and(changes), after.n_vertices(), W::KIND)?;
    let plan = Plan::new(&after, config, Narrow::Proven, progress)?;
    if after.first_negative().is_some() {
        let _ = potentials(&after, config.threads, progress)?;
    }
    let ends = steps.ends();
    let n_rows = n_rows(&steps, ends.len(), after.n_vertices(), config)?;

    // 2. the closed matrix, and room for the next one
    let job = &Job { ranks: &Alone, graph, config, progress };
    let (folder, journal) = closed(scratch, job)?;
    let numbers = plan.number.filter(|&number| !journal.numbers.hold(number));
    let numbers = numbers.unwrap_or(journal.numbers);
    let new = Journal::closed(digest(&after, progress)?, numbers, after.n_vertices());
    check_disk(&scratch.path, bytes_on_disk::<W>(&new))?;

    // 3. the pass over its rows
    let pool = ThreadPoolBuilder::new().num_threads(plan.threads).build()?;
    let (folder, read) = with_element!(W, journal.numbers, E => open::<W, E>(folder, journal)?);
    let written = parallel::install(&pool, || {
        let cells = read_ends(&ends, new.n_vertices, &read)?;
        let follower = steps.follower(&ends, cells)?;
        with_element!(W, numbers, E => {
            write::<W, E>(folder.path(), &new, &follower, (&read, n_rows), progress)
        })
    });
    // no file may be mapped when another takes its name
    drop(read);
    match written {
        Ok(updated) => {
            next::finish(folder.path())?;
            Ok((after, updated))
        }
        Err(error) => {
            // what stays there is deleted when the folder is locked again
            let _ = next::discard(folder.path());
            Err(error)
        }
    }
}

/// An error where a folder does not follow changes of these weights.
fn check_sums(weights: Weights, n_vertices: usize, kind: WeightKind) -> Result<(), ApspError> {
    if weights.are_rounded(kind, n_vertices) {
        return Err(ApspError::NotFollowed { reason: "sums of floats are rounded" });
    }
    if !weights.have_sums(kind, n_vertices) {
        let reason = "sums of weights may be too large for their type";
        return Err(ApspError::NotFollowed { reason });
    }
    Ok(())
}

/// The rows of a block that memory allows, or an error with the least memory that would do.
fn n_rows<W: Weight>(
    steps: &Steps<W>,
    n_ends: usize,
    n_vertices: usize,
    config: &Config,
) -> Result<usize, ApspError> {
    let (beside, row) = steps.bytes(n_ends, config.n_threads());
    // and as it is written
    let row = row + side_of(n_vertices) as u128 * size_of::<u64>() as u128;
    let (least, memory) = (beside + row, config.memory);
    if let Some(memory) = memory.filter(|&memory| u128::from(memory) < least) {
        return Err(ApspError::ChangesMemory { least: least.into(), memory });
    }
    let most = steps.n_rows();
    let allowed = memory.map_or(most as u128, |memory| (u128::from(memory) - beside) / row);
    let n_rows = most.min(usize::try_from(allowed).unwrap_or(most));
    let all = beside + n_rows as u128 * row;
    match usize::try_from(all).is_ok_and(|bytes| ensure_granted(bytes).is_ok()) {
        true => Ok(n_rows),
        false => Err(ApspError::too_large(n_vertices, all)),
    }
}

/// The folder, locked, with the closed matrix of the job's graph. It is closed first if it is not.
fn closed<W: RaisedWeight>(
    scratch: &ScratchFolder,
    job: &Job<'_, W>,
) -> Result<(Folder, Journal), ApspError> {
    let graph = digest(job.graph, job.progress)?;
    let resumed = &ScratchFolder { resume: true, ..scratch.clone() };
    loop {
        let folder = Folder::lock(&scratch.path)?;
        if let Some(begun) = Journal::read(&scratch.path)? {
            let n = job.graph.n_vertices();
            let same = Journal::new(graph.clone(), begun.numbers, n, begun.block);
            begun.check(&same, true, &scratch.path)?;
            let is_whole = matches!(begun.matrix, State::Filled | State::Settled);
            if is_whole && begun.pivots().is_none() {
                return Ok((folder, begun));
            }
        }
        drop(folder);
        let _ = solve(resumed, None, job)?;
    }
}

/// Bytes of the files of a closed matrix.
fn bytes_on_disk<W: Weight>(journal: &Journal) -> u128 {
    let Journal { side, block, numbers, .. } = *journal;
    let number = with_element!(W, numbers, E => size_of::<E>());
    Sums::bytes(journal) + (side + 2 * block) as u128 * side as u128 * number as u128
}

/// What reads the rows of a closed matrix, each compared with its checksum. Those of a vertex that the
/// matrix does not have reach nothing else, and nothing reaches such a vertex.
fn open<W: Weight, E: Element>(
    folder: Folder,
    journal: Journal,
) -> Result<(Folder, ReadRow<W::Distance>), ApspError> {
    let Scratch { folder, journal, matrix, sums, .. } = Scratch::<E>::map(folder, journal)?;
    let read = move |vertex: usize, row: &mut [W::Distance]| {
        let Journal { n_vertices, side, .. } = journal;
        row.fill(W::Distance::UNREACHED);
        if vertex >= n_vertices {
            row[vertex] = W::Distance::ZERO;
            return Ok(());
        }
        let rows = vertex..vertex + 1;
        sums.check((Section::Matrix, journal.step()), rows.clone(), &matrix, side)?;
        decode(&mut row[..n_vertices], &matrix.rows(rows, side)[..n_vertices]);
        Ok(())
    };
    Ok((folder, Box::new(read)))
}

/// The rows of vertices, one after the other, with this number of columns.
fn read_ends<D: Distance>(
    ends: &[VertexId],
    n_vertices: usize,
    read: &ReadRow<D>,
) -> Result<Vec<D>, ScratchError> {
    let mut cells = vec![D::UNREACHED; ends.len() * n_vertices];
    let rows = ends.iter().zip(cells.chunks_mut(n_vertices.max(1)));
    parallel::try_map_of(rows.collect(), &|(&end, row)| read(end as usize, row))?;
    Ok(cells)
}

/// Writes the files of the next state, which `new` is the journal of, when old rows have followed.
fn write<W: Weight, E: Element>(
    folder: &Path,
    new: &Journal,
    follower: &Follower<W>,
    (read, n_rows): (&ReadRow<W::Distance>, usize),
    progress: Option<Progress<'_>>,
) -> Result<Updated, ApspError> {
    let (n, side, written) = (new.n_vertices, new.side, (Section::Matrix, new.step()));
    let next = next::begin(folder)?;
    let mut sums = Sums::create(&next, new)?;
    let mut out = Output::create(next.join(MATRIX))?;
    let mut updated = Updated::default();
    let mut cells = vec![W::Distance::UNREACHED; n_rows.min(n) * n];
    let mut numbers = vec![E::INFINITE; n_rows.min(n) * side];
    for first in (0..n).step_by(n_rows) {
        tell(progress, first as u64, n as u64)?;
        let rows = first..n.min(first + n_rows);
        let cells = &mut cells[..rows.len() * n];
        let numbers = &mut numbers[..rows.len() * side];
        let tasks = rows.clone().zip(cells.chunks_mut(n)).collect();
        parallel::try_map_of(tasks, &|(vertex, row)| read(vertex, row))?;
        follower.follow(first, cells, &mut updated)?;
        let tasks = numbers.chunks_mut(side).zip(cells.chunks(n));
        parallel::for_each_of(tasks, &|(numbers, row)| {
            numbers.iter_mut().zip(row).for_each(|(number, &d)| *number = E::encode(d));
        });
        out.write(numbers)?;
        sums.record(written, rows, numbers);
    }
    for vertex in n..side {
        let mut row = vec![E::INFINITE; side];
        row[vertex] = E::ZERO;
        out.write(&row)?;
        sums.record(written, vertex..vertex + 1, &row);
    }
    out.sync()?;
    sums.flush()?;
    write_panels::<E>(&next, new)?;
    tell(progress, n as u64, n as u64)?;
    new.write(&next)?;
    Ok(updated)
}

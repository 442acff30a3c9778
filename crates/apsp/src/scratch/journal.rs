//! How far a run is: a small text file that is replaced whole.
//!
//! It names the graph by its digest, the numbers of the matrix, its shape and what is done.
//! The last line is a checksum of all before it. A new one is written beside the old one,
//! forced to the disk and renamed, so that there is always one, and whole.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use collectives::Communicator;
use sha2::{Digest, Sha256};

use super::digest::hexadecimal;
use super::{ALIGNMENT, ScratchError, side_of};
use crate::{ApspError, Number};

pub(super) const NAME: &str = "journal";
/// Where the next one is written.
pub(super) const NEXT: &str = "journal.new";
const TITLE: &str = "starpath scratch folder, version 2";
/// More than any journal has.
const MOST_BYTES: u64 = 4096;

/// What the matrix holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Not yet all arcs.
    Filling,
    /// The arcs, or distances that lead through some blocks of pivots.
    Filled,
    /// Distances of floats, some of them settled.
    Settling,
    /// Settled distances.
    Settled,
}

impl State {
    const ALL: [Self; 4] = [Self::Filling, Self::Filled, Self::Settling, Self::Settled];

    fn name(self) -> &'static str {
        match self {
            Self::Filling => "filling",
            Self::Filled => "filled",
            Self::Settling => "settling",
            Self::Settled => "settled",
        }
    }
}

/// What is done of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Journal {
    /// The digest of the graph.
    pub(super) graph: String,
    /// What the matrix is of.
    pub(super) numbers: Number,
    pub(super) n_vertices: usize,
    /// Rows and columns of the matrix.
    pub(super) side: usize,
    /// Pivots of a block; the last block may have fewer.
    pub(super) block: usize,
    /// What it holds.
    pub(super) matrix: State,
    /// Blocks of pivots that all distances lead through.
    pub(super) blocks_done: usize,
    /// Whether the panels of the next block are written.
    pub(super) panels_ready: bool,
    /// Rows of next hops that are written.
    pub(super) hop_rows: usize,
}

impl Journal {
    /// How many blocks of pivots there are.
    pub(super) fn n_blocks(&self) -> usize {
        self.side.div_ceil(self.block)
    }

    /// Whether it can be one of a graph of so many vertices.
    pub(super) fn is_of(&self, n_vertices: usize) -> bool {
        (self.n_vertices, self.side) == (n_vertices, side_of(n_vertices))
            && self.block.is_multiple_of(ALIGNMENT)
            && (1..=self.side).contains(&self.block)
            && self.blocks_done <= self.n_blocks()
    }

    /// Whether all distances lead through all pivots.
    pub(super) fn is_closed(&self) -> bool {
        self.matrix != State::Filling && self.blocks_done == self.n_blocks()
    }

    /// What the matrix is after, while no block is at work: so many blocks, and settling.
    pub(super) fn step(&self) -> usize {
        self.blocks_done + usize::from(self.matrix == State::Settled)
    }

    /// How far the run is, for people.
    pub(super) fn state(&self) -> String {
        format!("{} of {} blocks done", self.blocks_done, self.n_blocks())
    }

    fn text(&self) -> String {
        let Self { graph, numbers, n_vertices, side, block, blocks_done, hop_rows, .. } = self;
        let matrix = self.matrix.name();
        let panels = if self.panels_ready { "ready" } else { "open" };
        let mut text = format!(
            "{TITLE}\ngraph {graph}\nnumbers {numbers}\nvertices {n_vertices}\nside {side}\n\
             block {block}\nmatrix {matrix}\nblocks-done {blocks_done}\npanels {panels}\n\
             hop-rows {hop_rows}\n"
        );
        let checksum = hexadecimal(Sha256::new_with_prefix(&text));
        let _ = writeln!(text, "checksum {checksum}");
        text
    }

    /// What the text says; else what is wrong with it.
    fn parse(text: &str) -> Result<Self, &'static str> {
        if !text.starts_with(TITLE) {
            return Err("was not written by this version of starpath");
        }
        let mut words = text.lines().skip(1).filter_map(|line| line.split_once(' '));
        let mut word = |name| {
            words.next().filter(|found| found.0 == name).map(|found| found.1).ok_or("is damaged")
        };
        let number = |word: &str| word.parse::<usize>().map_err(|_| "is damaged");
        let state =
            |word| State::ALL.into_iter().find(|state| state.name() == word).ok_or("is damaged");
        let journal = Self {
            graph: word("graph")?.to_owned(),
            numbers: Number::of_name(word("numbers")?).ok_or("is damaged")?,
            n_vertices: number(word("vertices")?)?,
            side: number(word("side")?)?,
            block: number(word("block")?)?,
            matrix: state(word("matrix")?)?,
            blocks_done: number(word("blocks-done")?)?,
            panels_ready: word("panels")? == "ready",
            hop_rows: number(word("hop-rows")?)?,
        };
        // the checksum too: what is written again must be what was read
        let is_whole = journal.block > 0 && journal.text() == text;
        if is_whole { Ok(journal) } else { Err("is damaged") }
    }

    /// The journal that rank 0 has, on all ranks.
    pub(super) fn broadcast(
        own: Option<&Self>,
        ranks: &dyn Communicator,
    ) -> Result<Self, ApspError> {
        let text = own.map(|journal| journal.text().into_bytes()).unwrap_or_default();
        let text = ranks.broadcast_vec(0, text)?;
        Ok(Self::parse(&String::from_utf8_lossy(&text)).map_err(|problem| {
            ScratchError::Damaged { path: NAME.into(), problem: problem.to_owned() }
        })?)
    }

    /// The journal of a folder, if it has one.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, ScratchError> {
        let path = folder.join(NAME);
        let mut bytes = Vec::new();
        let read = File::open(&path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes));
        match read {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ScratchError::Open { path, source }),
            Ok(_) => {}
        }
        let parsed = Self::parse(&String::from_utf8_lossy(&bytes));
        parsed
            .map(Some)
            .map_err(|problem| ScratchError::Damaged { path, problem: problem.to_owned() })
    }

    /// Puts this journal in the place of the one before; it is on the disk then.
    pub(super) fn write(&self, folder: &Path) -> Result<(), ScratchError> {
        let next = folder.join(NEXT);
        let write = || {
            let mut file = File::create(&next)?;
            file.write_all(self.text().as_bytes())?;
            file.sync_all()?;
            fs::rename(&next, folder.join(NAME))?;
            // the name is on the disk when the folder is; only Unix opens folders
            if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
        };
        write().map_err(|source| ScratchError::Write { path: folder.join(NAME), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal() -> Journal {
        Journal {
            graph: "ab".repeat(32),
            numbers: Number::I32,
            n_vertices: 300,
            side: 384,
            block: 256,
            matrix: State::Filled,
            blocks_done: 1,
            panels_ready: true,
            hop_rows: 0,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Journal::read(folder.path()).unwrap(), None);
        for (matrix, hop_rows) in State::ALL.into_iter().zip([0, 0, 0, 7]) {
            let journal = Journal { matrix, hop_rows, ..journal() };
            journal.write(folder.path()).unwrap();
            assert_eq!(Journal::read(folder.path()).unwrap(), Some(journal));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn no_changed_or_missing_byte_goes_unseen() {
        let text = journal().text();
        assert_eq!(Journal::parse(&text), Ok(journal()));
        for at in 0..text.len() {
            assert!(Journal::parse(&text[..at]).is_err(), "the first {at} bytes");
            let mut other = text.clone().into_bytes();
            other[at] ^= 1;
            assert!(Journal::parse(&String::from_utf8_lossy(&other)).is_err(), "byte {at}");
        }
        assert!(Journal::parse("").is_err() && Journal::parse(&(text + "more\n")).is_err());
    }
}

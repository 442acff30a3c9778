//! The state of a run: a small text file that is always replaced as a whole.
//!
//! It names the graph by its digest, the numbers of the matrix, its shape and what is done.
//! The last line is a checksum of all before it. A new one is written beside the old one,
//! forced to the disk and renamed, so that there is always one, and whole.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::Path;

use collectives::Communicator;
use sha2::{Digest, Sha256};

use super::ScratchError;
use super::digest::hexadecimal;
use crate::{ApspError, Number};

pub(super) const NAME: &str = "journal";
/// Where the next one is written.
pub(super) const NEXT: &str = "journal.new";
const TITLE: &str = "starpath scratch folder, version 2";
/// More than any journal has.
const MAX_BYTES: u64 = 4096;
/// Sides of matrices and blocks are multiples of this, so that blocks of any engine fit.
pub(super) const ALIGNMENT: usize = 128;

/// Rows and columns of a matrix for `n` vertices; never none, for then no file is empty.
pub(super) fn side_of(n: usize) -> usize {
    n.max(1).next_multiple_of(ALIGNMENT)
}

/// What the matrix holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
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
    /// All of them, in their order, with the words of the journal.
    const NAMES: [(Self, &'static str); 4] = [
        (Self::Filling, "filling"),
        (Self::Filled, "filled"),
        (Self::Settling, "settling"),
        (Self::Settled, "settled"),
    ];
}

/// What is done of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Journal {
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
    /// That of a run of which nothing is done.
    pub(super) fn new(graph: String, numbers: Number, n_vertices: usize, block: usize) -> Self {
        Self {
            graph,
            numbers,
            n_vertices,
            side: side_of(n_vertices),
            block,
            matrix: State::Filling,
            blocks_done: 0,
            panels_ready: false,
            hop_rows: 0,
        }
    }

    /// That of a closed matrix.
    pub(super) fn closed(graph: String, numbers: Number, n_vertices: usize) -> Self {
        let new = Self::new(graph, numbers, n_vertices, ALIGNMENT);
        Self { matrix: State::Filled, blocks_done: new.n_blocks(), ..new }
    }

    /// How many blocks of pivots there are.
    pub(super) fn n_blocks(&self) -> usize {
        self.side.div_ceil(self.block)
    }

    /// The next block of pivots; `None` where all distances lead through all.
    pub(super) fn pivots(&self) -> Option<Range<usize>> {
        let first = self.blocks_done * self.block;
        (first < self.side).then(|| first..(first + self.block).min(self.side))
    }

    /// The number of the matrix's step between two blocks: the blocks done, plus one for settling.
    pub(super) fn step(&self) -> usize {
        self.blocks_done + usize::from(self.matrix == State::Settled)
    }

    /// An error unless this run may go on, in this folder, where `new` is asked for: on the same
    /// graph, in the same numbers or wider ones.
    pub(super) fn check(
        &self,
        new: &Self,
        resume: bool,
        folder: &Path,
    ) -> Result<(), ScratchError> {
        let folder = folder.to_owned();
        let shape = |journal: &Self| (journal.n_vertices, journal.side);
        let is_possible = shape(self) == shape(new)
            && self.block.is_multiple_of(ALIGNMENT)
            && (1..=self.side).contains(&self.block)
            && self.blocks_done <= self.n_blocks();
        if self.graph != new.graph {
            let what = "another graph".to_owned();
            Err(ScratchError::OtherRun { folder, what })
        } else if !is_possible {
            Err(ScratchError::damaged(&folder.join(NAME), "does not belong to this graph"))
        } else if !self.numbers.hold(new.numbers) {
            let (found, asked) = (self.numbers, new.numbers);
            let what =
                format!("this graph with entries of type {found}, which cannot hold {asked}");
            Err(ScratchError::OtherRun { folder, what })
        } else if !resume {
            let state = format!("{} of {} blocks done", self.blocks_done, self.n_blocks());
            Err(ScratchError::Started { folder, state })
        } else {
            Ok(())
        }
    }

    fn text(&self) -> String {
        let Self { graph, numbers, n_vertices, side, block, blocks_done, hop_rows, .. } = self;
        let (_, matrix) = State::NAMES[self.matrix as usize];
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

    /// What the bytes of the journal `path` say.
    fn parse(path: &Path, bytes: &[u8]) -> Result<Self, ScratchError> {
        let text = String::from_utf8_lossy(bytes);
        if !text.starts_with(TITLE) {
            let problem = "was not written by this version of starpath";
            return Err(ScratchError::damaged(path, problem));
        }
        // names and checksum too: what would be written again must be what was read
        let journal = Self::from_lines(&text).filter(|journal| journal.text() == text);
        journal.ok_or_else(|| ScratchError::damaged(path, "is damaged"))
    }

    /// What the lines say in their order, whatever their names.
    fn from_lines(text: &str) -> Option<Self> {
        let mut words = text.lines().skip(1).map_while(|line| Some(line.split_once(' ')?.1));
        let mut word = || words.next();
        let state = |word| State::NAMES.into_iter().find(|&(_, name)| name == word);
        Some(Self {
            graph: word()?.to_owned(),
            numbers: Number::of_name(word()?)?,
            n_vertices: word()?.parse().ok()?,
            side: word()?.parse().ok()?,
            block: word()?.parse().ok()?,
            matrix: state(word()?)?.0,
            blocks_done: word()?.parse().ok()?,
            panels_ready: word()? == "ready",
            hop_rows: word()?.parse().ok()?,
        })
    }

    /// The journal that rank 0 has, on all ranks.
    pub(super) fn broadcast(
        own: Option<&Self>,
        ranks: &dyn Communicator,
    ) -> Result<Self, ApspError> {
        let text = own.map(|journal| journal.text().into_bytes()).unwrap_or_default();
        Ok(Self::parse(NAME.as_ref(), &ranks.broadcast_vec(0, text)?)?)
    }

    /// The journal of a folder, if it has one.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, ScratchError> {
        let path = folder.join(NAME);
        let mut bytes = Vec::new();
        match File::open(&path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes)) {
            Ok(_) => Self::parse(&path, &bytes).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ScratchError::Open { path, source }),
        }
    }

    /// Puts this journal in the place of the one before; it is on the disk then.
    pub(super) fn write(&self, folder: &Path) -> Result<(), ScratchError> {
        let (path, next) = (folder.join(NAME), folder.join(NEXT));
        let write = || {
            let mut file = File::create(&next)?;
            file.write_all(self.text().as_bytes())?;
            file.sync_all()?;
            fs::rename(&next, &path)?;
            sync_names(folder)
        };
        write().map_err(ScratchError::write(&path))
    }
}

/// Returns when the names of a folder's files are on the disk.
pub(super) fn sync_names(folder: &Path) -> io::Result<()> {
    // they are when the folder is; only Unix opens folders
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal() -> Journal {
        let new = Journal::new("ab".repeat(32), Number::I32, 300, 256);
        Journal { blocks_done: 1, panels_ready: true, ..new }
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Journal::read(folder.path()).unwrap(), None);
        for ((matrix, _), hop_rows) in State::NAMES.into_iter().zip([0, 0, 0, 7]) {
            let journal = Journal { matrix, hop_rows, ..journal() };
            journal.write(folder.path()).unwrap();
            assert_eq!(Journal::read(folder.path()).unwrap(), Some(journal));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn no_changed_or_missing_byte_goes_unseen() {
        let parse = |bytes: &[u8]| Journal::parse(NAME.as_ref(), bytes);
        let bytes = journal().text().into_bytes();
        assert_eq!(parse(&bytes).unwrap(), journal());
        for at in 0..bytes.len() {
            assert!(parse(&bytes[..at]).is_err(), "the first {at} bytes");
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert!(parse(&other).is_err(), "byte {at}");
        }
        assert!(parse(&[&bytes[..], b"more\n"].concat()).is_err());
    }
}

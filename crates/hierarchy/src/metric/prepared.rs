//! A hierarchy with weights, stored in the file of its graph.
//!
//! It is an [attachment](graph_formats::Attachment) of the graph's `.spg` file: a header of 64
//! bytes and five arrays, each from the next multiple of 64 on, all little-endian. The first two
//! are the vertex of each rank (`u32`) and where the arcs of each rank start (n + 1 `u32`). The
//! others have of each arc the depth where it ends (`u16`), its two keys and its two origins
//! (`u32`). They are used where they lie, so that a mapped file takes no time but that of its
//! checksum and of [checks](super::consistency) that they are right for this graph, which look at
//! each triangle once. What else a [`Hierarchy`] has follows from the arrays.

use std::ops::Range;
use std::path::Path;

use bytemuck::{Pod, Zeroable, bytes_of, cast_slice};
use graph_formats::{
    AnyCsr, Attachment, Buffer, Csr, GraphError, Ids, LoadedGraph, Weight, ensure_granted,
    with_csr, write_attached,
};

use super::arcs::{Arcs, OF_GRAPH};
use super::consistency::is_consistent;
use super::key::{KeyKind, is_float};
use super::{AnyArcs, with_arcs};
use crate::prepare::hierarchy::{BYTES_OF_VERTEX, mix, structure};
use crate::{Hierarchy, HierarchyError, Metric};

/// The kind of attachment, with its version.
const KIND: [u8; 8] = *b"HIERAR02";
/// The version before, whose origins have not noted the second of their two arcs.
const KIND_BEFORE: [u8; 8] = *b"HIERAR01";
const ALIGNMENT: usize = 64;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    n_arcs: u64,
    /// 0 to 3: `u32`, `u64`, `u128`, `f64`.
    keys: u64,
    /// Of the arcs and of the weights of the graph.
    digests: [u64; 2],
    zeros: [u64; 4],
}

/// A hierarchy with weights, as the file of a graph has it.
pub struct Prepared {
    hierarchy: Hierarchy,
    arcs: AnyArcs,
    weights: u64,
}

impl Prepared {
    /// The hierarchy that [`Metric::write`] stored in the file of `graph`; `None` if the file has
    /// none. O(n + m + triangles), for it is checked whole: whatever is taken answers right.
    ///
    /// # Errors
    /// When something else is attached to the graph, or a hierarchy that is damaged or of another
    /// version; when the system refuses the memory.
    ///
    /// ```
    /// use graph_formats::{Csr, Ids, read};
    /// use hierarchy::{Hierarchy, Order, Prepared};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("roads.prepared");
    /// let graph = Csr::from_edges(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// hierarchy.customize(&graph)?.write(&path, &Ids::FromOne)?;
    ///
    /// let loaded = read(&path)?;
    /// let prepared = Prepared::of(&loaded)?.expect("it was prepared");
    /// let graph = loaded.csr.into_csr::<u32>()?;
    /// assert_eq!(prepared.metric(&graph)?.query().distance(0, 2)?, Some(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(graph: &LoadedGraph) -> Result<Option<Self>, HierarchyError> {
        let Some(Attachment { kind, bytes }) = &graph.attachment else { return Ok(None) };
        if ![KIND, KIND_BEFORE].contains(kind) {
            let kind = String::from_utf8_lossy(kind).into_owned();
            return Err(HierarchyError::AnotherAttachment { kind });
        }
        // all but the arcs' ends, keys and origins is made from these, and they are checked
        ensure_granted(BYTES_OF_VERTEX * graph.csr.n_vertices() + bytes.len() / 4)?;
        Self::of_bytes(bytes, &graph.csr).map(Some).ok_or(HierarchyError::Damaged)
    }

    /// The hierarchy, for other weights.
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }

    pub(crate) fn metric_of<W: Weight>(&self, graph: &Csr<W>) -> Result<Metric<W>, HierarchyError> {
        self.hierarchy.check_arcs(&structure(graph))?;
        let is_kind = is_float::<W>() == matches!(self.arcs, AnyArcs::F64(_));
        if !is_kind || self.weights != digest_of_weights(graph) {
            return Err(HierarchyError::AnotherGraph);
        }
        let (_, bound) = KeyKind::of(graph)?;
        let (hierarchy, arcs) = (self.hierarchy.clone(), self.arcs.clone());
        Ok(Metric { hierarchy, graph: graph.clone(), arcs, bound })
    }

    fn of_bytes(bytes: &Buffer<u8>, csr: &AnyCsr) -> Option<Self> {
        let header: Header = *bytes.array(0..bytes.len().min(size_of::<Header>())).first()?;
        let n_arcs = usize::try_from(header.n_arcs).ok()?;
        // others have the mark of the graph's arcs
        let n = (n_arcs <= OF_GRAPH as usize).then_some(csr.n_vertices())?;
        let mut sections = Sections { bytes, end: size_of::<Header>() };
        let vertices = sections.next(n)?;
        let offsets = sections.next(n + 1)?;
        let ends = sections.next(n_arcs)?;
        let [digest, weights] = header.digests;
        let hierarchy = Hierarchy::of_arrays(vertices, offsets, ends, digest)?;
        let (least, _) = with_csr!(csr, |csr| KeyKind::of(csr)).ok()?;
        let arcs = match (header.keys, least) {
            (0, KeyKind::U32) => AnyArcs::U32(sections.arcs(n_arcs)?),
            (1, KeyKind::U32 | KeyKind::U64) => AnyArcs::U64(sections.arcs(n_arcs)?),
            (2, KeyKind::U32 | KeyKind::U64 | KeyKind::U128) => {
                AnyArcs::U128(sections.arcs(n_arcs)?)
            }
            (3, KeyKind::F64) => AnyArcs::F64(sections.arcs(n_arcs)?),
            _ => return None,
        };
        let all_there = sections.end == bytes.len();
        let is_right = with_arcs!(&arcs, arcs => {
            with_csr!(csr, |csr| {
                all_there
                    && weights == digest_of_weights(csr)
                    && hierarchy.check_arcs(&structure(csr)).is_ok()
                    && is_consistent(&hierarchy, arcs, csr)
            })
        });
        is_right.then_some(Self { hierarchy, arcs, weights })
    }
}

impl<W: Weight> Metric<W> {
    pub(crate) fn write_to(&self, path: &Path, ids: &Ids) -> Result<(), GraphError> {
        let Hierarchy { vertices, offsets, ends, digest, .. } = &self.hierarchy;
        let keys = match &self.arcs {
            AnyArcs::U32(_) => 0,
            AnyArcs::U64(_) => 1,
            AnyArcs::U128(_) => 2,
            AnyArcs::F64(_) => 3,
        };
        let digests = [*digest, digest_of_weights(&self.graph)];
        let header = Header { n_arcs: ends.len() as u64, keys, digests, zeros: [0; 4] };
        let (keys, origins): (&[u8], &[u8]) = with_arcs!(&self.arcs, arcs => {
            (cast_slice(&arcs.keys), cast_slice(&arcs.origins))
        });
        let sections: [&[u8]; 6] = [
            bytes_of(&header),
            cast_slice(vertices),
            cast_slice(offsets),
            cast_slice(ends),
            keys,
            origins,
        ];
        let mut pieces: Vec<&[u8]> = Vec::new();
        let mut end = 0usize;
        for section in sections {
            let start = end.next_multiple_of(ALIGNMENT);
            pieces.push(&[0; ALIGNMENT][..start - end]);
            pieces.push(section);
            end = start + section.len();
        }
        write_attached(path, &self.graph, ids, KIND, &pieces)
    }
}

/// The arrays of an attachment, from the first on.
struct Sections<'a> {
    bytes: &'a Buffer<u8>,
    end: usize,
}

impl Sections<'_> {
    /// The next array, of `n` numbers; `None` if the bytes end before.
    fn next<T: Pod>(&mut self, n: usize) -> Option<Buffer<T>> {
        let start = self.end.next_multiple_of(ALIGNMENT);
        let range: Range<usize> = start..start.checked_add(n.checked_mul(size_of::<T>())?)?;
        self.bytes.get(range.clone())?;
        self.end = range.end;
        Some(self.bytes.array(range))
    }

    fn arcs<K: Pod>(&mut self, n_arcs: usize) -> Option<Arcs<K>> {
        Some(Arcs { keys: self.next(n_arcs)?, origins: self.next(n_arcs)? })
    }
}

fn digest_of_weights<W: Weight>(graph: &Csr<W>) -> u64 {
    let bytes: &[u8] = cast_slice(graph.stored_weights());
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
    bytes.chunks(8).fold(1, |digest, bytes| mix(digest, number(bytes)))
}

//! Prepared files that were changed with intent: they are refused, or answer right.

use std::ops::Range;

use bytemuck::{cast_slice, cast_slice_mut};
use graph_formats::generate::{GridConfig, grid};
use graph_formats::{AnyCsr, Attachment, Csr, Ids, LoadedGraph, VertexId, read};
use hierarchy::{Hierarchy, HierarchyError, Metric, MetricWeight, Order, Prepared};
use test_support::draws;

use crate::common::{check, hierarchy_of, reweighted};

const KIND: [u8; 8] = *b"HIERAR02";
/// The mark of an arc of the graph.
const OF_GRAPH: u32 = 1 << 31;

fn square<W: MetricWeight>(side: u32) -> Csr<W> {
    let graph = grid(&GridConfig { side, ..Default::default() }).unwrap();
    reweighted(&graph, 5).convert_weights().unwrap()
}

/// The attachment of the file of a metric, as words of 32 bits.
fn words_of<W: MetricWeight>(metric: &Metric<W>) -> Vec<u32> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grid.prepared");
    metric.write(&path, &Ids::FromOne).unwrap();
    let mut bytes = read(&path).unwrap().attachment.unwrap().bytes.to_vec();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytemuck::pod_collect_to_vec(&bytes)
}

/// What a graph says with these bytes attached.
fn attached<W: MetricWeight>(graph: &Csr<W>, bytes: &[u8]) -> Result<Prepared, HierarchyError>
where
    AnyCsr: From<Csr<W>>,
{
    let mut loaded = LoadedGraph::new(graph.clone(), Ids::FromOne);
    loaded.attachment = Some(Attachment { kind: KIND, bytes: bytes.to_vec().into() });
    Prepared::of(&loaded).map(Option::unwrap)
}

/// Whether words are taken; all answers must then be right, also by other weights.
fn is_taken<W: MetricWeight>(graph: &Csr<W>, words: &[u32], what: &str) -> bool
where
    AnyCsr: From<Csr<W>>,
{
    let prepared = match attached(graph, cast_slice(words)) {
        Ok(prepared) => prepared,
        Err(error) => {
            assert_eq!(error, HierarchyError::Damaged, "{what}");
            return false;
        }
    };
    println!("{what} is taken");
    let all: Vec<VertexId> = graph.vertices().collect();
    let mut metric = prepared.metric(graph).unwrap();
    check(graph, &metric, &all);
    metric.update(&[(0, W::ONE)]).unwrap();
    check(&metric.graph().clone(), &metric, &all);
    true
}

/// Where the arrays of an attachment start, in words: the vertices, the offsets, the ends, the keys
/// and the origins.
struct Layout {
    starts: [usize; 5],
    n_arcs: usize,
    words_of_key: usize,
    end: usize,
}

impl Layout {
    fn of(n_vertices: usize, words: &[u32]) -> Self {
        let (n_arcs, words_of_key) = (words[0] as usize, [1, 2, 4, 2][words[2] as usize]);
        let next = |start: usize, len: usize| (start + len).next_multiple_of(16);
        let offsets = next(16, n_vertices);
        let ends = next(offsets, n_vertices + 1);
        let keys = next(ends, n_arcs.div_ceil(2));
        let origins = next(keys, 2 * n_arcs * words_of_key);
        let end = origins + 2 * n_arcs;
        Self { starts: [16, offsets, ends, keys, origins], n_arcs, words_of_key, end }
    }

    /// What an arc is made of, without the second of its arcs.
    fn without_note(&self, origin: u32) -> u32 {
        let n_bits = usize::BITS - (self.n_arcs - 1).leading_zeros();
        if origin & OF_GRAPH == 0 { origin % (1 << n_bits) } else { origin }
    }

    /// The words of an array.
    fn section(&self, i: usize) -> Range<usize> {
        self.starts[i]..self.starts.get(i + 1).map_or(self.end, |&next| next)
    }
}

/// The version before did not note the second of the arcs that an arc is made of.
#[test]
fn origins_without_notes() {
    let graph = square::<u32>(9);
    let mut words = words_of(&hierarchy_of(&graph).customize(&graph).unwrap());
    let layout = Layout::of(graph.n_vertices(), &words);
    for origin in &mut words[layout.section(4)] {
        let without = layout.without_note(*origin);
        assert_eq!(without == *origin, *origin & OF_GRAPH != 0);
        *origin = without;
    }
    assert!(is_taken(&graph, &words, "without notes"));
    let mut loaded = LoadedGraph::new(graph, Ids::FromOne);
    let bytes = cast_slice(&words).to_vec().into();
    loaded.attachment = Some(Attachment { kind: *b"HIERAR01", bytes });
    assert!(Prepared::of(&loaded).is_ok());
}

/// Every byte as 0, 1, 255 and with each bit flipped; and every shorter attachment.
#[test]
fn bytes() {
    let graph = square::<u32>(3);
    let words = words_of(&hierarchy_of(&graph).customize(&graph).unwrap());
    assert!(is_taken(&graph, &words, "nothing"));
    let bytes: &[u8] = cast_slice(&words);
    let (mut n, mut n_taken) = (0, 0);
    for at in 0..bytes.len() {
        let flipped = (0..8).map(|bit| bytes[at] ^ 1 << bit);
        for byte in [0, 1, 255].into_iter().chain(flipped).filter(|&byte| byte != bytes[at]) {
            let mut changed = words.clone();
            cast_slice_mut::<_, u8>(&mut changed)[at] = byte;
            n += 1;
            n_taken += u32::from(is_taken(&graph, &changed, "a byte"));
        }
        assert_eq!(attached(&graph, &bytes[..at]).err(), Some(HierarchyError::Damaged), "{at}");
    }
    // gaps between arrays, and zeros of the header
    assert!(n_taken * 3 < n, "{n_taken} of {n}");
}

/// Lengths, kinds of keys and offsets that are huge, wrap or descend; arrays in each other's place.
#[test]
fn structure() {
    let graph = square::<u32>(4);
    let whole = words_of(&hierarchy_of(&graph).customize(&graph).unwrap());
    let layout = Layout::of(graph.n_vertices(), &whole);
    let refuse = |what: String, change: &dyn Fn(&mut [u32])| {
        let mut words = whole.clone();
        change(&mut words);
        assert!(words == whole || !is_taken(&graph, &words, &what), "{what}");
    };
    let n_arcs = layout.n_arcs as u64;
    for length in [0, 1, n_arcs - 1, n_arcs + 1, n_arcs << 32, u64::MAX, 1 << 31, 1 << 60, 1 << 61]
    {
        refuse(format!("length {length}"), &|words| {
            (words[0], words[1]) = (length as u32, (length >> 32) as u32);
        });
    }
    for kind in [1, 2, 3, 4, u32::MAX] {
        refuse(format!("keys of kind {kind}"), &|words| words[2] = kind);
    }
    for digest in 4..8 {
        refuse(format!("digest {digest}"), &|words| words[digest] ^= 1);
    }
    for i in 0..5 {
        for j in 0..5 {
            let (from, to) = (layout.section(i), layout.section(j));
            let n = from.len().min(to.len());
            refuse(format!("arrays {i} and {j}"), &|words| {
                (0..n).for_each(|k| words.swap(from.start + k, to.start + k));
            });
        }
    }
    let [vertices, offsets, ends, ..] = layout.starts;
    let n = graph.n_vertices();
    for at in 0..=n {
        for offset in [0, 1, whole[offsets] + 1, layout.n_arcs as u32, u32::MAX, 1 << 31] {
            refuse(format!("offset {at} is {offset}"), &|words| words[offsets + at] = offset);
        }
        refuse(format!("offset {at} is swapped"), &|words| words.swap(offsets + at, offsets));
    }
    for at in 0..layout.n_arcs {
        for end in [0, 1, 2, 7, u16::MAX - 1, u16::MAX] {
            refuse(format!("end {at} is {end}"), &|words| {
                cast_slice_mut::<_, u16>(&mut words[ends..])[at] = end;
            });
        }
    }
    for at in 0..n {
        for vertex in [0, 1, n as u32, u32::MAX] {
            refuse(format!("vertex {at} is {vertex}"), &|words| words[vertices + at] = vertex);
        }
    }
}

/// Each arc made of anything else, with keys that go with it: real paths, but longer, or as long and
/// made of others, so that paths go round cycles of no length.
#[test]
fn arcs_that_are_made_of_others() {
    let graph = square(4);
    make_of_others(&graph.map_weights(|_| 0).unwrap());
    make_of_others(&graph);
}

fn make_of_others(graph: &Csr<u32>) {
    let whole = words_of(&hierarchy_of(graph).customize(graph).unwrap());
    let layout = Layout::of(graph.n_vertices(), &whole);
    let [_, _, ends, keys, origins] = layout.starts;
    let n_ways = 2 * layout.n_arcs;
    let refuse = |way: usize, key: u32, origin: u32| {
        let own = (whole[keys + way], whole[origins + way]);
        // also without a note of the second arc
        let is_same = [own, (own.0, layout.without_note(own.1))].contains(&(key, origin));
        let mut words = whole.clone();
        (words[keys + way], words[origins + way]) = (key, origin);
        let what = format!("way {way} has {key} by {origin:x}");
        assert_eq!(is_taken(graph, &words, &what), is_same, "{what}");
    };
    let ends_of: &[u16] = cast_slice(&whole[ends..keys]);
    for way in 0..n_ways {
        let (own, own_origin) = (whole[keys + way], whole[origins + way]);
        for arc in 0..graph.n_arcs() {
            refuse(way, graph.weight(arc), OF_GRAPH | arc as u32);
        }
        for (first, second) in (0..way / 2).flat_map(|i| (i + 1..way / 2).map(move |j| (i, j))) {
            if ends_of[second] != ends_of[way / 2] || second - first > 8 {
                continue;
            }
            // the two ways along the sides
            let [there, on] = if way % 2 == 0 { [first, second] } else { [second, first] };
            let sum = whole[keys + 2 * there + 1] + whole[keys + 2 * on];
            refuse(way, sum, first as u32);
        }
        for key in [
            0,
            1,
            own.wrapping_sub(1),
            own + 1,
            u32::MAX / 2 - 1,
            u32::MAX / 2,
            u32::MAX / 2 + 1,
            u32::MAX,
        ] {
            refuse(way, key, own_origin);
        }
        for origin in [0, 1, way as u32 / 2, layout.n_arcs as u32, OF_GRAPH - 1, OF_GRAPH, u32::MAX]
        {
            refuse(way, own, origin);
        }
    }
}

/// A key that is longer than any path, by going forth and back: sums with it would wrap.
#[test]
fn keys_beyond_no_path() {
    let far = (1 << 31) - 4_000;
    let arcs = [(0, 1, far), (0, 2, far), (0, 3, far), (1, 0, 1), (2, 0, 1), (3, 0, 1)];
    let graph = Csr::from_arcs(4, &arcs).unwrap();
    let order = Order::from_vertices(vec![0, 1, 2, 3]).unwrap();
    let metric = Hierarchy::new(&graph, &order).unwrap().customize(&graph).unwrap();
    let mut words = words_of(&metric);
    let layout = Layout::of(4, &words);
    let [_, _, _, keys, origins] = layout.starts;
    assert_eq!((layout.n_arcs, layout.words_of_key), (6, 1));
    // the arcs are 0-1, 0-2, 0-3, 1-2, 1-3 and 2-3: from 2 by 0 to 1 and by 0 to 3
    assert_eq!(words[keys + 10..keys + 12], [far + 1; 2]);
    words[keys + 10..keys + 12].fill(2 * (far + 1));
    words[origins + 10..origins + 12].fill(3);
    assert!(!is_taken(&graph, &words, "a key beyond that of no path"));
}

#[test]
fn another_kind() {
    let mut loaded = LoadedGraph::new(square::<u32>(3), Ids::FromOne);
    loaded.attachment = Some(Attachment { kind: *b"HIERAR99", bytes: vec![0; 64].into() });
    let kind = "HIERAR99".to_owned();
    assert_eq!(Prepared::of(&loaded).err(), Some(HierarchyError::AnotherAttachment { kind }));
}

/// The hierarchy of another graph, and digests of another, whose arcs would be read.
#[test]
fn another_graph() {
    let graph = square::<u32>(5);
    let words = words_of(&hierarchy_of(&graph).customize(&graph).unwrap());
    let heavier = reweighted(&graph, 77);
    let path: Vec<_> = (1..25u32).map(|v| (v - 1, v, v)).collect();
    let path = Csr::from_edges(25, &path).unwrap();
    for other in [heavier, path] {
        assert!(!is_taken(&other, &words, "another graph"));
        let others = words_of(&hierarchy_of(&other).customize(&other).unwrap());
        let mut claims = words.clone();
        claims[4..8].copy_from_slice(&others[4..8]);
        assert!(!is_taken(&graph, &claims, "digests of another"));
        assert!(!is_taken(&other, &claims, "digests of its own"));
    }
}

/// Some words at once, as others of the file or at the limits, with keys of each width.
fn draw_words<W: MetricWeight>(graph: &Csr<W>, kind: u32)
where
    AnyCsr: From<Csr<W>>,
{
    let whole = words_of(&hierarchy_of(graph).customize(graph).unwrap());
    assert_eq!(whole[2], kind);
    let layout = Layout::of(graph.n_vertices(), &whole);
    let limits = [0, 1, 1 << 31, (1 << 31) - 1, u32::MAX, 0x7ff0_0000, 0x7ff8_0000, 0xbff0_0000];
    let mut draw = draws(kind.into());
    for _ in 0..500 {
        let mut words = whole.clone();
        for _ in 0..=draw(3) {
            let section = layout.section(draw(5) as usize);
            let at = section.start + draw(section.len() as u64) as usize;
            words[at] = match draw(4) {
                0 => limits[draw(limits.len() as u64) as usize],
                1 => words[at] ^ 1 << draw(32),
                _ => words[section.start + draw(section.len() as u64) as usize],
            };
        }
        is_taken(graph, &words, "some words");
    }
}

#[test]
fn words_of_keys_of_all_kinds() {
    draw_words(&square::<u32>(5), 0);
    draw_words(&square::<i64>(5).map_weights(|weight| weight << 40).unwrap(), 1);
    draw_words(&square::<u64>(5).map_weights(|weight| weight << 50).unwrap(), 2);
    draw_words(&square::<f64>(5), 3);
    draw_words(&square::<f32>(5), 3);
}

/// Wider keys than are needed are no lie, and narrower ones are.
#[test]
fn keys_hold_all_lengths() {
    let words = |graph: &Csr<u64>| words_of(&hierarchy_of(graph).customize(graph).unwrap());
    let far = Csr::from_edges(3, &[(0, 1, 1u64 << 40), (1, 2, 1)]).unwrap();
    let near = Csr::from_edges(3, &[(0, 1, 0), (1, 2, 1)]).unwrap();
    // the header says 32 bits, in which 2^40 is 0
    let (wide, mut narrow) = (words(&far), words(&near));
    assert_eq!((narrow[2], wide[2]), (0, 1));
    narrow[4..8].copy_from_slice(&wide[4..8]);
    assert!(!is_taken(&far, &narrow, "narrow keys"));
    // the arcs are 0-1 and 1-2, or the reverse, and each key has another word
    let mut widened = narrow.clone();
    widened[2] = 1;
    let (keys, origins) = (Layout::of(3, &narrow).starts[3], Layout::of(3, &narrow).starts[4]);
    widened.truncate(keys);
    widened.extend(narrow[keys..keys + 4].iter().flat_map(|&key| [key, 0]));
    widened.resize(widened.len().next_multiple_of(16), 0);
    widened.extend(&narrow[origins..origins + 4]);
    widened[4..8].copy_from_slice(&words(&near)[4..8]);
    assert!(is_taken(&near, &widened, "wide keys"));
}

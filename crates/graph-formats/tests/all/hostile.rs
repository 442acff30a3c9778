//! Whatever bytes a file has, reading it ends in a graph or an error: no panic, no
//! memory that the file's size does not justify.

use graph_formats::{Csr, Format, Ids, parse, write_csr};
use proptest::collection::vec;
use proptest::prelude::*;

/// The bytes of a small valid file of each format.
fn valid(format: Format) -> Vec<u8> {
    if !format.is_writable() || format == Format::Graph {
        return match format {
            Format::Graph => b"% x\n3 2 011 1\n5 2 7\n5 1 7 3 8\n5 2 8\n".to_vec(),
            Format::Matrix => b",a,b\na,0,2.5\nb,-7,\n".to_vec(),
            Format::Net => {
                b"*Vertices 3\n1 \"a\"\n2 b\n3 c\n*Arcs\n1 2 7\n*Edgeslist\n2 3\n".to_vec()
            }
            Format::Graphml => b"<graphml><key id='w' for='edge' attr.name='weight'/>\
                <graph edgedefault='undirected'><node id='a'/><node id='b'/>\
                <edge source='a' target='b'><data key='w'>7</data></edge></graph></graphml>"
                .to_vec(),
            Format::El | Format::Txt => b"# x\n0 1\n1 2\n".to_vec(),
            _ => b"from,to,weight\n0,1,2.5\n1,2,-7\n".to_vec(),
        };
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("x.{}", format.suffix()));
    let weight = if format == Format::Sg { 1 } else { 250 };
    let graph = Csr::from_edges(4, &[(0, 1, weight), (1, 2, 1i32), (3, 3, 1)]).unwrap();
    write_csr(&path, &graph, &Ids::Listed(vec![2, 3, 5, 1 << 40])).unwrap();
    std::fs::read(path).unwrap()
}

#[derive(Clone, Debug)]
enum Change {
    Set(usize, u8),
    Remove(usize),
    Insert(usize, &'static [u8]),
    Cut(usize),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let words: Vec<&'static [u8]> = vec![
        b"-",
        b"0",
        b"9",
        b"99999999999",
        b"1e9",
        b" ",
        b"\n",
        b"%",
        b"c",
        b"p sp 9 9\n",
        b",",
        b"\xFF",
        b"<node id='a'/>",
        b"*Edges\n",
        b"\t",
    ];
    let change = prop_oneof![
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        any::<usize>().prop_map(Change::Remove),
        (any::<usize>(), prop::sample::select(words)).prop_map(|(at, w)| Change::Insert(at, w)),
        any::<usize>().prop_map(Change::Cut),
    ];
    vec(change, 1..4)
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    let place = |at: &usize| at % (bytes.len() + 1);
    match change {
        Change::Set(at, byte) if place(at) < bytes.len() => {
            let at = place(at);
            bytes[at] = *byte;
        }
        Change::Remove(at) if place(at) < bytes.len() => {
            bytes.remove(place(at));
        }
        Change::Insert(at, word) => {
            let at = place(at);
            bytes.splice(at..at, word.iter().copied());
        }
        Change::Cut(at) => bytes.truncate(place(at)),
        _ => {}
    }
}

/// Makes the checksums of an `.spg` file right, so that the checks behind them are met.
fn seal(bytes: &mut [u8]) {
    if let Some((header, body)) = bytes.split_at_mut_checked(128) {
        header[72..76].copy_from_slice(&crc32fast::hash(body).to_le_bytes());
        let sum = header[..120].iter().fold(0xCBF2_9CE4_8422_2325u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        header[120..].copy_from_slice(&sum.to_le_bytes());
    }
}

/// Parses; a graph that comes out must be consistent and no larger than the file.
fn check(format: Format, bytes: &[u8]) {
    let Ok(graph) = parse(format, bytes) else { return };
    assert!(graph.csr.n_arcs() <= bytes.len());
    assert!(graph.csr.n_vertices() <= bytes.len().max(1 << 24));
    for v in 0..graph.csr.n_vertices().min(3) {
        let name = graph.ids.name(v as u32);
        assert_eq!(graph.ids.vertex(name, graph.csr.n_vertices()), Some(v as u32));
    }
}

#[test]
fn the_valid_files_are_valid() {
    for format in Format::ALL {
        parse(format, &valid(format)).unwrap_or_else(|error| panic!("{format:?}: {error}"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_bytes_are_survived(bytes in vec(any::<u8>(), 0..200)) {
        for format in Format::ALL {
            check(format, &bytes);
        }
    }

    #[test]
    fn random_text_is_survived(text in "([ac%#]|p sp|[0-9]{1,3}|-|\\.|[ \n,;\t\r]){0,60}") {
        for format in Format::ALL {
            check(format, text.as_bytes());
        }
    }

    #[test]
    fn changed_files_are_survived(
        format in prop::sample::select(Format::ALL.to_vec()),
        changes in changes(),
        sealed in any::<bool>(),
    ) {
        let mut bytes = valid(format);
        changes.iter().for_each(|change| apply(&mut bytes, change));
        if sealed && format == Format::Spg {
            seal(&mut bytes);
        }
        check(format, &bytes);
    }

    #[test]
    fn every_beginning_of_a_file_is_survived(format in prop::sample::select(Format::ALL.to_vec())) {
        let bytes = valid(format);
        for length in 0..bytes.len() {
            check(format, &bytes[..length]);
        }
    }
}

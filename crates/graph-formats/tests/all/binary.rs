//! Binary files are refused where anything disagrees, and any flipped bit is found.

use graph_formats::{Csr, Format, Ids, LoadedGraph, map_spg, parse, read, write, write_attached};

use crate::common::triangle;

fn saved(name: &str, graph: &LoadedGraph) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    write(&path, graph).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn serialised_graphs_are_refused_where_sizes_or_arcs_disagree() {
    let bytes = saved("x.wsg", &triangle());
    assert_eq!(bytes.len(), 17 + 8 * 4 + 8 * 6);
    let message = |bytes: &[u8]| parse(Format::Wsg, bytes).unwrap_err().to_string();
    let changed = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        message(&bytes)
    };
    assert_eq!(message(&bytes[..16]), "<memory>: a header takes 17 bytes");
    assert_eq!(
        message(&bytes[..96]),
        "<memory>: 3 vertices and 6 arcs take 97 bytes, the file has 96"
    );
    assert!(message(&[&bytes[..], &[0]].concat()).ends_with("take 97 bytes, the file has more"));
    assert!(changed(0, 2).contains("expected 0 or 1 as the first byte (directed), found 2"));
    assert!(changed(0, 1).contains("take 177 bytes"), "a directed graph has its arcs twice");
    assert!(changed(8, 0x7F).contains("vertices and 9151314442816847878 arcs take"));
    assert!(changed(17 + 8, 7).contains("row offset 2 is 4, below the offset 7 before it"));
    assert!(changed(49, 3).contains("arc 0 names vertex 3"));
    assert!(changed(53, 9).contains("the graph is not undirected"));
}

#[test]
fn spg_files_are_refused_where_anything_disagrees() {
    let bytes = saved("x.spg", &triangle());
    let message = |bytes: &[u8]| parse(Format::Spg, bytes).unwrap_err().to_string();
    let changed = |at: usize, byte: u8, sealed: bool| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        if sealed {
            seal(&mut bytes);
        }
        message(&bytes)
    };
    assert!(message(&[]).contains("a header takes 128 bytes, not 0"));
    assert!(message(&bytes[..127]).contains("a header takes 128 bytes, not 127"));
    let short = &bytes[..bytes.len() - 1];
    let lengths = format!("promises {} bytes, the file has {}", bytes.len(), short.len());
    assert!(message(short).contains(&lengths));
    let long = [&bytes[..], &[0]].concat();
    assert!(message(&long).contains(&format!("promises {} bytes, the file has more", bytes.len())));
    assert!(changed(0, 0, false).contains("does not start as an .spg file does"));
    assert!(changed(8, 5, false).contains("version 5 of the format; only 1 to 4 are known"));
    assert!(changed(16, 4, false).contains("checksum does not match"));
    for at in [12, 13, 14, 15, 16, 24, 32, 40, 64, 76, 80, 88, 119] {
        assert!(changed(at, 200, true).contains("are not those of the format"), "byte {at}");
    }
    assert!(changed(23, 255, true).contains("are not those of the format"), "n near 2^64");
    let sections: Vec<usize> = (0..4)
        .map(|i| usize::from(bytes[32 + 8 * i]) + 256 * usize::from(bytes[33 + 8 * i]))
        .collect();
    assert_eq!(sections, [128, 192, 256, 320]);
    for at in [128, 136, 160, 192, 256, 328] {
        assert!(changed(at, 77, false).contains("the checksum of its content does not match"));
    }
    assert!(changed(128, 1, true).contains("row offsets must run from 0"));
    assert!(changed(136, 9, true).contains("below the offset 9 before it"));
    assert!(changed(192, 77, true).contains("arc 0 names vertex 77"));
    assert!(changed(256, 77, true).contains("the graph is not undirected"));
    assert!(changed(328, 1, true).contains("the vertices' names do not ascend"));
}

#[test]
fn what_cannot_be_mapped_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.spg.gz");
    write(&path, &triangle()).unwrap();
    for path in [&*path, folder.path()] {
        // SAFETY: no other process uses these files
        let error = unsafe { map_spg(path) }.unwrap_err().to_string();
        assert!(error.contains("only files can be mapped that are not compressed"), "{error}");
    }
}

#[test]
fn an_attachment_is_read_and_mapped_and_found_out_where_it_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.prepared");
    let LoadedGraph { csr, ids, .. } = triangle();
    let csr = csr.into_csr::<u32>().unwrap();
    let pieces: [&[u8]; 3] = [b"two ", b"", b"pieces"];
    write_attached(&path, &csr, &ids, *b"TESTING1", &pieces).unwrap();
    let graph = read(&path).unwrap();
    // SAFETY: no other process uses this file
    assert_eq!(unsafe { map_spg(&path) }.unwrap(), graph);
    let attachment = graph.attachment.clone().unwrap();
    assert_eq!((attachment.kind, &*attachment.bytes), (*b"TESTING1", &b"two pieces"[..]));
    assert_eq!(attachment.bytes.as_ptr().addr() % 64, 0);
    assert_eq!(LoadedGraph { attachment: None, ..graph }, triangle());
    assert!(write(&path, &triangle()).unwrap_err().to_string().contains(".prepared"));

    let bytes = std::fs::read(&path).unwrap();
    let message = |at: usize, sealed: bool| {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        if sealed {
            seal(&mut bytes);
        }
        parse(Format::Spg, &bytes).unwrap_err().to_string()
    };
    assert!(message(bytes.len() - 1, false).contains("the checksum of its content does not match"));
    for at in [96, 104, 112] {
        let refused = ["codes or starts", "the header promises"];
        assert!(refused.iter().any(|what| message(at, true).contains(what)), "byte {at}");
    }
}

/// Writes the checksums that the file should have.
fn seal(bytes: &mut [u8]) {
    let body = crc32fast::hash(&bytes[128..]);
    bytes[72..76].copy_from_slice(&body.to_le_bytes());
    seal_header(bytes);
}

fn seal_header(bytes: &mut [u8]) {
    let sum = bytes[..120].iter().fold(0xCBF2_9CE4_8422_2325u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    });
    bytes[120..128].copy_from_slice(&sum.to_le_bytes());
}

#[test]
fn an_spg_file_with_any_bit_flipped_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.spg");
    let words = Ids::Words(["b", "c", "ä"].into_iter().collect());
    let named = LoadedGraph { ids: words, ..triangle() };
    let floats = Csr::from_arcs(2, &[(0, 1, 0.5f32), (1, 1, 2.0)]).unwrap();
    let alike = Csr::from_arcs(2, &[(0, 1, 2i64), (1, 0, 2)]).unwrap();
    let alike = LoadedGraph::new(alike.into_undirected().unwrap(), Ids::FromOne);
    for graph in [triangle(), named, LoadedGraph::new(floats, Ids::FromOne), alike] {
        let mut bytes = saved("x.spg", &graph);
        assert_eq!(parse(Format::Spg, &bytes).unwrap(), graph);
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(parse(Format::Spg, &bytes).is_err(), "bit {bit}");
            if bit % 7 == 0 {
                std::fs::write(&path, &bytes).unwrap();
                assert!(read(&path).is_err(), "bit {bit} of a file");
                // SAFETY: the file is in a folder of this test.
                assert!(unsafe { map_spg(&path) }.is_err(), "bit {bit} of a mapped file");
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

/// Another program may store the weight that all arcs would have.
#[test]
fn an_spg_file_may_have_a_weight_and_no_arcs() {
    let graph = LoadedGraph::new(Csr::<u32>::from_arcs(1, &[]).unwrap(), Ids::FromZero);
    let mut bytes = saved("x.spg", &graph);
    assert_eq!(bytes.len(), 192);
    bytes[15] = 1;
    bytes.extend([7; 4]);
    bytes.resize(256, 0);
    bytes[56..64].copy_from_slice(&256u64.to_le_bytes());
    bytes[64..72].copy_from_slice(&256u64.to_le_bytes());
    let sum = crc32fast::hash(&bytes[128..]);
    bytes[72..76].copy_from_slice(&sum.to_le_bytes());
    seal_header(&mut bytes);
    assert_eq!(parse(Format::Spg, &bytes).unwrap().csr, graph.csr);
    bytes[192] = 8;
    let error = parse(Format::Spg, &bytes).unwrap_err().to_string();
    assert!(error.contains("checksum"), "{error}");
}

#[test]
fn spg_files_of_version_1_are_read_without_a_checksum() {
    let graph = triangle();
    let mut bytes = saved("x.spg", &graph);
    bytes[8] = 1;
    bytes[72..120].fill(0);
    seal_header(&mut bytes);
    assert_eq!(parse(Format::Spg, &bytes).unwrap(), graph);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.spg");
    std::fs::write(&path, &bytes).unwrap();
    // SAFETY: the file is in a folder of this test.
    assert_eq!(unsafe { map_spg(&path) }.unwrap(), graph);
    bytes[14] = 3;
    seal_header(&mut bytes);
    let error = parse(Format::Spg, &bytes).unwrap_err().to_string();
    assert!(error.contains("are not those of the format"), "words came with version 2: {error}");
    bytes[14] = 2;
    bytes[192] = 2;
    seal_header(&mut bytes);
    let error = parse(Format::Spg, &bytes).unwrap_err().to_string();
    assert!(error.contains("the graph is not undirected"), "all else is checked: {error}");
}

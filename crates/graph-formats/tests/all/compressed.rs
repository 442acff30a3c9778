//! Compressed files are read whole or refused.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use graph_formats::{GraphError, read};

use crate::common::read_until;

#[test]
fn gzip_is_read_whole_or_refused() {
    let gzip = |text: &str| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    check("gzip", "gz", gzip);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.el.gz");
    for rest in [&b"0"[..], b"rubbish that is longer than a header", b"\0\0\0"] {
        std::fs::write(&path, [&gzip("0 1\n")[..], &gzip("1 2\n"), rest].concat()).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("x.el.gz: other bytes follow the end of the gzip data"), "{error}");
    }
    std::fs::write(&path, [gzip("0 1\n"), gzip("1 2\n")].concat()).unwrap();
    assert_eq!(read(&path).unwrap().csr.n_arcs(), 2);
}

#[cfg(feature = "compression")]
#[test]
fn bzip2_is_read_whole_or_refused() {
    let bzip2 = |text: &str| {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    check("bzip2", "bz2", bzip2);
}

#[cfg(feature = "compression")]
#[test]
fn xz_is_read_whole_or_refused() {
    let xz = |text: &str| {
        let options = lzma_rust2::XzOptions::default();
        let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    check("xz", "xz", xz);
}

#[cfg(feature = "compression")]
#[test]
fn zstd_is_read_whole_or_refused() {
    let zstd = |text: &str| {
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        ruzstd::encoding::compress_to_vec(text.as_bytes(), level)
    };
    check("zstd", "zst", zstd);
    let skippable = b"\x50\x2A\x4D\x18\x03\0\0\0abc";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.el.zst");
    std::fs::write(&path, [&zstd("0 1\n")[..], skippable, &zstd("1 2\n")].concat()).unwrap();
    assert_eq!(read(&path).unwrap().csr.n_arcs(), 2);
}

/// By its suffix or by its first bytes, a file is refused that this build cannot decode.
#[cfg(not(feature = "compression"))]
#[test]
fn what_is_left_out_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let files: [(&str, &str, &[u8]); 3] = [
        ("bzip2", "bz2", b"BZh1"),
        ("xz", "xz", b"\xFD7zXZ\0"),
        ("zstd", "zst", b"\x28\xB5\x2F\xFD"),
    ];
    for (tool, suffix, start) in files {
        for name in [format!("x.el.{suffix}"), "x.el".to_owned()] {
            let path = folder.path().join(&name);
            std::fs::write(&path, start).unwrap();
            let error = read(&path).unwrap_err();
            assert!(matches!(error, GraphError::CompressionLeftOut { .. }), "{error}");
            let expected = format!("{name}: {tool} files are read by builds with the feature");
            assert!(error.to_string().contains(&expected), "{error}");
        }
    }
}

/// Checks that files of a tool are read whole or refused.
fn check(tool: &str, suffix: &str, pack: impl Fn(&str) -> Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("x.el.{suffix}"));
    let first = pack("0 1\n1 2\n");
    let two = [&first[..], &pack("2 3\n")].concat();
    std::fs::write(&path, &two).unwrap();
    assert_eq!(read(&path).unwrap().csr.n_arcs(), 3, "{tool}: both members");
    for last in [1, 2] {
        let ended = read_until(&path, last);
        assert!(matches!(ended, Err(GraphError::Interrupted(_))), "{tool}: {ended:?}");
    }
    for length in 0..two.len() {
        std::fs::write(&path, &two[..length]).unwrap();
        if length == first.len() {
            assert_eq!(read(&path).unwrap().csr.n_arcs(), 2);
            continue;
        }
        let error = read(&path).unwrap_err().to_string();
        let expected = format!("x.el.{suffix}: the {tool} data ends early");
        assert!(error.contains(&expected), "{length} of {}: {error}", two.len());
    }
    std::fs::write(&path, "0 1\n").unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(error.contains(&format!("not a {tool} file, though its name says so")), "{error}");
    for bit in 0..8 * two.len() {
        let mut damaged = two.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, damaged).unwrap();
        // Some bits of a header mean nothing here; no other may change the graph.
        if let Ok(graph) = read(&path) {
            assert_eq!(graph.csr.n_arcs(), 3, "{tool}: bit {bit}");
        }
    }
    let plain = folder.path().join("x.el");
    std::fs::write(&plain, &two).unwrap();
    assert_eq!(read(&plain).unwrap().csr.n_arcs(), 3, "the content says it too");
}

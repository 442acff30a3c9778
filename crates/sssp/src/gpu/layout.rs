//! Structures that host and kernel share: the same fields at the same places in both.
//!
//! A kernel is handed bytes. That a field lies where the kernel looks for it is checked here,
//! against the kernel's own source: its declarations are read, and laid out by the rules of C.

/// Where each field of a structure begins, and how long the whole is.
#[derive(Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) fields: Vec<(String, usize)>,
    pub(super) size: usize,
    pub(super) alignment: usize,
}

/// The layout of a structure in the first of these sources that declares it.
pub(super) fn of_kernel(sources: &[&str], name: &str) -> Layout {
    let (mut alignment, body) = sources
        .iter()
        .find_map(|source| declaration(source, name))
        .unwrap_or_else(|| panic!("no source declares {name}"));
    let (mut fields, mut end) = (Vec::new(), 0usize);
    for line in body.split(';') {
        let line = line.replace('*', " * ");
        let mut words =
            line.split_whitespace().filter(|&word| word != "const" && word != "volatile");
        let Some(of) = words.next() else { continue };
        for field in words.collect::<Vec<_>>().join(" ").split(',') {
            let (size, aligned) = match field.contains('*') {
                true => (8, 8),
                false => size_and_alignment(sources, of),
            };
            let (field, length) = match field.trim_end_matches(']').split_once('[') {
                Some((field, length)) => (field, length.parse().expect("a length in figures")),
                None => (field, 1),
            };
            let offset = end.next_multiple_of(aligned);
            fields.push((field.trim_start_matches(['*', ' ']).trim().to_owned(), offset));
            end = offset + size * length;
            alignment = alignment.max(aligned);
        }
    }
    Layout { fields, size: end.next_multiple_of(alignment), alignment }
}

fn size_and_alignment(sources: &[&str], of: &str) -> (usize, usize) {
    match of {
        "u32" | "Key" => (4, 4),
        "u64" | "f64" => (8, 8),
        structure => {
            let layout = of_kernel(sources, structure);
            (layout.size, layout.alignment)
        }
    }
}

/// The alignment that a structure asks for, and what stands between its braces, without
/// comments.
fn declaration(source: &str, name: &str) -> Option<(usize, String)> {
    let code: Vec<_> =
        source.lines().map(|line| line.split_once("//").map_or(line, |(code, _)| code)).collect();
    let code = code.join("\n");
    [(1, format!("struct {name} {{")), (16, format!("struct alignas(16) {name} {{"))]
        .into_iter()
        .find_map(|(alignment, head)| {
            let (body, _) = code.split_once(&head)?.1.split_once("};")?;
            Some((alignment, body.to_owned()))
        })
}

/// The text of a file of `kernels/sssp`.
macro_rules! source {
    ($path:expr) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/sssp/", $path))
    };
}
pub(super) use source;

/// Asserts that a structure, with all its fields in order, is laid out as the kernel's of
/// another name, which the sources in `kernels/sssp` declare.
macro_rules! assert_same_layout {
    ($here:ident as $there:literal of [$($source:literal),+]: $($field:ident),+) => {{
        // no field is left out
        let _ = |$here { $($field: _),+ }: $here| ();
        let here = $crate::gpu::layout::Layout {
            fields: vec![$((stringify!($field).to_owned(), std::mem::offset_of!($here, $field))),+],
            size: size_of::<$here>(),
            alignment: align_of::<$here>(),
        };
        let sources = [$($crate::gpu::layout::source!($source)),+];
        let there = $crate::gpu::layout::of_kernel(&sources, $there);
        assert_eq!((here.fields, here.size), (there.fields, there.size), "{}", $there);
    }};
}
pub(super) use assert_same_layout;

#[test]
fn declarations_are_laid_out_as_c_does() {
    let source = "// struct Outer { no\nstruct alignas(16) Inner {\n    u32 one, two;\n};\n\
                  struct Outer {\n    u32 first;  // u64 none;\n    const Key *some, *others[2];\n\
                  volatile u32* host;\n    Inner inner[3];\n    u64 last;\n};\n";
    let outer = of_kernel(&[source], "Outer");
    let fields = [("first", 0), ("some", 8), ("others", 16), ("host", 32), ("inner", 48)];
    let fields = fields.into_iter().chain([("last", 96)]).map(|(name, at)| (name.to_owned(), at));
    assert_eq!(outer, Layout { fields: fields.collect(), size: 112, alignment: 16 });
}

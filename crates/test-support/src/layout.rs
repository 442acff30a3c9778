//! Structures that the host fills for a kernel: the same fields at the same places in both.
//!
//! A kernel is handed bytes. That a field lies where the kernel looks for it is checked
//! against the kernel's own source, whose declarations are read and laid out by the rules of
//! C. All of it panics where a source does not declare what is asked for.

/// Each field of a structure, its offset and its size; the size of the whole.
pub type Layout = (Vec<(String, usize, usize)>, usize);

/// The text of a file of `kernels/`, by its path there.
#[macro_export]
macro_rules! kernel_source {
    ($path:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/", $path))
    };
}

/// The [`Layout`](crate::layout::Layout) of a structure of Rust. All its fields are named, in
/// their order.
#[macro_export]
macro_rules! layout {
    ($type:ident: $($field:ident),+) => {{
        // no field is left out
        let _ = |$type { $($field: _),+ }: $type| ();
        fn size<T, F>(_: fn(&T) -> &F) -> usize {
            size_of::<F>()
        }
        let fields = [$((
            stringify!($field).to_owned(),
            std::mem::offset_of!($type, $field),
            size(|of: &$type| &of.$field),
        )),+];
        (fields.to_vec(), size_of::<$type>())
    }};
}

/// Asserts that a structure of Rust is laid out as that of another name, which these files of
/// `kernels/` declare. Without fields, as of an array, it is as large.
#[macro_export]
macro_rules! assert_same_layout {
    ($here:ident as $there:literal of [$($path:literal),+]) => {{
        let sources = [$($crate::kernel_source!($path)),+];
        assert_eq!(size_of::<$here>(), $crate::layout::layout_in(&sources, $there).1, $there);
    }};
    ($here:ident as $there:literal of [$($path:literal),+]: $($field:ident),+) => {{
        let sources = [$($crate::kernel_source!($path)),+];
        let here = $crate::layout!($here: $($field),+);
        assert_eq!(here, $crate::layout::layout_in(&sources, $there), "{}", $there);
    }};
}

/// A test that [asserts](assert_same_layout) the layout of each of these structures.
#[macro_export]
macro_rules! layout_test {
    ($($here:ident as $there:literal of $paths:tt $(: $($field:ident),+)?;)+) => {
        #[test]
        fn structures_are_as_the_kernel_has_them() {
            $($crate::assert_same_layout! { $here as $there of $paths $(: $($field),+)? })+
        }
    };
}

/// The layout of `struct name { .. }` in the first of these sources that declares it. Its
/// fields are numbers, pointers, structures that the sources declare, and arrays of them.
pub fn layout_in(sources: &[&str], name: &str) -> Layout {
    let (fields, size, _) = aligned_layout_in(sources, name);
    (fields, size)
}

/// The layout, and the alignment.
fn aligned_layout_in(sources: &[&str], name: &str) -> (Vec<(String, usize, usize)>, usize, usize) {
    let heads = [(1, format!("struct {name} {{")), (16, format!("struct alignas(16) {name} {{"))];
    let declared = sources.iter().flat_map(|source| heads.iter().map(move |head| (source, head)));
    let mut bodies = declared
        .filter_map(|(source, (alignment, head))| Some((*alignment, block_after(source, head)?)));
    let (mut greatest, body) = bodies.next().unwrap_or_else(|| panic!("no source declares {name}"));
    let (mut fields, mut end) = (Vec::new(), 0_usize);
    for declaration in body.split(';').map(str::trim).filter(|text| !text.is_empty()) {
        // functions come last
        if declaration.starts_with("__device__") {
            break;
        }
        let declaration = declaration.replace('*', " * ");
        let is_type = |word: &&str| !["const", "volatile", "unsigned"].contains(word);
        let mut words = declaration.split_whitespace().filter(is_type);
        let of = words.next().expect("a type");
        for field in words.collect::<Vec<_>>().join(" ").split(',') {
            let (size, alignment) = match of {
                _ if field.contains('*') => (8, 8),
                "u64" | "f64" => (8, 8),
                "u32" | "int" | "Key" => (4, 4),
                structure => {
                    let (_, size, alignment) = aligned_layout_in(sources, structure);
                    (size, alignment)
                }
            };
            let (field, count) = field.split_once('[').unwrap_or((field, "1"));
            let length = |text: &str| -> usize {
                text.trim_end_matches([']', ' ']).parse().expect("a length")
            };
            let count: usize = count.split('[').map(length).product();
            let offset = end.next_multiple_of(alignment);
            fields.push((field.trim_matches(['*', ' ']).to_owned(), offset, size * count));
            end = offset + size * count;
            greatest = greatest.max(alignment);
        }
    }
    (fields, end.next_multiple_of(greatest), greatest)
}

/// What stands after these words up to `};`, without comments.
pub fn block(source: &str, opening: &str) -> String {
    block_after(source, opening).expect(opening)
}

fn block_after(source: &str, opening: &str) -> Option<String> {
    let code = source.lines().map(|line| line.split("//").next().unwrap_or_default());
    let code = code.collect::<Vec<_>>().join("\n");
    let (body, _) = code.split_once(opening)?.1.split_once("};")?;
    Some(body.to_owned())
}

/// The number that `name = number` gives.
pub fn number(source: &str, name: &str) -> u32 {
    let (_, rest) = source.split_once(&format!("{name} = ")).expect(name);
    let digits: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
    match digits.strip_prefix("0x") {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal.trim_end_matches('u'), 16).unwrap(),
        None => digits.parse().unwrap(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(fields: &[(&str, usize, usize)], size: usize) -> Layout {
        (fields.iter().map(|&(name, at, size)| (name.to_owned(), at, size)).collect(), size)
    }

    #[test]
    fn layouts_are_read_as_compilers_make_them() {
        let source = "struct Other { u32 a; };\nstruct S {\n    u32 a, b[3];  // two\n    // one\n    \
                      const u64* c;\n    int d;\n\n    __device__ u32 f() { return a; }\n};";
        let fields = [("a", 0, 4), ("b", 4, 12), ("c", 16, 8), ("d", 24, 4)];
        assert_eq!(layout_in(&[source], "S"), expected(&fields, 32));
        assert_eq!(number("x = 12, y = 0xffu;", "y"), 255);
    }

    #[test]
    fn structures_in_structures_are_laid_out_as_c_does() {
        let other = "struct Other { u32 a; };";
        let source = "// struct Outer { no\nstruct alignas(16) Inner {\n    u32 one, two;\n};\n\
                      struct Outer {\n    u32 first;  // u64 none;\n    const Key *some, *others[2];\n\
                      volatile u32* host;\n    Inner inner[3];\n    u64 last;\n};\n";
        let fields = [("first", 0, 4), ("some", 8, 8), ("others", 16, 16), ("host", 32, 8)];
        let fields = fields.into_iter().chain([("inner", 48, 48), ("last", 96, 8)]);
        let fields: Vec<_> = fields.collect();
        assert_eq!(layout_in(&[other, source], "Outer"), expected(&fields, 112));
    }
}

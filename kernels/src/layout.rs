//! For tests: what the kernels' sources say of structures that the host fills for them. All of
//! it panics where a source does not say that.

/// What `closure` launches its kernels with.
pub const CLOSURE: &str = include_str!("../closure/layout.cuh");
/// What `star-machine` hands to its interpreter,
pub const STAR_CODE: &str = include_str!("../star/interpreter/code.cuh");
/// what its procedures do in a column,
pub const STAR_STEPS: &str = include_str!("../star/steps.cuh");
/// its fused procedures,
pub const STAR_FUSED: &str = include_str!("../star/fused.cu");
/// and its questions.
pub const STAR_QUESTIONS: &str = include_str!("../star/questions.cu");

/// What `hierarchy` customizes with,
pub const HIERARCHY_CUSTOMIZE: &str = include_str!("../hierarchy/customize.cu");
/// what it sweeps with,
pub const HIERARCHY_SWEEP: &str = include_str!("../hierarchy/sweep.cu");
/// and what it makes results with.
pub const HIERARCHY_RESULTS: &str = include_str!("../hierarchy/results.cu");

/// Each field of a structure of Rust, its offset and its size, and the size of the whole.
#[macro_export]
macro_rules! layout {
    ($type:ty: $($field:ident),*) => {{
        fn size<T, F>(_: fn(&T) -> &F) -> usize {
            size_of::<F>()
        }
        let fields = [$((
            stringify!($field).to_owned(),
            std::mem::offset_of!($type, $field),
            size(|of: &$type| &of.$field),
        )),*];
        (fields.to_vec(), size_of::<$type>())
    }};
}

/// The same of `struct name { .. }` in C++, whose fields are numbers and pointers, and arrays
/// of them.
pub fn layout_in(source: &str, name: &str) -> (Vec<(String, usize, usize)>, usize) {
    let mut fields = Vec::new();
    let (mut end, mut greatest) = (0_usize, 1);
    let body = block(source, &format!("struct {name} {{"));
    for declaration in body.split(';').map(str::trim).filter(|text| !text.is_empty()) {
        // functions come last
        if declaration.starts_with("__device__") {
            break;
        }
        let mut names = declaration.split(',').map(str::trim);
        let (of_type, first) = names.next().unwrap().rsplit_once([' ', '*']).unwrap();
        let is_pointer = declaration.contains('*');
        let size = match of_type.trim_start_matches("const ").trim() {
            _ if is_pointer => 8,
            "u64" => 8,
            "u32" | "int" => 4,
            other => panic!("how large is {other}, of {declaration:?}?"),
        };
        greatest = greatest.max(size);
        for field in std::iter::once(first).chain(names) {
            let (field, count) = field.split_once('[').unwrap_or((field, "1]"));
            let count: usize = count.trim_end_matches(']').parse().unwrap();
            let offset = end.next_multiple_of(size);
            end = offset + size * count;
            fields.push((field.to_owned(), offset, size * count));
        }
    }
    (fields, end.next_multiple_of(greatest))
}

/// What stands after these words up to `};`, without comments.
pub fn block(source: &str, opening: &str) -> String {
    let (_, rest) = source.split_once(opening).expect(opening);
    let (body, _) = rest.split_once("};").expect("a block ends");
    let code = body.lines().map(|line| line.split("//").next().unwrap_or_default());
    code.collect::<Vec<_>>().join("\n")
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

#[test]
fn layouts_are_read_as_compilers_make_them() {
    let source = "struct Other { u32 a; };\nstruct S {\n    u32 a, b[3];  // two\n    // one\n    \
                  const u64* c;\n    int d;\n\n    __device__ u32 f() { return a; }\n};";
    let fields = [("a", 0, 4), ("b", 4, 12), ("c", 16, 8), ("d", 24, 4)];
    let fields = fields.map(|(name, offset, size)| (name.to_owned(), offset, size));
    assert_eq!(layout_in(source, "S"), (fields.to_vec(), 32));
    assert_eq!(number("x = 12, y = 0xffu;", "y"), 255);
}

//! What kernels take, read from their PTX.
//!
//! The driver takes a list of addresses without a check. The text that it compiles declares the
//! parameters of a kernel and their sizes:
//!
//! ```text
//! .visible .entry relax(
//!     .param .u64 .ptr .align 1 relax_param_0,
//!     .param .u32 relax_param_1,
//!     .param .align 8 .b8 relax_param_2[24]
//! )
//! ```

use std::collections::HashMap;
use std::sync::Arc;

/// The sizes of a kernel's parameters, in bytes.
pub(super) type Signature = Arc<[usize]>;

/// The signature of each kernel of a module, in one pass over its text. If the text cannot be
/// parsed, the error says where.
pub(super) fn signatures(text: &str) -> Result<HashMap<&str, Signature>, String> {
    let mut signatures = HashMap::new();
    let lines = text.lines().map(|line| line.split_once("//").map_or(line, |(code, _)| code));
    let mut heading = String::new();
    let mut name = None;
    for line in lines {
        let rest = match (name, entry(line)) {
            (None, None) => continue,
            (None, Some((found, rest))) => {
                name = Some(found);
                rest
            }
            (Some(_), _) => line,
        };
        heading.push_str(rest);
        heading.push(' ');
        // A kernel without parameters may have no list of them.
        let end = heading.find(')').or_else(|| heading.find('{'));
        if let (Some(kernel), Some(end)) = (name, end) {
            let list = heading[..end].trim_start().trim_start_matches('(');
            let sizes: Result<Signature, String> = parameters(list).map(size).collect();
            signatures.insert(kernel, sizes.map_err(|what| format!("kernel {kernel}: {what}"))?);
            heading.clear();
            name = None;
        }
    }
    match name {
        Some(kernel) => Err(format!("kernel {kernel}: its parameters have no end")),
        None => Ok(signatures),
    }
}

/// The name after `.entry`, and what follows it on the line.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once(".entry")?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    (end > 0).then(|| rest.split_at(end))
}

fn parameters(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|parameter| !parameter.is_empty())
}

/// The size of `.param .u32 name`, in bytes; an array's is that of all its elements.
fn size(parameter: &str) -> Result<usize, String> {
    let wrong = || format!("its parameter `{parameter}` has an unknown type");
    let mut words = parameter.split_whitespace();
    if words.next() != Some(".param") {
        return Err(wrong());
    }
    let element = words.find_map(element_size).ok_or_else(wrong)?;
    let Some((_, count)) = parameter.split_once('[') else { return Ok(element) };
    let count = count.trim_end().strip_suffix(']').and_then(|n| n.trim().parse::<usize>().ok());
    count.and_then(|n| n.checked_mul(element)).ok_or_else(wrong)
}

/// The bytes of a type such as `.u32`.
fn element_size(word: &str) -> Option<usize> {
    let bits = word.strip_prefix('.')?.strip_prefix(['u', 's', 'b', 'f'])?;
    match bits {
        "8" => Some(1),
        "16" => Some(2),
        "32" => Some(4),
        "64" => Some(8),
        "128" => Some(16),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(text: &str, kernel: &str) -> Vec<usize> {
        signatures(text).unwrap()[kernel].to_vec()
    }

    #[test]
    fn every_kernel_of_a_module_is_read() {
        let text = ".version 6.3\n.target sm_75\n.address_size 64\n\n\
            \t// .globl\tfirst\n.global .align 4 .u32 total;\n\
            .visible .entry first(\n\t.param .u64 first_param_0,\n\
            \t.param .u32 first_param_1, // the count\n\t.param .align 8 .b8 x_param_2[24]\n)\n\
            .maxntid 256, 1, 1\n{\n\tld.param.u64 %rd1, [first_param_0];\n\tret;\n}\n\
            .func helper(.param .b32 a) { ret; }\n\
            .visible .entry second(.param .u64 .ptr .align 1 a, .param .f32 b,.param .s16 c)\n\
            {\n\tret;\n}\n.weak .entry third()\n{ ret; }\n.entry fourth\n{\n ret;\n}\n";
        assert_eq!(signatures(text).unwrap().len(), 4);
        assert_eq!(sizes(text, "first"), [8, 4, 24]);
        assert_eq!(sizes(text, "second"), [8, 4, 2]);
        assert!(sizes(text, "third").is_empty());
        assert!(sizes(text, "fourth").is_empty());
    }

    #[test]
    fn all_types_have_their_sizes() {
        let text = ".entry k(.param .u8 a, .param .b16 b, .param .f64 c, .param .b128 d,\n\
                    .param .align 4 .f32 e[ 3 ])\n{}";
        assert_eq!(sizes(text, "k"), [1, 2, 8, 16, 12]);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for bad in [
            ".entry k(.reg .u32 a)\n{}",
            ".entry k(.param .u33 a)\n{}",
            ".entry k(.param .b8 a[n])\n{}",
            ".entry k(.param .u64 a[18446744073709551615])\n{}",
            ".entry k(.param .u32 a",
            ".entry k",
        ] {
            let error = signatures(bad).unwrap_err();
            assert!(error.starts_with("kernel k: its parameter"), "{error}");
        }
        assert!(signatures("").unwrap().is_empty());
    }
}

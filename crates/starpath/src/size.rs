//! Amounts of memory on the command line.

/// Names of units by the power of 1024 that they stand for.
const UNITS: [(&str, u32); 9] = [
    ("", 0),
    ("K", 1),
    ("KiB", 1),
    ("M", 2),
    ("MiB", 2),
    ("G", 3),
    ("GiB", 3),
    ("T", 4),
    ("TiB", 4),
];

/// Bytes: a whole number, and after it maybe a unit.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = (&text[..end], text[end..].trim_start());
    let unit = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit));
    let (Some(&(_, power)), false) = (unit, number.is_empty()) else {
        return Err("expected a number of bytes, or of K, M, G or T: 512M, or 512MiB".to_owned());
    };
    let bytes = number.parse::<u64>().ok().and_then(|n| n.checked_mul(1024u64.pow(power)));
    match bytes {
        None => Err("that is more than any machine has".to_owned()),
        Some(0) => Err("nothing can be done without memory".to_owned()),
        Some(bytes) => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_with_and_without_units() {
        let good = [
            ("1", 1),
            ("1000000", 1_000_000),
            ("64K", 64 << 10),
            ("512MiB", 512 << 20),
            ("512 MiB", 512 << 20),
            ("2g", 2 << 30),
            ("1TiB", 1 << 40),
        ];
        for (text, bytes) in good {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        let bad = [
            "",
            "M",
            "-1",
            "1.5G",
            "64MB",
            "64 M B",
            "0",
            "0G",
            "99999999999999999999",
            "17000000T",
        ];
        for text in bad {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}

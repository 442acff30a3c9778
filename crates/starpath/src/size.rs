//! Amounts of memory on the command line.

/// Bytes: a whole number, optionally followed by a unit.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let power = match text[end..].trim_start().to_ascii_lowercase().as_str() {
        "" => Some(0),
        "k" | "kib" => Some(1),
        "m" | "mib" => Some(2),
        "g" | "gib" => Some(3),
        "t" | "tib" => Some(4),
        _ => None,
    };
    let (Some(power), 1..) = (power, end) else {
        return Err(
            "expected a number of bytes, or of K, M, G or T, such as 512M or 512MiB".to_owned()
        );
    };
    let bytes = text[..end].parse::<u64>().ok().and_then(|n| n.checked_mul(1024u64.pow(power)));
    match bytes {
        None => Err("this is more than 2^64 bytes".to_owned()),
        Some(0) => Err("expected at least one byte".to_owned()),
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

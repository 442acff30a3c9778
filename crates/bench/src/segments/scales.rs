//! Scales as they are asked for: ranges and lists.

use std::collections::BTreeSet;
use std::str::FromStr;

use anyhow::{Error, Result, bail};

use crate::workloads::MAX_SCALE;

/// Binary logarithms of numbers of vertices, ascending, none twice, at least one.
///
/// ```
/// use bench::segments::Scales;
///
/// let scales: Scales = "14-16,20".parse()?;
/// assert_eq!(scales.iter().collect::<Vec<_>>(), [14, 15, 16, 20]);
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scales(BTreeSet<u32>);

impl Scales {
    /// The least first.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().copied()
    }
}

impl FromStr for Scales {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut scales = BTreeSet::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let bounds = (first.trim().parse::<u32>(), last.trim().parse::<u32>());
            match bounds {
                (Ok(first @ 1..), Ok(last @ ..=MAX_SCALE)) if first <= last => {
                    scales.extend(first..=last);
                }
                _ => bail!(
                    "{part:?} is no scale and no range of scales: expected 14, 14-24 or \
                     14,16,26, each from 1 to {MAX_SCALE}, the lower one first"
                ),
            }
        }
        Ok(Self(scales))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_lists_are_read() {
        let scales = |text: &str| text.parse::<Scales>().unwrap().iter().collect::<Vec<_>>();
        assert_eq!(scales("14"), [14]);
        assert_eq!(scales("14-17"), [14, 15, 16, 17]);
        assert_eq!(scales("26,14,16, 14"), [14, 16, 26]);
        assert_eq!(scales("1-2,31-31"), [1, 2, 31]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, part) in [
            ("", ""),
            ("14,", ""),
            ("0", "0"),
            ("14-32", "14-32"),
            ("18-14", "18-14"),
            ("14-", "14-"),
            ("-3", "-3"),
            ("14,x", "x"),
            ("14-16-18", "14-16-18"),
            ("99999999999", "99999999999"),
        ] {
            let error = text.parse::<Scales>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("{part:?} is no scale")), "{error}");
            assert!(error.contains("expected 14, 14-24 or 14,16,26"), "{error}");
        }
    }
}

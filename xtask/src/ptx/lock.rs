//! `kernels/ptx.lock`: of what each module was built, and what came out, as hashes.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Error};
use sha2::{Digest, Sha256};

const HEADER: &str = "\
# Written by `cargo xtask ptx`: each module, the SHA-256 of its sources, flags and compiler,
# and the SHA-256 of its PTX.
";

/// The hash of a text, in hexadecimal digits.
pub(super) fn hash(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Modules by name, each with the hash of its inputs and of its output.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Lock(BTreeMap<String, (String, String)>);

impl Lock {
    pub(super) fn insert(&mut self, name: &str, inputs: String, output: String) {
        self.0.insert(name.to_owned(), (inputs, output));
    }

    pub(super) fn get(&self, name: &str) -> Option<&(String, String)> {
        self.0.get(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEADER)?;
        self.0
            .iter()
            .try_for_each(|(name, (inputs, output))| writeln!(f, "{name} {inputs} {output}"))
    }
}

impl FromStr for Lock {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut lock = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split(' ');
            let mut word = || words.next().with_context(|| format!("ptx.lock: cut off: {line}"));
            let (name, inputs, output) = (word()?, word()?, word()?);
            lock.insert(name, inputs.to_owned(), output.to_owned());
        }
        Ok(lock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut lock = Lock::default();
        lock.insert("a/b", hash("in"), hash("out"));
        lock.insert("a/c", hash("in"), hash(""));
        assert_eq!(lock.to_string().parse::<Lock>().unwrap(), lock);
        assert!("a/b 12".parse::<Lock>().is_err());
        assert!(hash("").starts_with("e3b0c44298fc"), "the known hash of nothing");
    }
}

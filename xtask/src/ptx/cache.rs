//! What the compiler and the assembler said the last time, so that they need not be asked
//! again: a file below `target/ptx`, named by the hash of all that the answer depends on.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Answers by key.
pub(super) struct Cache(PathBuf);

impl Cache {
    /// The cache below the target folder of cargo.
    pub(super) fn open(target: &Path) -> Result<Self> {
        let folder = target.join("ptx");
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {folder:?}"))?;
        Ok(Self(folder))
    }

    /// The answer kept under this key, a file name; else what `ask` says, which is kept if
    /// it is no error. `ask` is given a path that is its own, for a file it may write.
    pub(super) fn get(
        &self,
        key: &str,
        ask: impl FnOnce(&Path) -> Result<String>,
    ) -> Result<String> {
        let place = self.0.join(key);
        if let Ok(answer) = fs::read_to_string(&place) {
            return Ok(answer);
        }
        // Another run of this task may be at the same question.
        let own = |what: &str| self.0.join(format!("{key}.{}.{what}", std::process::id()));
        let (scratch, whole) = (own("scratch"), own("whole"));
        let answer = ask(&scratch);
        let _ = fs::remove_file(&scratch);
        let answer = answer?;
        fs::write(&whole, &answer).with_context(|| format!("cannot write {whole:?}"))?;
        fs::rename(&whole, &place).with_context(|| format!("cannot write {place:?}"))?;
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    #[test]
    fn answers_are_kept_and_errors_are_not() {
        let folder = std::env::temp_dir().join(format!("xtask-cache-{}", std::process::id()));
        let cache = Cache::open(&folder).unwrap();
        assert!(cache.get("key", |_| bail!("no")).is_err());
        let ask = |scratch: &Path| {
            fs::write(scratch, "scratch")?;
            Ok("yes".to_owned())
        };
        assert_eq!(cache.get("key", ask).unwrap(), "yes");
        assert_eq!(cache.get("key", |_| bail!("asked twice")).unwrap(), "yes");
        assert_eq!(fs::read_dir(folder.join("ptx")).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }
}

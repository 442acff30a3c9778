//! How many units cargo has compiled: crates, programs and build scripts, checked or built.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

/// Units below the target folder that were compiled since then, by the file that cargo writes
/// for each in a folder `.fingerprint`.
pub(crate) fn compiled_since(target: &Path, start: SystemTime) -> usize {
    let list = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let packages = list(target).into_iter().flat_map(|profile| list(&profile.join(".fingerprint")));
    let is_new = |file: &Path| {
        let written = fs::metadata(file).and_then(|facts| facts.modified());
        written.is_ok_and(|written| written >= start)
    };
    let is_compiled = |file: &Path| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        file.extension() == Some(OsStr::new("json")) && !name.starts_with("run-build-script")
    };
    let files = packages.flat_map(|package| list(&package));
    files.filter(|file| is_compiled(file) && is_new(file)).count()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_is_compiled_is_counted_and_nothing_else() {
        let target = std::env::temp_dir().join(format!("xtask-units-{}", std::process::id()));
        let package = target.join("debug/.fingerprint/anyhow-1");
        fs::create_dir_all(&package).unwrap();
        let start = SystemTime::now() - Duration::from_secs(1);
        for name in ["lib-anyhow", "lib-anyhow.json", "run-build-script-build.json"] {
            fs::write(package.join(name), "{}").unwrap();
        }
        assert_eq!(compiled_since(&target, start), 1);
        assert_eq!(compiled_since(&target, SystemTime::now() + Duration::from_secs(60)), 0);
        fs::remove_dir_all(&target).unwrap();
    }
}

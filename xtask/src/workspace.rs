//! What the house rules look at: the files of the checkout and what cargo knows of
//! its packages.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result};
use cargo_metadata::{Metadata, MetadataCommand};

/// The checkout, read once.
#[derive(Default)]
pub(crate) struct Workspace {
    /// Where it lies on this machine.
    pub(crate) root: PathBuf,
    /// Its text files, by path.
    pub(crate) files: Vec<File>,
    /// Its packages and all that they depend on.
    pub(crate) packages: Vec<Package>,
}

/// A text file.
pub(crate) struct File {
    /// Relative to the root, with `/` between the parts.
    pub(crate) path: String,
    /// All of it.
    pub(crate) text: String,
}

/// A package, ours or not.
#[derive(Default)]
pub(crate) struct Package {
    /// Its name in the manifest.
    pub(crate) name: String,
    /// The path of its manifest, relative to the root where it lies below it.
    pub(crate) manifest: String,
    /// Whether it is a member of the workspace.
    pub(crate) is_member: bool,
    /// Whether it may be published.
    pub(crate) is_published: bool,
    /// The SPDX expression, where it gives one.
    pub(crate) licence: Option<String>,
    /// The names of the packages that its manifest asks for, of every kind; and of each feature of
    /// them that it asks for, `package/feature`.
    pub(crate) dependencies: Vec<String>,
    /// The features that are on unless switched off.
    pub(crate) default_features: Vec<String>,
}

impl Workspace {
    /// Reads the files and asks `cargo metadata`, which also proves the lock file
    /// present and up to date.
    pub(crate) fn load() -> Result<Self> {
        let root = root();
        let mut files = Vec::new();
        collect_files(&root, &root, &mut files)?;
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let packages = load_packages(&root)?;
        Ok(Self { root, files, packages })
    }

    /// The Rust files.
    pub(crate) fn rust_files(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.path.ends_with(".rs"))
    }

    /// The file at this path.
    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The packages of the workspace itself.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.is_member)
    }
}

/// The folder of the workspace manifest. Cargo says at run time where this package lies;
/// what was compiled in may be another checkout that shares the target folder.
pub(crate) fn root() -> PathBuf {
    let package = env::var_os("CARGO_MANIFEST_DIR");
    let package = package.map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().expect("xtask lies in the root").to_path_buf()
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> Result<PathBuf> {
    Ok(metadata(&["--no-deps"])?.target_directory.into())
}

/// What cargo knows of the workspace. It fails where the lock file is not up to date.
pub(crate) fn metadata(options: &[&str]) -> Result<Metadata> {
    let options = options.iter().copied().chain(["--locked"]).map(str::to_owned);
    let mut command = MetadataCommand::new();
    command.manifest_path(root().join("Cargo.toml")).other_options(options.collect::<Vec<_>>());
    command.exec().context("cargo metadata --locked")
}

/// The cargo that runs this program, started in the root.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Reads the text files below `folder`, without what git does not look at either.
fn collect_files(root: &Path, folder: &Path, files: &mut Vec<File>) -> Result<()> {
    let ignores = fs::read_to_string(folder.join(".gitignore")).unwrap_or_default();
    let is_ignored =
        |name: &str| name == ".git" || ignores.lines().any(|l| l == format!("/{name}/"));
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {folder:?}"))?;
    for entry in entries {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() && !is_ignored(&entry.file_name().to_string_lossy()) {
            collect_files(root, &path, files)?;
        } else if kind.is_file() {
            let bytes = fs::read(&path).with_context(|| format!("cannot read {path:?}"))?;
            if let Ok(text) = String::from_utf8(bytes) {
                let relative = path.strip_prefix(root).expect("found below the root");
                files.push(File { path: slashed(relative), text });
            }
        }
    }
    Ok(())
}

/// The path with `/` between its parts, on any system.
fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

fn load_packages(root: &Path) -> Result<Vec<Package>> {
    let metadata = metadata(&[])?;
    let package = |found: &cargo_metadata::Package| {
        let manifest = found.manifest_path.as_std_path();
        let dependencies = found.dependencies.iter().flat_map(|asked| {
            let features = asked.features.iter().map(|it| format!("{}/{it}", asked.name));
            features.chain([asked.name.clone()])
        });
        Package {
            name: found.name.to_string(),
            manifest: slashed(manifest.strip_prefix(root).unwrap_or(manifest)),
            is_member: metadata.workspace_members.contains(&found.id),
            is_published: found.publish.is_none(),
            licence: found.license.clone(),
            dependencies: dependencies.collect(),
            default_features: found.features.get("default").cloned().unwrap_or_default(),
        }
    };
    Ok(metadata.packages.iter().map(package).collect())
}

#[cfg(test)]
impl Workspace {
    /// A checkout of these (path, text), for showing a rule its violation.
    pub(crate) fn of_files(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|&(path, text)| File { path: path.into(), text: text.into() });
        Self { files: files.collect(), ..Self::default() }
    }

    /// A workspace of these (member, its dependencies).
    pub(crate) fn of_members(members: &[(&str, &[&str])]) -> Self {
        let packages = members.iter().map(|&(name, dependencies)| Package {
            name: name.into(),
            manifest: format!("crates/{name}/Cargo.toml"),
            is_member: true,
            dependencies: dependencies.iter().map(|&d| d.into()).collect(),
            ..Package::default()
        });
        Self { packages: packages.collect(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_checkout_loads() {
        let workspace = Workspace::load().unwrap();
        assert!(workspace.file("Cargo.toml").is_some());
        assert!(workspace.rust_files().any(|file| file.path == "xtask/src/workspace.rs"));
        let xtask = workspace.members().find(|member| member.name == "xtask").unwrap();
        assert_eq!((xtask.manifest.as_str(), xtask.is_published), ("xtask/Cargo.toml", false));
        assert!(workspace.members().any(|m| m.name == "sssp" && m.is_published));
        assert!(workspace.packages.iter().any(|p| p.name == "serde_json" && !p.is_member));
        assert!(!workspace.files.iter().any(|file| file.path.starts_with("target/")));
    }
}

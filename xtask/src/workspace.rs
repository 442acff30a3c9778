//! What the house rules look at: the files of the checkout and what cargo knows of
//! its packages.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

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
    let mut metadata = cargo();
    metadata.args(["metadata", "--format-version=1", "--no-deps", "--locked"]);
    let output = metadata.output().context("cannot start cargo")?;
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
    let target = metadata["target_directory"].as_str().context("cargo names no target folder")?;
    Ok(PathBuf::from(target))
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
    let output = cargo()
        .args(["metadata", "--format-version=1", "--locked"])
        .output()
        .context("cannot start cargo")?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cargo metadata --locked failed in {root:?}:\n{complaint}");
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let members = strings(&metadata["workspace_members"]);
    let packages = metadata["packages"].as_array().context("cargo metadata names no packages")?;
    Ok(packages.iter().map(|package| package_from(root, package, &members)).collect())
}

fn package_from(root: &Path, package: &Value, members: &[String]) -> Package {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    let dependencies = package["dependencies"].as_array().into_iter().flatten().flat_map(|found| {
        let name = text(&found["name"]).unwrap_or_default();
        let features = strings(&found["features"]);
        let asked: Vec<_> = features.iter().map(|feature| format!("{name}/{feature}")).collect();
        asked.into_iter().chain([name])
    });
    Package {
        name: text(&package["name"]).unwrap_or_default(),
        manifest: slashed(manifest.strip_prefix(root).unwrap_or(manifest)),
        is_member: text(&package["id"]).is_some_and(|id| members.contains(&id)),
        is_published: package["publish"].is_null(),
        licence: text(&package["license"]),
        dependencies: dependencies.collect(),
        default_features: strings(&package["features"]["default"]),
    }
}

fn strings(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
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

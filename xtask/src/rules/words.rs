//! Words of our own where the field has others do not come back.

use super::{Finding, Rule};
use crate::source::comments_of;
use crate::workspace::Workspace;

/// A word, and what the field says.
const WORDS: [(&str, &str); 8] = [
    (concat!("zo", "o"), "corner cases"),
    (concat!("cir", "cle"), "cycle"),
    (concat!("cir", "cles"), "cycles"),
    (concat!("fri", "nge"), "frontier"),
    (concat!("est", "ate"), "worker state"),
    (concat!("hori", "zon"), "settled bound"),
    (concat!("on", "ward"), "with an outgoing edge"),
    (concat!("bo", "ard"), "shared bucket"),
];

/// Folders, and beginnings of paths, in which the rule on puzzles holds.
const PLAIN: [&str; 32] = [
    "CONTRIBUTING.md",
    "crates/apsp/",
    "crates/bench/",
    "crates/breadth-first/",
    "crates/centrality/",
    "crates/closure/",
    "crates/collectives/",
    "crates/collectives-mpi/",
    "crates/elimination/",
    "crates/gpu-runtime/",
    "crates/graph-formats/",
    "crates/hierarchy/",
    "crates/k-paths/",
    "crates/paths/",
    "crates/pivots/",
    "crates/published/",
    "crates/python/",
    "crates/search-parts/",
    "crates/sssp/",
    "crates/star-machine/src/",
    "crates/starpath/src/cli",
    "crates/starpath/src/commands/",
    "crates/starpath/src/output",
    "crates/starpath/tests/",
    "crates/test-support/",
    "kernels/apsp/",
    "kernels/closure/",
    "kernels/common/",
    "kernels/hierarchy/",
    "kernels/sssp/",
    "kernels/star/",
    "xtask/",
];

/// Words and phrases, in small letters, that puzzled readers there, and what to say.
const PUZZLES: [(&str, &str); 17] = [
    (concat!("who", "ever"), "the caller"),
    (concat!("no", "body"), "no caller, or no thread"),
    (concat!("every", "body"), "all threads"),
    (concat!("les", "ser"), "smaller"),
    (concat!("some", "body"), "the user, or a caller"),
    (concat!("any", "body"), "any thread, or any caller"),
    (concat!("any", "one"), "any thread, or any caller"),
    (concat!("wh", "om"), "the vertex, or the thread, by its name"),
    (concat!("turned o", "ver"), "transposed"),
    (concat!("turned r", "ound"), "reversed"),
    (concat!("take t", "hrough"), "update with"),
    (concat!("takes t", "hrough"), "updates with"),
    (concat!("taken t", "hrough"), "updated with"),
    (concat!("asked w", "as"), "the target was"),
    (concat!("so m", "any"), "the number by its name"),
    (concat!("do", "ze"), "sleep"),
    (concat!("do", "zes"), "sleeps"),
];

pub(super) const RULE: Rule =
    Rule { name: "words", promise: "names and texts use the field's words", check };

fn check(workspace: &Workspace) -> Vec<Finding> {
    let is_ours = |path: &str| !path.starts_with("docs/results/");
    let mut findings = Vec::new();
    for file in workspace.files.iter().filter(|file| is_ours(&file.path)) {
        let is_text = [".rs", ".cu", ".cuh", ".md"].iter().any(|end| file.path.ends_with(end));
        let is_plain = PLAIN.iter().any(|folder| file.path.starts_with(folder));
        // names in kernels are in their PTX, which a new name would change
        let is_kernel = [".cu", ".cuh"].iter().any(|end| file.path.ends_with(end));
        let comments = if is_kernel { comments_of(&file.text) } else { String::new() };
        let prose = if is_kernel { &comments } else { &file.text };
        let lines = file.text.lines().zip(prose.lines());
        for ((line, prose), number) in lines.zip(1..).filter(|_| is_text) {
            let (words, small) = (words_of(line), words_of(prose).to_ascii_lowercase());
            let is_in = |text: &str, entry: &str| text.contains(&format!(" {entry} "));
            let word = WORDS.iter().find(|entry| is_in(&words, entry.0));
            let puzzle =
                || PUZZLES.iter().filter(|_| is_plain).find(|entry| is_in(&small, entry.0));
            if let Some((word, instead)) = word.or_else(puzzle) {
                let message = format!("says \"{word}\", where the field says \"{instead}\"");
                findings.push(Finding::new(&file.path, number, message));
            }
        }
    }
    findings
}

/// The words of a line between single blanks, with one before and one behind.
fn words_of(line: &str) -> String {
    let words = line.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |line, word| line + word + " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::places;

    #[test]
    fn words_are_found_in_names_and_texts() {
        let (word, other) = (WORDS[0].0, WORDS[1].0);
        let code =
            format!("//! A {other}.\nfn the_{word}() {{}}\nuse plotters::Circle;\n{word}m\n");
        let (first, phrase) = (PUZZLES[0].0.to_uppercase(), PUZZLES[8].0);
        let puzzles = format!("// {first}.\n// is {phrase}, {word}m\n");
        let workspace = Workspace::of_files(&[
            ("src/a.rs", &code),
            ("docs/results/a.md", word),
            ("data.csv", word),
            ("crates/sssp/src/a.rs", &puzzles),
            ("crates/star-machine/tests/a.rs", &puzzles),
            ("kernels/sssp/a.cu", &puzzles.replacen("//", "struct", 1)),
        ]);
        let expected = [
            ("src/a.rs", 1),
            ("src/a.rs", 2),
            ("crates/sssp/src/a.rs", 1),
            ("crates/sssp/src/a.rs", 2),
            ("kernels/sssp/a.cu", 2),
        ];
        assert_eq!(places(&check(&workspace)), expected);
    }
}

//! Nothing is left for later: no reminders, no stubs, no tests that do not run.

use super::{Finding, Rule};
use crate::source::{code_of, comments_of, lines_with_word};
use crate::workspace::Workspace;

const REMINDERS: [&str; 3] = ["TODO", "FIXME", "XXX"];
const STUBS: [&str; 3] = ["todo!", "unimplemented!", "dbg!"];

pub(super) const RULE: Rule =
    Rule { name: "loose-ends", promise: "no reminders, stubs or ignored tests", check };

fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in workspace.rust_files() {
        let mut report = |line, what: &str| {
            let message = format!("{what}: do it now, or open an issue and leave it out");
            findings.push(Finding::new(&file.path, line, message));
        };
        let (code, comments) = (code_of(&file.text), comments_of(&file.text));
        for word in REMINDERS {
            lines_with_word(&comments, word).into_iter().for_each(|line| report(line, word));
        }
        for (text, number) in code.lines().zip(1..) {
            for stub in STUBS {
                let is_call =
                    |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
                if text.match_indices(stub).any(|(at, _)| is_call(at)) {
                    report(number, stub);
                }
            }
            let squeezed: String = text.split_whitespace().collect();
            if squeezed.contains("#[ignore]") || squeezed.contains("#[ignore=") {
                report(number, "an ignored test");
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::places;

    #[test]
    fn reminders_stubs_and_ignored_tests_are_found() {
        let text = "// TODO later\nlet s = \"TODO\"; // todo list\ntodo!()\nmy_dbg!();\n\
                    dbg!(1);\n#[ignore = \"slow\"]\nfn ignore() {}\n";
        let workspace = Workspace::of_files(&[("a.rs", text), ("b.md", "TODO")]);
        assert_eq!(
            places(&check(&workspace)),
            [("a.rs", 1), ("a.rs", 3), ("a.rs", 5), ("a.rs", 6)]
        );
    }
}

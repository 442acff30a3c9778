//! Features that a user must ask for: without them everything builds and runs on a
//! machine with neither CUDA toolkit nor driver nor MPI.

use super::{Finding, Rule};
use crate::workspace::Workspace;

const OFF_BY_DEFAULT: [&str; 6] = ["compression", "cuda", "files", "mpi", "plot", "rustacuda"];

pub(super) const RULE: Rule = Rule {
    name: "default-features",
    promise: "what needs more than a compiler, or is for few, is off by default",
    check,
};

fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in workspace.members() {
        // `other/cuda` and `dep:cuda` switch it on just as well.
        let is_cuda = |feature: &&String| {
            OFF_BY_DEFAULT.iter().any(|off| feature.rsplit(['/', ':']).next() == Some(off))
        };
        if let Some(feature) = member.default_features.iter().find(is_cuda) {
            let message =
                format!("the default features of {} must not have {feature}", member.name);
            findings.push(Finding::new(&member.manifest, 0, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuda_by_default_is_found() {
        let mut workspace = Workspace::of_members(&[("sssp", &[])]);
        workspace.packages[0].default_features = vec!["std".into(), "not-cuda-at-all".into()];
        assert!(check(&workspace).is_empty());
        workspace.packages[0].default_features.push("gpu-runtime/cuda".into());
        assert_eq!(check(&workspace).len(), 1);
    }
}

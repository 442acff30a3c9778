//! The names of graphs: a shape, then, where they are not the shape's own, `+` and the weights,
//! and `+` and the seed: `rmat-17`, `torus-300+to-65536+seed-5`, `new-york+squared`.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Error, Result, bail};

use super::graphs::{Named, SEED, Shape, Weights};

const NAMES: &str = "rmat-S, grid-K, geometric-S, new-york, delaware, rome99, uniform-N-D (N \
                     vertices of mean degree D), complete-N, star-N, path-N, tree-N, \
                     caterpillar-N, ladder-N, small-world-N, torus-K (K vertices a side), \
                     hypercube-D (2^D vertices), attachment-N-K (N vertices, each after the \
                     first two with K edges to earlier ones), bipartite-N-D (half of the N \
                     vertices with D edges each) or layered-N; then perhaps +to-W, +heavy, +zeros, +squared, +reals or +negative, and \
                     +seed-S";
/// The most vertices of a shape that is made edge by edge,
const MOST_VERTICES: u32 = 1 << 26;
/// and of one whose edges grow with the square.
const MOST_COMPLETE: u32 = 1 << 14;

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Workload(workload) => workload.fmt(f),
            Self::Uniform { n, degree } => write!(f, "uniform-{n}-{degree}"),
            Self::Complete { n } => write!(f, "complete-{n}"),
            Self::Star { n } => write!(f, "star-{n}"),
            Self::Path { n } => write!(f, "path-{n}"),
            Self::Tree { n } => write!(f, "tree-{n}"),
            Self::Caterpillar { n } => write!(f, "caterpillar-{n}"),
            Self::SmallWorld { n } => write!(f, "small-world-{n}"),
            Self::Torus { side } => write!(f, "torus-{side}"),
            Self::Ladder { n } => write!(f, "ladder-{n}"),
            Self::Hypercube { dimension } => write!(f, "hypercube-{dimension}"),
            Self::Attachment { n, edges } => write!(f, "attachment-{n}-{edges}"),
            Self::Bipartite { n, degree } => write!(f, "bipartite-{n}-{degree}"),
            Self::Layered { n } => write!(f, "layered-{n}"),
        }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shape.fmt(f)?;
        match self.weights {
            Weights::Own => Ok(()),
            Weights::To(greatest) => write!(f, "+to-{greatest}"),
            Weights::Heavy => f.write_str("+heavy"),
            Weights::Zeros => f.write_str("+zeros"),
            Weights::Squared => f.write_str("+squared"),
            Weights::Reals => f.write_str("+reals"),
            Weights::Negative => f.write_str("+negative"),
        }?;
        if self.seed == SEED { Ok(()) } else { write!(f, "+seed-{}", self.seed) }
    }
}

impl FromStr for Shape {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let unknown = || format!("there is no graph {name:?}: expected {NAMES}");
        let (kind, size) = name.rsplit_once('-').with_context(unknown).unwrap_or((name, ""));
        let size = || size.parse::<u32>().with_context(unknown);
        let n = || match size() {
            Ok(n @ 2..=MOST_VERTICES) => Ok(n),
            Ok(n) => bail!("{name}: {n} vertices are not from 2 to {MOST_VERTICES}"),
            Err(error) => Err(error),
        };
        Ok(match kind {
            "complete" if n()? > MOST_COMPLETE => {
                bail!("{name} would have too many edges: at most complete-{MOST_COMPLETE}")
            }
            "complete" => Self::Complete { n: n()? },
            "star" => Self::Star { n: n()? },
            "path" => Self::Path { n: n()? },
            "tree" => Self::Tree { n: n()? },
            "caterpillar" => Self::Caterpillar { n: n()? },
            "small-world" => Self::SmallWorld { n: n()? },
            "ladder" => Self::Ladder { n: n()? },
            "layered" => Self::Layered { n: n()? },
            "hypercube" => match size()? {
                dimension @ 1..=26 => Self::Hypercube { dimension },
                dimension => bail!("{name}: {dimension} dimensions are not from 1 to 26"),
            },
            "torus" => match size()? {
                side @ 3..=8192 => Self::Torus { side },
                side => bail!("{name}: {side} vertices a side are not from 3 to 8192"),
            },
            _ => match kind.split_once('-') {
                Some((kind @ ("uniform" | "attachment" | "bipartite"), n)) => {
                    let (n, degree) = (n.parse().with_context(unknown)?, size()?);
                    if !(2..=MOST_VERTICES).contains(&n) || !(1..=4096).contains(&degree) {
                        bail!("{name}: expected from 2 to {MOST_VERTICES} vertices, of 1 to 4096");
                    }
                    match kind {
                        "uniform" => Self::Uniform { n, degree },
                        "attachment" => Self::Attachment { n, edges: degree },
                        _ => Self::Bipartite { n, degree },
                    }
                }
                _ => Self::Workload(name.parse().map_err(|_| Error::msg(unknown()))?),
            },
        })
    }
}

impl FromStr for Named {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let mut parts = name.split('+');
        let shape = parts.next().unwrap_or_default().parse()?;
        let mut named = Self { shape, weights: Weights::Own, seed: SEED };
        for part in parts {
            let number = |prefix: &str| part.strip_prefix(prefix).map(str::parse::<u64>);
            match (part, number("to-"), number("seed-")) {
                ("heavy", ..) => named.weights = Weights::Heavy,
                ("zeros", ..) => named.weights = Weights::Zeros,
                ("squared", ..) => named.weights = Weights::Squared,
                ("reals", ..) => named.weights = Weights::Reals,
                ("negative", ..) => named.weights = Weights::Negative,
                (_, Some(Ok(greatest @ 1..=0xffff_ffff)), _) => {
                    named.weights = Weights::To(greatest as u32);
                }
                (_, _, Some(Ok(seed))) => named.seed = seed,
                _ => bail!("there is no graph {name:?}: what is +{part}? Expected {NAMES}"),
            }
        }
        Ok(named)
    }
}

//! `starpath sssp --source`: distances from one vertex.

use std::fmt;

use anyhow::anyhow;
use graph_formats::{VertexId, WeightKind};
use paths::{AnyDistances, AnyTree, Number, Total};
use serde::Serialize;
use sssp::Goal;

use crate::cli::{Common, Configs, SsspArgs};
use crate::failure::WrongUse;
use crate::ids::{Id, Names};
use crate::load::{Loaded, load};
use crate::output::{ResultFile, TreeFile};
use crate::report::{ARCS, Amount, Sums, VERTICES, by_ranks, counted};
use crate::search::{Searched, search};

#[derive(Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    searched: Searched,
    /// How many shared the work, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ranks: Option<usize>,
    /// The GPUs that share the graph, if it is on any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) gpus: Option<usize>,
    source: Id,
    /// Whether every vertex that the source reaches was found: not if the search stopped at its
    /// target or cutoff.
    complete: bool,
    #[serde(flatten)]
    all: Option<All>,
    #[serde(flatten)]
    within: Option<Within>,
    #[serde(flatten)]
    target: Option<Target>,
}

/// The report of a search without a target or cutoff.
#[derive(Serialize)]
pub(super) struct All {
    /// Vertices that have a distance, the source included.
    reached: usize,
    #[serde(flatten)]
    sums: Sums,
}

/// The report of a search with a cutoff.
#[derive(Serialize)]
struct Within {
    cutoff: Amount,
    /// Vertices at most `cutoff` away, the source included.
    within_cutoff: usize,
}

#[derive(Serialize)]
struct Target {
    target: Id,
    /// `None` when no path leads there.
    distance: Option<Amount>,
    path_arcs: Option<usize>,
}

impl All {
    pub(super) fn of(tree: &AnyTree) -> Self {
        Summary::of(&tree.distances).into()
    }
}

/// What a report says of all distances; it can be put together in the order of the vertices.
#[derive(Clone, Copy)]
pub(super) struct Summary {
    reached: usize,
    sum: Total,
    max: Option<Number>,
}

impl Summary {
    fn of(distances: &AnyDistances) -> Self {
        let (sum, max) = (distances.sum(), distances.max());
        Self { reached: distances.n_reached(), sum, max }
    }

    /// The summary of these distances and of those of the vertices after them.
    pub(super) fn with(before: Option<Self>, distances: &AnyDistances) -> Self {
        let own = Self::of(distances);
        let Some(before) = before else { return own };
        let sum = match (before.sum, own.sum) {
            (Total::Integer(a), Total::Integer(b)) => Total::Integer(a + b),
            (Total::Float(a), Total::Float(b)) => Total::Float(a + b),
            (_, sum) => sum,
        };
        let is_above = |a: Number, b: Number| match a.to_i128().zip(b.to_i128()) {
            Some((a, b)) => a > b,
            None => a.to_f64() > b.to_f64(),
        };
        let own_max = own.max.filter(|&own| before.max.is_none_or(|before| is_above(own, before)));
        Self { reached: before.reached + own.reached, sum, max: own_max.or(before.max) }
    }
}

impl From<Summary> for All {
    fn from(Summary { reached, sum, max }: Summary) -> Self {
        Self { reached, sums: Sums::of(sum, max) }
    }
}

impl fmt::Display for All {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "reaches {}; {}", counted(self.reached, VERTICES), self.sums)
    }
}

/// The files of results.
pub(super) struct Outputs {
    distances: Option<ResultFile>,
    predecessors: Option<ResultFile>,
}

impl Outputs {
    pub(super) fn check(args: &SsspArgs) -> anyhow::Result<Self> {
        let distances = output_file(args)?;
        let predecessors = ResultFile::check(&args.predecessors, &args.inputs())?;
        let predecessors = predecessors.map(|file| file.needs_array("predecessors")).transpose()?;
        if let (Some(distances), Some(predecessors)) = (&distances, &predecessors) {
            distances.refuse_same(predecessors)?;
        }
        Ok(Self { distances, predecessors })
    }

    pub(super) fn write(&self, names: &Names<'_>, tree: &AnyTree) -> anyhow::Result<()> {
        if let Some(output) = &self.distances {
            output.write_tree(names, tree)?;
        }
        if let Some(output) = &self.predecessors {
            output.write_predecessors(names, tree)?;
        }
        Ok(())
    }

    /// The files of both, to which a tree is added in blocks.
    pub(super) fn start(
        &self,
        names: &Names<'_>,
        like: &AnyDistances,
    ) -> anyhow::Result<[Option<TreeFile<'_>>; 2]> {
        let distances = self.distances.as_ref().map(|file| file.start_tree(names, like));
        let predecessors = self.predecessors.as_ref().map(|file| file.start_predecessors(names));
        Ok([distances.transpose()?, predecessors.transpose()?])
    }
}

/// The file that `-o` names, checked.
pub(super) fn output_file(args: &SsspArgs) -> anyhow::Result<Option<ResultFile>> {
    ResultFile::check(&args.output, &args.inputs())
}

pub(crate) fn run(args: &SsspArgs, configs: &Configs, common: &Common) -> anyhow::Result<()> {
    let outputs = Outputs::check(args)?;
    let loaded = load(&args.graph, common)?;
    loaded.print(solve(&loaded, args, configs, &outputs, common), common)
}

fn solve(
    loaded: &Loaded,
    args: &SsspArgs,
    configs: &Configs,
    outputs: &Outputs,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let source =
        args.source.as_deref().ok_or_else(|| anyhow!("--source is missing; name a vertex"))?;
    let source = names.vertex("source", source)?;
    let target = args.target.as_deref().map(|id| names.vertex("target", id)).transpose()?;
    let goal = match (target, &args.cutoff) {
        (Some(vertex), _) => Goal::Target(vertex),
        (None, Some(cutoff)) => Goal::Within(parse_cutoff(cutoff, loaded.csr.kind())?),
        (None, None) => Goal::All,
    };
    let (tree, searched) = search(loaded, "sssp", source, goal, configs, common)?;
    outputs.write(&names, &tree)?;
    Ok(Report::of(&names, &tree, target, searched))
}

/// What a report says of a tree.
pub(super) struct Surveyed {
    pub(super) source: VertexId,
    pub(super) limit: Option<Number>,
    pub(super) summary: Summary,
    /// The target, its distance and the arcs on its path.
    pub(super) target: Option<(VertexId, Option<Number>, Option<usize>)>,
}

impl Report {
    /// The report of one process on this tree.
    pub(super) fn of(
        names: &Names<'_>,
        tree: &AnyTree,
        target: Option<VertexId>,
        searched: Searched,
    ) -> Self {
        let n_arcs = |target| tree.path_to(target).map(|path| path.len() - 1);
        let surveyed = Surveyed {
            source: tree.source,
            limit: tree.limit,
            summary: Summary::of(&tree.distances),
            target: target.map(|target| (target, tree.distance(target), n_arcs(target))),
        };
        Self::new(names, &surveyed, searched)
    }

    /// The report of one process.
    pub(super) fn new(names: &Names<'_>, surveyed: &Surveyed, searched: Searched) -> Self {
        let &Surveyed { source, limit, summary, target } = surveyed;
        let complete = limit.is_none();
        let cutoff = limit.filter(|_| target.is_none());
        Self {
            searched,
            ranks: None,
            gpus: None,
            source: names.name(source).into(),
            complete,
            all: complete.then(|| summary.into()),
            within: cutoff
                .map(|cutoff| Within { cutoff: cutoff.into(), within_cutoff: summary.reached }),
            target: target.map(|(vertex, distance, path_arcs)| Target {
                target: names.name(vertex).into(),
                distance: distance.map(Amount::from),
                path_arcs,
            }),
        }
    }
}

/// The value of `--cutoff`.
pub(super) fn parse_cutoff(text: &str, weights: WeightKind) -> Result<Number, WrongUse> {
    Number::parse(text, weights).ok_or_else(|| {
        let kind = weights.distance();
        WrongUse(format!(
            "--cutoff {text}: expected a number that {kind} can hold, because the weights of this \
             graph are {weights}"
        ))
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = &self.source;
        writeln!(f, "{}", by_ranks(&self.searched.head, self.ranks))?;
        if let Some(all) = &self.all {
            writeln!(f, "{source} {all}")?;
        }
        if let Some(Within { cutoff, within_cutoff }) = &self.within {
            let within = counted(*within_cutoff, VERTICES);
            let verb = if *within_cutoff == 1 { "is" } else { "are" };
            writeln!(
                f,
                "{within} {verb} at most {cutoff} away from {source}; the search went no further"
            )?;
        }
        match &self.target {
            Some(Target { target, distance: Some(distance), path_arcs: Some(arcs) }) => {
                let arcs = counted(*arcs, ARCS);
                let stopped = if self.complete { "" } else { "; the search stopped there" };
                writeln!(f, "{target} is {distance} away, by a path of {arcs}{stopped}")
            }
            Some(Target { target, .. }) => {
                writeln!(f, "no path leads from {source} to {target}")
            }
            None => Ok(()),
        }
    }
}

//! Aggregates of points within a cutoff of every vertex: what is asked for, and its checks.
//!
//! Points lie on vertices, several on one if need be. Those of one vertex and category are summed
//! up before any search, so that each vertex with points is searched from once. `sssp` finds
//! aggregates on a CPU, `hierarchy` on a GPU.
//!
//! ```
//! use paths::aggregate::{Aggregate, Decay, Points, Sources, Statistic, check};
//!
//! let points = Points { values: Some(&[3.0, 6.0, 6.0]), ..Points::at(&[4, 4, 0]) };
//! let (statistic, decay) = (Statistic::Sum, Decay::Linear);
//! check(&points, 10.0, &Aggregate { statistic, decay, ..Aggregate::default() })?;
//! assert_eq!(decay.at(5.0, 10.0), 0.5);
//!
//! let sources = Sources::of(&points)?;
//! assert_eq!(sources.all[1].vertex, 4);
//! assert_eq!(sources.parts[sources.all[1].parts.clone()][0].sum, 9.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::ops::Range;

use graph_formats::{Distance, NoMemory, VertexId, ensure_granted};

/// Points on the vertices of a graph, the fields of which have an entry for each point.
#[derive(Clone, Copy, Debug, Default)]
pub struct Points<'a> {
    /// Where each point is. A vertex that is there twice has two points.
    pub vertices: &'a [VertexId],
    /// The value of each; `None` for a value of one each.
    pub values: Option<&'a [f64]>,
    /// The category of each; `None` if all are of one.
    pub categories: Option<Categories<'a>>,
}

impl<'a> Points<'a> {
    /// Points without values and categories.
    pub fn at(vertices: &'a [VertexId]) -> Self {
        Self { vertices, ..Self::default() }
    }
}

/// Categories, each of which is aggregated alone.
#[derive(Clone, Copy, Debug)]
pub struct Categories<'a> {
    /// The category of each point, numbered from 0.
    pub of_points: &'a [u32],
    /// How many there are.
    pub n_categories: usize,
}

/// What is found for every vertex. The default is the number of points within the cutoff.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Aggregate {
    /// What is computed of the points within the cutoff.
    pub statistic: Statistic,
    /// How much less a point counts that is farther.
    pub decay: Decay,
    /// Which way distances go.
    pub way: Way,
}

/// What is computed of the points within the cutoff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Statistic {
    /// Their number.
    #[default]
    Count,
    /// The sum of their values, each multiplied by its decay.
    Sum,
    /// That sum divided by their number; NaN where there is no point.
    Mean,
    /// The least of their values; NaN where there is no point.
    Minimum,
}

/// The factor of a point at distance d within a cutoff c. It is 1 at distance zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Decay {
    /// 1.
    #[default]
    Flat,
    /// 1 − d/c.
    Linear,
    /// e^(−d/c).
    Exponential,
    /// e^(−β·d) with this β, at least zero.
    Gravity(f64),
}

/// Which way distances go; the same where a graph is undirected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// From each vertex to the points.
    #[default]
    ToPoints,
    /// From the points to each vertex.
    FromPoints,
}

impl Decay {
    /// The factor at `distance`, which is no farther than `cutoff` but for rounding.
    #[inline]
    pub fn at(self, distance: f64, cutoff: f64) -> f64 {
        match self {
            // of a cutoff of zero there is no quotient
            _ if distance == 0.0 => 1.0,
            Self::Flat => 1.0,
            Self::Linear => (1.0 - distance / cutoff).max(0.0),
            Self::Exponential => (-distance / cutoff).exp(),
            Self::Gravity(beta) => (-beta * distance).exp(),
        }
    }
}

/// Why points cannot be aggregated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("points cannot be aggregated: {reason}")]
pub struct BadAggregate {
    /// What is wrong, and what would be accepted.
    pub reason: String,
}

/// A vertex with points.
#[derive(Clone, Debug)]
pub struct Source {
    /// Which it is.
    pub vertex: VertexId,
    /// Its categories in [`Sources::parts`], ascending.
    pub parts: Range<usize>,
}

/// The points of a category on a vertex.
#[derive(Clone, Debug)]
pub struct Part {
    /// Which category it is.
    pub category: usize,
    /// The number of the points.
    pub count: f64,
    /// The sum of their values.
    pub sum: f64,
    /// The least of their values.
    pub least: f64,
}

/// The vertices with points.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Each of them, ascending.
    pub all: Vec<Source>,
    /// What they have.
    pub parts: Vec<Part>,
    /// How many categories there are.
    pub n_categories: usize,
}

impl Sources {
    /// Those of points that were [checked](check()). O(p log p).
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn of(points: &Points<'_>) -> Result<Self, NoMemory> {
        // places in their order and in a copy that sorting takes, and what becomes of the points
        let bytes_of_point = 2 * size_of::<usize>() + size_of::<(Source, Part)>();
        ensure_granted(points.vertices.len().saturating_mul(bytes_of_point))?;
        let n_categories = points.categories.map_or(1, |categories| categories.n_categories);
        let category = |at: usize| points.categories.map_or(0, |all| all.of_points[at] as usize);
        let mut order: Vec<_> = (0..points.vertices.len()).collect();
        // stable: values of a vertex are added in the order in which they were given
        order.sort_by_key(|&at| (points.vertices[at], category(at)));
        let mut sources = Self { n_categories, ..Self::default() };
        for at in order {
            let Self { all, parts, .. } = &mut sources;
            let (vertex, category) = (points.vertices[at], category(at));
            let value = points.values.map_or(1.0, |values| values[at]);
            let is_new = all.last().is_none_or(|last| last.vertex != vertex);
            if is_new {
                all.push(Source { vertex, parts: parts.len()..parts.len() });
            }
            match parts.last_mut() {
                Some(part) if !is_new && part.category == category => {
                    part.count += 1.0;
                    part.sum += value;
                    part.least = if value < part.least { value } else { part.least };
                }
                _ => {
                    parts.push(Part { category, count: 1.0, sum: value, least: value });
                    all.iter_mut().last().into_iter().for_each(|last| last.parts.end += 1);
                }
            }
        }
        Ok(sources)
    }
}

/// Checks that the points, the cutoff and what is asked for fit each other. O(p).
///
/// # Errors
/// When they do not. Whether a graph has the vertices is not looked at.
pub fn check(points: &Points<'_>, cutoff: f64, aggregate: &Aggregate) -> Result<(), BadAggregate> {
    let bad = |reason: String| Err(BadAggregate { reason });
    let n_points = points.vertices.len();
    if !(cutoff >= 0.0 && cutoff.is_finite()) {
        return bad(format!("cutoff is {cutoff}; give a number of at least zero"));
    }
    if let Some(values) = points.values {
        if values.len() != n_points {
            let n_values = values.len();
            return bad(format!("{n_points} points have {n_values} values; give one for each"));
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let value = values[at];
            return bad(format!("the value of entry {at} is {value}; leave such points out"));
        }
        if !values.iter().map(|value| value.abs()).sum::<f64>().is_finite() {
            return bad("the values add up to more than f64 can hold; scale them down".to_owned());
        }
    }
    if let Some(Categories { of_points, n_categories }) = points.categories {
        if of_points.len() != n_points {
            let n = of_points.len();
            return bad(format!("{n_points} points have {n} categories; give one for each"));
        }
        if let Some(at) = of_points.iter().position(|&category| category as usize >= n_categories) {
            let category = of_points[at];
            return bad(format!(
                "the category of entry {at} is {category}; number the {n_categories} categories \
                 from 0"
            ));
        }
    }
    let (statistic, decay) = (aggregate.statistic, aggregate.decay);
    if matches!(statistic, Statistic::Mean | Statistic::Minimum) && points.values.is_none() {
        return bad("there are no values; give one for each point, or count the points".to_owned());
    }
    if matches!(statistic, Statistic::Count | Statistic::Minimum) && decay != Decay::Flat {
        return bad(
            "a count and a minimum have no decay; sum up points without values, or take the flat \
             decay"
                .to_owned(),
        );
    }
    if let Decay::Gravity(beta) = decay
        && !(beta >= 0.0 && beta.is_finite())
    {
        return bad(format!("beta is {beta}; give a number of at least zero"));
    }
    Ok(())
}

/// The greatest distance within a cutoff of at least zero.
///
/// # Errors
/// When all distances of the type are within it.
pub fn limit_of<D: Distance>(cutoff: f64) -> Result<D, BadAggregate> {
    let limit = D::from_f64(if D::KIND.is_integer() { cutoff.floor() } else { cutoff });
    limit.filter(|&limit| limit < D::UNREACHED).ok_or_else(|| {
        let kind = D::KIND;
        let reason = format!("cutoff {cutoff} is above all distances of {kind}; give a smaller");
        BadAggregate { reason }
    })
}

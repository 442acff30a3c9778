//! Aggregates of points within a cutoff of every vertex.

use std::num::NonZeroUsize;

use graph_formats::VertexId;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use sssp::{Aggregate, Categories, Decay, Points, Statistic, Way};

use crate::arguments;
use crate::arrays::{floats, whole_numbers};
use crate::error::Error;
use crate::graph::Graph;
use crate::how::How;
use crate::run::run;
use crate::tables::ensure_fits;

/// What an argument's name stands for, or an error that lists the names.
fn named<T: Copy>(role: &str, name: &str, all: &[(&str, T)]) -> Result<T, Error> {
    all.iter().find(|one| one.0 == name).map(|one| one.1).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|one| format!("'{}'", one.0)).collect();
        Error::argument(format!("{role} is '{name}'; expected one of {}", names.join(", ")))
    })
}

/// The arguments of an aggregate.
pub(crate) struct Arguments<'a, 'py> {
    pub(crate) points: &'a Bound<'py, PyAny>,
    pub(crate) cutoff: f64,
    pub(crate) values: Option<&'a Bound<'py, PyAny>>,
    pub(crate) statistic: &'a str,
    pub(crate) decay: &'a str,
    pub(crate) beta: Option<f64>,
    pub(crate) categories: Option<&'a Bound<'py, PyAny>>,
    pub(crate) side: &'a str,
}

/// What is asked about the vertices of a graph.
pub(crate) struct Question {
    vertices: Vec<VertexId>,
    values: Option<Vec<f64>>,
    categories: Option<Vec<u32>>,
    n_categories: usize,
    n_vertices: usize,
    pub(crate) cutoff: f64,
    pub(crate) aggregate: Aggregate,
}

impl Question {
    /// What the arguments ask about this graph.
    pub(crate) fn of(graph: &Graph, given: &Arguments<'_, '_>) -> PyResult<Self> {
        let vertices = graph.vertices_of("point", given.points)?;
        let statistics = [
            ("count", Statistic::Count),
            ("sum", Statistic::Sum),
            ("mean", Statistic::Mean),
            ("minimum", Statistic::Minimum),
        ];
        let decays = [
            ("flat", Decay::Flat),
            ("linear", Decay::Linear),
            ("exponential", Decay::Exponential),
            ("gravity", Decay::Gravity(given.beta.unwrap_or_default())),
        ];
        let decay = named("decay", given.decay, &decays)?;
        if matches!(decay, Decay::Gravity(_)) != given.beta.is_some() {
            let message = "gravity needs beta, a number of at least zero; no other decay has one";
            return Err(Error::argument(message).into());
        }
        let aggregate = Aggregate {
            statistic: named("statistic", given.statistic, &statistics)?,
            decay,
            way: named("side", given.side, &[("out", Way::ToPoints), ("in", Way::FromPoints)])?,
        };
        let values = given.values.map(|values| floats("values", values)).transpose()?;
        let categories =
            given.categories.map(|all| whole_numbers::<u32>(all, "categories")).transpose()?;
        let n_categories = categories
            .as_ref()
            .map_or(1, |categories| categories.iter().max().map_or(0, |&last| last as usize + 1));
        let n_vertices = graph.csr.n_vertices();
        ensure_fits(n_vertices, n_categories, size_of::<f64>())?;
        let cutoff = given.cutoff;
        Ok(Self { vertices, values, categories, n_categories, n_vertices, cutoff, aggregate })
    }

    pub(crate) fn points(&self) -> Points<'_> {
        let n_categories = self.n_categories;
        let categories = self.categories.as_deref();
        let categories = categories.map(|of_points| Categories { of_points, n_categories });
        Points { vertices: &self.vertices, values: self.values.as_deref(), categories }
    }

    /// What was found, with a column for each category if there are any.
    pub(crate) fn array<'py>(
        &self,
        py: Python<'py>,
        found: Vec<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = found.into_pyarray(py);
        match self.categories {
            None => Ok(found.into_any()),
            Some(_) => found.call_method1("reshape", ((self.n_vertices, self.n_categories),)),
        }
    }
}

#[pymethods]
impl Graph {
    /// An aggregate of the points within a cutoff of every vertex: their number, or the sum, mean or
    /// minimum of their values.
    ///
    /// A search starts at each vertex that has points, and takes the time of what lies within the
    /// cutoff; other vertices cost nothing.
    ///
    /// Parameters
    /// ----------
    /// points : array_like of int, or of names of the graph, shape (k,)
    ///     The vertices of the points. A vertex that is named twice has two points.
    /// cutoff : float
    ///     The greatest distance.
    /// values : array_like of numbers, shape (k,), optional
    ///     The value of each point; one each by default.
    /// statistic : {"count", "sum", "mean", "minimum"}, default "count"
    ///     The number of points; the sum of their values, each multiplied by its decay; that sum
    ///     divided by the number; or the least value.
    /// decay : {"flat", "linear", "exponential", "gravity"}, default "flat"
    ///     The factor of a point at distance d: 1; 1 - d / cutoff; exp(-d / cutoff); or
    ///     exp(-beta * d). Only for a sum and a mean.
    /// beta : float, optional
    ///     That of gravity.
    /// categories : array_like of int, shape (k,), optional
    ///     The category of each point, numbered from 0: each is aggregated alone.
    /// side : {"out", "in"}, default "out"
    ///     Whether distances go from each vertex to the points, or from the points to it.
    /// threads : int, optional
    ///     Threads to use at most; all by default. The result has the same bits with any number.
    /// progress : bool, default False
    ///     Whether a bar of tqdm shows how far it is.
    ///
    /// Returns
    /// -------
    /// ndarray of float64, shape (n_vertices,) or (n_vertices, n_categories)
    ///     Where no point is within the cutoff, a count and a sum are zero, a mean and a minimum NaN.
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     When a point does not exist, a value is not finite, the cutoff is below zero or not
    ///     finite, or a weight is negative.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 1, 2], [1, 2, 3], [2, 2, 1], directed=False)
    /// >>> graph.aggregate([0, 0, 3], 3)
    /// array([2., 3., 1., 1.])
    /// >>> graph.aggregate([0, 0, 3], 4, [3, 6, 6], statistic="sum", decay="linear")
    /// array([9. , 6. , 4.5, 6. ])
    #[pyo3(signature = (
        points, cutoff, values=None, *, statistic="count", decay="flat", beta=None,
        categories=None, side="out", threads=None, progress=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "named ones, in Python")]
    fn aggregate<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'_, PyAny>,
        cutoff: f64,
        values: Option<&Bound<'_, PyAny>>,
        statistic: &str,
        decay: &str,
        beta: Option<f64>,
        categories: Option<&Bound<'_, PyAny>>,
        side: &str,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = Arguments { points, cutoff, values, statistic, decay, beta, categories, side };
        let question = Question::of(self, &given)?;
        let how = How::new(None, threads, None)?;
        let size = self.size().saturating_mul(question.vertices.len());
        let found = run(py, size, progress, |progress| {
            let mut solver = how.solver(&self.csr, 1, progress)?;
            Ok(solver.aggregate(&question.points(), cutoff, &question.aggregate)?.answer)
        })?;
        question.array(py, found)
    }
}

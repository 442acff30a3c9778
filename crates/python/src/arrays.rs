//! Arrays of numpy and matrices of scipy, taken as graphs.
//!
//! A graph has copies of its own: searches read it without the interpreter's lock, while other
//! threads of Python may write to whatever they have.

use std::fmt::{self, Display};
use std::path::PathBuf;

use bytemuck::allocation;
use graph_formats::{AnyCsr, Coo, Csr, GraphError, VertexId, Weight, with_csr};
use ndarray::{ArrayView1, ArrayView2};
use numpy::{Element, PyArrayDescrMethods};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::Error;
use crate::tables::ensure_free;

/// What to do where vertices have greater numbers than there can be.
const NUMBERING: &str = "; vertices are numbered from 0 on: ids with gaps are numbered by \
                         starpaths.from_pandas, and from_arcs takes them as labels";

/// Bytes for each vertex of a row's start, and of a distance and a predecessor: without place for
/// these a graph is of no use.
const VERTEX: u128 = 8 + 8 + 4;

/// Runs `$body` with `$typed` bound to the array, read-only and of `$view` dimensions, of
/// whichever of the six weight types it is.
macro_rules! with_weights {
    ($array:expr, $view:ident, |$typed:ident| $body:expr) => {{
        let array = weights_array($array)?;
        if let Ok($typed) = array.extract::<$view<'_, f64>>() {
            $body
        } else if let Ok($typed) = array.extract::<$view<'_, i64>>() {
            $body
        } else if let Ok($typed) = array.extract::<$view<'_, f32>>() {
            $body
        } else if let Ok($typed) = array.extract::<$view<'_, i32>>() {
            $body
        } else if let Ok($typed) = array.extract::<$view<'_, u32>>() {
            $body
        } else if let Ok($typed) = array.extract::<$view<'_, u64>>() {
            $body
        } else {
            Err(Error::argument(format!(
                "an array of shape {}; expected a number for each arc, or a matrix of shape (n, n)",
                array.getattr("shape")?
            )))
        }
    }};
}

/// The graph of compressed sparse rows.
pub(crate) fn from_csr(
    row_offsets: &Bound<'_, PyAny>,
    column_indices: &Bound<'_, PyAny>,
    weights: Option<&Bound<'_, PyAny>>,
    is_directed: bool,
) -> Result<AnyCsr, Error> {
    let row_offsets = offsets(row_offsets)?;
    let columns = columns(column_indices)?;
    let graph = match weights {
        None => Csr::with_equal_weights(row_offsets, columns, 1u32).map(AnyCsr::from),
        Some(weights) => with_weights!(weights, PyReadonlyArray1, |weights| {
            let weights = copied(weights.as_array())?;
            Ok::<_, Error>(Csr::new(row_offsets, columns, weights).map(AnyCsr::from))
        })?,
    };
    let graph = graph.map_err(|error| match error {
        // below zero, before it was taken for a number without a sign
        GraphError::VertexOutOfRange { arc, vertex, .. } if vertex > i32::MAX as u64 => {
            let column = vertex as u32 as i32;
            Error::argument(format!(
                "column indices: entry {arc} is {column}; expected zero or more"
            ))
        }
        error => error.into(),
    })?;
    if is_directed { Ok(graph) } else { undirected(graph) }
}

/// The same arcs with these weights.
pub(crate) fn with_weights(graph: &AnyCsr, weights: &Bound<'_, PyAny>) -> Result<AnyCsr, Error> {
    with_weights!(weights, PyReadonlyArray1, |weights| {
        let weights = copied(weights.as_array())?;
        Ok(graph.unweighted().with_other_weights(weights).map_err(of_weights)?.into())
    })
}

/// What is wrong with the argument `weights`.
fn of_weights(error: GraphError) -> Error {
    match error {
        GraphError::LengthMismatch { expected, found, .. } => Error::argument(format!(
            "weights: {found} entries, and the graph has {expected} arcs; expected one for each \
             arc, in the order of graph.to_scipy().data"
        )),
        GraphError::WeightNotFinite { arc, weight } => Error::argument(format!(
            "weights: entry {arc} is {weight}; expected a finite number, for an arc that is closed \
             a large one"
        )),
        error => error.into(),
    }
}

/// A number of an array: what it is if it is whole, and as a float.
#[derive(Clone, Copy)]
pub(crate) struct Value(Option<i128>, f64);

impl Value {
    /// The same as a weight of this type; floats may be rounded.
    pub(crate) fn to_weight<W: Weight>(self) -> Option<W> {
        self.0
            .map_or_else(|| W::from_f64(self.1), W::from_i128)
            .filter(|&weight| weight.is_finite())
    }

    pub(crate) fn is_infinite(self) -> bool {
        self.0.is_none() && self.1 == f64::INFINITY
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(whole) => whole.fmt(f),
            None => self.1.fmt(f),
        }
    }
}

/// The numbers of an array of weights.
pub(crate) fn values(weights: &Bound<'_, PyAny>) -> Result<Vec<Value>, Error> {
    with_weights!(weights, PyReadonlyArray1, |weights| {
        let value = |&weight| Value(Weight::to_i128(weight), Weight::to_f64(weight));
        Ok(weights.as_array().iter().map(value).collect())
    })
}

/// Row offsets. Those of scipy have 32 bits, and are looked at as a whole.
fn offsets(array: &Bound<'_, PyAny>) -> Result<Vec<u64>, Error> {
    if let Ok(offsets) = array.extract::<PyReadonlyArray1<'_, i32>>()
        && let Ok(offsets) = offsets.as_slice()
        && offsets.iter().fold(0, |all, offset| all | offset) >= 0
    {
        let mut wide = Vec::new();
        reserve(&mut wide, offsets.len())?;
        wide.extend(offsets.iter().map(|&offset| offset as u64));
        return Ok(wide);
    }
    whole_numbers(array, "row offsets")
}

/// Column indices. Of 32 bits they are copied as they are, and what is below zero becomes a vertex
/// that no graph has.
fn columns(array: &Bound<'_, PyAny>) -> Result<Vec<VertexId>, Error> {
    let array = array_of(array)?;
    if let Ok(columns) = array.extract::<PyReadonlyArray1<'_, u32>>() {
        return copied(columns.as_array());
    }
    if let Ok(columns) = array.extract::<PyReadonlyArray1<'_, i32>>() {
        return Ok(allocation::cast_vec(copied(columns.as_array())?));
    }
    whole_numbers(&array, "column indices")
}

/// The same numbers, in memory that Python does not have.
fn copied<T: Copy>(numbers: ArrayView1<'_, T>) -> Result<Vec<T>, Error> {
    let mut copy = Vec::new();
    reserve(&mut copy, numbers.len())?;
    match numbers.as_slice() {
        Some(slice) => copy.extend_from_slice(slice),
        None => copy.extend(numbers),
    }
    Ok(copy)
}

/// Allocates memory for `more` numbers more.
///
/// # Errors
/// If there is none.
fn reserve<T>(numbers: &mut Vec<T>, more: usize) -> Result<(), Error> {
    numbers.try_reserve(more).map_err(|_| {
        let (what, bytes) =
            (format!("an array of {more} numbers"), more as u128 * size_of::<T>() as u128);
        let available = graph_formats::free_memory().unwrap_or(0);
        Error::TooLarge { what, bytes, available, advice: "" }
    })
}

/// The graph of arcs, or of edges, in any order. Vertices are as many as are named, unless it is
/// said how many there are.
pub(crate) fn from_arcs(
    sources: &Bound<'_, PyAny>,
    targets: &Bound<'_, PyAny>,
    weights: Option<&Bound<'_, PyAny>>,
    n_vertices: Option<usize>,
    is_directed: bool,
) -> Result<AnyCsr, Error> {
    let sources = whole_numbers::<VertexId>(sources, "sources")?;
    let targets = whole_numbers::<VertexId>(targets, "targets")?;
    let named = || sources.iter().chain(&targets).max().map_or(0, |&last| last as usize + 1);
    let n_vertices = n_vertices.unwrap_or_else(named);
    ensure_room(n_vertices, sources.len(), is_directed)?;
    match weights {
        None => {
            let weights = vec![1u32; sources.len()];
            arranged(Coo::new(n_vertices, sources, targets, weights)?, is_directed)
        }
        Some(weights) => with_weights!(weights, PyReadonlyArray1, |weights| {
            let weights = copied(weights.as_array())?;
            arranged(Coo::new(n_vertices, sources, targets, weights)?, is_directed)
        }),
    }
}

/// An error if `n_vertices` is too large, or if memory has no place for a graph of this size with
/// weights of 64 bits.
fn ensure_room(n_vertices: usize, n_arcs: usize, is_directed: bool) -> Result<(), Error> {
    ensure_numbers(n_vertices)?;
    // a list and the rows that are made of it, where edges are two arcs each
    let (list, row) = (8 + 8, 4 + 8);
    let arc = if is_directed { list + row } else { 2 * list + 2 * (list + row) };
    let bytes = n_vertices as u128 * VERTEX + n_arcs as u128 * arc;
    ensure_free(bytes, NUMBERING, || {
        format!("a graph of {n_vertices} vertices and {n_arcs} arcs, with distances in it,")
    })
}

/// An error if predecessors cannot hold the numbers of `n_vertices` vertices.
pub(crate) fn ensure_numbers(n_vertices: usize) -> Result<(), Error> {
    if i32::try_from(n_vertices).is_ok() {
        return Ok(());
    }
    let most = i32::MAX;
    Err(Error::argument(format!(
        "{n_vertices} vertices are too many; at most {most} are supported{NUMBERING}"
    )))
}

/// The graph of a matrix: sparse, where each stored entry is an arc, or dense, where what is finite
/// and neither zero nor masked is.
pub(crate) fn from_matrix(matrix: &Bound<'_, PyAny>, is_directed: bool) -> Result<AnyCsr, Error> {
    if matrix.extract::<PathBuf>().is_ok() {
        let name = matrix.repr()?;
        return Err(Error::argument(format!(
            "matrix is {name}; expected a matrix. Graph.read({name}) reads a file"
        )));
    }
    if !matrix.hasattr("tocsr")? {
        // what is masked is no arc, as what is zero
        let filled = is_masked(matrix)?.then(|| matrix.call_method1("filled", (0,))).transpose()?;
        let matrix = filled.as_ref().unwrap_or(matrix);
        let dense = with_weights!(matrix, PyReadonlyArray2, |dense| from_dense(dense.as_array()))?;
        return if is_directed { Ok(dense) } else { undirected(dense) };
    }
    let matrix = matrix.call_method0("tocsr")?;
    let (rows, columns): (usize, usize) = matrix
        .getattr("shape")?
        .extract()
        .map_err(|_| Error::argument("the matrix of a graph must have two dimensions"))?;
    square(rows, columns)?;
    let part = |name| matrix.getattr(name);
    from_csr(&part("indptr")?, &part("indices")?, Some(&part("data")?), is_directed)
}

/// The whole numbers of an array as numbers that cannot be negative.
pub(crate) fn whole_numbers<N>(array: &Bound<'_, PyAny>, what: &str) -> Result<Vec<N>, Error>
where
    N: TryFrom<i64>,
{
    let array = array_of(array)?;
    if array.len() == 0 && array.ndim() == 1 {
        return Ok(Vec::new());
    }
    let kind = array.dtype().kind();
    if array.ndim() != 1 || !matches!(kind, b'i' | b'u') {
        let (ndim, dtype) = (array.ndim(), array.dtype());
        let found = format!("{ndim} dimensions of {dtype}");
        return Err(Error::argument(format!(
            "{what}: expected one dimension of integers, found {found}"
        )));
    }
    let narrow = |at, number: i64| {
        N::try_from(number).map_err(|_| {
            let bits = 8 * size_of::<N>();
            let advice = if number < 0 { "" } else { NUMBERING };
            Error::argument(format!(
                "{what}: entry {at} is {number}, which {bits} bits without a sign cannot \
                 hold{advice}"
            ))
        })
    };
    let mut narrowed = Vec::new();
    reserve(&mut narrowed, array.len())?;
    if let Ok(numbers) = array.extract::<PyReadonlyArray1<'_, i32>>() {
        for (at, &number) in numbers.as_array().iter().enumerate() {
            narrowed.push(narrow(at, number.into())?);
        }
        return Ok(narrowed);
    }
    // of u64 what is too large becomes negative, and is refused like that
    let wide = match array.extract::<PyReadonlyArray1<'_, i64>>() {
        Ok(wide) => wide,
        Err(_) => array.call_method1("astype", ("int64",))?.extract()?,
    };
    for (at, &number) in wide.as_array().iter().enumerate() {
        narrowed.push(narrow(at, number)?);
    }
    Ok(narrowed)
}

/// Rows of arcs, or of edges both ways.
fn arranged<W: Weight>(arcs: Coo<W>, is_directed: bool) -> Result<AnyCsr, Error>
where
    AnyCsr: From<Csr<W>>,
{
    let graph = if is_directed { Csr::from_coo(&arcs) } else { Csr::from_undirected_edges(&arcs) };
    Ok(graph?.into())
}

/// The graph itself where every arc has its reverse, and else one in which it has.
fn undirected(graph: AnyCsr) -> Result<AnyCsr, Error> {
    let edges = graph.clone();
    graph.into_undirected().or_else(|_| {
        Ok(with_csr!(edges, |edges| Csr::from_undirected_edges(&edges.to_coo())?.into()))
    })
}

fn from_dense<W: Weight + Element>(matrix: ArrayView2<'_, W>) -> Result<AnyCsr, Error>
where
    AnyCsr: From<Csr<W>>,
{
    square(matrix.nrows(), matrix.ncols())?;
    let (mut row_offsets, mut columns, mut weights) = (vec![0], Vec::new(), Vec::new());
    for row in matrix.rows() {
        reserve(&mut columns, row.len())?;
        reserve(&mut weights, row.len())?;
        for (column, &weight) in (0..).zip(row) {
            if weight != W::ZERO && weight.is_finite() {
                columns.push(column);
                weights.push(weight);
            }
        }
        row_offsets.push(columns.len() as u64);
    }
    Ok(Csr::new(row_offsets, columns, weights)?.into())
}

fn square(rows: usize, columns: usize) -> Result<(), Error> {
    if rows == columns {
        return Ok(());
    }
    let message = format!(
        "the matrix of a graph must be square; this one has {rows} rows and {columns} columns"
    );
    Err(Error::argument(message))
}

/// The same as an array of one of the six weight types, which all have it exactly.
fn weights_array<'py>(array: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>, Error> {
    let array = array_of(array)?;
    let dtype = array.dtype();
    let wider = match (dtype.kind(), dtype.itemsize()) {
        (b'b', _) | (b'i', 1 | 2 | 4) => "i4",
        (b'i', 8) => "i8",
        (b'u', 1 | 2 | 4) => "u4",
        (b'u', 8) => "u8",
        (b'f', 2 | 4) => "f4",
        (b'f', 8) => "f8",
        _ => {
            return Err(Error::argument(format!(
                "weights of type {dtype}; expected integers or floats of at most 64 bits, which \
                 lose nothing"
            )));
        }
    };
    let arguments = PyDict::new(array.py());
    arguments.set_item("copy", false)?;
    Ok(array.call_method("astype", (wider,), Some(&arguments))?)
}

/// What numpy makes of it, aligned, for only such numbers can be read in place.
///
/// # Errors
/// Where entries are masked, which numpy would take as they lie.
pub(crate) fn array_of<'py>(
    array: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyUntypedArray>, Error> {
    // an array as such has no mask; of one vertex this look takes longer than all else
    let is_plain = array.is_exact_instance_of::<PyUntypedArray>();
    if !is_plain && is_masked(array)? {
        let message = "an array with masked entries, which have no value; leave them out, or give \
                       them one by its method filled";
        return Err(Error::argument(message));
    }
    let array = match is_plain {
        true => array.clone(),
        false => array.py().import("numpy")?.call_method1("asarray", (array,))?,
    };
    let is_aligned = array.getattr("flags")?.getattr("aligned")?.is_truthy()?;
    let array = if is_aligned { array } else { array.call_method0("copy")? };
    Ok(array.cast_into::<PyUntypedArray>().map_err(PyErr::from)?)
}

/// Whether any entry of it is masked.
fn is_masked(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    let has_mask = array.hasattr("_mask")?;
    Ok(has_mask
        && array.py().import("numpy.ma")?.call_method1("is_masked", (array,))?.is_truthy()?)
}

/// The numbers of an array of one dimension that plays this role.
pub(crate) fn floats(role: &str, array: &Bound<'_, PyAny>) -> Result<Vec<f64>, Error> {
    let array = array_of(array)?;
    let (ndim, dtype) = (array.ndim(), array.dtype());
    if ndim != 1 || !matches!(dtype.kind(), b'b' | b'i' | b'u' | b'f') {
        return Err(Error::argument(format!(
            "{role}: expected one dimension of numbers, found {ndim} dimensions of {dtype}"
        )));
    }
    let floats = array.call_method1("astype", ("float64",))?;
    let floats = floats.extract::<PyReadonlyArray1<'_, f64>>()?;
    Ok(floats.as_array().to_vec())
}

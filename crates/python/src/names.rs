//! The names of a graph's vertices.

use graph_formats::{Ids, Name, VertexId};
use numpy::PyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::error::Error;
use crate::graph::{no_vertex, vertex_of};
use crate::searches::{vertices_of, vertices_or_all};

/// The names of the vertices. The first have those of a file, or their numbers, the others labels.
/// In most graphs all have names of one kind; others are those of vertices that changes have added.
pub(crate) struct Names {
    ids: Ids,
    labels: Option<Labels>,
}

/// Names that the caller gives.
struct Labels {
    /// The vertex of the first.
    first: usize,
    list: Py<PyList>,
    /// The vertex of each.
    vertices: Py<PyDict>,
}

impl Labels {
    /// # Errors
    /// Where two are the same, or one is not hashable.
    fn new(first: usize, list: &Bound<'_, PyList>) -> PyResult<Self> {
        let vertices = PyDict::new(list.py());
        (first..).zip(list).try_for_each(|(vertex, label)| vertices.set_item(label, vertex))?;
        let n = list.len();
        if vertices.len() != n {
            let message = format!(
                "there are {n} labels, {} of them different; expected a different one for each \
                 vertex",
                vertices.len()
            );
            return Err(Error::argument(message).into());
        }
        Ok(Self { first, list: list.clone().unbind(), vertices: vertices.unbind() })
    }

    fn clone(&self, py: Python<'_>) -> Self {
        let Self { first, list, vertices } = self;
        Self { first: *first, list: list.clone_ref(py), vertices: vertices.clone_ref(py) }
    }
}

/// What names are pickled as: the kind of a file's names, these, and labels.
pub(crate) type NamesState<'py> = (String, Bound<'py, PyAny>, Option<Bound<'py, PyList>>);

impl Names {
    pub(crate) fn of_file(ids: Ids) -> Self {
        Self { ids, labels: None }
    }

    /// The number of labels, and what they are the names of.
    ///
    /// # Errors
    /// Where two are the same, or one is not hashable.
    pub(crate) fn labelled(labels: &Bound<'_, PyAny>) -> PyResult<(usize, Self)> {
        let list = labels.try_iter()?.collect::<PyResult<Vec<_>>>()?;
        let list = PyList::new(labels.py(), list)?;
        Ok((list.len(), Self { ids: Ids::FromZero, labels: Some(Labels::new(0, &list)?) }))
    }

    pub(crate) fn clone(&self, py: Python<'_>) -> Self {
        let labels = self.labels.as_ref().map(|labels| labels.clone(py));
        Self { ids: self.ids.clone(), labels }
    }

    /// These of `n` vertices, and labels of vertices after them. Without names there are no labels.
    pub(crate) fn and(&self, n: usize, new: &Bound<'_, PyList>) -> PyResult<Self> {
        let py = new.py();
        if new.is_empty() {
            return Ok(self.clone(py));
        }
        let (first, list) = match &self.labels {
            Some(labels) => (labels.first, labels.list.bind(py).as_sequence().to_list()?),
            None => (n, PyList::empty(py)),
        };
        new.iter().try_for_each(|label| list.append(label))?;
        Ok(Self { ids: self.ids.clone(), labels: Some(Labels::new(first, &list)?) })
    }

    /// Whether they are other than the vertices' numbers.
    pub(crate) fn are_names(&self) -> bool {
        self.labels.is_some() || self.ids != Ids::FromZero
    }

    /// The name of a vertex.
    pub(crate) fn name<'py>(
        &self,
        py: Python<'py>,
        vertex: VertexId,
    ) -> PyResult<Bound<'py, PyAny>> {
        let of_label = |labels: &Labels| (vertex as usize).checked_sub(labels.first);
        match self.labels.as_ref().and_then(|labels| Some((labels, of_label(labels)?))) {
            Some((labels, place)) => labels.list.bind(py).get_item(place),
            None => match self.ids.name(vertex) {
                Name::Number(number) => number.into_bound_py_any(py),
                Name::Word(word) => word.into_bound_py_any(py),
            },
        }
    }

    /// The vertex of this name, among `n` vertices.
    pub(crate) fn vertex(&self, name: &Bound<'_, PyAny>, n: usize) -> PyResult<Option<VertexId>> {
        let n_of_file = self.labels.as_ref().map_or(n, |labels| labels.first);
        let of_file = match name.extract::<u64>() {
            Ok(number) => self.ids.vertex(number, n_of_file),
            Err(_) => match name.extract::<&str>() {
                Ok(word) => self.ids.vertex(word, n_of_file),
                Err(error) if self.labels.is_none() => return Err(error),
                Err(_) => None,
            },
        };
        match (of_file, &self.labels) {
            (None, Some(labels)) => {
                let vertex = labels.vertices.bind(name.py()).get_item(name)?;
                vertex.map(|vertex| vertex.extract()).transpose()
            }
            (of_file, _) => Ok(of_file),
        }
    }

    /// The vertex of this name, if vertices have names.
    pub(crate) fn named(&self, n: usize, name: &Bound<'_, PyAny>) -> Option<VertexId> {
        self.are_names().then(|| self.vertex(name, n).ok().flatten()).flatten()
    }

    /// The vertex of this number, or where vertices have names of a name that is no number.
    pub(crate) fn vertex_of(
        &self,
        n: usize,
        role: &str,
        vertex: &Bound<'_, PyAny>,
    ) -> PyResult<VertexId> {
        if let Ok(number) = vertex.extract::<i64>() {
            return Ok(vertex_of(n, role, number)?);
        }
        match self.named(n, vertex) {
            Some(found) => Ok(found),
            None => Err(no_vertex(role, vertex, n)?.into()),
        }
    }

    /// Vertices of an array of numbers, or of a list of names.
    pub(crate) fn vertices_of(
        &self,
        n: usize,
        role: &str,
        vertices: &Bound<'_, PyAny>,
    ) -> Result<Vec<VertexId>, Error> {
        if vertices.is_instance_of::<PyString>() {
            let name = vertices.repr()?;
            return Err(Error::argument(format!("{role} is {name}; expected a list of vertices")));
        }
        vertices_of(n, role, vertices).or_else(|error| {
            let names = vertices.try_iter().and_then(Iterator::collect::<PyResult<Vec<_>>>);
            let names = names.unwrap_or_default();
            let is_name = |first: &Bound<'_, PyAny>| {
                first.is_instance_of::<PyString>() || self.named(n, first).is_some()
            };
            if !(self.are_names() && names.first().is_some_and(is_name)) {
                return Err(error);
            }
            Ok(names.iter().map(|name| self.vertex_of(n, role, name)).collect::<PyResult<_>>()?)
        })
    }

    /// The same, or all where none are named.
    pub(crate) fn vertices_or_all(
        &self,
        n: usize,
        role: &str,
        vertices: Option<&Bound<'_, PyAny>>,
    ) -> Result<Vec<VertexId>, Error> {
        match vertices {
            Some(vertices) => self.vertices_of(n, role, vertices),
            None => vertices_or_all(n, role, None),
        }
    }

    /// The names of `n` vertices as a file has them, where they ascend.
    ///
    /// # Errors
    /// Where labels are neither all whole numbers nor all words, or do not ascend.
    pub(crate) fn ids(&self, py: Python<'_>, n: usize) -> PyResult<Ids> {
        if self.labels.is_none() {
            return Ok(self.ids.clone());
        }
        let names = (0..n as VertexId).map(|vertex| self.name(py, vertex));
        let names = PyList::new(py, names.collect::<PyResult<Vec<_>>>()?)?;
        if let Ok(numbers) = names.extract::<Vec<u64>>()
            && numbers.is_sorted()
        {
            return Ok(Ids::Listed(numbers));
        }
        if let Ok(words) = names.extract::<Vec<String>>()
            && words.is_sorted()
            && words.first().is_none_or(|first| !first.is_empty())
        {
            return Ok(Ids::Words(words.iter().map(String::as_str).collect()));
        }
        Err(Error::argument(
            "the labels of the graph cannot be names in a file: these are whole numbers of at \
             least zero, or words, and ascend. from_networkx(graph, nodelist=sorted(graph)) and \
             from_pandas(edges, nodes=nodes.sort_index()) number vertices so",
        )
        .into())
    }

    /// What they are pickled as.
    pub(crate) fn state<'py>(&self, py: Python<'py>) -> PyResult<NamesState<'py>> {
        let (kind, of_file) = match &self.ids {
            Ids::FromZero => ("from zero", py.None().into_bound(py)),
            Ids::FromOne => ("from one", py.None().into_bound(py)),
            Ids::Listed(numbers) => ("numbers", PyArray1::from_slice(py, numbers).into_any()),
            Ids::Words(words) => {
                let words: Vec<_> = (0..words.len()).map(|v| words.get(v)).collect();
                ("words", words.into_bound_py_any(py)?)
            }
        };
        let labels = self.labels.as_ref().map(|labels| labels.list.bind(py).clone());
        Ok((kind.to_owned(), of_file, labels))
    }

    /// The names of `n` vertices that were pickled.
    pub(crate) fn restored((kind, of_file, labels): NamesState<'_>, n: usize) -> PyResult<Self> {
        let ids = match &*kind {
            "from one" => Ids::FromOne,
            "numbers" => Ids::Listed(of_file.extract()?),
            "words" => {
                let words: Vec<String> = of_file.extract()?;
                Ids::Words(words.iter().map(String::as_str).collect())
            }
            _ => Ids::FromZero,
        };
        let labels =
            labels.map(|list| Labels::new(n.saturating_sub(list.len()), &list)).transpose()?;
        Ok(Self { ids, labels })
    }
}

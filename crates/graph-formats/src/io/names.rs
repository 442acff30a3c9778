//! Names of vertices in files that do not keep them, and files of names.

use std::borrow::Cow;
use std::fmt;
use std::io::Write;
use std::path::Path;

use super::{AtomicFile, Format};
use crate::{GraphError, Ids, Name, VertexId};

/// How a file names the vertices of a graph if it does not keep their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NamesLost {
    /// Names count from one number in the graph and from another in the file.
    Shifted {
        /// The name of the first vertex.
        from: u64,
        /// Its name in the file.
        to: u64,
    },
    /// The file counts vertices from `first` on, in the ascending order of their names;
    /// [`write_ids`] can save the names.
    Renumbered {
        /// The name of the first vertex in the file.
        first: u64,
    },
}

impl fmt::Display for NamesLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shifted { from, to } => write!(
                f,
                "this format counts vertices from {to}: vertex {from} of the input is vertex {to} \
                 there, and so on"
            ),
            Self::Renumbered { first } => write!(
                f,
                "this format counts vertices from {first}, in the ascending order of their names"
            ),
        }
    }
}

/// How a file of `format` changes these names; `None` if it keeps them.
///
/// ```
/// use graph_formats::{Format, Ids, NamesLost, names_lost};
///
/// assert_eq!(names_lost(Format::Gr, &Ids::FromOne), None);
/// let shifted = Some(NamesLost::Shifted { from: 1, to: 0 });
/// assert_eq!(names_lost(Format::Sg, &Ids::FromOne), shifted);
/// let listed = Ids::Listed(vec![7, 900]);
/// assert_eq!(names_lost(Format::Wel, &listed), None);
/// assert_eq!(names_lost(Format::Mtx, &listed), Some(NamesLost::Renumbered { first: 1 }));
/// ```
pub fn names_lost(format: Format, ids: &Ids) -> Option<NamesLost> {
    let to = match format {
        Format::Gr | Format::Mtx | Format::Graph => 1,
        Format::Sg | Format::Wsg => 0,
        _ => return None,
    };
    match ids {
        Ids::FromZero => (to == 1).then_some(NamesLost::Shifted { from: 0, to }),
        Ids::FromOne => (to == 0).then_some(NamesLost::Shifted { from: 1, to }),
        Ids::Listed(_) | Ids::Words(_) => Some(NamesLost::Renumbered { first: to }),
    }
}

/// A line of a file of ids: the name, in quotes only if [`id_of_line`] would not return it without
/// them.
///
/// ```
/// use graph_formats::{id_line, id_of_line};
///
/// assert_eq!(id_line("Route #9".into()), "Route #9");
/// assert_eq!(id_line("\"9\"".into()), "\"\"\"9\"\"\"");
/// assert_eq!(id_of_line("\"\"\"9\"\"\""), "\"9\"");
/// ```
pub fn id_line(name: Name<'_>) -> String {
    let name = name.to_string();
    if id_of_line(&name) == name { name } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// The name on a line of a file of ids: the line without blanks and quotes around it. Two quotes
/// stand for one inside quotes. No part of a line is a comment.
///
/// ```
/// use graph_formats::id_of_line;
///
/// assert_eq!(id_of_line(" Route #9\r"), "Route #9");
/// assert_eq!(id_of_line("\"A, B\""), "A, B");
/// assert_eq!(id_of_line("\"A\" B"), "\"A\" B");
/// ```
pub fn id_of_line(line: &str) -> Cow<'_, str> {
    let line = line.trim_ascii();
    let inside = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let name = inside.map(|inside| inside.replace("\"\"", "\""));
    match name.filter(|name| Some(&*name.replace('"', "\"\"")) == inside) {
        Some(name) => Cow::Owned(name),
        None => Cow::Borrowed(line),
    }
}

/// Writes the names of the vertices 0 to n − 1, one on each line, as [`id_line`] has them.
///
/// # Errors
/// [`GraphError::Io`]; the file is then unchanged.
pub fn write_ids(path: impl AsRef<Path>, ids: &Ids, n_vertices: usize) -> Result<(), GraphError> {
    let path = path.as_ref();
    let mut file = AtomicFile::create(path)?;
    (0..n_vertices as VertexId)
        .try_for_each(|vertex| writeln!(file, "{}", id_line(ids.name(vertex))))
        .map_err(|error| file.error(error))?;
    file.commit()
}

//! What becomes of the names of vertices in a file that has others.

use std::fmt;
use std::io::Write;
use std::path::Path;

use super::{AtomicFile, Format};
use crate::{GraphError, Ids, VertexId};

/// What a file calls the vertices of a graph, where it does not keep their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NamesLost {
    /// Names counted from one number, and count from another in the file.
    Shifted {
        /// The name of the first vertex.
        from: u64,
        /// What the file calls it.
        to: u64,
    },
    /// The file counts vertices from `first` on, in the ascending order of their names;
    /// [`write_ids`] can save these.
    Renumbered {
        /// What the file calls the first vertex.
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

/// What becomes of these names in a file of `format`; `None` where it keeps them.
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

/// Writes the names of the vertices 0 to n − 1, one on each line.
///
/// # Errors
/// [`GraphError::Io`]; the file is then as it was before.
pub fn write_ids(path: impl AsRef<Path>, ids: &Ids, n_vertices: usize) -> Result<(), GraphError> {
    let path = path.as_ref();
    let mut file = AtomicFile::create(path)?;
    (0..n_vertices as VertexId)
        .try_for_each(|vertex| writeln!(file, "{}", ids.name(vertex)))
        .map_err(|source| GraphError::Io { path: path.to_path_buf(), source })?;
    file.commit()
}

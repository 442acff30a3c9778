//! Options for reading a file, where the file itself does not say.

use std::path::PathBuf;
use std::str::FromStr;

use super::Format;
use crate::{Direction, GraphError};

/// How a file is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// The format; `None`: the one that the suffix names.
    pub format: Option<Format>,
    /// Whether an arc of the file is one arc, or an edge, which is an arc each way. Arcs that give
    /// an edge of the same weight from both its ends are then one edge: of a arcs (u, v, w) and b
    /// arcs (v, u, w) there are max(a, b) edges. Edges of a file are edges in either case.
    pub direction: Direction,
    /// How an edge list is read; other formats need no such choices.
    pub edge_list: EdgeListOptions,
}

/// How an edge list is read.
///
/// ```
/// use graph_formats::{
///     Direction, EdgeListOptions, Format, Ids, Note, ReadOptions, parse, parse_with,
/// };
///
/// // 4 vertices and 2 lines; no id is 0, so they count from 1
/// let graph = parse(Format::El, b"4 2\n1 2\n2 3\n")?;
/// assert_eq!((graph.csr.n_vertices(), graph.ids), (4, Ids::FromOne));
/// assert_eq!(graph.notes, [Note::Header { n_vertices: 4, n_lines: 2, first: 1 }]);
///
/// // a table of names, read both ways
/// let columns = Some("pre,post,synapses".parse()?);
/// let options = ReadOptions {
///     format: Some(Format::Csv),
///     direction: Direction::Undirected,
///     edge_list: EdgeListOptions { columns, ..Default::default() },
/// };
/// let table = b"pre,type,post,synapses\nAVAL,x,AVAR,3\n";
/// let graph = parse_with(table, &options)?;
/// assert_eq!((graph.csr.n_arcs(), graph.ids.vertex("AVAR", 2)), (2, Some(1)));
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeListOptions {
    /// Whether the list begins with a line `n m`, or a table with names of columns.
    pub header: Header,
    /// From which number ids count. All numbers from there to the greatest id, or to that of
    /// a header, are then vertices. `None`: only ids that occur are; with a header they count
    /// from 0 where 0 occurs, else from 1.
    pub base: Option<Base>,
    /// Which columns hold what. `None`: those of known names, or the first two or three.
    pub columns: Option<Columns>,
    /// A file with all vertices, one a line; an arc of another vertex is then an error.
    /// `None`: `x.v` beside `x.e`, if there is one.
    pub vertices: Option<PathBuf>,
    /// Which lines are comments, here and in the file of vertices.
    pub comment: Comment,
    /// Whether ids are numbers or names.
    pub ids: IdKind,
}

/// Whether the ids of an edge list are numbers or names.
///
/// ```
/// use graph_formats::{EdgeListOptions, Format, IdKind, ReadOptions, parse, parse_with};
///
/// // two counties, because no number is spelled `06001`
/// let table = b"from,to\n06001,6001\n";
/// assert_eq!(parse(Format::Csv, table)?.csr.n_vertices(), 2);
/// let edge_list = EdgeListOptions { ids: IdKind::Numbers, ..Default::default() };
/// let numbers = ReadOptions { format: Some(Format::Csv), edge_list, ..Default::default() };
/// assert_eq!(parse_with(table, &numbers)?.csr.n_vertices(), 1);
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdKind {
    /// Numbers without leading zeros; in a table names, if one of the first is no such number.
    #[default]
    Auto,
    /// Numbers, which may have leading zeros.
    Numbers,
    /// Names, exactly as they are written.
    Names,
}

/// Which lines of an edge list are comments. A [`Note`](crate::Note) says how many there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Comment {
    /// Those that start with `#` or `%`; in a table none, because a name may start with either.
    #[default]
    Auto,
    /// None.
    None,
    /// Those that start with this byte.
    Mark(u8),
}

/// `none`, or one punctuation character of ASCII other than a quote.
///
/// ```
/// use graph_formats::Comment;
///
/// assert_eq!("#".parse::<Comment>()?, Comment::Mark(b'#'));
/// assert_eq!("none".parse::<Comment>()?, Comment::None);
/// assert!("//".parse::<Comment>().is_err());
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
impl FromStr for Comment {
    type Err = GraphError;

    fn from_str(text: &str) -> Result<Self, GraphError> {
        match text.as_bytes() {
            b"none" => Ok(Self::None),
            &[mark] if mark.is_ascii_punctuation() && mark != b'"' => Ok(Self::Mark(mark)),
            _ => Err(GraphError::BadParameter {
                name: "comment",
                value: text.to_owned(),
                expected: "none, or one punctuation character other than a quote".to_owned(),
            }),
        }
    }
}

/// Whether an edge list begins with a line `n m`, the numbers of vertices and of lines, or a table
/// with names of its columns; a matrix with names of its vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// Yes if the first line fits the rest.
    #[default]
    Auto,
    /// Yes. In a table the first line names the columns. In a list it is two numbers; if they do
    /// not fit the rest, the list is refused.
    Yes,
    /// No: the first line is an arc.
    No,
}

/// The least id of a list that counts its vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Ids are 0 to n − 1.
    Zero,
    /// Ids are 1 to n.
    One,
}

/// Which columns of a table hold the ends of an arc and its weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Where arcs start.
    pub source: Column,
    /// Where arcs end.
    pub destination: Column,
    /// Their weights; `None`: all weigh 1.
    pub weight: Option<Column>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// By its number, from 1.
    Number(usize),
    /// By its name in the first line.
    Name(String),
}

/// `source,destination` or `source,destination,weight`, each a name or a number.
///
/// ```
/// use graph_formats::{Column, Columns};
///
/// let columns: Columns = "pre,post,3".parse()?;
/// assert_eq!(columns.weight, Some(Column::Number(3)));
/// assert!("pre".parse::<Columns>().is_err());
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
impl FromStr for Columns {
    type Err = GraphError;

    fn from_str(text: &str) -> Result<Self, GraphError> {
        let wrong = || GraphError::BadParameter {
            name: "columns",
            value: text.to_owned(),
            expected: "source,target or source,target,weight, each a name or a number from 1"
                .to_owned(),
        };
        let column = |word: &str| match word.trim() {
            "" => Err(wrong()),
            word if word.bytes().all(|byte| byte.is_ascii_digit()) => {
                let number = word.parse().ok().filter(|&number| number > 0);
                number.map(Column::Number).ok_or_else(wrong)
            }
            word => Ok(Column::Name(word.to_owned())),
        };
        let mut columns = text.split(',').map(column);
        let mut next = || columns.next().transpose();
        let (source, destination, weight) = (next()?, next()?, next()?);
        match (source, destination, next()?) {
            (Some(source), Some(destination), None) => Ok(Self { source, destination, weight }),
            _ => Err(wrong()),
        }
    }
}

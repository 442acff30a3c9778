//! The graph file of a command, and the options for reading it.

use std::path::{Path, PathBuf};

use clap::Args;
use graph_formats::{
    Base, Columns, Comment, Direction, EdgeListOptions, Format, Header, IdKind, ReadOptions,
};

use super::one_of;
use crate::failure::WrongUse;

const HEADING: &str = "Reading the graph";

/// A graph file, and what the file does not say itself.
#[derive(Clone, Debug, Args)]
pub(crate) struct GraphArgs {
    /// The graph file, or - for standard input (with --format)
    #[arg(value_name = "GRAPH")]
    pub(crate) path: PathBuf,
    /// Read the file in this format, whatever its suffix: gr, mtx, graph (METIS), el, wel, txt,
    /// csv, tsv, matrix (a table of weights), net (Pajek), graphml, sg, wsg or spg
    #[arg(long, help_heading = HEADING, value_name = "F", value_parser = parse_format)]
    format: Option<Format>,
    /// Map an .spg or .prepared file into memory instead of copying it; processes that map it share
    /// the memory. Do not modify the file while the program runs: it may crash or answer wrongly
    #[arg(long, help_heading = HEADING)]
    pub(crate) map: bool,
    /// Ignore the weights of the file: every arc weighs 1
    #[arg(long, help_heading = HEADING)]
    pub(crate) unweighted: bool,
    /// Each arc of the file is an edge, stored as an arc each way [default: an arc is an arc; edges
    /// of a file are edges in either case]
    #[arg(long, help_heading = HEADING)]
    undirected: bool,
    /// Edge lists and matrices: whether the first line is a header. A header has the numbers of
    /// vertices and of lines, in a table the names of the columns, in a matrix those of the
    /// vertices. auto: it is one if the other lines agree with it
    #[arg(
        long, help_heading = HEADING, value_name = "H", default_value = "auto",
        value_parser = one_of(&[("auto", Header::Auto), ("yes", Header::Yes), ("no", Header::No)])
    )]
    header: Header,
    /// Edge lists: the least id of a vertex, 0 or 1 [default: chosen by the header and the ids]
    #[arg(long, help_heading = HEADING, value_name = "B", value_parser = one_of(&[("0", Base::Zero), ("1", Base::One)]))]
    base: Option<Base>,
    /// Edge lists: the columns of source, target and, optionally, weight, by name or by number from
    /// 1, as from,to,length or 2,3 [default: the first two or three]
    #[arg(long, help_heading = HEADING, value_name = "S,T[,W]", value_parser = parse_columns)]
    columns: Option<Columns>,
    /// Edge lists: a file with the ids of all vertices, one a line, plain or in double quotes
    /// [default: for x.e the file x.v, if it exists]
    #[arg(long, help_heading = HEADING, value_name = "FILE")]
    vertices: Option<PathBuf>,
    /// Edge lists: lines that start with this character are comments; with none, no line is one
    /// [default: % and #; in a table none]
    #[arg(long, help_heading = HEADING, value_name = "CHAR|none", value_parser = parse_comment)]
    comment: Option<Comment>,
    /// Edge lists: whether ids are numbers, which may have leading zeros, or names [default:
    /// numbers without leading zeros; in a table, names if one of the first ids is not such a
    /// number]
    #[arg(long, help_heading = HEADING, value_name = "K", value_parser = one_of(&[("numbers", IdKind::Numbers), ("names", IdKind::Names)]))]
    ids: Option<IdKind>,
}

impl GraphArgs {
    /// The files that are read.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &Path> {
        [Some(&*self.path), self.vertices.as_deref()].into_iter().flatten()
    }

    /// How to read the file, or an error for an option that does not apply to its format.
    pub(crate) fn options(&self) -> anyhow::Result<ReadOptions> {
        let Self { format, undirected, header, base, columns, vertices, .. } = self;
        let format = format.map_or_else(|| self.format_of_suffix(), Ok)?;
        let what = || format!("the format {}", format.suffix());
        if !format.is_edge_list() {
            self.refuse_for_lists(&what())?;
            if format != Format::Matrix {
                self.refuse_header(&what())?;
            }
        }
        if self.map && (format != Format::Spg || self.path == Path::new("-")) {
            let text = "--map is for .spg and .prepared files only";
            return Err(WrongUse(text.to_owned()).into());
        }
        if self.map && *undirected {
            let text = "--undirected makes another graph than the file has, which cannot be mapped; \
                        leave out --map";
            return Err(WrongUse(text.to_owned()).into());
        }
        let direction = if *undirected { Direction::Undirected } else { Direction::Directed };
        let (header, base) = (*header, *base);
        let (columns, vertices) = (columns.clone(), vertices.clone());
        let (comment, ids) = (self.comment.unwrap_or_default(), self.id_kind());
        let edge_list = EdgeListOptions { header, base, columns, vertices, comment, ids };
        Ok(ReadOptions { format: Some(format), direction, edge_list })
    }

    /// Whether processes can read parts of the file: it is an .spg file, read as it is.
    pub(crate) fn is_in_parts(&self) -> bool {
        let is_spg = self.path.extension().is_some_and(|suffix| suffix == "spg");
        is_spg && !self.undirected && self.format.is_none_or(|format| format == Format::Spg)
    }

    /// Whether ids are numbers or names, in the graph's file and in lists of its vertices.
    pub(crate) fn id_kind(&self) -> IdKind {
        self.ids.unwrap_or_default()
    }

    /// An error for an option of edge lists, because `what` is read, which is not one.
    fn refuse_for_lists(&self, what: &str) -> Result<(), WrongUse> {
        let for_lists = [
            ("--base", self.base.is_some()),
            ("--columns", self.columns.is_some()),
            ("--vertices", self.vertices.is_some()),
            ("--comment", self.comment.is_some()),
            ("--ids", self.ids.is_some()),
        ];
        refuse(&for_lists, "edge lists", what)
    }

    /// An error for `--header`, because `what` is read, which has none.
    fn refuse_header(&self, what: &str) -> Result<(), WrongUse> {
        let is_given = self.header != Header::Auto;
        refuse(&[("--header", is_given)], "edge lists and matrices", what)
    }

    /// An error for an option of graph files, because a saved matrix is read.
    #[cfg(feature = "plot")]
    pub(crate) fn refuse_for_matrix(&self) -> Result<(), WrongUse> {
        let for_graphs = [
            ("--format", self.format.is_some()),
            ("--map", self.map),
            ("--unweighted", self.unweighted),
            ("--undirected", self.undirected),
        ];
        let what = "a saved matrix";
        refuse(&for_graphs, "graphs", what)?;
        self.refuse_header(what)?;
        self.refuse_for_lists(what)
    }

    fn format_of_suffix(&self) -> Result<Format, WrongUse> {
        Format::of(&self.path)
            .map_err(|error| WrongUse(format!("{error}; name its format with --format")))
    }
}

/// An error for the first option that is given, because it does not apply to `what`.
fn refuse(options: &[(&str, bool)], owner: &str, what: &str) -> Result<(), WrongUse> {
    options.iter().find(|option| option.1).map_or(Ok(()), |(option, _)| {
        Err(WrongUse(format!("{option} is for {owner} and does not apply to {what}")))
    })
}

fn parse_format(name: &str) -> Result<Format, String> {
    name.parse().map_err(|_| {
        let names: Vec<_> = Format::ALL.into_iter().map(Format::suffix).collect();
        format!("expected one of {}", names.join(", "))
    })
}

fn parse_columns(text: &str) -> Result<Columns, String> {
    text.parse().map_err(|_| {
        "expected source,target or source,target,weight, each a name or a number from 1".to_owned()
    })
}

fn parse_comment(text: &str) -> Result<Comment, String> {
    text.parse().map_err(|_| {
        "expected none, or one punctuation character other than a quote, such as # or ;".to_owned()
    })
}

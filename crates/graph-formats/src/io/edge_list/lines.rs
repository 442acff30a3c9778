//! The arcs of some lines of an edge list.

use std::sync::atomic::Ordering;

use super::super::assemble::Arcs;
use super::super::numbering::IdArcs;
use super::super::options::IdKind;
use super::super::scan::{Fault, Scanner};
use super::super::weights::Number;
use super::columns::Layout;
use super::fields::{Field, Fields};
use super::vertices::Vertices;
use crate::{Name, VertexId};

/// Calls `push` with the ends of each arc, its weight and the weight's position, and the byte where
/// its line starts.
#[inline(always)]
pub(super) fn for_each_arc(
    mut scanner: Scanner<'_>,
    layout: &Layout,
    mut push: impl FnMut(Name<'_>, Name<'_>, Option<(Number, usize)>, usize) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let is_plain = layout.is_plain() && layout.ids != IdKind::Names;
    let weighted = layout.weight.is_some();
    let mut n_comments = 0;
    while layout.comments.next_line_counting(&mut scanner, &mut n_comments) {
        let start = scanner.clone();
        if is_plain {
            match plain_line(&mut scanner, weighted, layout.ids) {
                Ok((source, destination, weight)) => {
                    push(Name::Number(source), Name::Number(destination), weight, start.at())?;
                    continue;
                }
                Err(fault) if !layout.is_table => return Err(explained(start, fault, layout)),
                // perhaps a quoted number
                Err(_) => scanner = start.clone(),
            }
        }
        let fields = fields_of(&mut scanner, layout)?;
        let name = |field| name_of(field, layout.ids);
        let weight = match &fields.weight {
            Some(field) => Some((field.weight()?, field.at())),
            None => None,
        };
        push(name(&fields.source)?, name(&fields.destination)?, weight, start.at())?;
    }
    layout.n_comments.fetch_add(n_comments, Ordering::Relaxed);
    Ok(())
}

type PlainArc = (u64, u64, Option<(Number, usize)>);

#[inline]
fn plain_line(scanner: &mut Scanner<'_>, weighted: bool, ids: IdKind) -> Result<PlainArc, Fault> {
    let source = plain_id(scanner, ids)?;
    scanner.separator();
    let destination = plain_id(scanner, ids)?;
    let weight = if weighted {
        scanner.separator();
        let at = scanner.at();
        Some((scanner.weight()?, at))
    } else {
        None
    };
    scanner.end_line()?;
    Ok((source, destination, weight))
}

/// An id that is a number.
#[inline]
fn plain_id(scanner: &mut Scanner<'_>, ids: IdKind) -> Result<u64, Fault> {
    scanner.blanks();
    let start = scanner.clone();
    let number = scanner.natural("a vertex")?;
    let is_padded = start.peek() == Some(b'0') && scanner.at() - start.at() > 1;
    if is_padded && ids != IdKind::Numbers {
        return Err(with_hint(start.expected("a vertex"), ZEROS));
    }
    Ok(number)
}

/// The fault of a line of numbers from `start` on, with the ways to read a word, if it is one.
fn explained(mut start: Scanner<'_>, fault: Fault, layout: &Layout) -> Fault {
    let mut word = start.clone();
    word.go_to(fault.at);
    let word = word.word();
    let is_number = || fast_float2::parse::<f64, _>(word).is_ok();
    if !word.iter().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii()) || is_number() {
        return fault;
    }
    let mut n_before = 0;
    while start.at() < fault.at && !start.at_line_end() {
        start.word();
        start.separator();
        n_before += 1;
    }
    match n_before {
        0 | 1 => with_hint(fault, WORDS),
        2 if layout.weight.is_some() => with_hint(fault, NO_WEIGHT),
        _ => fault,
    }
}

/// The hint for a word in a list of numbers.
const WORDS: &str = "--ids names reads all ids as names; --format tsv reads a table, whose first \
                     line may name columns, with --columns for the columns to read";
/// The hint for a word in place of a weight.
const NO_WEIGHT: &str = "--columns 1,2 reads no weight";
/// The hint for an id with leading zeros.
const ZEROS: &str = "--ids numbers ignores leading zeros, --ids names keeps them as a part of the \
                     name";
/// The hint for an id that is no number.
const NAMES: &str = "--ids names reads all ids as names";

fn with_hint(fault: Fault, hint: &str) -> Fault {
    Fault { message: format!("{}; {hint}", fault.message), ..fault }
}

/// The fields of an arc.
struct ArcFields<'a> {
    source: Field<'a>,
    destination: Field<'a>,
    weight: Option<Field<'a>>,
}

fn fields_of<'a>(scanner: &mut Scanner<'a>, layout: &Layout) -> Result<ArcFields<'a>, Fault> {
    let (mut source, mut destination, mut weight) = (None, None, None);
    let mut fields = Fields::new(scanner, layout.delimiter);
    let mut column = 0;
    while column < layout.width {
        let Some(field) = fields.next()? else { break };
        if column == layout.source {
            source = Some(field);
        } else if column == layout.destination {
            destination = Some(field);
        } else if Some(column) == layout.weight {
            weight = Some(field);
        }
        column += 1;
    }
    let (Some(source), Some(destination)) = (source, destination) else {
        return Err(scanner.expected("a vertex"));
    };
    if layout.weight.is_some() && weight.is_none() {
        return Err(scanner.expected("a weight"));
    }
    if column < layout.width {
        let message = format!("expected {} columns, found {column}", layout.width);
        return Err(Fault::new(scanner.at(), message));
    }
    scanner.end_line()?;
    Ok(ArcFields { source, destination, weight })
}

fn name_of<'f>(field: &'f Field<'_>, ids: IdKind) -> Result<Name<'f>, Fault> {
    if ids == IdKind::Names {
        return field.name().map(Name::Word);
    }
    field.id_number(ids).map(Name::Number).ok_or_else(|| {
        let fault = field.expected("a vertex");
        match field.name() {
            Err(_) => fault,
            Ok(_) if field.padded().is_some() => with_hint(fault, ZEROS),
            Ok(_) => with_hint(fault, NAMES),
        }
    })
}

/// Arcs between numbers; one below `least` is an error.
pub(super) fn numbers(scanner: Scanner<'_>, layout: &Layout, least: u64) -> Result<IdArcs, Fault> {
    let mut part = IdArcs::with_capacity(scanner.n_lines());
    for_each_arc(scanner, layout, |source, destination, weight, at| {
        let (Name::Number(source), Name::Number(destination)) = (source, destination) else {
            unreachable!("the layout has numbers");
        };
        if source < least || destination < least {
            let message = format!("expected a vertex from {least} on, found `0`");
            return Err(Fault::new(at, message));
        }
        part.push(source, destination, weight);
        Ok(())
    })?;
    Ok(part)
}

/// Arcs between vertices that a file declares.
pub(super) fn declared(
    scanner: Scanner<'_>,
    layout: &Layout,
    vertices: &Vertices,
) -> Result<Arcs<VertexId>, Fault> {
    let mut arcs = Arcs::with_capacity(scanner.n_lines());
    for_each_arc(scanner, layout, |source, destination, weight, at| {
        arcs.push(vertices.find(source, at)?, vertices.find(destination, at)?, weight);
        Ok(())
    })?;
    Ok(arcs)
}

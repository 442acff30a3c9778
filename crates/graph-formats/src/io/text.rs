//! The writing of text formats: rows are formatted in parallel and written in order.

use std::io::{self, Write};

use crate::{Csr, VertexId, Weight, parallel};

/// Vertices per task of formatting.
const ROWS_PER_TASK: usize = 4096;
/// Tasks per batch; the text of a batch is written before the next runs.
const TASKS_PER_BATCH: usize = 64;

/// Approximate bytes per line, for which memory is reserved before formatting.
const BYTES_PER_LINE: usize = 48;

/// Writes every arc, in row order, as `push_line` formats it.
pub(super) fn write_arcs<W: Weight>(
    out: &mut dyn Write,
    graph: &Csr<W>,
    push_line: impl Fn(&mut Vec<u8>, VertexId, VertexId, W) + Sync,
) -> io::Result<()> {
    write_rows(out, graph, |text, source| {
        for (destination, weight) in graph.arcs_from(source) {
            push_line(text, source, destination, weight);
        }
    })
}

/// Writes the rows of all vertices as `push_row` formats them.
pub(super) fn write_rows<W: Weight>(
    out: &mut dyn Write,
    graph: &Csr<W>,
    push_row: impl Fn(&mut Vec<u8>, VertexId) + Sync,
) -> io::Result<()> {
    let n_vertices = graph.n_vertices();
    let blocks: Vec<_> = (0..n_vertices).step_by(ROWS_PER_TASK).collect();
    for batch in blocks.chunks(TASKS_PER_BATCH) {
        let texts = parallel::map(batch.len(), &|task| -> io::Result<Vec<u8>> {
            let (first, mut text) = (batch[task], Vec::new());
            for row in first as VertexId..(first + ROWS_PER_TASK).min(n_vertices) as VertexId {
                text.try_reserve((graph.out_degree(row) + 1) * BYTES_PER_LINE)?;
                push_row(&mut text, row);
            }
            Ok(text)
        });
        texts.into_iter().try_for_each(|text| out.write_all(&text?))?;
    }
    Ok(())
}

/// Adds a line of two vertices, counted from 1, and a weight.
pub(super) fn push_arc<W: Weight>(
    line: &mut Vec<u8>,
    source: VertexId,
    destination: VertexId,
    weight: W,
) {
    push_integer(line, u64::from(source) + 1);
    line.push(b' ');
    push_integer(line, u64::from(destination) + 1);
    line.push(b' ');
    push_weight(line, weight);
    line.push(b'\n');
}

/// Adds the decimal digits of `value`.
pub(super) fn push_integer(line: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    line.extend_from_slice(&digits[start..]);
}

/// Adds a weight; floats with a fraction or an exponent, as short as reads back exactly.
pub(super) fn push_weight<W: Weight>(line: &mut Vec<u8>, weight: W) {
    match weight.to_i128() {
        Some(value) => {
            if value < 0 {
                line.push(b'-');
            }
            push_integer(line, value.unsigned_abs() as u64);
        }
        None => write!(line, "{weight:?}").expect("a vector takes any bytes"),
    }
}

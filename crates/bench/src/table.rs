//! Markdown tables whose columns line up in a terminal too.

/// A table with one row of headings; the first `n_left` columns are text and stand to
/// the left, the others are numbers and stand to the right.
pub(crate) fn table(n_left: usize, headings: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([headings[column].chars().count(), 3]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column < n_left { format!(" {cell:<width$} ") } else { format!(" {cell:>width$} ") }
        });
        format!("|{}|\n", padded.collect::<Vec<_>>().join("|"))
    };
    let rule = widths.iter().enumerate().map(|(column, &width)| {
        let dashes = "-".repeat(width);
        if column < n_left { format!(" {dashes} ") } else { format!(" {dashes}:") }
    });
    let rule = format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
    let body = rows.iter().map(|row| line(row.iter().map(String::as_str).collect()));
    line(headings.to_vec()) + &rule + &body.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [vec!["auto".to_owned(), "1.5".to_owned()]];
        let expected = "| solver |  ms |\n| ------ | ---:|\n| auto   | 1.5 |\n";
        assert_eq!(table(1, &["solver", "ms"], &rows), expected);
    }
}

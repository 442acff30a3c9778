//! Markdown tables whose columns line up in a terminal too, and the numbers in them.

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

/// Three or four digits.
pub(crate) fn number(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) if value >= 10.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.2}"),
    }
}

/// One number over another.
pub(crate) fn ratio(above: Option<f64>, below: Option<f64>) -> String {
    number(above.zip(below).map(|(above, below)| above / below))
}

/// Three digits at least, or a whole number; a dash for nothing.
pub(crate) fn digits(value: Option<f64>) -> String {
    match value {
        Some(value) if value.fract() == 0.0 => value.to_string(),
        Some(value) if value < 1.0 => format!("{value:.3}"),
        value => number(value),
    }
}

/// The middle one, or the mean of the middle two.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let upper = sorted.get(sorted.len() / 2)?;
    let lower = sorted.get((sorted.len() - 1) / 2)?;
    Some((upper + lower) / 2.0)
}

pub(crate) fn best(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::min)
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

    #[test]
    fn figures() {
        assert_eq!((median(&[]), best(&[])), (None, None));
        assert_eq!((median(&[9.0, 1.0, 2.0]), best(&[9.0, 1.0, 2.0])), (Some(2.0), Some(1.0)));
        assert_eq!(median(&[4.0, 1.0, 2.0, 9.0]), Some(3.0));
        assert_eq!(digits(Some(0.25)), "0.250");
        assert_eq!([25.04, 25.0].map(|value| digits(Some(value))), ["25.0", "25"]);
        assert_eq!(digits(None), "-");
    }
}

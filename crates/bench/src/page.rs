//! A report in words: Markdown with tables and plots, and the same as one HTML page that needs
//! no other file.

use std::fmt::Write;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

use crate::plot::{Axis, Line, Marks, Plot, Whose};
use crate::records::{Record, Records};
use crate::table::{digits, table};

const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:72em;margin:2em auto;padding:0 1em;\
                     color:#222}table{border-collapse:collapse;margin:1em 0;display:block;\
                     overflow-x:auto}th,td{padding:.2em .7em;border-bottom:1px solid #ddd;\
                     white-space:nowrap;font-variant-numeric:tabular-nums}th{border-bottom:2px \
                     solid #888;white-space:normal}svg{max-width:100%;height:auto}";

/// What a table says of a record.
pub(crate) type Figure<'a> = &'a dyn Fn(&Record) -> Option<f64>;

/// The same in words.
pub(crate) type Cell<'a> = &'a dyn Fn(&Record) -> Option<String>;

/// A point of a plot: x, and the least, the middle and the greatest y.
pub(crate) type Point<'a> = &'a dyn Fn(&Record) -> Option<(f64, [f64; 3])>;

/// The median of a figure, as a column.
pub(crate) fn median(figure: &'static str) -> impl Fn(&Record) -> Option<f64> {
    move |record| record.median(figure)
}

/// The least of a figure, as a column.
pub(crate) fn least(figure: &'static str) -> impl Fn(&Record) -> Option<f64> {
    move |record| record.least(figure)
}

/// What a study has to say.
#[derive(Debug)]
pub(crate) struct Page {
    title: String,
    markdown: String,
    plots: Vec<(String, Plot)>,
}

impl Page {
    /// A page with nothing but its title.
    pub(crate) fn new(title: &str) -> Self {
        Self { title: title.to_owned(), markdown: String::new(), plots: Vec::new() }
    }

    /// Begins a section.
    pub(crate) fn heading(&mut self, heading: &str) {
        // writing to a String does not fail
        let _ = writeln!(self.markdown, "## {heading}\n");
    }

    /// Adds a paragraph.
    pub(crate) fn text(&mut self, text: &str) {
        let _ = writeln!(self.markdown, "{text}\n");
    }

    /// Adds a table; the first `n_left` columns are text, the others numbers. Without rows there
    /// is none.
    pub(crate) fn table(&mut self, n_left: usize, headings: &[&str], rows: &[Vec<String>]) {
        if !rows.is_empty() {
            let _ = writeln!(self.markdown, "{}", table(n_left, headings, rows));
        }
    }

    /// Adds a table with a row for each record that has runs: labels, under their own names, and
    /// figures. A column that would be empty is left out.
    pub(crate) fn list(
        &mut self,
        records: &Records,
        labels: &[&str],
        figures: &[(&str, Figure<'_>)],
    ) {
        let ran: Vec<&Record> = records.iter().filter(|record| record.n_runs() > 0).collect();
        let mut labels = labels.to_vec();
        labels.retain(|name| ran.iter().any(|record| !record.label(name).is_empty()));
        let mut figures = figures.to_vec();
        figures.retain(|(_, figure)| ran.iter().any(|record| figure(record).is_some()));
        let row = |record: &&Record| {
            let labels = labels.iter().map(|name| record.label(name).to_owned());
            labels.chain(figures.iter().map(|(_, figure)| digits(figure(record)))).collect()
        };
        let headings = labels.iter().copied().chain(figures.iter().map(|(heading, _)| *heading));
        let rows: Vec<_> = ran.iter().map(row).collect();
        self.table(labels.len(), &headings.collect::<Vec<_>>(), &rows);
    }

    /// The same of medians, under the names of their figures.
    pub(crate) fn medians(&mut self, records: &Records, labels: &[&str], figures: &[&str]) {
        let median = |figure| move |record: &Record| record.median(figure);
        let medians: Vec<_> = figures.iter().map(|&figure| median(figure)).collect();
        let columns = figures.iter().zip(&medians).map(|(name, of)| (*name, of as Figure<'_>));
        self.list(records, labels, &columns.collect::<Vec<_>>());
    }

    /// The same of all labels and all figures.
    pub(crate) fn records(&mut self, records: &Records) {
        self.medians(records, &records.labels(), &records.figures());
    }

    /// Adds a table of one figure: a row for each combination of labels that there is, a column
    /// for each value of another that has something.
    pub(crate) fn across(
        &mut self,
        records: &Records,
        labels: &[&str],
        other: &str,
        figure: Figure<'_>,
    ) {
        let cell = |record: &Record| Some(digits(Some(figure(record)?)));
        self.pivot(records, labels, other, &cell);
    }

    /// The same of anything.
    pub(crate) fn pivot(
        &mut self,
        records: &Records,
        labels: &[&str],
        other: &str,
        cell: Cell<'_>,
    ) {
        let of = |record: &Record| {
            labels.iter().map(|name| record.label(name).to_owned()).collect::<Vec<_>>()
        };
        let mut rows: Vec<Vec<String>> = Vec::new();
        for row in records.iter().filter(|record| record.n_runs() > 0).map(of) {
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        let mut columns = records.values(other);
        columns.retain(|column| records.of(&[(other, column)]).iter().any(|r| cell(r).is_some()));
        for row in &mut rows {
            let found = |column: &&str| {
                let is_it = |r: &&Record| r.label(other) == *column && of(r)[..] == row[..];
                records.iter().find(is_it).and_then(cell).unwrap_or_else(|| "-".to_owned())
            };
            let cells: Vec<_> = columns.iter().map(found).collect();
            row.extend(cells);
        }
        if !columns.is_empty() {
            self.table(labels.len(), &[labels, &columns].concat(), &rows);
        }
    }

    /// Adds a plot, and its file of this name; one without points is left out.
    pub(crate) fn plot(&mut self, name: &str, plot: Plot) {
        if !plot.is_empty() {
            // a graph may be a file in a folder
            let name = name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '+', "-");
            let _ = writeln!(self.markdown, "![{}]({name}.svg)\n", plot.title);
            self.plots.push((format!("{name}.svg"), plot));
        }
    }

    /// Adds a plot with a line for each value of a label, which has the points of its records.
    pub(crate) fn lines(
        &mut self,
        (name, title): (&str, &str),
        [x, y]: [Axis; 2],
        records: &Records,
        label: &str,
        point: Point<'_>,
    ) {
        let line = |(value, of): (&str, Records)| {
            let found: Vec<_> = of.iter().filter_map(point).collect();
            let points = found.iter().map(|(x, [_, y, _])| (*x, *y)).collect();
            let ranges = found.iter().map(|(_, [least, _, most])| (*least, *most)).collect();
            Line { name: value.to_owned(), points, ranges }
        };
        let lines = records.by(label).into_iter().map(line);
        let lines = lines.filter(|line| !line.points.is_empty()).collect();
        self.plot(name, Plot { title: title.to_owned(), marks: Marks::Lines { x, y, lines } });
    }

    /// Adds bars of the median times of solvers on a graph.
    pub(crate) fn bars(&mut self, graph: &str, solvers: &Records, whose: impl Fn(&str) -> Whose) {
        let bar = |record: &Record| {
            let solver = record.label("solver");
            Some((solver.to_owned(), record.median("ms")?, whose(solver)))
        };
        let bars = solvers.iter().filter_map(bar).collect();
        let title = format!("{graph}: milliseconds, median");
        self.plot(graph, Plot { title, marks: Marks::Bars(bars) });
    }

    /// Names what was not measured, and why.
    pub(crate) fn skipped(&mut self, records: &Records) {
        for record in records.iter() {
            if let Some(reason) = record.skipped() {
                let _ = writeln!(self.markdown, "- SKIPPED: {}: {reason}", record.name());
            }
        }
        self.markdown += "\n";
    }

    /// The page in Markdown; it begins with what is said of the machine.
    pub(crate) fn summary(&self, machine: &str) -> String {
        format!("# {}\n\n{machine}\n{}", self.title, self.markdown)
    }

    /// The files of the report: `summary.md`, `index.html` and the plots.
    pub(crate) fn files(&self, machine: &str) -> Vec<(String, String)> {
        let markdown = self.summary(machine);
        let svg = |(name, plot): &(String, Plot)| (name.clone(), plot.to_svg());
        let mut files: Vec<_> = self.plots.iter().map(svg).collect();
        // the plots stand in the page itself
        let mut is_image = false;
        let parser = Parser::new_ext(&markdown, Options::ENABLE_TABLES);
        let events = parser.filter_map(|event| match event {
            Event::Start(Tag::Image { dest_url, .. }) => {
                is_image = true;
                let plot = files.iter().find(|file| file.0 == *dest_url)?;
                let (_, svg) = plot.1.split_once('\n')?;
                Some(Event::InlineHtml(svg.into()))
            }
            Event::End(TagEnd::Image) => {
                is_image = false;
                None
            }
            // the title stands in the plot
            event => Some(event).filter(|_| !is_image),
        });
        let mut body = String::new();
        html::push_html(&mut body, events);
        let page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\"><title>{}</title>\
             <style>{STYLE}</style></head>\n<body>\n{body}</body></html>\n",
            escaped(&self.title)
        );
        files.extend([("index.html".to_owned(), page), ("summary.md".to_owned(), markdown)]);
        files
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    // writing to a String does not fail
    let _ = pulldown_cmark_escape::escape_html(&mut escaped, text);
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Marks;

    #[test]
    fn the_html_page_needs_no_other_file() {
        let mut page = Page::new("Times & more");
        page.table(1, &["graph", "ms"], &[vec!["a".to_owned(), "1".to_owned()]]);
        for graph in ["grid-9", "my/roads_1 [\"new\"] & *old*.gr"] {
            let bars = Marks::Bars(vec![("a solver".to_owned(), 2.0, Whose::Other)]);
            page.plot(graph, Plot { title: format!("{graph}: ms"), marks: bars });
        }
        let files = page.files("- processor: fast\n");
        let file = |name: &str| &files.iter().find(|file| file.0 == name).unwrap().1;
        let html = file("index.html");
        assert_eq!(html.matches("<svg").count(), 2, "{html}");
        assert!(!html.contains("<img") && html.contains("<td>a</td>"), "{html}");
        assert!(html.contains("<title>Times &amp; more</title>"), "{html}");
        assert!(file("summary.md").contains("![grid-9: ms](grid-9.svg)"));
    }
}

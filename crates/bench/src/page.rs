//! A report in words: Markdown with tables and plots, and the same as one HTML page that needs
//! no other file.

use std::fmt::Write;

use anyhow::Result;
use pulldown_cmark::{Options, Parser, html};

use crate::plot::Plot;
use crate::records::Records;
use crate::table::table;

const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:72em;margin:2em auto;padding:0 1em;\
                     color:#222}table{border-collapse:collapse;margin:1em 0;display:block;\
                     overflow-x:auto}th,td{padding:.2em .7em;border-bottom:1px solid #ddd;\
                     white-space:nowrap;font-variant-numeric:tabular-nums}th{border-bottom:2px \
                     solid #888}svg{max-width:100%;height:auto}";

/// What a study has to say.
#[derive(Debug)]
pub struct Page {
    title: String,
    markdown: String,
    plots: Vec<(String, Plot)>,
}

impl Page {
    /// A page with nothing but its title.
    pub fn new(title: &str) -> Self {
        Self { title: title.to_owned(), markdown: String::new(), plots: Vec::new() }
    }

    /// Begins a section.
    pub fn heading(&mut self, heading: &str) {
        // writing to a String does not fail
        let _ = writeln!(self.markdown, "## {heading}\n");
    }

    /// Adds a paragraph.
    pub fn text(&mut self, text: &str) {
        let _ = writeln!(self.markdown, "{text}\n");
    }

    /// Adds a table; the first `n_left` columns are text, the others numbers. Without rows there
    /// is none.
    pub fn table(&mut self, n_left: usize, headings: &[&str], rows: &[Vec<String>]) {
        if !rows.is_empty() {
            let _ = writeln!(self.markdown, "{}", table(n_left, headings, rows));
        }
    }

    /// Adds a plot, and its file of this name; one without points is left out.
    pub fn plot(&mut self, name: &str, plot: Plot) {
        if !plot.is_empty() {
            let _ = writeln!(self.markdown, "![{}]({name}.svg)\n", plot.title);
            self.plots.push((format!("{name}.svg"), plot));
        }
    }

    /// Names what was not measured, and why.
    pub fn skipped(&mut self, records: &Records) {
        for record in records.iter() {
            if let Some(reason) = record.skipped() {
                let _ = writeln!(self.markdown, "- SKIPPED: {}: {reason}", record.name());
            }
        }
        self.markdown += "\n";
    }

    /// The files of the report: `summary.md`, `index.html` and the plots, where the page begins
    /// with what is said of the machine.
    ///
    /// # Errors
    /// When a plot cannot be drawn.
    pub fn files(&self, machine: &str) -> Result<Vec<(String, String)>> {
        let markdown = format!("# {}\n\n{machine}\n{}", self.title, self.markdown);
        let mut body = String::new();
        html::push_html(&mut body, Parser::new_ext(&markdown, Options::ENABLE_TABLES));
        let mut files = Vec::new();
        for (name, plot) in &self.plots {
            let svg = plot.to_svg()?;
            let image = format!("<img src=\"{name}\" alt=\"{}\" />", escaped(&plot.title));
            body = body.replace(&image, &svg);
            files.push((name.clone(), svg));
        }
        let page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\"><title>{}</title>\
             <style>{STYLE}</style></head>\n<body>\n{body}</body></html>\n",
            escaped(&self.title)
        );
        files.extend([("index.html".to_owned(), page), ("summary.md".to_owned(), markdown)]);
        Ok(files)
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    // writing to a String does not fail
    let _ = pulldown_cmark_escape::escape_html(&mut escaped, text);
    escaped
}

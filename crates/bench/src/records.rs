//! What was measured: records, each with its labels and the figures of every timed run.
//!
//! `raw.csv` has a line for each run, and one without figures for what was skipped. A report is
//! made of records alone, so that it can be made again from that file.

use std::collections::BTreeSet;
use std::fmt::Display;

use anyhow::{Context, Result};

use crate::table::{best, median};

/// The figures of a run, by their names: `ms` where nothing else is said.
pub(crate) type Run = Vec<(&'static str, f64)>;

const RUN: &str = "run";
const SKIPPED: &str = "skipped";

/// What was measured, with which parameters, and the figures of the timed runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Record {
    labels: Vec<(String, String)>,
    runs: Vec<Vec<(String, f64)>>,
    skipped: Option<String>,
}

impl Record {
    /// A record without runs.
    pub(crate) fn of(labels: &[(&str, &dyn Display)]) -> Self {
        Self::default().with(labels)
    }

    /// The same with more labels.
    pub(crate) fn with(mut self, labels: &[(&str, &dyn Display)]) -> Self {
        let more = labels.iter().map(|(name, value)| ((*name).to_owned(), value.to_string()));
        self.labels.extend(more.filter(|label| !label.1.is_empty()));
        self
    }

    /// The same with one more run.
    pub(crate) fn ran(mut self, run: Run) -> Self {
        self.push(run);
        self
    }

    pub(crate) fn push(&mut self, run: Run) {
        self.runs.push(run.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
    }

    /// Says why there are no runs.
    pub(crate) fn skip(&mut self, reason: String) {
        self.skipped = Some(reason);
    }

    /// Why there are no runs, if there are none.
    pub(crate) fn skipped(&self) -> Option<&str> {
        self.skipped.as_deref()
    }

    /// The value of a label; nothing where there is no such label.
    pub(crate) fn label(&self, name: &str) -> &str {
        self.labels.iter().find(|label| label.0 == name).map_or("", |label| &label.1)
    }

    /// The same as a number; not a number where it is none.
    pub(crate) fn number(&self, name: &str) -> f64 {
        self.label(name).parse().unwrap_or(f64::NAN)
    }

    /// Whether it has these labels.
    pub(crate) fn is(&self, labels: &[(&str, &str)]) -> bool {
        labels.iter().all(|(name, value)| self.label(name) == *value)
    }

    /// How many runs were timed.
    pub(crate) fn n_runs(&self) -> usize {
        self.runs.len()
    }

    /// A figure of all runs that have it.
    pub(crate) fn all(&self, figure: &str) -> Vec<f64> {
        let of = |run: &Vec<(String, f64)>| Some(run.iter().find(|(name, _)| name == figure)?.1);
        self.runs.iter().filter_map(of).collect()
    }

    /// The middle one of all runs.
    pub(crate) fn median(&self, figure: &str) -> Option<f64> {
        median(&self.all(figure))
    }

    /// The least of all runs.
    pub(crate) fn least(&self, figure: &str) -> Option<f64> {
        best(&self.all(figure))
    }

    /// What it is called in messages and found by in another run: the values of its labels, but
    /// of `chose`, which is what it came to by itself.
    pub(crate) fn name(&self) -> String {
        let labels = self.labels.iter().filter(|label| label.0 != "chose");
        let values = labels.map(|label| label.1.as_str());
        values.collect::<Vec<_>>().join(", ")
    }
}

/// All that a study measured, in the order in which it was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Records(Vec<Record>);

impl Records {
    /// Adds a record.
    pub(crate) fn push(&mut self, record: Record) {
        self.0.push(record);
    }

    /// All of them.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Record> {
        self.0.iter()
    }

    /// Those with these labels.
    pub(crate) fn of(&self, labels: &[(&str, &str)]) -> Self {
        self.filtered(|record| record.is(labels))
    }

    /// Those that have this label, whatever it is.
    pub(crate) fn having(&self, label: &str) -> Self {
        self.filtered(|record| !record.label(label).is_empty())
    }

    /// Those for which this holds.
    pub(crate) fn filtered(&self, holds: impl Fn(&Record) -> bool) -> Self {
        Self(self.iter().filter(|record| holds(record)).cloned().collect())
    }

    /// The first one with these labels.
    pub(crate) fn find(&self, labels: &[(&str, &str)]) -> Option<&Record> {
        self.iter().find(|record| record.is(labels))
    }

    /// The one of which this is least, of those that have it.
    pub(crate) fn best(&self, figure: impl Fn(&Record) -> Option<f64>) -> Option<&Record> {
        let all = self.iter().filter_map(|record| Some((record, figure(record)?)));
        all.min_by(|a, b| a.1.total_cmp(&b.1)).map(|found| found.0)
    }

    /// The median of a figure over that of the first record with these labels.
    pub(crate) fn over(
        &self,
        record: &Record,
        figure: &str,
        labels: &[(&str, &str)],
    ) -> Option<f64> {
        Some(record.median(figure)? / self.find(labels)?.median(figure)?)
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The values of a label, each once, in the order in which they come first.
    pub(crate) fn values(&self, label: &str) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let values = self.iter().map(|record| record.label(label));
        values.filter(|value| !value.is_empty() && seen.insert(*value)).collect()
    }

    /// Parts with the same value of a label, in the order of [`values`](Self::values).
    pub(crate) fn by(&self, label: &str) -> Vec<(&str, Self)> {
        self.values(label).into_iter().map(|value| (value, self.of(&[(label, value)]))).collect()
    }

    /// The names of all labels.
    pub(crate) fn labels(&self) -> Vec<&str> {
        names(self.iter().flat_map(|record| &record.labels).map(|label| &label.0))
    }

    /// The names of all figures.
    pub(crate) fn figures(&self) -> Vec<&str> {
        let runs = self.iter().flat_map(|record| &record.runs);
        names(runs.flatten().map(|figure| &figure.0))
    }

    /// `raw.csv`.
    pub(crate) fn to_csv(&self) -> Result<String> {
        let (labels, figures) = (self.labels(), self.figures());
        let mut csv = csv::Writer::from_writer(Vec::new());
        let heads = labels.iter().copied().chain([RUN, SKIPPED]).chain(figures.iter().copied());
        csv.write_record(heads)?;
        for record in self.iter() {
            let mut line = |run: usize, values: &[(String, f64)]| {
                let own = labels.iter().map(|name| record.label(name).to_owned());
                let why = record.skipped.clone().unwrap_or_default();
                let value = |name: &&str| {
                    let found = values.iter().find(|figure| figure.0 == *name);
                    found.map_or_else(String::new, |figure| figure.1.to_string())
                };
                let rest = [run.to_string(), why].into_iter().chain(figures.iter().map(value));
                csv.write_record(own.chain(rest))
            };
            if record.runs.is_empty() {
                line(0, &[])?;
            }
            for (number, run) in (1..).zip(&record.runs) {
                line(number, run)?;
            }
        }
        Ok(String::from_utf8(csv.into_inner()?)?)
    }

    /// What [`to_csv`](Self::to_csv) wrote.
    pub(crate) fn from_csv(text: &str) -> Result<Self> {
        let mut csv = csv::Reader::from_reader(text.as_bytes());
        let heads = csv.headers()?.clone();
        let at = heads.iter().position(|head| head == RUN).context("there is no column run")?;
        let mut records: Vec<Record> = Vec::new();
        for line in csv.records() {
            let line = line?;
            let cells = |from, n| {
                let cells = heads.iter().zip(&line).skip(from).take(n);
                let cells = cells.map(|(name, value)| (name.to_owned(), value.to_owned()));
                cells.filter(|cell| !cell.1.is_empty()).collect::<Vec<_>>()
            };
            let labels = cells(0, at);
            let figures = cells(at + 2, heads.len()).into_iter();
            let run = figures.map(|(name, value)| Ok((name, value.parse()?)));
            let run = run.collect::<Result<Vec<(String, f64)>>>().context("a figure is none")?;
            let number = line.get(at).unwrap_or_default();
            if number == "0" || number == "1" {
                let skipped = line.get(at + 1).filter(|why| !why.is_empty()).map(str::to_owned);
                records.push(Record { labels, runs: Vec::new(), skipped });
            }
            let record = records.last_mut().context("the first run is missing")?;
            if number != "0" {
                record.runs.push(run);
            }
        }
        Ok(Self(records))
    }
}

impl Extend<Record> for Records {
    fn extend<T: IntoIterator<Item = Record>>(&mut self, records: T) {
        self.0.extend(records);
    }
}

impl FromIterator<Record> for Records {
    fn from_iter<T: IntoIterator<Item = Record>>(records: T) -> Self {
        Self(records.into_iter().collect())
    }
}

/// Each name once.
fn names<'a>(all: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    all.map(String::as_str).filter(|name| seen.insert(*name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let mut first = Record::of(&[("graph", &"grid-8"), ("n", &64)]);
        first.push(vec![("ms", 1.0 / 3.0), ("rounds", 4.0)]);
        first.push(vec![("ms", 2.5)]);
        let mut second = Record::of(&[("graph", &"a, \"b\""), ("solver", &"x")]);
        second.skip("more than 5 s".to_owned());
        let third = first.clone().with(&[("solver", &"y")]);
        let mut records = Records::default();
        records.extend([first, second, third]);
        let csv = records.to_csv().unwrap();
        assert_eq!(csv.lines().next(), Some("graph,n,solver,run,skipped,ms,rounds"));
        assert_eq!(csv.lines().count(), 1 + 2 + 1 + 2);
        assert_eq!(Records::from_csv(&csv).unwrap(), records);
        assert!(Records::from_csv("graph,ms\nx,1\n").is_err());
        assert!(Records::from_csv("graph,run,skipped,ms\nx,1,,many\n").is_err());
    }

    #[test]
    fn records_are_found_by_labels() {
        let mut records = Records::default();
        for (graph, solver, ms) in [("b", "x", 1.0), ("a", "x", 2.0), ("b", "y", 3.0)] {
            let mut record = Record::of(&[("graph", &graph), ("solver", &solver)]);
            record.push(vec![("ms", ms)]);
            records.push(record);
        }
        assert_eq!(records.values("graph"), ["b", "a"]);
        assert_eq!(records.by("graph")[0].1.iter().count(), 2);
        let found = records.find(&[("graph", "b"), ("solver", "y")]).unwrap();
        assert_eq!((found.median("ms"), found.least("rounds")), (Some(3.0), None));
        assert_eq!(found.name(), "b, y");
        assert!(found.number("graph").is_nan());
    }
}

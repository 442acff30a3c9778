//! What a run prints: one JSON object, or a few lines of text.

use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use graph_formats::AnyCsr;
use indicatif::HumanCount;
use paths::Total;
use serde::{Serialize, Serializer};

use crate::cli::Common;
use crate::failure::{is_silent, say};

/// Whether a result goes to standard output, and the report to standard error.
static STANDARD_OUTPUT_IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// From here on reports go to standard error.
pub(crate) fn take_standard_output() {
    STANDARD_OUTPUT_IS_TAKEN.store(true, Ordering::Relaxed);
}

/// The fields that every command reports.
#[derive(Debug, Serialize)]
pub(crate) struct Head {
    pub(crate) command: &'static str,
    /// The algorithm that ran, never "auto".
    pub(crate) algorithm: Option<&'static str>,
    pub(crate) backend: &'static str,
    pub(crate) threads: usize,
    pub(crate) vertices: usize,
    /// Arcs stored: an undirected edge counts twice.
    pub(crate) edges: usize,
    pub(crate) load_ms: Option<Ms>,
    /// The median, where the work was repeated.
    pub(crate) solve_ms: Option<Ms>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) solve_min_ms: Option<Ms>,
}

impl Head {
    /// The head of a command's report on this graph. Backend and threads are the CPU and its
    /// default, until the command sets others.
    pub(crate) fn of(command: &'static str, graph: &AnyCsr) -> Self {
        Self {
            command,
            algorithm: None,
            backend: "cpu",
            threads: rayon::current_num_threads(),
            vertices: graph.n_vertices(),
            edges: graph.n_arcs(),
            load_ms: None,
            solve_ms: None,
            solve_min_ms: None,
        }
    }

    /// The head of a report on an algorithm that took these times.
    pub(crate) fn solved(self, algorithm: &'static str, times: &[f64], common: &Common) -> Self {
        let (solve_ms, solve_min_ms) = (Some(median(times)), least(times, common));
        Self { algorithm: Some(algorithm), solve_ms, solve_min_ms, ..self }
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", counted(self.vertices, VERTICES), counted(self.edges, ARCS))?;
        if let (Some(algorithm), Some(time)) = (self.algorithm, self.solve_ms) {
            write!(f, "; {algorithm} took {time} ms")?;
        }
        if let Some(least) = self.solve_min_ms {
            write!(f, " in the median, {least} ms in the fastest run")?;
        }
        write!(f, ", {}", counted(self.threads, ("thread", "threads")))
    }
}

/// `what`, with the number of ranks if several shared it.
pub(crate) fn by_ranks(what: &dyn fmt::Display, ranks: Option<usize>) -> String {
    match ranks {
        Some(ranks) => format!("{what} on each of {ranks} ranks"),
        None => what.to_string(),
    }
}

/// A number in JSON: integers of any size in full.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Amount(Total);

impl<T: Into<Total>> From<T> for Amount {
    fn from(number: T) -> Self {
        Self(number.into())
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Total::Integer(value) => value.serialize(serializer),
            Total::Float(value) => value.serialize(serializer),
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The sum of distances, and the greatest of them.
#[derive(Serialize)]
pub(crate) struct Sums {
    distance_sum: Amount,
    pub(crate) max_distance: Option<Amount>,
}

impl Sums {
    pub(crate) fn of(sum: impl Into<Amount>, max: Option<impl Into<Amount>>) -> Self {
        Self { distance_sum: sum.into(), max_distance: max.map(Into::into) }
    }
}

impl fmt::Display for Sums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "distances sum to {}", self.distance_sum)?;
        self.max_distance.map_or(Ok(()), |max| write!(f, ", the greatest is {max}"))
    }
}

/// A time that was measured, in milliseconds: reported to the microsecond, however it was
/// computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ms(pub(crate) f64);

impl Serialize for Ms {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64((self.0 * 1e3).round() / 1e3)
    }
}

impl fmt::Display for Ms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

/// The median of at least one time in milliseconds; of an even number, the mean of the two in the
/// middle.
pub(crate) fn median(times: &[f64]) -> Ms {
    let mut times = times.to_vec();
    times.sort_unstable_by(f64::total_cmp);
    Ms((times[(times.len() - 1) / 2] + times[times.len() / 2]) / 2.0)
}

/// The least time, if the work was repeated.
pub(crate) fn least(times: &[f64], common: &Common) -> Option<Ms> {
    common.repeat.and_then(|_| times.iter().copied().reduce(f64::min).map(Ms))
}

pub(crate) fn milliseconds(time: Duration) -> Ms {
    Ms(time.as_secs_f64() * 1e3)
}

/// The number with separators between thousands.
pub(crate) fn grouped(number: impl Into<u64>) -> String {
    HumanCount(number.into()).to_string()
}

/// A number and a noun, which is given in the singular and the plural.
pub(crate) fn counted(n: usize, (one, several): (&str, &str)) -> String {
    format!("{} {}", grouped(n as u64), if n == 1 { one } else { several })
}

pub(crate) const ARCS: (&str, &str) = ("arc", "arcs");
pub(crate) const ROWS: (&str, &str) = ("row", "rows");
pub(crate) const POINTS: (&str, &str) = ("point", "points");
pub(crate) const PATHS: (&str, &str) = ("path", "paths");
pub(crate) const SEARCHES: (&str, &str) = ("search", "searches");
pub(crate) const VERTICES: (&str, &str) = ("vertex", "vertices");

/// Prints the report, with `--json` as one line of JSON, else as text. It goes to standard error if
/// a result goes to standard output.
pub(crate) fn print<R: Serialize + fmt::Display>(
    report: &R,
    common: &Common,
) -> anyhow::Result<()> {
    let mut text = if common.json { serde_json::to_string(report)? } else { report.to_string() };
    text.truncate(text.trim_end().len());
    if STANDARD_OUTPUT_IS_TAKEN.load(Ordering::Relaxed) {
        say(format_args!("{text}"));
        return Ok(());
    }
    text.push('\n');
    print_bytes(text.as_bytes())
}

/// Writes to standard output. If it is closed, as after `head`, that is not a failure.
pub(crate) fn print_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    if is_silent() {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(anyhow::anyhow!("standard output: {error}")),
        Ok(()) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_beyond_64_bits_stay_exact() {
        let json = serde_json::to_string(&Amount(Total::Integer(i128::MAX))).unwrap();
        assert_eq!(json, i128::MAX.to_string());
        assert_eq!(serde_json::to_string(&Amount(Total::Float(0.5))).unwrap(), "0.5");
    }

    #[test]
    fn times_have_the_digits_that_were_measured() {
        // a difference and a mean, neither of which a float holds exactly
        for (ms, json) in
            [(0.29 - 0.25, "0.04"), ((0.1 + 0.3) / 2.0, "0.2"), (1234.5678, "1234.568")]
        {
            assert_eq!(serde_json::to_string(&Ms(ms)).unwrap(), json);
        }
    }

    #[test]
    fn median_of_odd_and_even_counts() {
        assert_eq!(median(&[9.0, 1.0, 2.0]), Ms(2.0));
        assert_eq!(median(&[4.0, 1.0, 9.0, 2.0]), Ms(3.0));
        assert_eq!(median(&[7.0]), Ms(7.0));
    }

    #[test]
    fn thousands_are_set_apart() {
        let groups = [0u32, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(groups, ["0", "999", "1,000", "1,234,567"]);
    }
}

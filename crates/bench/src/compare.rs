//! Two runs of a study: what became faster or slower, beyond noise.
//!
//! A difference is beyond noise where all runs of one took longer than all runs of the other, and
//! the medians are more than 3 % apart.

use crate::page::Page;
use crate::records::{Record, Records};
use crate::table::{number, ratio};

const APART: f64 = 1.03;

/// What stands in both, the greatest change first.
pub(crate) fn page(before: &Records, after: &Records) -> Page {
    let mut found: Vec<(f64, Vec<String>)> = Vec::new();
    let mut within = 0;
    for old in before.iter() {
        let new = after.iter().find(|new| new.name() == old.name());
        let Some((new, (was, is))) =
            new.and_then(|new| Some((new, old.median("ms").zip(new.median("ms"))?)))
        else {
            continue;
        };
        let Some(verdict) = verdict(old, new) else {
            within += 1;
            continue;
        };
        let numbers = [number(Some(was)), number(Some(is)), ratio(Some(is), Some(was))];
        let row = [old.name(), verdict.to_owned()].into_iter().chain(numbers).collect();
        found.push(((is / was).ln().abs(), row));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let rows: Vec<_> = found.into_iter().map(|(_, row)| row).collect();
    let mut page = Page::new("Two runs");
    page.text(&format!(
        "{} differences are beyond noise: all runs of one side took longer than all of the other, \
         and medians differ by more than 3 %. {within} others are not.",
        rows.len()
    ));
    page.table(2, &["what", "it is", "ms before", "ms after", "after / before"], &rows);
    page
}

fn verdict(old: &Record, new: &Record) -> Option<&'static str> {
    let range = |record: &Record| {
        let all = record.all("ms");
        let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (all.into_iter().fold(f64::INFINITY, f64::min), most)
    };
    let ((old_least, old_most), (new_least, new_most)) = (range(old), range(new));
    let quotient = new.median("ms")? / old.median("ms")?;
    match quotient {
        _ if new_least > old_most && quotient > APART => Some("slower"),
        _ if new_most < old_least && quotient < 1.0 / APART => Some("faster"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(all: &[(&str, &[f64])]) -> Records {
        let mut records = Records::default();
        for (name, times) in all {
            let mut record = Record::of(&[("solver", name)]);
            times.iter().for_each(|&ms| record.push(vec![("ms", ms)]));
            records.push(record);
        }
        records
    }

    #[test]
    fn only_what_is_beyond_noise_is_told() {
        let before = records(&[("a", &[1.0, 2.0]), ("b", &[4.0, 5.0]), ("c", &[1.0]), ("d", &[])]);
        let after =
            records(&[("a", &[2.1, 9.0]), ("b", &[4.5, 9.0]), ("c", &[0.5]), ("e", &[1.0])]);
        let summary = page(&before, &after).summary("");
        let rows: Vec<&str> = summary.lines().filter(|line| line.starts_with("| ")).collect();
        assert_eq!(rows.len(), 2 + 2, "{summary}");
        assert!(rows[2].contains("slower") && rows[2].contains("3.70"), "{summary}");
        assert!(rows[3].contains("faster") && summary.contains("1 others"), "{summary}");
        let near = records(&[("c", &[1.02])]);
        assert!(verdict(near.iter().next().unwrap(), before.iter().nth(2).unwrap()).is_none());
    }
}

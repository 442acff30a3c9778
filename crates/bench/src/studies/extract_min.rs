//! The paper's Table 1 again: how long it takes to find the least of n labels.
//!
//! By our two-level reduction with four sizes of blocks, by the historic steps of the reduction in
//! shared memory, by CUB and Thrust, by a loop on the host, by one that the compiler could not
//! optimise, and by a heap that gives its least element away and takes it back. Labels are random;
//! every method is asked for the least label and the place where it stands, and what it says
//! is looked up there.
//!
//! Reference: origin-four-families, harris-2007

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::num::NonZeroU32;

use ::published::{ExtractMin, Reduction};

use super::*;

/// Labels that a method on the host looks at in all, about: what bounds its extractions.
const MOST_LOOKS: usize = 2_000_000_000;
const PEER: Source = Source {
    file: "extract_min.cu",
    text: include_str!("../../peers/extract_min.cu"),
    command: "nvcc -std=c++17 -O3 -arch=native",
    needs: "install the CUDA toolkit, whose bin folder belongs to PATH, or give a program with \
            --cub",
};

const LABELS: &str = "1,10,100,1000,10000,100000,1000000,10000000";
const CUB: &str = "cub::DeviceReduce::ArgMin";
const THRUST: &str = "thrust::min_element";
const LOOP: &str = "loop on the host";
const PLAIN: &str = "loop on the host, not optimised";
const HEAP: &str = "heap on the host";

/// What the paper's Table 1 has, as far as our copy of it can be read: microseconds for 1, 10, …
/// 10^7 labels, 0 where there is no figure.
///
/// The order of the cells is garbled there. The rows of the reduction are whole. Of Thrust and
/// of the loops the last two columns are certain, for the text has quotients at 10^7 of Thrust and
/// of the loop (6.07 and 1.65) and the other loop's time; the other six figures of Thrust are taken
/// in the order in which they are printed. Two more figures, 150 and 630, belong to loops of fewer
/// labels, but not surely to which; they are left out.
const PAPER: [(&str, [f64; 8]); 8] = [
    ("reduction/128", [40.82, 35.92, 39.63, 43.12, 59.4, 145.4, 1033.26, 8033.73]),
    ("reduction/256", [48.56, 57.37, 43.96, 43.05, 50.49, 112.43, 556.43, 4839.28]),
    ("reduction/512", [42.64, 47.32, 41.2, 41.55, 45.97, 92.04, 470.487, 4075.55]),
    ("reduction/1024", [43.81, 43.76, 45.52, 49.77, 46.74, 108.75, 734.59, 6475.09]),
    (THRUST, [324.8, 65.97, 73.04, 513.12, 453.91, 450.91, 498.5, 1105.1]),
    (LOOP, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 630.0, 6710.0]),
    (PLAIN, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5620.0, 56790.0]),
    (HEAP, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.124, 0.1311]),
];

/// The least of many labels by each method: the paper's Table 1
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example:\n  cargo xtask bench extract-min --labels 1000,1000000")]
pub(super) struct LeastLabel {
    /// Numbers of labels
    #[arg(long, value_name = "N", default_value = LABELS)]
    labels: Vec<NonZeroUsize>,
    /// Extractions of which a run is the mean
    #[arg(long, value_name = "N", default_value = "1000")]
    extractions: NonZeroU32,
    /// CUB and Thrust, built before from peers/extract_min.cu of this crate
    /// [default: it is built, where there is nvcc]
    #[arg(long, value_name = "PROGRAM")]
    cub: Option<PathBuf>,
}

impl Study for LeastLabel {
    const NAME: &'static str = "extract-min";

    fn measure(&self, bench: &Bench) -> Result<()> {
        let gpu = bench.gpu_if_any();
        let (scratch, ask) = (tempfile::tempdir()?, &bench.progress());
        let peer = gpu.and_then(|_| PEER.program(bench, self.cub.as_ref(), scratch.path()));
        let times = self.extractions.get();
        for &n in &self.labels {
            let (task, file) = (&Task::new(n.get()), &scratch.path().join(n.to_string()));
            let mut all = Vec::new();
            for (name, reduction) in gpu.map_or(&[][..], |_| &Reduction::ALL) {
                let mut extraction = ExtractMin::new(bench.gpu()?, *reduction, &task.labels)?;
                all.push(task.contender(&format!("reduction/{name}"), times, move || {
                    let us = extraction.mean_us(self.extractions)?;
                    let (label, place) = extraction.run()?.context("no label is there")?;
                    Ok((us, label, place))
                }));
            }
            for (program, method) in peer.iter().flat_map(|peer| [(peer, CUB), (peer, THRUST)]) {
                let bytes = task.labels.iter().flat_map(|label| label.to_le_bytes());
                std::fs::write(file, bytes.collect::<Vec<u8>>())?;
                all.push(task.contender(method, times, move || {
                    let mut command = Command::new(program);
                    command.arg(file).args([n.to_string(), times.to_string()]);
                    let (said, _) = output(&mut command, || ask(0, 0))?;
                    let line = said.lines().find_map(|line| line.strip_prefix(method));
                    let fields: Vec<&str> = line.unwrap_or_default().split_whitespace().collect();
                    match fields[..] {
                        [us, label, place] => Ok((us.parse()?, label.parse()?, place.parse()?)),
                        _ => bail!("{} said {said:?}", program.display()),
                    }
                }));
            }
            if bench.on_cpu() {
                let affordable = u32::try_from(MOST_LOOKS / n).unwrap_or(u32::MAX).max(1);
                let entries = task.labels.iter().copied().zip(0..).map(Reverse);
                let mut heap: BinaryHeap<Reverse<(u32, usize)>> = entries.collect();
                let few = (affordable / 10).clamp(1, times);
                all.push(task.on_host(LOOP, affordable.min(times), || task.vectorised()));
                all.push(task.on_host(PLAIN, few, || task.step_by_step()));
                all.push(task.on_host(HEAP, times, move || {
                    let least = heap.pop()?;
                    heap.push(black_box(least));
                    Some(least.0)
                }));
            }
            bench.race(all)?;
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("The least of many labels");
        let most = records.iter().filter_map(|record| record.least("extractions"));
        page.text(&format!(
            "Microseconds to find the least of n random labels, medians of runs that are the \
             mean of {} extractions (fewer of long loops on the host). Every method said where \
             the least label stands, and was right. On the GPU the labels are resident and the \
             time is the device's, of launches one after the other; Thrust also waits for each \
             answer, and asks for memory. A heap gives its least element away and takes it back.",
            most.fold(0.0, f64::max)
        ));
        page.text(
            "The paper's figures stand in its table as nanoseconds, where only microseconds are \
             plausible: 10^7 labels of 4 bytes in 4075 ns would be 10 TB/s. Of the loop that is \
             not optimised every step is hidden from the compiler. A dash is below the paper's \
             clock.",
        );
        let mut rows = Records::default();
        for (method, of) in records.by("method") {
            rows.extend(of.iter().map(|record| record.clone().with(&[("whose", &"here")])));
            for n in records.values("labels") {
                let us = n.parse().ok().and_then(|n| paper_us(method, n));
                let record = Record::of(&[("labels", &n), ("method", &method)]);
                let record = record.with(&[("whose", &"the paper")]);
                rows.extend(us.map(|us| record.ran(vec![("ms", us / 1e3)])));
            }
        }
        page.across(&rows, &["method", "whose"], "labels", &|r| Some(r.median("ms")? * 1e3));
        page
    }
}

/// What the paper has for so many labels.
fn paper_us(method: &str, n: usize) -> Option<f64> {
    let (_, figures) = PAPER.iter().find(|figures| figures.0 == method)?;
    let mut columns = (0..).map(|power| 10_usize.pow(power)).zip(figures);
    columns.find(|(labels, us)| *labels == n && **us > 0.0).map(|(_, us)| *us)
}

/// Labels, and which is the least.
struct Task {
    labels: Vec<u32>,
    least: u32,
}

impl Task {
    fn new(n: usize) -> Self {
        let mut draws = Draws::new(n as u64);
        // none is the greatest number, which stands for a vertex that is not reached
        let labels: Vec<u32> = (0..n).map(|_| (draws.word() >> 33) as u32).collect();
        let least = labels.iter().copied().min().unwrap_or(0);
        Self { labels, least }
    }

    /// That this is the least label and stands there.
    fn check(&self, label: u32, place: usize) -> Result<()> {
        let there = self.labels.get(place).copied();
        ensure!(
            label == self.least && there == Some(label),
            "it is wrong: label {label} at {place}, where {there:?} stands; the least is {}",
            self.least
        );
        Ok(())
    }

    /// Extractions that take so many microseconds each, the last of which found this.
    fn contender<'a>(
        &'a self,
        method: &str,
        extractions: u32,
        mut extract: impl FnMut() -> Result<(f64, u32, usize)> + 'a,
    ) -> Contender<'a> {
        let record = Record::of(&[("labels", &self.labels.len()), ("method", &method)]);
        Contender::new(record, move || {
            let (us, label, place) = extract()?;
            self.check(label, place)?;
            Ok(vec![("ms", us / 1e3), ("extractions", extractions.into())])
        })
    }

    /// The same by one thread of the host.
    fn on_host<'a>(
        &'a self,
        method: &str,
        extractions: u32,
        mut extract: impl FnMut() -> Option<(u32, usize)> + 'a,
    ) -> Contender<'a> {
        self.contender(method, extractions, move || {
            let (ms, last) = timed(|| (0..extractions).map(|_| black_box(extract())).last());
            let (label, place) = last.flatten().context("no label is there")?;
            Ok((ms * 1e3 / f64::from(extractions), label, place))
        })
    }

    /// One pass for the least label, and another that stops where it stands.
    fn vectorised(&self) -> Option<(u32, usize)> {
        let labels = black_box(&self.labels);
        let least = *labels.iter().min()?;
        Some((least, labels.iter().position(|&label| label == least)?))
    }

    /// One pass, of which every step is hidden from the compiler: what is known goes through
    /// memory.
    fn step_by_step(&self) -> Option<(u32, usize)> {
        let (mut least, mut at) = ((u32::MAX, 0), 0);
        while black_box(at) < self.labels.len() {
            if black_box(self.labels[at]) < least.0 {
                least = black_box((self.labels[at], at));
            }
            at = black_box(at + 1);
        }
        Some(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_label_or_place_is_caught() {
        let task = Task::new(1000);
        let place = task.labels.iter().position(|&label| label == task.least).unwrap();
        task.check(task.least, place).unwrap();
        assert!(task.check(task.least + 1, place).is_err());
        assert!(task.check(task.least, (place + 1) % 1000).is_err());
        assert!(task.check(task.least, 1000).is_err());
    }

    #[test]
    fn the_quotients_that_the_text_has() {
        let most = |method: &str| paper_us(method, 10_000_000).unwrap();
        assert_eq!(format!("{:.2}", most(LOOP) / most("reduction/512")), "1.65");
        assert_eq!(format!("{:.2}", most(LOOP) / most(THRUST)), "6.07");
        assert_eq!((paper_us(LOOP, 1), paper_us(THRUST, 20)), (None, None));
    }
}

//! Where and when a report was made.
//!
//! Everything is read from the system as it runs; what cannot be found out is called
//! unknown, for a report from an odd machine is better than none.

use gpu_runtime::{DeviceProperties, Gpu};
use std::fs;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// The machine, the tools and the state of the sources.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The model of the processor.
    pub cpu: String,
    /// Processors that this program may use.
    pub n_processors: usize,
    /// Memory, in GiB.
    pub memory: String,
    /// The operating system and its kernel.
    pub os: String,
    /// The first GPU and its driver, where this build can use one.
    pub gpu: Option<String>,
    /// The compiler that this program was built with.
    pub rustc: String,
    /// The commit, short.
    pub commit: String,
    /// Whether tracked files differ from it.
    pub dirty: bool,
    /// Universal time, as `2026-01-31 23:59:58`.
    pub date: String,
}

impl Machine {
    /// The same with the GPU, if there is one.
    #[must_use]
    pub fn with_gpu(self) -> Self {
        Self { gpu: Gpu::open().ok().map(|gpu| described(gpu.properties())), ..self }
    }

    /// What there is but for the GPU: a driver that this process has started stays so, and others
    /// start it a tenth of a second faster.
    pub(crate) fn without_driver() -> Self {
        let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
        let system = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
        let system = system.map_or(std::env::consts::OS, |name| name.trim_matches('"'));
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let kib = field("/proc/meminfo", "MemTotal")
            .and_then(|text| text.trim_end_matches("kB").trim().parse::<f64>().ok());
        // where the task that built this says the commit, its name says whether files differed
        let commit = told(option_env!("STARPATH_COMMIT"));
        let status = match commit {
            Some(_) => None,
            None => said("git", &["status", "--porcelain", "--untracked-files=no"]),
        };
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            cpu: field("/proc/cpuinfo", "model name").unwrap_or_else(unknown),
            n_processors: std::thread::available_parallelism().map_or(1, usize::from),
            memory: kib.map_or_else(unknown, |kib| format!("{:.1} GiB", kib / 1_048_576.0)),
            os: format!("{system}, kernel {}", kernel.trim()),
            gpu: None,
            rustc: compiler(),
            commit: commit
                .or_else(|| said("git", &["rev-parse", "--short", "HEAD"]))
                .unwrap_or_else(unknown),
            dirty: status.is_some_and(|changes| !changes.is_empty()),
            date: date(since_1970.as_secs()),
        }
    }

    /// A name for a folder: date, time and commit.
    pub fn stamp(&self) -> String {
        let date: String = self.date.chars().filter(|c| *c != '-' && *c != ':').collect();
        format!("{}-{}", date.replace(' ', "-"), self.commit)
    }

    /// As a list in Markdown.
    pub fn markdown(&self) -> String {
        let Self { cpu, n_processors, memory, os, rustc, commit, date, .. } = self;
        let gpu = self.gpu.as_deref().map_or(String::new(), |gpu| format!("- gpu: {gpu}\n"));
        let dirty = if self.dirty { ", with changes that are not committed" } else { "" };
        format!(
            "- processor: {cpu}, {n_processors} usable\n- memory: {memory}\n- system: {os}\n\
             {gpu}- compiler: {rustc}\n- commit: {commit}{dirty}\n- date: {date} UTC\n"
        )
    }
}

fn described(properties: &DeviceProperties) -> String {
    let (major, minor) = properties.driver_version;
    format!(
        "{}, {} multiprocessors, CUDA {major}.{minor}",
        properties.name, properties.multiprocessors
    )
}

/// What the task that built this program said, if it did.
fn told(said: Option<&str>) -> Option<String> {
    said.filter(|text| !text.is_empty()).map(str::to_owned)
}

/// What the task that built this program said of the compiler; elsewhere the one that is
/// installed, and where there is none, the least that could have built it.
fn compiler() -> String {
    let built_with = told(option_env!("STARPATH_RUSTC"));
    let least = || concat!("rustc ", env!("CARGO_PKG_RUST_VERSION"), " or newer").to_owned();
    built_with.or_else(|| said("rustc", &["--version"])).unwrap_or_else(least)
}

fn unknown() -> String {
    "unknown".to_owned()
}

/// The value of the first line `name : value` of a file.
fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    let value = pairs.into_iter().find(|(key, _)| key.trim() == name)?.1;
    Some(value.trim().to_owned())
}

/// What a command prints when it succeeds; it runs where the sources are.
fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let folder = env!("CARGO_MANIFEST_DIR");
    let output = Command::new(program).args(arguments).current_dir(folder).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

/// Date and time of day, from the seconds since 1970.
fn date(seconds: u64) -> String {
    let (mut days, second) = (seconds / 86_400, seconds % 86_400);
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year}-{month:02}-{:02} {hour:02}:{minute:02}:{second:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01 00:00:00");
        assert_eq!(date(951_782_399), "2000-02-28 23:59:59");
        assert_eq!(date(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(date(1_767_225_599), "2025-12-31 23:59:59");
        let machine =
            Machine { date: date(0), commit: "abc".into(), ..Machine::without_driver().with_gpu() };
        assert_eq!(machine.stamp(), "19700101-000000-abc");
        assert!(machine.rustc.starts_with("rustc 1."), "{}", machine.rustc);
    }
}

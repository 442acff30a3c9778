//! Where and when a report was made. Everything is read from the system as it runs; what cannot
//! be found out is called unknown, for a report from an odd machine is better than none.

use std::process::Command;
use std::time::SystemTime;

use gpu_runtime::Gpu;
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

/// The machine, the tools and the state of the sources.
pub(crate) struct Machine {
    /// A list in Markdown.
    pub(crate) markdown: String,
    /// A name for a folder: date, time and commit.
    pub(crate) stamp: String,
}

impl Machine {
    /// All but the GPU: a driver that this process has started stays so, and others start it a
    /// tenth of a second faster.
    pub(crate) fn without_driver() -> Self {
        let unknown = || "unknown".to_owned();
        let known = RefreshKind::nothing()
            .with_cpu(CpuRefreshKind::nothing())
            .with_memory(MemoryRefreshKind::nothing().with_ram());
        let machine = System::new_with_specifics(known).ok();
        let processor = machine.as_ref().and_then(|machine| machine.cpus().first());
        let processor = processor.map_or_else(unknown, |processor| processor.brand().to_owned());
        let n_processors = std::thread::available_parallelism().map_or(1, usize::from);
        let gib = |machine: &System| machine.total_memory() as f64 / f64::from(1 << 30);
        let memory =
            machine.as_ref().map_or_else(unknown, |machine| format!("{:.1} GiB", gib(machine)));
        let system = System::long_os_version().unwrap_or_else(|_| unknown());
        let kernel = System::kernel_version().unwrap_or_else(|_| unknown());
        // the task that builds a bundle says the commit, and in its name whether files differed
        let (rustc, built_from) = (option_env!("STARPATH_RUSTC"), option_env!("STARPATH_COMMIT"));
        let commit = told(built_from).or_else(|| said("git", &["rev-parse", "--short", "HEAD"]));
        let commit = commit.unwrap_or_else(unknown);
        let changes = said("git", &["status", "--porcelain", "--untracked-files=no"]);
        let is_dirty = told(built_from).is_none() && changes.is_some_and(|it| !it.is_empty());
        let dirty = if is_dirty { ", with changes that are not committed" } else { "" };
        let least = concat!("rustc ", env!("CARGO_PKG_RUST_VERSION"), " or newer");
        let rustc = told(rustc).or_else(|| said("rustc", &["--version"]));
        let date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        let date = date.replace('T', " ").replace('Z', "");
        let markdown = format!(
            "- processor: {processor}, {n_processors} usable\n- memory: {memory}\n- system: \
             {system}, kernel {kernel}\n- compiler: {}\n- commit: {commit}{dirty}\n- date: {date} UTC\n",
            rustc.as_deref().unwrap_or(least),
        );
        let stamp = format!("{}-{commit}", date.replace(['-', ':'], "").replace(' ', "-"));
        Self { markdown, stamp }
    }
}

/// The first GPU and its driver as a line of that list; nothing where there is none.
pub(crate) fn gpu() -> String {
    let Ok(gpu) = Gpu::open() else { return String::new() };
    let of = gpu.properties();
    let (major, minor) = of.driver_version;
    let driver = said("nvidia-smi", &["--query-gpu=driver_version", "--format=csv,noheader"]);
    let driver = driver.as_deref().and_then(|lines| lines.lines().next()).unwrap_or("unknown");
    let (name, n) = (&of.name, of.multiprocessors);
    format!("- gpu: {name}, {n} multiprocessors, driver {driver}, CUDA {major}.{minor}\n")
}

/// What the task that built this program said, if it did.
fn told(said: Option<&str>) -> Option<String> {
    said.filter(|text| !text.is_empty()).map(str::to_owned)
}

/// What a command prints when it succeeds; it runs where the sources are.
fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let folder = env!("CARGO_MANIFEST_DIR");
    let output = Command::new(program).args(arguments).current_dir(folder).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

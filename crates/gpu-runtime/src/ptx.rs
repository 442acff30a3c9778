//! A module of kernels, as the text that the driver compiles for the device it finds.

/// A module: kernels in PTX, NVIDIA's portable assembly.
///
/// ```
/// use gpu_runtime::Ptx;
///
/// static EMPTY: Ptx = Ptx::new("empty", ".version 6.3\n.target sm_75\n.address_size 64\n");
/// assert_eq!((EMPTY.version(), EMPTY.target()), ("6.3", "sm_75"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ptx {
    /// Its name in messages.
    pub name: &'static str,
    /// The PTX.
    pub text: &'static str,
}

impl Ptx {
    /// The module with this name and text.
    #[must_use]
    pub const fn new(name: &'static str, text: &'static str) -> Self {
        Self { name, text }
    }

    /// The version of the language that it is written in: its `.version`, `?` if it has none.
    #[must_use]
    pub fn version(&self) -> &'static str {
        self.directive(".version")
    }

    /// The oldest device that it is for: its `.target`, `?` if it has none.
    #[must_use]
    pub fn target(&self) -> &'static str {
        self.directive(".target")
    }

    fn directive(&self, name: &str) -> &'static str {
        let value = self.text.lines().find_map(|line| line.trim_start().strip_prefix(name));
        value.and_then(|rest| rest.split_whitespace().next()).unwrap_or("?")
    }
}

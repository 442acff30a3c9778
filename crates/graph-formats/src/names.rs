//! Values that have names on the command line.

/// A name that nothing has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} '{name}'; known are {known}")]
pub struct UnknownName {
    /// The kind of thing named.
    pub what: &'static str,
    /// The name given.
    pub name: String,
    /// The known names.
    pub known: String,
}

/// The value named `name` in `table`.
///
/// # Errors
/// [`UnknownName`] with the known names.
///
/// ```
/// let numbers = [("one", 1), ("two", 2)];
/// assert_eq!(graph_formats::by_name("number", "two", &numbers), Ok(2));
/// let unknown = graph_formats::by_name("number", "six", &numbers).unwrap_err();
/// assert_eq!(unknown.to_string(), "unknown number 'six'; known are one, two");
/// ```
pub fn by_name<T: Copy>(
    what: &'static str,
    name: &str,
    table: &[(&'static str, T)],
) -> Result<T, UnknownName> {
    table.iter().find(|entry| entry.0 == name).map(|entry| entry.1).ok_or_else(|| {
        let known = table.iter().map(|entry| entry.0).collect::<Vec<_>>().join(", ");
        UnknownName { what, name: name.to_owned(), known }
    })
}

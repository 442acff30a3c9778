//! Changes of a graph whose weight type is known only at run time.

use graph_formats::{Change, ChangeError, ChangeProblem, Weight};

use crate::Number;

/// The same changes with weights of a graph's type.
///
/// ```
/// use graph_formats::Change;
/// use paths::{Number, typed_changes};
///
/// fn change<W>(weight: W) -> [Change<W>; 1] {
///     [Change::Insert { from: 0, to: 1, weight }]
/// }
/// assert_eq!(typed_changes(&change(Number::F64(5.0))), Ok(change(5u32).to_vec()));
/// let error = typed_changes::<u32>(&change(Number::F64(0.5))).unwrap_err();
/// assert_eq!(error.to_string(), "change 0: 0.5 is no weight of this graph, whose weights are u32");
/// ```
///
/// # Errors
/// For the first change whose weight the type does not have.
pub fn typed_changes<W: Weight>(changes: &[Change<Number>]) -> Result<Vec<Change<W>>, ChangeError> {
    let typed = |(position, change): (usize, &Change<Number>)| {
        let no_weight = || {
            let weight = change.weight().map(Number::to_string).unwrap_or_default();
            let problem = ChangeProblem::NoWeight { weight, kind: W::KIND };
            ChangeError { position, problem }
        };
        change.try_map(weight_of).ok_or_else(no_weight)
    };
    changes.iter().enumerate().map(typed).collect()
}

/// The weight with this value, if there is one.
fn weight_of<W: Weight>(number: Number) -> Option<W> {
    match number.to_i128() {
        Some(whole) => W::from_i128(whole),
        None => W::from_f64(number.to_f64()),
    }
}

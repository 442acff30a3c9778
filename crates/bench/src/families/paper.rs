//! What the paper's Table 1 has, as far as our copy of it can be read.
//!
//! The order of the cells is garbled there. The rows of the reduction are whole. Of Thrust and
//! of the loop the last two columns are certain, for the text has their quotients at 10^7
//! (6.07 and 1.65); the other six figures of Thrust are taken in the order in which they are
//! printed. Two more figures, 150 and 630, belong to loops of fewer labels, but not surely to
//! which; they are left out.
//!
//! Reference: origin-four-families

/// The names of methods that the paper has too, the first one without its threads of a block.
pub(super) const REDUCTION: &str = "reduction/";
pub(super) const THRUST: &str = "thrust::min_element";
pub(super) const LOOP: &str = "loop on the host";
pub(super) const HEAP: &str = "heap on the host";

/// What is to be said of the paper's figures.
pub(super) const NOTE: &str = "The paper's figures stand in its table as nanoseconds. Only \
    microseconds are plausible, and they are taken as such here: 10^7 labels of 4 bytes in 4075 \
    ns would be 10 TB/s, and no launch of a kernel ends within 40 ns. Its loop is the one \
    compiled with -O2; zeros, which are below its clock, are shown as a dash. Our copy of the \
    text is garbled; it does not say on which GPU or processor the figures were measured.";

/// Microseconds for 1, 10, … 10^7 labels; 0 where there is no figure.
const FIGURES: [(&str, [f64; 8]); 7] = [
    ("reduction/128", [40.82, 35.92, 39.63, 43.12, 59.4, 145.4, 1033.26, 8033.73]),
    ("reduction/256", [48.56, 57.37, 43.96, 43.05, 50.49, 112.43, 556.43, 4839.28]),
    ("reduction/512", [42.64, 47.32, 41.2, 41.55, 45.97, 92.04, 470.487, 4075.55]),
    ("reduction/1024", [43.81, 43.76, 45.52, 49.77, 46.74, 108.75, 734.59, 6475.09]),
    (THRUST, [324.8, 65.97, 73.04, 513.12, 453.91, 450.91, 498.5, 1105.1]),
    (LOOP, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 630.0, 6710.0]),
    (HEAP, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.124, 0.1311]),
];

/// Whether the paper has the method.
pub(super) fn has(method: &str) -> bool {
    FIGURES.iter().any(|figure| figure.0 == method)
}

/// What the paper has for so many labels, in microseconds.
pub(super) fn us(method: &str, n: usize) -> Option<f64> {
    let (_, figures) = FIGURES.iter().find(|figure| figure.0 == method)?;
    let column = n.checked_ilog10()?;
    let is_column = 10_usize.pow(column) == n;
    figures.get(column as usize).copied().filter(|&us| is_column && us > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quotients_that_the_text_has() {
        let at_most = |method: &str| us(method, 10_000_000).unwrap();
        let reduction = format!("{REDUCTION}512");
        assert_eq!(format!("{:.2}", at_most(LOOP) / at_most(&reduction)), "1.65");
        assert_eq!(format!("{:.2}", at_most(LOOP) / at_most(THRUST)), "6.07");
        assert_eq!((us(LOOP, 1), us(&reduction, 1), us(&reduction, 20)), (None, Some(42.64), None));
    }
}

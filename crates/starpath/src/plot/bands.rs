//! Distances in bands of equal width: the isochrones of a map, the colours of a matrix.

use pictures::{label, round_up};

/// More colours than that are not told apart.
pub(crate) const MAX_BANDS: usize = 10;
/// What is aimed at where no width is given,
const USUAL_BANDS: f64 = 6.0;
/// by a power of ten times one of these.
const WIDTHS: [f64; 7] = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0];

/// Band i holds the distances from `(first + i) · step` on and below `(first + i + 1) · step`.
#[derive(Clone, Debug)]
pub(crate) struct Bands {
    step: f64,
    first: f64,
    n: usize,
    is_whole: bool,
}

impl Bands {
    /// Bands for these distances, of this width or a round one; `is_whole` says that distances
    /// are integers. An error says why there would be too many.
    pub(crate) fn new(
        distances: impl Iterator<Item = f64>,
        step: Option<f64>,
        is_whole: bool,
    ) -> Result<Self, String> {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (least, greatest) = distances.fold(ends, |(least, greatest), distance| {
            (least.min(distance), greatest.max(distance))
        });
        if least > greatest {
            return Ok(Self { step: step.unwrap_or(1.0), first: 0.0, n: 0, is_whole });
        }
        let round = |n_bands: f64| {
            // shares first, for the difference of the greatest numbers is none
            let step = round_up(greatest / n_bands - least / n_bands, &WIDTHS);
            if is_whole { step.ceil() } else { step }
        };
        let step = step.unwrap_or_else(|| round(USUAL_BANDS));
        let first = (least / step).floor();
        let n = (greatest / step).floor() - first + 1.0;
        if n.is_nan() || n > MAX_BANDS as f64 {
            let enough = round(USUAL_BANDS);
            return Err(format!(
                "--step {step}: these distances, from {least} to {greatest}, are more than \
                 {MAX_BANDS} bands; try --step {enough}"
            ));
        }
        Ok(Self { step, first, n: n as usize, is_whole })
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// The band of a distance.
    pub(crate) fn band_of(&self, distance: f64) -> usize {
        // a negative number becomes 0
        (((distance / self.step).floor() - self.first) as usize).min(self.n.saturating_sub(1))
    }

    /// Where a band begins, and where the next one does.
    pub(crate) fn ends(&self, band: usize) -> (f64, f64) {
        let first = self.first + band as f64;
        (first * self.step, (first + 1.0) * self.step)
    }

    /// What the legend says of a band.
    pub(crate) fn label(&self, band: usize) -> String {
        let (from, to) = self.ends(band);
        if self.is_whole && self.step == 1.0 {
            return label(from, 1.0);
        }
        format!("{} – {}", label(from, self.step), label(to, self.step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_distance_is_within_its_band() {
        for (least, greatest, step) in [
            (0.0, 0.0, None),
            (0.0, 100.0, None),
            (-7.0, 12.5, None),
            (0.0, 1e-300, None),
            (-1e308, 1e308, None),
            (0.0, 99.0, Some(10.0)),
            (3.0, 1e15, None),
        ] {
            let bands = Bands::new([least, greatest].into_iter(), step, false).unwrap();
            assert!((1..=MAX_BANDS).contains(&bands.len()), "{bands:?}");
            assert_eq!(bands.band_of(least), 0);
            assert_eq!(bands.band_of(greatest), bands.len() - 1);
            for share in [0.0, 0.1, 0.3, 0.5, 0.77, 1.0] {
                let distance = least * (1.0 - share) + greatest * share;
                let (from, to) = bands.ends(bands.band_of(distance));
                assert!(from <= distance && distance < to, "{distance} in {bands:?}");
            }
        }
    }

    #[test]
    fn whole_numbers_have_whole_bands() {
        let bands = Bands::new([0.0, 3.0].into_iter(), None, true).unwrap();
        assert_eq!((bands.len(), bands.label(3)), (4, "3".to_owned()));
        let bands = Bands::new([0.0, 1500.0].into_iter(), None, true).unwrap();
        assert_eq!((bands.len(), bands.label(1)), (7, "250 – 500".to_owned()));
    }

    #[test]
    fn too_many_bands_are_refused_with_a_step_that_would_do() {
        let error = Bands::new([0.0, 1000.0].into_iter(), Some(1.0), true).unwrap_err();
        let step: f64 = error.rsplit(' ').next().unwrap().parse().unwrap();
        assert!(Bands::new([0.0, 1000.0].into_iter(), Some(step), true).is_ok(), "{error}");
        assert_eq!(Bands::new(std::iter::empty(), None, true).unwrap().len(), 0);
    }
}

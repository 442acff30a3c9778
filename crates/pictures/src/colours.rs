//! Colours that stand out from white and from each other, for colour-blind readers too.

use colorous::{Color, VIRIDIS};

/// Texts, and the lines of paths.
pub const BLACK: Color = Color { r: 0, g: 0, b: 0 };
/// The page.
pub const WHITE: Color = Color { r: 255, g: 255, b: 255 };
/// Lines of axes.
pub const GREY: Color = Color { r: 110, g: 110, b: 110 };
/// Vertices that no path leads to: a warm colour, which [`sequence`] has none of.
pub const UNREACHED: Color = Color { r: 213, g: 94, b: 0 };

/// The part of viridis that stands out from white: beyond it come light green and yellow.
const DARK_PART: f64 = 0.58;

/// The colour of what has no other beside it.
pub const SINGLE: Color = Color { r: 53, g: 96, b: 141 };

/// The i-th of n colours from dark to light, purple to green.
pub fn sequence(i: usize, n: usize) -> Color {
    let share = if n > 1 { i as f64 / (n - 1) as f64 } else { 0.0 };
    VIRIDIS.eval_continuous(share * DARK_PART)
}

/// A colour as SVG has it.
pub fn hex(colour: Color) -> String {
    format!("#{colour:x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many as `starpath plot` has bands.
    const MAX_BANDS: usize = 10;

    type Rgb = [f64; 3];

    fn linear(colour: Color) -> Rgb {
        [colour.r, colour.g, colour.b].map(|channel| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn times(matrix: [Rgb; 3], [r, g, b]: Rgb) -> Rgb {
        matrix.map(|row| row[0] * r + row[1] * g + row[2] * b)
    }

    /// How a colour looks with usual sight, and without one of the three kinds of cones: Machado,
    /// Oliveira and Fernandes, "A physiologically-based model for simulation of color vision
    /// deficiency", 2009.
    fn seen(colour: Color) -> [Rgb; 4] {
        [
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            [
                [0.152286, 1.052583, -0.204868],
                [0.114503, 0.786281, 0.099216],
                [-0.003882, -0.048116, 1.051998],
            ],
            [
                [0.367322, 0.860646, -0.227968],
                [0.280085, 0.672501, 0.047413],
                [-0.011820, 0.042940, 0.968881],
            ],
            [
                [1.255528, -0.076749, -0.178779],
                [-0.078411, 0.930809, 0.147602],
                [0.004733, 0.691367, 0.303900],
            ],
        ]
        .map(|matrix| times(matrix, linear(colour)).map(|share| share.clamp(0.0, 1.0)))
    }

    /// CIE 1976 L*a*b*, in which equal distances look alike.
    fn lab(colour: Rgb) -> Rgb {
        let to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];
        let [x, y, z] = times(to_xyz, colour);
        let f = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
        let (x, y, z) = (f(x / 0.95047), f(y), f(z / 1.08883));
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// The least difference of two colours among the four kinds of sight; from about 2.3 on one is
    /// seen.
    fn difference(a: Color, b: Color) -> f64 {
        let between = |(a, b): (Rgb, Rgb)| {
            let squares = lab(a).into_iter().zip(lab(b)).map(|(a, b)| (a - b).powi(2));
            squares.sum::<f64>().sqrt()
        };
        seen(a).into_iter().zip(seen(b)).map(between).fold(f64::INFINITY, f64::min)
    }

    /// Contrast as WCAG 2 defines it, which asks for 3 between the parts of a picture.
    fn contrast_to_white(colour: Color) -> f64 {
        let [r, g, b] = linear(colour);
        1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05)
    }

    #[test]
    fn everybody_tells_the_colours_apart() {
        for n in 2..=MAX_BANDS {
            let colours: Vec<_> = (0..n).map(|i| sequence(i, n)).collect();
            for (i, &colour) in colours.iter().enumerate() {
                assert!(contrast_to_white(colour) >= 3.0, "{colour:?}");
                assert!(difference(colour, UNREACHED) > 25.0, "{colour:?}");
                for &other in &colours[i + 1..] {
                    let least = if n <= 8 { 6.0 } else { 4.5 };
                    assert!(difference(colour, other) > least, "{colour:?} {other:?} of {n}");
                }
            }
        }
        assert!(contrast_to_white(UNREACHED) >= 3.0 && contrast_to_white(GREY) >= 3.0);
    }
}

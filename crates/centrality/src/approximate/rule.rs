//! When there are enough pairs.
//!
//! X(v) is 1 if the path of a pair passes through v, and otherwise 0. Its mean is the betweenness
//! b(v), its variance σ² = b·(1 − b). The sum of X over v is the number of vertices inside the path,
//! with mean ρ; so all variances together are at most ρ. By Bennett's inequality the mean of m pairs
//! is off by ε or more with a probability of at most 2·exp(−m·σ²·h(ε/σ²)), where
//! h(x) = (1 + x)·ln(1 + x) − x. This bound ascends with σ². So if no variance is greater than V,
//! the probability that any of n vertices is off is at most
//!
//! F(m, V, ρ) = max over 0 < σ² ≤ V of 2·min(n, ρ/σ²)·exp(−m·σ²·h(ε/σ²)).
//!
//! The maximum is at V if m·V·(x − ln(1 + x)) ≥ 1 for x = ε/V, since the derivative of the logarithm
//! is then above zero in all of 0..V.
//!
//! Neither V nor ρ is known. V is bounded by a bound of the greatest b, that of Chernoff and
//! Hoeffding. This is the bound of one vertex, since which one it is does not depend on the samples.
//! The bound of ρ is that of Maurer and Pontil, by the greatest number of vertices inside a path.
//!
//! The numbers of samples with which the rule looks, m₁ < m₂ < …, are a fixed list; it may leave out
//! some. Sampling ends where F is at most γ by the bounds of V and ρ. While both hold, it does not
//! end before the first m of the list where the true F is at most γ. From there on F falls: at rⁱ·m
//! it is at most γ·exp(−(rⁱ − 1)·ln(2/γ)). So the probability that some vertex is off when sampling
//! ends is at most γ times the sum of these factors. This and the shares of the two bounds, each
//! divided by the number of looks, add up to the requested probability.
//!
//! How it differs from the papers: KADABRA divides the probability among the vertices, and its
//! bounds hold for any number of samples below one that suffices for all graphs; so it pays for that
//! number. The bound by V and ρ is SILVAN's, which uses it to limit the number of samples.
//!
//! Reference: bennett-1962, hoeffding-1963, maurer-pontil-2009, pellegrina-vandin-2023

/// The first number of samples, times ε: below it hardly any graph has enough.
const FIRST: f64 = 16.0;
/// The ratio of a number of samples to the one before, at least.
const RATIO: f64 = 1.1;
/// The share of the probability that the bound of the variances fails, or that of ρ.
const SHARE: f64 = 0.1;

/// What is known from samples.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// Pairs.
    pub(super) n_samples: u64,
    /// The greatest mean of X.
    pub(super) greatest: f64,
    /// The sum of the numbers of vertices inside the paths,
    pub(super) inside: u128,
    /// and of their squares.
    pub(super) inside_squared: u128,
}

/// The rule for a graph, an error and a probability.
#[derive(Debug)]
pub(super) struct Rule {
    /// ε.
    error: f64,
    n_vertices: f64,
    /// ln(1/γ).
    certainty: f64,
    /// The logarithm of one over the probability that a bound fails in one look.
    certainty_of_bound: f64,
    /// The numbers of samples with which the rule looks.
    looks: Vec<u64>,
}

impl Rule {
    pub(super) fn new(n_vertices: usize, error: f64, failure: f64) -> Self {
        let left = (1.0 - 2.0 * SHARE) * failure;
        // γ is less than `left`, so the factors are even smaller
        let factor = |i| (-(f64::powi(RATIO, i) - 1.0) * (2.0 / left).ln()).exp();
        let sum: f64 = (0..).map(factor).take_while(|&factor| factor > 1e-18).sum();
        let certainty = (sum / left).ln();
        let n_vertices = n_vertices as f64;
        let mut rule = Self {
            error,
            n_vertices,
            certainty,
            certainty_of_bound: 0.0,
            looks: vec![(FIRST / error).ceil() as u64],
        };
        let mut last = rule.looks[0];
        while !rule.is_enough(last, 0.25, n_vertices) {
            last = (last as f64 * RATIO).ceil() as u64;
            rule.looks.push(last);
        }
        rule.certainty_of_bound = (rule.looks.len() as f64 / (SHARE * failure)).ln();
        rule
    }

    /// The first number of samples with which the rule looks.
    pub(super) fn first(&self) -> u64 {
        self.looks[0]
    }

    /// How many samples there must be, where no path has more than `longest` arcs: the same number
    /// if these are enough, and otherwise what will be if means stay as they are.
    pub(super) fn required(&self, seen: Seen, longest: usize) -> u64 {
        let Seen { n_samples, greatest, inside, inside_squared } = seen;
        let m = n_samples as f64;
        let mean = inside as f64 / m;
        let variance = ((inside_squared as f64 / m - mean * mean) * m / (m - 1.0)).max(0.0);
        let most = longest.saturating_sub(1) as f64;
        let is_enough = |n: u64| {
            let b = self.bound_of_mean(greatest, n as f64);
            let spread = if b < 0.5 { b * (1.0 - b) } else { 0.25 };
            let certainty = self.certainty_of_bound + f64::ln(2.0);
            let slack = (2.0 * variance * certainty / n as f64).sqrt()
                + 7.0 * most * certainty / (3.0 * (n as f64 - 1.0));
            self.is_enough(n, spread, (mean + slack).min(most))
        };
        let left = self.looks.iter().copied().skip_while(|&n| n < n_samples);
        left.into_iter().find(|&n| is_enough(n)).unwrap_or(n_samples)
    }

    /// Whether F is at most γ.
    fn is_enough(&self, n_samples: u64, variance: f64, inside: f64) -> bool {
        let x = self.error / variance;
        let exponent = n_samples as f64 * variance;
        let ascends = exponent * (x - x.ln_1p()) >= 1.0;
        let n = (inside / variance).min(self.n_vertices);
        let needed = (2.0 * n).ln() + self.certainty;
        ascends && exponent * ((1.0 + x) * x.ln_1p() - x) >= needed
    }

    /// What the mean is at most whose samples have the mean `seen`, unless the bound fails.
    fn bound_of_mean(&self, seen: f64, n_samples: f64) -> f64 {
        let (mut below, mut above) = (seen, 1.0);
        for _ in 0..64 {
            let middle = 0.5 * (below + above);
            if n_samples * divergence(seen, middle) > self.certainty_of_bound {
                above = middle;
            } else {
                below = middle;
            }
        }
        above
    }
}

/// The divergence of a coin with the probability `q` from one with `p`.
fn divergence(p: f64, q: f64) -> f64 {
    let part = |p: f64, q: f64| if p == 0.0 { 0.0 } else { p * (p / q).ln() };
    part(p, q) + part(1.0 - p, 1.0 - q)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(n_samples: u64, greatest: f64) -> Seen {
        let inside = u128::from(2 * n_samples);
        Seen { n_samples, greatest, inside, inside_squared: 2 * inside }
    }

    /// The known number of samples for a known variance, and for any.
    #[test]
    fn a_few_times_the_least_number_is_required() {
        let rule = Rule::new(1 << 22, 0.001, 0.1);
        // 2·b·(1 − b)·ln(2·ρ/(b·δ))/ε², as if b and ρ were known
        let known = |b: f64| 2.0 * b * (1.0 - b) * (2.0 * 2.0 / b / 0.1).ln() / 1e-6;
        for b in [0.01, 0.05, 0.2] {
            let required = rule.required(seen(rule.first(), b), 9) as f64;
            assert!((1.0..1.6).contains(&(required / known(b))), "{b}: {required} {}", known(b));
        }
        let most = rule.required(seen(rule.first(), 0.9), 9) as f64;
        assert!(most <= *rule.looks.last().unwrap() as f64);
    }

    #[test]
    fn it_ends_at_the_last_look() {
        let rule = Rule::new(100, 0.05, 0.01);
        let last = *rule.looks.last().unwrap();
        for greatest in [0.0, 0.3, 0.5, 1.0] {
            assert!(rule.required(seen(last, greatest), 99) == last);
        }
        assert!(rule.looks.windows(2).all(|pair| pair[1] as f64 >= RATIO * pair[0] as f64));
    }

    /// The sum over vertices of Bennett's bound is at most F, whatever their variances are.
    #[test]
    fn the_greatest_variance_is_the_worst() {
        let rule = Rule::new(1 << 20, 0.01, 0.1);
        let h = |x: f64| (1.0 + x) * x.ln_1p() - x;
        let of_vertex =
            |variance: f64, n: u64| 2.0 * (-(n as f64) * variance * h(0.01 / variance)).exp();
        for greatest in [0.001, 0.01, 0.25] {
            let n = *rule.looks.iter().find(|&&n| rule.is_enough(n, greatest, 3.0)).unwrap();
            for part in 1..1000 {
                let variance = greatest * f64::from(part) / 1000.0;
                let all = 3.0 / variance * of_vertex(variance, n);
                assert!(all.ln() <= -rule.certainty, "{greatest} {variance}: {all}");
            }
        }
    }

    #[test]
    fn bounds_of_means_have_the_divergence() {
        let rule = Rule::new(100, 0.01, 0.1);
        for (seen, n) in [(0.0, 100.0), (0.2, 1000.0), (0.99, 50.0)] {
            let bound = rule.bound_of_mean(seen, n);
            assert!(seen < bound && bound <= 1.0);
            let divergence = n * divergence(seen, bound);
            assert!((divergence - rule.certainty_of_bound).abs() < 1e-6, "{divergence}");
        }
    }
}

/// Figures of one thing, measured again and again.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<f64>);

impl Samples {
    /// Adds a figure.
    pub fn push(&mut self, figure: f64) {
        self.0.push(figure);
    }

    /// The figure that was added last.
    pub fn last(&self) -> f64 {
        self.0.last().copied().unwrap_or(f64::NAN)
    }

    /// The figure in the middle; of an even number, the mean of the two.
    pub fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        match sorted.len() {
            0 => f64::NAN,
            count if count % 2 == 1 => sorted[count / 2],
            count => f64::midpoint(sorted[count / 2 - 1], sorted[count / 2]),
        }
    }

    /// Each figure divided by the other's that was taken with it.
    pub fn over(&self, other: &Self) -> Self {
        let pairs = self.0.iter().zip(&other.0);
        pairs.map(|(one, other)| one / other).collect()
    }

    /// The smallest figure.
    pub fn min(&self) -> f64 {
        self.0.iter().copied().fold(f64::NAN, f64::min)
    }

    /// The largest figure.
    pub fn max(&self) -> f64 {
        self.0.iter().copied().fold(f64::NAN, f64::max)
    }

    /// The median, and the range of all figures.
    pub fn with_range(&self, format: impl Fn(f64) -> String) -> String {
        let [median, min, max] = [self.median(), self.min(), self.max()].map(format);
        format!("{median} ({min} to {max})")
    }
}

impl FromIterator<f64> for Samples {
    fn from_iter<I: IntoIterator<Item = f64>>(figures: I) -> Self {
        Self(figures.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Samples;

    #[test]
    fn medians() {
        let median = |figures: &[f64]| figures.iter().copied().collect::<Samples>().median();
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn a_median_has_its_range() {
        let samples: Samples = [3.0, 1.0, 2.5].into_iter().collect();
        assert_eq!(samples.with_range(|it| format!("{it:.1}")), "2.5 (1.0 to 3.0)");
    }

    #[test]
    fn figures_are_compared_with_those_of_their_round() {
        let [one, other] = [[1.0, 6.0, 4.0], [2.0, 3.0, 4.0]].map(Samples::from_iter);
        assert_eq!(one.over(&other).0, [0.5, 2.0, 1.0]);
    }
}

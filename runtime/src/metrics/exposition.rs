//! Encodes families of metrics in OpenMetrics.

use std::fmt;

#[cfg(feature = "controller")]
use prometheus_client::encoding::NoLabelSet;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric, MetricEncoder, text::encode_registry},
    metrics::{MetricType, counter::ConstCounter, gauge::ConstGauge, histogram::Histogram},
    registry::Registry,
};

#[cfg(feature = "controller")]
use super::durations::{BUCKETS, Durations};

/// The bounds of the buckets of [`Durations`] in seconds, as those of client-go's work queues.
#[cfg(feature = "controller")]
const BOUNDS: [f64; BUCKETS] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3];

/// Metrics of one name.
#[derive(Debug)]
pub(crate) struct Family {
    name: &'static str,
    help: &'static str,
    type_: MetricType,
    series: Vec<(Vec<Label>, Value)>,
}

pub(crate) type Label = (&'static str, String);

#[derive(Debug)]
enum Value {
    Counter(u64),
    Gauge(f64),
    Histogram(Histogram),
    #[cfg(feature = "controller")]
    Durations(Box<Durations>),
}

/// What a family of metrics means.
#[cfg(feature = "controller")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FamilyDescription {
    /// The name that queries have, with the suffix `_total` of a counter.
    pub name: String,
    /// The sentence about it.
    pub help: &'static str,
    /// How it is queried.
    pub kind: FamilyKind,
}

/// How a family is queried.
#[cfg(feature = "controller")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FamilyKind {
    /// By its rate.
    Counter,
    /// By its value.
    Gauge,
    /// By quantiles of its buckets.
    Histogram,
}

impl Family {
    #[cfg(feature = "controller")]
    pub(crate) fn describe(&self) -> FamilyDescription {
        let kind = match self.type_ {
            MetricType::Counter => FamilyKind::Counter,
            MetricType::Histogram => FamilyKind::Histogram,
            _ => FamilyKind::Gauge,
        };
        let suffix = if kind == FamilyKind::Counter { "_total" } else { "" };
        FamilyDescription { name: format!("{}{suffix}", self.name), help: self.help, kind }
    }

    fn new(name: &'static str, help: &'static str, type_: MetricType, series: Vec<(Vec<Label>, Value)>) -> Self {
        Self { name, help, type_, series }
    }

    /// The name has the suffix `_total`.
    pub(crate) fn counter(
        name: &'static str,
        help: &'static str,
        series: impl IntoIterator<Item = (Vec<Label>, u64)>,
    ) -> Self {
        // The encoder adds the suffix.
        let name = name.strip_suffix("_total").unwrap_or(name);
        let series = series.into_iter().map(|(labels, value)| (labels, Value::Counter(value)));
        Self::new(name, help, MetricType::Counter, series.collect())
    }

    pub(crate) fn gauge(
        name: &'static str,
        help: &'static str,
        series: impl IntoIterator<Item = (Vec<Label>, f64)>,
    ) -> Self {
        let series = series.into_iter().map(|(labels, value)| (labels, Value::Gauge(value)));
        Self::new(name, help, MetricType::Gauge, series.collect())
    }

    pub(crate) fn histogram(
        name: &'static str,
        help: &'static str,
        series: impl IntoIterator<Item = (Vec<Label>, Histogram)>,
    ) -> Self {
        let series = series.into_iter().map(|(labels, value)| (labels, Value::Histogram(value)));
        Self::new(name, help, MetricType::Histogram, series.collect())
    }

    #[cfg(feature = "controller")]
    pub(crate) fn durations(
        name: &'static str,
        help: &'static str,
        series: impl IntoIterator<Item = (Vec<Label>, Durations)>,
    ) -> Self {
        let series = series.into_iter().map(|(labels, value)| (labels, Value::Durations(Box::new(value))));
        Self::new(name, help, MetricType::Histogram, series.collect())
    }

    /// Adds a label to all series.
    #[cfg(feature = "controller")]
    pub(crate) fn with_label(mut self, label: Label) -> Self {
        self.series.iter_mut().for_each(|(labels, _)| labels.push(label.clone()));
        self
    }

    /// Adds the series to the family of the same name, or the family if there is none.
    #[cfg(feature = "controller")]
    pub(crate) fn merge_into(self, families: &mut Vec<Self>) {
        match families.iter_mut().find(|family| family.name == self.name) {
            Some(family) => family.series.extend(self.series),
            None => families.push(self),
        }
    }

    fn encode(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let mut encoder = encoder.encode_descriptor(self.name, self.help, None, self.type_)?;
        if let [(labels, value)] = self.series.as_slice()
            && labels.is_empty()
        {
            return value.encode(encoder);
        }
        for (labels, value) in &self.series {
            let labels = labels.as_slice();
            value.encode(encoder.encode_family(&labels)?)?;
        }
        Ok(())
    }
}

impl Value {
    #[cfg_attr(not(feature = "controller"), expect(unused_mut, reason = "durations need it"))]
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        match self {
            Self::Counter(value) => ConstCounter::new(*value).encode(encoder),
            Self::Gauge(value) => ConstGauge::new(*value).encode(encoder),
            Self::Histogram(histogram) => histogram.encode(encoder),
            #[cfg(feature = "controller")]
            Self::Durations(durations) => {
                let bounds = BOUNDS.into_iter().chain([f64::INFINITY]);
                let buckets: Vec<_> = bounds.zip(durations.buckets).collect();
                let stats = &durations.stats;
                encoder.encode_histogram::<NoLabelSet>(stats.total.as_secs_f64(), stats.count, &buckets, None)
            }
        }
    }
}

#[derive(Debug)]
struct Families(Vec<Family>);

impl Collector for Families {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        self.0.iter().try_for_each(|family| family.encode(&mut encoder))
    }
}

/// Encodes families in OpenMetrics, without the end marker.
pub(crate) fn encode(families: Vec<Family>) -> Result<String, fmt::Error> {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Families(families)));
    let mut text = String::new();
    encode_registry(&mut text, &registry)?;
    Ok(text)
}

#[cfg(all(test, feature = "controller"))]
mod tests {
    use super::*;

    #[test]
    fn families_are_encoded() {
        let labels = |name: &str| vec![("name", name.to_owned())];
        let families = vec![
            Family::counter("adds_total", "Adds", [(labels("a"), 2), (labels("b\"\\\n"), 0)]),
            Family::gauge("age_seconds", "Ages", [(labels("a"), 1.5)]),
            Family::durations("waits", "Waits", [(labels("a"), Durations::default())]),
        ];
        let text = encode(families).unwrap();
        let expected = "# HELP adds Adds\n# TYPE adds counter\nadds_total{name=\"a\"} 2\nadds_total{name=\"b\\\"\\\\\\n\"} 0\n\
            # HELP age_seconds Ages\n# TYPE age_seconds gauge\nage_seconds{name=\"a\"} 1.5\n";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains("waits_bucket{le=\"+Inf\",name=\"a\"} 0\n"), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("waits_bucket")).count(), BUCKETS + 1);
    }
}

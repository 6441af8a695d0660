//! Metrics in OpenMetrics and in Prometheus' text format.

pub(crate) mod exposition;
#[cfg(feature = "controller")]
pub(crate) mod text_format;

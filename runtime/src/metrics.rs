//! Metrics in OpenMetrics and in Prometheus' text format.

#[cfg(feature = "informer")]
pub(crate) mod durations;
#[cfg(any(feature = "controller", feature = "webhook"))]
pub(crate) mod exposition;
#[cfg(feature = "controller")]
pub(crate) mod text_format;

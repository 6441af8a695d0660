//! Traces of OpenTelemetry.

use std::error::Error;

use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{ExporterBuildError, Protocol, SpanExporter, WithExportConfig};
use opentelemetry_sdk::{Resource, trace::SdkTracerProvider};
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::{LevelFilter, dynamic_filter_fn},
    layer::{Context, SubscriberExt},
    registry::LookupSpan,
    util::SubscriberInitExt,
};

const SERVICE: &str = "at-operator";

/// Writes the log of the levels of `RUST_LOG` to standard error, and sends traces until the provider is shut down.
pub(crate) fn install() -> Result<SdkTracerProvider, Box<dyn Error + Send + Sync>> {
    let levels = EnvFilter::builder().with_default_directive(LevelFilter::INFO.into()).from_env()?;
    let log = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_filter(levels);
    let provider = provider(None)?;
    tracing_subscriber::registry().with(log).with(layer(&provider)).try_init()?;
    Ok(provider)
}

/// Sends spans by OTLP, in batches, to a collector; without one, to that of the environment.
///
/// The exporter reads `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_HEADERS` and others, and the resource has
/// `OTEL_RESOURCE_ATTRIBUTES`.
pub(crate) fn provider(endpoint: Option<&str>) -> Result<SdkTracerProvider, ExporterBuildError> {
    let exporter = SpanExporter::builder().with_http().with_protocol(Protocol::HttpJson);
    let exporter = match endpoint {
        Some(endpoint) => exporter.with_endpoint(endpoint),
        None => exporter,
    };
    let resource = Resource::builder().with_service_name(SERVICE).build();
    Ok(SdkTracerProvider::builder().with_resource(resource).with_batch_exporter(exporter.build()?).build())
}

pub(crate) fn layer<S>(provider: &SdkTracerProvider) -> impl Layer<S>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
{
    let filter = dynamic_filter_fn(is_traced::<S>).with_max_level_hint(LevelFilter::DEBUG);
    tracing_opentelemetry::layer().with_tracer(provider.tracer(SERVICE)).with_filter(filter)
}

/// Whether a span or an event is a part of traces: that of a request only in another span, since the watches of the caches and the
/// renewals of the lease would be most of the traces.
fn is_traced<S>(metadata: &Metadata<'_>, context: &Context<'_, S>) -> bool
where
    S: Subscriber + for<'s> LookupSpan<'s>,
{
    let is_request = *metadata.level() == Level::DEBUG && metadata.target().starts_with("crdkit::client");
    *metadata.level() <= Level::INFO || (is_request && context.lookup_current().is_some())
}

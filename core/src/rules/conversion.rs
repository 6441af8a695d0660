//! `spec.conversion`.

use alloc::format;

use crate::{
    definition::{ClientConfig, Conversion, Definition, Service, Webhook},
    literal::dns::{self, LABEL_1035, SUBDOMAIN},
    rules::{Report, report_at_path},
    text::equal,
    violation::{Arg, ErrorType, ServerError, Text, Violation},
};

mod url;

pub use url::check_url;

rules! {
    K1 Error [Validate] "The strategy is `None` or `Webhook`.";
    K2 Error [Validate] "The strategy `Webhook` has a `clientConfig`.";
    K3 Error [Validate] "A `clientConfig` has a URL or a service, and not both.";
    K4 Error [Validate] "The URL has only the scheme `https`, a host and an optional path.";
    K5 Error [Validate] "The service has a namespace, a name, a valid port and a path of DNS subdomains.";
    K6 Error [Validate] "The review versions are distinct DNS labels that include `v1` or `v1beta1`.";
    K7 Error [Validate] "Only the strategy `Webhook` has a webhook.";
    K8 Defect [Validate] "The CA bundle is PEM.";
}

const PATH: &str = "spec.conversion.webhook";
const CONFIG: &str = "spec.conversion.webhookClientConfig";
const VERSIONS: &str = "spec.conversion.conversionReviewVersions";

/// Checks the family.
pub(super) fn check(definition: &Definition<'_>, report: &mut Report<'_>) {
    let Some(conversion) = &definition.conversion else {
        return;
    };
    let place = "spec.conversion.strategy";
    report_at_path(place, place, strategy_is_supported(&conversion.strategy), report);
    match &*conversion.strategy {
        "Webhook" => webhook(conversion.webhook.as_ref(), report),
        "None" => unused(conversion, report),
        // The intended strategy is unknown.
        _ => {}
    }
}

fn webhook(webhook: Option<&Webhook<'_>>, report: &mut Report<'_>) {
    match webhook.and_then(|it| it.client_config.as_ref()) {
        Some(config) => client_config(config, report),
        None => report_at_path(PATH, CONFIG, Err(missing_client_config()), report),
    }
    let versions = webhook.map_or(&[][..], |it| &it.review_versions);
    let path = format!("{PATH}.conversionReviewVersions");
    for (at, version) in versions.iter().enumerate() {
        let is_repeated = versions[..at].contains(version);
        let (path, field) = (format!("{path}[{at}]"), format!("{VERSIONS}[{at}]"));
        report_at_path(&path, &field, review_version_is_valid(version, is_repeated), report);
    }
    let is_known = versions.iter().any(|it| matches!(&**it, "v1" | "v1beta1"));
    report_at_path(&path, VERSIONS, review_version_is_known(versions.len(), is_known), report);
}

fn client_config(config: &ClientConfig<'_>, report: &mut Report<'_>) {
    let path = format!("{PATH}.clientConfig");
    let result = client_config_has_one_target(config.url.is_some(), config.service.is_some());
    let is_clear = result.is_ok();
    report_at_path(&path, CONFIG, result, report);
    if let Some(url) = config.url.as_deref().filter(|_| is_clear) {
        check_url(url, &mut |violation| {
            report_at_path(&format!("{path}.url"), &format!("{CONFIG}.url"), Err(violation), report);
        });
    }
    if let Some(service) = config.service.as_ref().filter(|_| is_clear) {
        self::service(service, &format!("{path}.service"), report);
    }
    if let Some(bundle) = config.ca_bundle {
        report_at_path(&format!("{path}.caBundle"), CONFIG, ca_bundle_is_pem(bundle), report);
    }
}

fn service(service: &Service<'_>, path: &str, report: &mut Report<'_>) {
    let field = format!("{CONFIG}.service");
    let mut check = |name: &str, result| {
        report_at_path(&format!("{path}.{name}"), &field, result, report);
    };
    check("namespace", service_name_is_given("namespace", ".name", &service.namespace));
    check("name", service_name_is_given("name", ".namespace", &service.name));
    check("port", port_is_in_range(service.port.unwrap_or(443)));
    let steps = service.path.as_deref().unwrap_or_default();
    check("path", path_has_subdomains(steps));
}

fn unused(conversion: &Conversion<'_>, report: &mut Report<'_>) {
    let Some(webhook) = &conversion.webhook else {
        return;
    };
    if webhook.client_config.is_some() {
        report_at_path(&format!("{PATH}.clientConfig"), CONFIG, Err(unused_webhook()), report);
    }
    if !webhook.review_versions.is_empty() {
        let path = format!("{PATH}.conversionReviewVersions");
        report_at_path(&path, VERSIONS, Err(unused_webhook()), report);
    }
}

/// [`K1`].
pub const fn strategy_is_supported(strategy: &str) -> Result<(), Violation<'_>> {
    if equal(strategy, "None") || equal(strategy, "Webhook") {
        return Ok(());
    }
    let message = Text::new("`{}` is not a conversion strategy: write `None` or `Webhook`", &[Arg::Text(strategy)]);
    let server_error = if strategy.is_empty() {
        ServerError::new(ErrorType::Required, "", "")
    } else {
        let detail = "supported values: \"None\", \"Webhook\"";
        ServerError::new(ErrorType::NotSupported, "", detail).with_value(Arg::Quoted(strategy))
    };
    Err(Violation::new(&K1, message).with_server_error(server_error))
}

const fn missing_client_config<'a>() -> Violation<'a> {
    let message =
        Text::literal("the strategy `Webhook` needs `clientConfig`, with the URL or the service of the webhook");
    let detail = "required when strategy is set to Webhook";
    Violation::new(&K2, message).with_server_error(ServerError::new(ErrorType::Required, "", detail))
}

/// [`K3`].
pub const fn client_config_has_one_target<'a>(has_url: bool, has_service: bool) -> Result<(), Violation<'a>> {
    if has_url != has_service {
        return Ok(());
    }
    let message = if has_url {
        Text::literal("the webhook has both a URL and a service: keep one")
    } else {
        Text::literal("the webhook has neither a URL nor a service: give it one")
    };
    let detail = "exactly one of url or service is required";
    Err(Violation::new(&K3, message).with_server_error(ServerError::new(ErrorType::Required, "", detail)))
}

const fn invalid<'a>(detail: &'a str, value: &'a str) -> ServerError<'a> {
    ServerError::new(ErrorType::Invalid, "", detail).with_value(Arg::Quoted(value))
}

/// The server swaps the two names in its errors.
const fn service_name_is_given<'a>(name: &'a str, field: &'static str, value: &str) -> Result<(), Violation<'a>> {
    if !value.is_empty() {
        return Ok(());
    }
    let message = Text::new("the service of the webhook needs a `{}`", &[Arg::Text(name)]);
    Err(Violation::new(&K5, message).with_server_error(ServerError::new(ErrorType::Required, field, "")))
}

/// [`K5`].
pub const fn port_is_in_range<'a>(port: i32) -> Result<(), Violation<'a>> {
    if 1 <= port && port <= 65535 {
        return Ok(());
    }
    let port = Arg::Integer(port as i64);
    let message = Text::new("{} is not a port: write one from 1 to 65535", &[port]);
    let detail = "port is not valid: must be between 1 and 65535, inclusive";
    let server_error = ServerError::new(ErrorType::Invalid, ".port", detail).with_value(port);
    Err(Violation::new(&K5, message).with_server_error(server_error))
}

/// [`K5`].
#[allow(clippy::cast_possible_wrap)] // the number of a segment
pub fn path_has_subdomains(path: &str) -> Result<(), Violation<'_>> {
    if path.is_empty() || path == "/" {
        return Ok(());
    }
    let server_error = ServerError::new(ErrorType::Invalid, ".path", "").with_value(Arg::Quoted(path));
    let Some(steps) = path.strip_prefix('/') else {
        let message = Text::new("the path `{}` does not start with a slash", &[Arg::Text(path)]);
        let detail = Text::literal("must start with a '/'");
        return Err(Violation::new(&K5, message).with_server_error(ServerError { detail, ..server_error }));
    };
    for (at, step) in steps.strip_suffix('/').unwrap_or(steps).split('/').enumerate() {
        let at = Arg::Integer(at as i64);
        let (message, detail) = match dns::subdomain(step) {
            Ok(()) => continue,
            Err(_) if step.is_empty() => (
                Text::new("the path `{}` has an empty segment", &[Arg::Text(path)]),
                Text::new("segment[{}] may not be empty", &[at]),
            ),
            Err(error) => (
                Text::new(
                    "the path `{}` has the segment `{}`: expected lower-case letters, digits, `-` and `.`",
                    &[Arg::Text(path), Arg::Text(step)],
                ),
                Text::new("segment[{}]: {}", &[at, Arg::Text(SUBDOMAIN.text(error))]),
            ),
        };
        return Err(Violation::new(&K5, message).with_server_error(ServerError { detail, ..server_error }));
    }
    Ok(())
}

/// [`K6`].
pub const fn review_version_is_known<'a>(versions: usize, is_known: bool) -> Result<(), Violation<'a>> {
    if is_known {
        return Ok(());
    }
    let message = Text::literal(
        "the webhook needs `conversionReviewVersions` with `v1`, the version that the API \
                                 server uses",
    );
    let server_error = match versions {
        0 => ServerError::new(ErrorType::Required, "", ""),
        _ => ServerError::new(ErrorType::Invalid, "", "must include at least one of v1, v1beta1"),
    };
    Err(Violation::new(&K6, message).with_server_error(server_error))
}

const fn review_version_is_valid(version: &str, is_repeated: bool) -> Result<(), Violation<'_>> {
    if is_repeated {
        let message = Text::new("the review version `{}` is given twice", &[Arg::Text(version)]);
        return Err(Violation::new(&K6, message).with_server_error(invalid("duplicate version", version)));
    }
    let Err(error) = dns::label_1035(version) else {
        return Ok(());
    };
    let message = Text::new("`{}` is not a review version: write `v1`", &[Arg::Text(version)]);
    Err(Violation::new(&K6, message).with_server_error(invalid(LABEL_1035.text(error), version)))
}

const fn unused_webhook<'a>() -> Violation<'a> {
    let message = Text::literal("a webhook requires the strategy `Webhook`: remove this, or write `strategy: Webhook`");
    let detail = "should not be set when strategy is not set to Webhook";
    Violation::new(&K7, message).with_server_error(ServerError::new(ErrorType::Forbidden, "", detail))
}

/// [`K8`]. The server accepts a definition with another bundle, but never serves it.
pub fn ca_bundle_is_pem<'a>(bundle: &[u8]) -> Result<(), Violation<'a>> {
    let is_pem = bundle.is_empty() || find(bundle, b"-----BEGIN CERTIFICATE-----").is_some();
    if is_pem {
        return Ok(());
    }
    let message = Text::literal(
        "`caBundle` contains no certificate in PEM: the server would accept the definition, but never serve it",
    );
    Err(Violation::new(&K8, message))
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests;

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::*;

fn found(conversion: Conversion<'_>) -> Vec<String> {
    let definition = Definition { conversion: Some(conversion), ..Definition::default() };
    let mut found = Vec::new();
    check(&definition, &mut |place, violation| {
        let server_error =
            violation.server_error.map_or_else(String::new, |it| format!("{}{}: {it}", place.field, it.field));
        found.push(format!("{} {server_error}", violation.rule.id));
    });
    found
}

fn by_webhook<'a>(config: ClientConfig<'a>, review_versions: &[&'a str]) -> Conversion<'a> {
    Conversion {
        strategy: "Webhook".into(),
        webhook: Some(Webhook {
            client_config: Some(config),
            review_versions: review_versions.iter().map(|it| (*it).into()).collect(),
        }),
    }
}

fn at_url(url: &str) -> ClientConfig<'_> {
    ClientConfig { url: Some(url.into()), ..ClientConfig::default() }
}

fn of_service<'a>(namespace: &'a str, path: &'a str, port: i32) -> ClientConfig<'a> {
    ClientConfig {
        service: Some(Service {
            namespace: namespace.into(),
            name: "n".into(),
            path: Some(path.into()),
            port: Some(port),
        }),
        ..ClientConfig::default()
    }
}

#[test]
fn strategies() {
    let named = |strategy: &'static str| Conversion { strategy: strategy.into(), webhook: None };
    assert_eq!(found(named("None")), [""; 0]);
    assert_eq!(found(named("")), ["K1 spec.conversion.strategy: Required value"]);
    assert_eq!(found(named("x")).len(), 1);
    let expected = [
        "K2 spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
        "K6 spec.conversion.conversionReviewVersions: Required value",
    ];
    assert_eq!(found(named("Webhook")), expected);
    let unused = Conversion { strategy: "None".into(), ..by_webhook(at_url("https://a"), &["v1"]) };
    assert_eq!(found(unused).len(), 2);
}

#[test]
fn urls() {
    assert_eq!(found(by_webhook(at_url("https://a/b"), &["v1"])), [""; 0]);
    for (url, answers) in [
        (
            "http://a",
            &["Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]"]
                as &[_],
        ),
        ("https://u@a", &["Invalid value: \"u\": user information is not permitted in the URL"]),
        (
            "https://a?b=c#d",
            &[
                "Invalid value: \"d\": fragments are not permitted in the URL",
                "Invalid value: \"b=c\": query parameters are not permitted in the URL",
            ],
        ),
        (
            "https://a:b",
            &[
                "Required value: url must be a valid URL: parse \"https://a:b\": invalid port \":b\" after host; desired format: https://host[/path]",
            ],
        ),
    ] {
        let expected = answers.iter().map(|it| format!("K4 spec.conversion.webhookClientConfig.url: {it}"));
        assert_eq!(found(by_webhook(at_url(url), &["v1"])), expected.collect::<Vec<_>>(), "{url}");
    }
    assert_eq!(found(by_webhook(ClientConfig::default(), &["v1"])).len(), 1);
}

#[test]
fn services() {
    for path in ["", "/", "/a", "/a/", "/a.b/c"] {
        assert_eq!(found(by_webhook(of_service("ns", path, 443), &["v1"])), [""; 0], "{path}");
    }
    for (path, detail) in [
        ("a", "must start with a '/'"),
        ("//", "segment[0] may not be empty"),
        ("/a//b", "segment[1] may not be empty"),
        ("/A", "segment[0]: a lowercase RFC 1123 subdomain"),
    ] {
        let found = found(by_webhook(of_service("ns", path, 1), &["v1"]));
        let start = format!("K5 spec.conversion.webhookClientConfig.service.path: Invalid value: \"{path}\": {detail}");
        assert!(found.len() == 1 && found[0].starts_with(&start), "{found:?}");
    }
    // The server takes the namespace for the name.
    let expected = [
        "K5 spec.conversion.webhookClientConfig.service.name: Required value",
        "K5 spec.conversion.webhookClientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
    ];
    assert_eq!(found(by_webhook(of_service("", "/", 0), &["v1"])), expected);
}

#[test]
fn review_versions_and_bundles() {
    let of = |versions| found(by_webhook(at_url("https://a"), versions));
    assert_eq!(of(&["v1beta1", "x"]), [""; 0]);
    let twice = "K6 spec.conversion.conversionReviewVersions[1]: Invalid value: \"v1\": duplicate version";
    assert_eq!(of(&["v1", "v1"]), [twice]);
    let none = "K6 spec.conversion.conversionReviewVersions: Invalid value: must include at least one of v1, v1beta1";
    assert_eq!(of(&["v2"]), [none]);
    assert!(ca_bundle_is_pem(b"-----BEGIN CERTIFICATE-----\n").is_ok());
    let message = ca_bundle_is_pem(b"a").unwrap_err().message.to_string();
    assert!(message.contains("PEM"), "{message}");
}

//! The certificates of webhooks.

use crdkit_api_server::ApiServer;
use crdkit_tests::{Webhook, tls::Certificate};
use k8s_openapi::ByteString;
use serde_json::{Value, json};

use crate::{
    both::{Both, Step},
    example::compare,
};

/// A webhook that is called for the ConfigMaps of a namespace with the label `case`.
fn configuration(case: &str, url: String, bundle: &[u8], namespace: &str) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": { "name": format!("{namespace}-{case}") },
        "webhooks": [{
            "name": format!("{case}.example.com"),
            "rules": [{ "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"] }],
            "clientConfig": { "url": url, "caBundle": ByteString(bundle.to_vec()) },
            "namespaceSelector": { "matchLabels": { "kubernetes.io/metadata.name": namespace } },
            "objectSelector": { "matchLabels": { "case": case } },
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
        }],
    })
}

fn is_time(text: &str) -> bool {
    text.ends_with('Z') && text.starts_with("20")
}

/// The time of a call is in the message about a certificate that has expired.
fn hide_times(responses: &mut [Value; 2]) {
    for response in responses {
        if let Some(message) = response["body"]["message"].as_str() {
            let words = message.split(' ').map(|word| if is_time(word) { "<time>" } else { word });
            response["body"]["message"] = words.collect::<Vec<_>>().join(" ").into();
        }
    }
}

#[tokio::test]
async fn webhooks_have_the_certificates_that_go_accepts() {
    let namespace = "certificates";
    let Some(mut both) = Both::with_server(&ApiServer::new(), namespace, &[]).await else { return };
    let cases = [
        ("authority", Certificate::First, Webhook::authority()),
        ("leaf", Certificate::First, Certificate::First.pem()),
        ("leaf-with-intermediate", Certificate::Renewed, Certificate::Renewed.pem()),
        ("self-signed", Certificate::SelfSigned, Certificate::SelfSigned.pem()),
        ("another-leaf", Certificate::Renewed, Certificate::First.pem()),
        ("another-authority", Certificate::SelfSigned, Certificate::OtherName.pem()),
        ("another-name", Certificate::OtherName, Certificate::OtherName.pem()),
        ("expired", Certificate::Expired, Certificate::Expired.pem()),
    ];
    let mut webhooks = Vec::new();
    let mut steps = Vec::new();
    for (case, certificate, bundle) in cases {
        let allow = |_: &str, review: Value| {
            json!({
                "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                "response": { "uid": review["request"]["uid"], "allowed": true },
            })
            .into()
        };
        let webhook = Webhook::start_as(certificate, allow).await;
        let configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
        let configuration = configuration(case, webhook.url("/validate"), bundle, namespace);
        let created = both.send(&Step::new("POST", configurations, configuration)).await;
        assert!(created.is_none(), "{}", created.unwrap());
        let object = json!({ "metadata": { "name": case, "labels": { "case": case } } });
        steps.push(Step::new("POST", format!("/api/v1/namespaces/{namespace}/configmaps?dryRun=All"), object));
        webhooks.push(webhook);
    }
    // The real server reads the configurations after a moment; until then, it calls no webhook, and accepts the object.
    let last = steps.last().expect("there are cases").clone();
    while both.respond(&last).await[1]["code"] == 201 {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    compare(&mut both, steps, hide_times).await;
}

//! Requests of certificates.

use std::collections::BTreeSet;

use crdkit_core::literal::dns::{self, SUBDOMAIN};
use serde_json::{Value, json};

use super::{Change, each, items};
use crate::{
    validation::{
        WrittenPart,
        report::{Place, Report},
    },
    value::text,
};

mod pem;
mod request;

const LEGACY_SIGNER: &str = "kubernetes.io/legacy-unknown";
/// The conditions that cannot be false.
const FINAL: [&str; 3] = ["Approved", "Denied", "Failed"];
const DECISIONS: [&str; 2] = ["Approved", "Denied"];
const USAGES: [&str; 23] = [
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];

/// `validateCertificateSigningRequest`, `validateCertificateSigningRequestUpdate`.
pub(super) fn certificate_signing_request(report: &mut Report, change: &Change<'_>) {
    let status = Place::Root.field("status");
    let (old, new) = (change.old.unwrap_or(&Value::Null), change.new);
    spec(report, change.spec(), &old["spec"]);
    conditions(report, &status.field("conditions"), &new["status"], &old["status"]);
    let certificate = &new["status"]["certificate"];
    if *certificate != old["status"]["certificate"]
        && let Err(problem) = pem::check_certificates(certificate)
    {
        report.invalid_text(&status.field("certificate"), "<certificate data>", problem);
    }
    if change.old.is_some() {
        update(report, change.part, [&old["status"], &new["status"]]);
    }
}

fn spec(report: &mut Report, spec: &Value, old: &Value) {
    let place = Place::Root.field("spec");
    if let Err(problem) = request::check(&spec["request"]) {
        report.invalid(&place.field("request"), &spec["request"], problem);
    }
    usages(report, &place.field("usages"), items(&spec["usages"]), items(&old["usages"]));
    let signer = text(spec, "signerName");
    if signer == LEGACY_SIGNER && old["signerName"] != LEGACY_SIGNER {
        let detail = "the legacy signerName is not allowed via this API version";
        report.invalid_text(&place.field("signerName"), signer, detail);
    } else {
        signer_name(report, &place.field("signerName"), signer);
    }
    if let Some(seconds) = spec["expirationSeconds"].as_i64().filter(|seconds| *seconds < 600) {
        let detail = "may not specify a duration less than 600 seconds (10 minutes)";
        report.invalid(&place.field("expirationSeconds"), &json!(seconds), detail);
    }
}

fn usages(report: &mut Report, place: &Place<'_>, usages: &[Value], old: &[Value]) {
    if usages.is_empty() {
        report.required(place, "");
    }
    let is_known = |usage: &Value| usage.as_str().is_some_and(|usage| USAGES.contains(&usage));
    if old.iter().all(is_known) {
        for (index, usage) in usages.iter().enumerate().filter(|(_, usage)| !is_known(usage)) {
            report.not_supported(&place.index(index), usage, &USAGES);
        }
    }
    let is_repeated = |list: &[Value], index: usize| list[..index].contains(&list[index]);
    if !(0..old.len()).any(|index| is_repeated(old, index)) {
        for index in (0..usages.len()).filter(|index| is_repeated(usages, *index)) {
            report.duplicate(&place.index(index), &usages[index]);
        }
    }
}

/// `ValidateSignerName`.
fn signer_name(report: &mut Report, place: &Place<'_>, name: &str) {
    if name.is_empty() {
        return report.required(place, "");
    }
    let [domain, path] = name.split('/').collect::<Vec<_>>()[..] else {
        let detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
        return report.invalid_text(place, name, detail);
    };
    let problem = |label: &str, message: &str| format!("validating label {}: {message}", crdkit_core::go::quote(label));
    let labels: Vec<_> = domain.split('.').collect();
    if let Some(label) = labels.iter().find(|label| dns::label_1123(label).is_err()) {
        let messages = dns::label_1123_messages(label).map(|message| problem(label, message));
        report.messages(place, domain, messages);
    }
    if labels.len() < 2 {
        report.invalid_text(place, domain, "should be a domain with at least two segments separated by dots");
    }
    let invalid = path.split('.').find_map(|label| Some((label, dns::subdomain(label).err()?)));
    if let Some((label, error)) = invalid {
        report.messages(place, path, SUBDOMAIN.messages(error).map(|message| problem(label, message)));
    }
}

/// `validateConditions`. What an old object has already is tolerated.
fn conditions(report: &mut Report, place: &Place<'_>, status: &Value, old: &Value) {
    let types = |status: &Value| -> Vec<String> {
        items(&status["conditions"]).iter().map(|it| text(it, "type").to_owned()).collect()
    };
    let old_types = types(old);
    let has_both = DECISIONS.iter().all(|decision| old_types.iter().any(|it| it == decision));
    let has_duplicates = old_types.iter().collect::<BTreeSet<_>>().len() < old_types.len();
    let has_unnamed = old_types.iter().any(String::is_empty);
    let both = DECISIONS.map(|decision| format!("conditions[{{\"type\": \"{decision}\"}}]"));
    let exclusive = format!("must specify at most one of: `{}`", both.join("`, `"));
    let mut seen = BTreeSet::new();
    each(place, &status["conditions"], |at, condition| {
        let kind = text(condition, "type");
        if kind.is_empty() && !has_unnamed {
            report.required(&at.field("type"), "");
        }
        let allowed = if FINAL.contains(&kind) { &["True"][..] } else { &["False", "True", "Unknown"][..] };
        report.required_one_of(&at.field("status"), &condition["status"], allowed);
        let other = DECISIONS.iter().find(|it| DECISIONS.contains(&kind) && **it != kind);
        if !has_both && other.is_some_and(|other| seen.contains(*other)) {
            report.invalid_text(place, &format!("{{{}}}", both.join(", ")), exclusive.as_str());
        }
        if !seen.insert(kind.to_owned()) && !has_duplicates {
            report.duplicate(&at.field("type"), &condition["type"]);
        }
    });
}

fn update(report: &mut Report, part: WrittenPart, [old, new]: [&Value; 2]) {
    let status = Place::Root.field("status");
    let (place, certificate) = (status.field("conditions"), status.field("certificate"));
    let of_type = |status: &Value, kind: &str| -> Vec<Value> {
        items(&status["conditions"]).iter().filter(|it| it["type"] == kind).cloned().collect()
    };
    for kind in FINAL {
        if of_type(new, kind).len() < of_type(old, kind).len() {
            report.forbidden(&place, format!("updates may not remove a condition of type \"{kind}\""));
        }
    }
    for kind in DECISIONS.iter().filter(|_| part != WrittenPart::Approval) {
        if of_type(new, kind).len() > of_type(old, kind).len() {
            report.forbidden(&place, format!("updates may not add a condition of type \"{kind}\""));
        }
    }
    if old["certificate"] != new["certificate"] {
        if part != WrittenPart::Status {
            report.forbidden(&certificate, "updates may not set certificate content");
        } else if !text(old, "certificate").is_empty() {
            report.forbidden(&certificate, "updates may not modify existing certificate content");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::report::texts;

    #[test]
    fn signers_have_a_domain_and_a_path() {
        let errors = |name: &str| texts(|report| signer_name(report, &Place::Root.field("name"), name));
        assert!(errors("example.com/signer").is_empty());
        assert_eq!(errors(""), ["name: Required value"]);
        assert_eq!(errors("a/b/c").len(), 1);
        let expected =
            "name: Invalid value: \"example\": should be a domain with at least two segments separated by dots";
        assert_eq!(errors("example/signer"), [expected]);
        assert!(errors("example.com/A")[0].contains("\"A\": validating label \"A\": a lowercase RFC 1123 subdomain"));
    }

    #[test]
    fn usages_are_known_and_different() {
        let place = Place::Root.field("usages");
        let errors = |new: Value, old: Value| texts(|report| usages(report, &place, items(&new), items(&old)));
        assert_eq!(errors(json!([]), json!([])), ["usages: Required value"]);
        assert_eq!(errors(json!(["any", "any"]), json!([])), ["usages[1]: Duplicate value: \"any\""]);
        assert!(
            errors(json!(["x"]), json!([]))[0].starts_with("usages[0]: Unsupported value: \"x\": supported values")
        );
        assert!(errors(json!(["x"]), json!(["y"])).is_empty());
    }

    #[test]
    fn decisions_exclude_each_other() {
        let condition = |kind: &str, status: &str| json!({ "type": kind, "status": status });
        let errors = |conditions_: Value| {
            let status = json!({ "conditions": conditions_ });
            texts(|report| conditions(report, &Place::Root.field("conditions"), &status, &Value::Null))
        };
        assert!(errors(json!([condition("Approved", "True"), condition("Other", "False")])).is_empty());
        let both = errors(json!([condition("Approved", "True"), condition("Denied", "True")]));
        assert!(both[0].contains("must specify at most one of: `conditions[{\"type\": \"Approved\"}]`"), "{both:?}");
        let expected = "conditions[0].status: Unsupported value: \"False\": supported values: \"True\"";
        assert_eq!(errors(json!([condition("Approved", "False")])), [expected]);
    }

    #[test]
    fn only_an_approval_adds_decisions() {
        let approved = json!({ "conditions": [{ "type": "Approved" }] });
        let errors = |part, old: &Value, new: &Value| texts(|report| update(report, part, [old, new]));
        assert!(errors(WrittenPart::Approval, &json!({}), &approved).is_empty());
        let expected = "status.conditions: Forbidden: updates may not add a condition of type \"Approved\"";
        assert_eq!(errors(WrittenPart::Status, &json!({}), &approved), [expected]);
        let expected = "status.conditions: Forbidden: updates may not remove a condition of type \"Approved\"";
        assert_eq!(errors(WrittenPart::Approval, &approved, &json!({})), [expected]);
    }
}

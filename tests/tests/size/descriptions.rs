//! The descriptions that a schema contains.

use crdkit::{CustomResource, KubeSchema, definition::Definition, emit::Crds, schema::Descriptions};
use k8s_openapi::{api::core::v1::HostAlias, apimachinery::pkg::apis::meta::v1::LabelSelectorRequirement};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Runs things. Until they end.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "size.example.com", version = "v1", kind = "Runner", status = RunnerStatus)]
struct RunnerSpec {
    /// How it runs. Choose well.
    mode: Mode,
    /// Another name, e.g. an alias. It is Kubernetes' own.
    #[crd(column)]
    note: String,
    alias: Option<HostAlias>,
    selectors: Vec<LabelSelectorRequirement>,
    #[crd(descriptions = "none")]
    silent: Part,
    /// All of it. Really.
    #[crd(descriptions = "all")]
    loud: Vec<Part>,
    #[crd(descriptions = "first_sentence")]
    short: std::collections::BTreeMap<String, HostAlias>,
    choice: Choice,
    #[serde(flatten)]
    #[crd(descriptions = "none")]
    rest: Rest,
}

/// Whether to hurry. Or not.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
enum Mode {
    /// As fast as it gets. Or faster.
    Fast,
    Slow,
}

/// One of two. Not both.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
enum Choice {
    /// The left one. It is good.
    Left { size: u8 },
    /// The right one. It is better.
    Right(Part),
}

/// A part. Of the whole.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct Part {
    /// The size. In bytes.
    size: u8,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct Rest {
    /// What is left. Nothing.
    left: u8,
}

/// What happened. Up to now.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct RunnerStatus {
    /// How often. In total.
    count: u32,
}

/// The same descriptions, chosen by attribute.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "size.example.com", version = "v1", kind = "Walker", descriptions = "own")]
struct WalkerSpec {
    /// Another name.
    alias: HostAlias,
}

/// Every description in a definition, after the path at which it stands.
fn described(definition: &Definition) -> Vec<String> {
    let crd = serde_json::to_value(definition.render().unwrap()).unwrap();
    let mut found = Vec::new();
    let version = &crd["spec"]["versions"][0];
    collect(&version["schema"]["openAPIV3Schema"], "", &mut found);
    let columns = version["additionalPrinterColumns"].as_array().into_iter().flatten();
    found.extend(columns.filter_map(|it| Some(format!("{}: {}", it["name"].as_str()?, it["description"].as_str()?))));
    found
}

fn collect(schema: &Value, path: &str, found: &mut Vec<String>) {
    if let Some(text) = schema["description"].as_str() {
        found.push(format!("{path}: {text}"));
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        collect(field, &format!("{path}.{name}"), found);
    }
    for (key, segment) in [("items", "[]"), ("additionalProperties", "[*]")] {
        if schema[key].is_object() {
            collect(&schema[key], &format!("{path}{segment}"), found);
        }
    }
}

const OF_HOST_ALIAS: &str = "HostAlias holds the mapping between IP and hostnames that will be injected as an entry in the \
                             pod's hosts file.";

#[test]
fn all() {
    let expected = [
        ": Runs things. Until they end.".to_owned(),
        ".spec: Runs things. Until they end.".to_owned(),
        format!(".spec.alias: {OF_HOST_ALIAS}"),
        ".spec.alias.hostnames: Hostnames for the above IP address.".to_owned(),
        ".spec.alias.ip: IP address of the host file entry.".to_owned(),
        ".spec.choice: One of two. Not both.".to_owned(),
        ".spec.choice.Left: The left one. It is good.".to_owned(),
        ".spec.choice.Right: The right one. It is better.".to_owned(),
        ".spec.choice.Right.size: The size. In bytes.".to_owned(),
        ".spec.loud: All of it. Really.".to_owned(),
        ".spec.loud[]: A part. Of the whole.".to_owned(),
        ".spec.loud[].size: The size. In bytes.".to_owned(),
        ".spec.mode: How it runs. Choose well.\n\n- `Fast`: As fast as it gets. Or faster.".to_owned(),
        ".spec.note: Another name, e.g. an alias. It is Kubernetes' own.".to_owned(),
        ".spec.selectors[]: A requirement on a label.".to_owned(),
        format!(".spec.short[*]: {OF_HOST_ALIAS}"),
        ".spec.short[*].hostnames: Hostnames for the above IP address.".to_owned(),
        ".spec.short[*].ip: IP address of the host file entry.".to_owned(),
        ".status: What happened. Up to now.".to_owned(),
        ".status.count: How often. In total.".to_owned(),
        "Note: Another name, e.g. an alias. It is Kubernetes' own.".to_owned(),
    ];
    let described = described(&Runner::DEFINITION).into_iter().filter(|it| !it.starts_with(".spec.selectors[]."));
    assert_eq!(described.collect::<Vec<_>>(), expected);
}

#[test]
fn own() {
    assert_eq!(
        described(&Runner::DEFINITION.descriptions(Descriptions::Own)),
        [
            ": Runs things. Until they end.".to_owned(),
            ".spec: Runs things. Until they end.".to_owned(),
            ".spec.choice: One of two. Not both.".to_owned(),
            ".spec.choice.Left: The left one. It is good.".to_owned(),
            ".spec.choice.Right: The right one. It is better.".to_owned(),
            ".spec.choice.Right.size: The size. In bytes.".to_owned(),
            ".spec.loud: All of it. Really.".to_owned(),
            ".spec.loud[]: A part. Of the whole.".to_owned(),
            ".spec.loud[].size: The size. In bytes.".to_owned(),
            ".spec.mode: How it runs. Choose well.\n\n- `Fast`: As fast as it gets. Or faster.".to_owned(),
            ".spec.note: Another name, e.g. an alias. It is Kubernetes' own.".to_owned(),
            format!(".spec.short[*]: {OF_HOST_ALIAS}"),
            ".spec.short[*].hostnames: Hostnames for the above IP address.".to_owned(),
            ".spec.short[*].ip: IP address of the host file entry.".to_owned(),
            ".status: What happened. Up to now.".to_owned(),
            ".status.count: How often. In total.".to_owned(),
            "Note: Another name, e.g. an alias. It is Kubernetes' own.".to_owned(),
        ]
    );
}

#[test]
fn first_sentence() {
    let described = described(&Runner::DEFINITION.descriptions(Descriptions::FirstSentence))
        .into_iter()
        .filter(|it| !it.starts_with(".spec.selectors"));
    assert_eq!(
        described.collect::<Vec<_>>(),
        [
            ": Runs things.".to_owned(),
            ".spec: Runs things.".to_owned(),
            format!(".spec.alias: {OF_HOST_ALIAS}"),
            ".spec.alias.hostnames: Hostnames for the above IP address.".to_owned(),
            ".spec.alias.ip: IP address of the host file entry.".to_owned(),
            ".spec.choice: One of two.".to_owned(),
            ".spec.choice.Left: The left one.".to_owned(),
            ".spec.choice.Right: The right one.".to_owned(),
            ".spec.choice.Right.size: The size.".to_owned(),
            ".spec.loud: All of it. Really.".to_owned(),
            ".spec.loud[]: A part. Of the whole.".to_owned(),
            ".spec.loud[].size: The size. In bytes.".to_owned(),
            ".spec.mode: How it runs.\n\n- `Fast`: As fast as it gets.".to_owned(),
            ".spec.note: Another name, e.g. an alias.".to_owned(),
            format!(".spec.short[*]: {OF_HOST_ALIAS}"),
            ".spec.short[*].hostnames: Hostnames for the above IP address.".to_owned(),
            ".spec.short[*].ip: IP address of the host file entry.".to_owned(),
            ".status: What happened.".to_owned(),
            ".status.count: How often.".to_owned(),
            "Note: Another name, e.g. an alias.".to_owned(),
        ]
    );
}

#[test]
fn none_but_those_that_fields_ask_for() {
    assert_eq!(
        described(&Runner::DEFINITION.descriptions(Descriptions::None)),
        [
            ".spec.loud: All of it. Really.".to_owned(),
            ".spec.loud[]: A part. Of the whole.".to_owned(),
            ".spec.loud[].size: The size. In bytes.".to_owned(),
            format!(".spec.short[*]: {OF_HOST_ALIAS}"),
            ".spec.short[*].hostnames: Hostnames for the above IP address.".to_owned(),
            ".spec.short[*].ip: IP address of the host file entry.".to_owned(),
        ]
    );
}

#[test]
fn an_attribute_chooses_for_the_resource() {
    assert_eq!(
        described(&Walker::DEFINITION),
        [
            ": The same descriptions, chosen by attribute.",
            ".spec: The same descriptions, chosen by attribute.",
            ".spec.alias: Another name.",
        ]
    );
}

#[test]
fn a_set_is_written_with_the_requested_descriptions() {
    let mut other = Walker::DEFINITION;
    (other.group, other.kind) = ("others.example.com", "Other");
    let crds = Crds::new().add::<Runner>().add_crd("Other", other.render().unwrap());
    let texts = |crds: Crds| {
        let texts = crds.render().unwrap().crds.into_iter().map(|crd| json!(crd).to_string());
        texts.collect::<Vec<_>>().join("\n")
    };
    assert!(texts(crds.clone()).contains("Until they end."));
    let bare = texts(crds.descriptions(Descriptions::None));
    assert!(!bare.contains("Until they end."), "{bare}");
    assert!(bare.contains("All of it. Really."), "a field requests it: {bare}");
    assert!(bare.contains("Another name."), "nothing is known of it: {bare}");
}

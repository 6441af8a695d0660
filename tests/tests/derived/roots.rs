//! Resources beyond their spec.

use crdkit::{
    KubeSchema,
    definition::{Definition, Deprecation, PrinterColumn, Root},
    schema::{Keyword, Rule},
};

use crate::{Case, Expected, with_root, with_spec};

pub(crate) fn all() -> Vec<&'static [Case]> {
    vec![GOOD, BAD]
}

#[derive(KubeSchema)]
struct Spec {
    text: String,
    flag: bool,
    count: i32,
    share: f64,
    any: serde_json::Value,
    list: Vec<String>,
    map: std::collections::BTreeMap<String, String>,
    part: Part,
    #[crd(preserve_unknown_fields)]
    raw: String,
    #[crd(embedded_resource)]
    resource: serde_json::Value,
    either: k8s_openapi::apimachinery::pkg::util::intstr::IntOrString,
}

#[derive(KubeSchema)]
struct Part {
    text: String,
}

#[derive(KubeSchema)]
struct Status {
    phase: Option<String>,
    ready: Option<bool>,
    replicas: Option<i32>,
}

#[derive(KubeSchema)]
enum Either {
    A(String),
    B(i32),
}

#[derive(KubeSchema)]
struct WithEither {
    #[serde(flatten)]
    either: Either,
    size: i32,
}

#[derive(KubeSchema)]
struct WithOption {
    #[serde(flatten)]
    part: Option<Pair>,
}

#[derive(KubeSchema)]
struct Pair {
    a: i32,
    b: i32,
}

#[derive(KubeSchema)]
struct KindOfNumber {
    kind: i32,
}

#[derive(KubeSchema)]
#[serde(rename_all = "camelCase")]
struct VersionOfList {
    api_version: Vec<String>,
}

#[derive(KubeSchema)]
struct MetadataOfText {
    metadata: String,
}

#[derive(KubeSchema)]
struct MetadataWithLabels {
    metadata: Labels,
}

#[derive(KubeSchema)]
struct Labels {
    labels: String,
}

#[derive(KubeSchema)]
enum Metadata {
    #[serde(rename = "metadata")]
    Metadata(String),
    Other(i32),
}

#[derive(KubeSchema)]
struct VariantOfMetadata {
    #[serde(flatten)]
    v: Metadata,
}

const SPEC: Definition = with_spec(Spec::PLACE);
const BOTH: Definition = with_root(Root::new(Spec::PLACE).status(Status::PLACE)).status();
const OPEN: Definition =
    with_root(Root::new(Spec::PLACE).status(<serde_json::Value as KubeSchema>::PLACE)).status();

const fn flat<T: KubeSchema>() -> Definition {
    with_root(Root::new(T::PLACE).flatten_spec())
}

const fn case(name: &'static str, expected: Expected, definition: Definition) -> Case {
    Case {
        name,
        expected,
        definition,
    }
}

const fn good(name: &'static str, definition: Definition) -> Case {
    case(name, Expected::Good, definition)
}

const fn bad(name: &'static str, definition: Definition) -> Case {
    case(name, Expected::Bad, definition)
}

/// A resource with a rule whose failure is reported at this path.
const RULES: [&[Keyword]; 6] = [
    &[Keyword::Rule(Rule::new("true").field_path(".metadata"))],
    &[Keyword::Rule(
        Rule::new("true").field_path(".metadata.name"),
    )],
    &[Keyword::Rule(Rule::new("true").field_path(".kind"))],
    &[Keyword::Rule(Rule::new("true").field_path(".spec.text"))],
    &[Keyword::Rule(Rule::new("true").field_path(".status.phase"))],
    &[Keyword::Rule(Rule::new("true").field_path(".text"))],
];

const fn ruled(at: usize) -> Definition {
    with_root(Root::new(Spec::PLACE).status(Status::PLACE).with(RULES[at])).status()
}

const GOOD: &[Case] = &[
    good("roots::field_path", ruled(3)),
    good("roots::field_path_of_status", ruled(4)),
    good("roots::spec", SPEC),
    good("roots::status", BOTH),
    good("roots::status_of_any_value", OPEN),
    good(
        "roots::selectable",
        BOTH.selectable_fields(&[".spec.text", ".spec.flag", ".spec.count", ".spec.part.text"]),
    ),
    good(
        "roots::selectable_in_a_map",
        BOTH.selectable_fields(&[".spec.map.a"]),
    ),
    good(
        "roots::selectable_status",
        BOTH.selectable_fields(&[".status.phase", ".status.ready", ".status.replicas"]),
    ),
    good(
        "roots::scale",
        BOTH.scale_by_paths(".spec.count", ".status.replicas", Some(".status.phase")),
    ),
    good(
        "roots::short_names",
        SPEC.short_names(&["ca", "cs"]).categories(&["all"]),
    ),
    good(
        "roots::labels",
        SPEC.labels(&[("a.b/c", "d")])
            .annotations(&[("a.b/c", "d e")]),
    ),
    good("roots::deprecated", SPEC.deprecated(Deprecation::Default)),
    good(
        "roots::deprecated_with_words",
        SPEC.deprecated(Deprecation::Warning("use v2")),
    ),
    good(
        "roots::columns",
        BOTH.printer_columns(&[
            PrinterColumn::new("Cut", "integer", ".spec.share"),
            PrinterColumn::new("Share", "number", ".spec.share"),
            PrinterColumn::new("Count", "number", ".spec.count"),
        ]),
    ),
    good("roots::no_spec", flat::<Part>()),
    good("roots::no_spec_with_an_enum", flat::<WithEither>()),
    good("roots::no_spec_with_an_option", flat::<WithOption>()),
];

const BAD: &[Case] = &[
    bad("roots::field_path_to_metadata", ruled(0)),
    bad("roots::field_path_to_the_name", ruled(1)),
    bad("roots::field_path_to_the_kind", ruled(2)),
    bad("roots::field_path_without_spec", ruled(5)),
    bad(
        "roots::selectable_number",
        BOTH.selectable_fields(&[".spec.share"]),
    ),
    bad(
        "roots::selectable_object",
        BOTH.selectable_fields(&[".spec.part"]),
    ),
    bad(
        "roots::selectable_list",
        BOTH.selectable_fields(&[".spec.list"]),
    ),
    bad(
        "roots::selectable_map",
        BOTH.selectable_fields(&[".spec.map"]),
    ),
    bad(
        "roots::selectable_any",
        BOTH.selectable_fields(&[".spec.any"]),
    ),
    bad(
        "roots::selectable_in_any",
        BOTH.selectable_fields(&[".spec.any.a"]),
    ),
    bad(
        "roots::selectable_raw",
        BOTH.selectable_fields(&[".spec.raw"]),
    ),
    bad(
        "roots::selectable_in_raw",
        BOTH.selectable_fields(&[".spec.raw.a"]),
    ),
    bad(
        "roots::selectable_resource",
        BOTH.selectable_fields(&[".spec.resource"]),
    ),
    bad(
        "roots::selectable_kind_of_a_resource",
        BOTH.selectable_fields(&[".spec.resource.kind"]),
    ),
    bad(
        "roots::selectable_either",
        BOTH.selectable_fields(&[".spec.either"]),
    ),
    bad("roots::selectable_kind", BOTH.selectable_fields(&[".kind"])),
    bad(
        "roots::selectable_name",
        BOTH.selectable_fields(&[".metadata.name"]),
    ),
    bad(
        "roots::selectable_missing",
        BOTH.selectable_fields(&[".spec.none"]),
    ),
    bad(
        "roots::selectable_through_text",
        BOTH.selectable_fields(&[".spec.text.a"]),
    ),
    bad(
        "roots::selectable_through_a_list",
        BOTH.selectable_fields(&[".spec.list.a"]),
    ),
    bad(
        "roots::selectable_brackets",
        BOTH.selectable_fields(&[".spec['text']"]),
    ),
    bad(
        "roots::selectable_end",
        BOTH.selectable_fields(&[".spec.text."]),
    ),
    bad(
        "roots::selectable_twice",
        BOTH.selectable_fields(&[".spec.text", ".spec.text"]),
    ),
    bad(
        "roots::selectable_in_an_open_status",
        OPEN.selectable_fields(&[".status.phase"]),
    ),
    bad(
        "roots::selectable_open_status",
        OPEN.selectable_fields(&[".status"]),
    ),
    bad(
        "roots::scale_outside",
        BOTH.scale_by_paths(".status.replicas", ".status.replicas", None),
    ),
    bad("roots::short_name", SPEC.short_names(&["c_a"])),
    bad("roots::label", SPEC.labels(&[("a b", "d")])),
    bad(
        "roots::deprecated_unprintable",
        SPEC.deprecated(Deprecation::Warning("use\u{a0}v2")),
    ),
    bad(
        "roots::deprecated_joined",
        SPEC.deprecated(Deprecation::Warning("\u{200d}")),
    ),
    bad(
        "roots::no_spec_enum_and_status",
        flat::<WithEither>().status(),
    ),
    bad(
        "roots::no_spec_option_and_status",
        flat::<WithOption>().status(),
    ),
    bad("roots::no_spec_kind", flat::<KindOfNumber>()),
    bad("roots::no_spec_version", flat::<VersionOfList>()),
    bad("roots::no_spec_metadata", flat::<MetadataOfText>()),
    bad("roots::no_spec_labels", flat::<MetadataWithLabels>()),
    bad(
        "roots::no_spec_variant_of_metadata",
        flat::<VariantOfMetadata>(),
    ),
];

//! What a resource has beside its spec, in hand-written definitions.

use crdkit::{
    KubeSchema,
    definition::{Definition, DerivedRoot},
    schema::{Keyword, Rule},
};

use crate::{Case, with_root, with_spec};

pub(crate) fn all() -> Vec<&'static [Case]> {
    vec![CASES, names::CASES, columns::CASES, subresources::CASES]
}

/// Definitions, a line for each, below the rule that they break.
macro_rules! definitions {
    ($($expected:ident { $($name:ident: $definition:expr;)* })*) => {
        pub(super) const CASES: &[crate::Case] = &[$($(crate::Case {
            name: std::borrow::Cow::Borrowed(concat!(module_path!(), "::", stringify!($name))),
            entry_point: stringify!($definition),
            expected: crate::Expected::of(stringify!($expected)),
            definition: $definition,
        }),*),*];
    };
}
mod columns;
mod names;
mod subresources;

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
    time: k8s_openapi::apimachinery::pkg::apis::meta::v1::Time,
    parts: Vec<Piece>,
}

#[derive(KubeSchema)]
struct Piece {
    text: String,
    size: i32,
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

const SPEC: Definition = with_spec(Spec::SCHEMA_REF);
const BOTH: Definition = with_root(DerivedRoot::new(Spec::SCHEMA_REF).status(Status::SCHEMA_REF)).status();
const OPEN: Definition =
    with_root(DerivedRoot::new(Spec::SCHEMA_REF).status(<serde_json::Value as KubeSchema>::SCHEMA_REF)).status();

const fn flat<T: KubeSchema>() -> Definition {
    with_root(DerivedRoot::new(T::SCHEMA_REF).flatten_spec())
}

/// A resource with a rule whose failure is reported at this path.
const RULES: [&[Keyword]; 6] = [
    &[Keyword::Rule(Rule::new("true").field_path(".metadata"))],
    &[Keyword::Rule(Rule::new("true").field_path(".metadata.name"))],
    &[Keyword::Rule(Rule::new("true").field_path(".kind"))],
    &[Keyword::Rule(Rule::new("true").field_path(".spec.text"))],
    &[Keyword::Rule(Rule::new("true").field_path(".status.phase"))],
    &[Keyword::Rule(Rule::new("true").field_path(".text"))],
];

const fn ruled(at: usize) -> Definition {
    with_root(DerivedRoot::new(Spec::SCHEMA_REF).status(Status::SCHEMA_REF).with(RULES[at])).status()
}

definitions! {
    Accepted {
        field_path: ruled(3);
        field_path_of_status: ruled(4);
        no_spec: flat::<Part>();
        no_spec_with_an_enum: flat::<WithEither>();
        no_spec_with_an_option: flat::<WithOption>();
    }
    C8 {
        field_path_to_metadata: ruled(0);
        field_path_to_the_name: ruled(1);
        field_path_to_the_kind: ruled(2);
        field_path_without_spec: ruled(5);
    }
    X50 {
        spec_of_text: with_spec(<String as KubeSchema>::SCHEMA_REF);
        status_of_a_number: with_root(DerivedRoot::new(Spec::SCHEMA_REF).status(<i32 as KubeSchema>::SCHEMA_REF)).status();
    }
    R4 {
        no_spec_enum_and_status: flat::<WithEither>().status();
        no_spec_option_and_status: flat::<WithOption>().status();
    }
    S8 {
        no_spec_kind: flat::<KindOfNumber>();
        no_spec_version: flat::<VersionOfList>();
        no_spec_metadata: flat::<MetadataOfText>();
        no_spec_variant_of_metadata: flat::<VariantOfMetadata>();
    }
    S9 {
        no_spec_labels: flat::<MetadataWithLabels>();
    }
}

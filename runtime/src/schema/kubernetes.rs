//! Schemas of the types of k8s-openapi and kube, with the list and map types of Kubernetes' Go types.

use k8s_openapi::ByteString;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{FieldsV1, MicroTime, Time};
use k8s_openapi::apimachinery::pkg::runtime::RawExtension;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::{Keyword, KubeSchema, Schema};

/// The schemas of types with fields. Their documentation is the description of types and fields.
macro_rules! objects {
    ($(
        $(#[doc = $about:literal])+
        $type:ident $(with [$($keyword:expr),+])? $(in_list [$($list_keyword:expr),+])? {$(
            $(#[doc = $field_about:literal])+
            $($presence:ident)? $name:literal: $field:ty $(, $field_keyword:expr)*;
        )*}
    )+) => {$(
        impl $crate::schema::KubeSchema for $type {
            const SCHEMA: $crate::schema::Schema = $crate::schema::Schema::object(&[$(
                $crate::schema::Field::new($name, <$field as $crate::schema::KubeSchema>::SCHEMA_REF)
                    .with(&[
                        $crate::schema::Keyword::Description(
                            concat!($($field_about),+).trim_ascii(),
                        )
                        $(, $field_keyword)*
                    ])
                    $(.$presence())?
            ),*])
            .named(stringify!($type))
            .of_kubernetes()
            .with(&[
                $crate::schema::Keyword::Description(concat!($($about),+).trim_ascii())
                $($(, $keyword)+)?
            ])
            $(.in_list(&[$($list_keyword),+]))?;
        }
    )+};
}

mod apiextensions_v1;
mod core_v1;
mod kube;
mod meta_v1;

pub use kube::DURATION;

impl KubeSchema for Time {
    const SCHEMA: Schema = Schema::string().named("Time").of_kubernetes().with(&[Keyword::Format("date-time")]);
}

impl KubeSchema for MicroTime {
    const SCHEMA: Schema = Schema::string().named("MicroTime").of_kubernetes().with(&[Keyword::Format("date-time")]);
}

impl KubeSchema for Quantity {
    const SCHEMA: Schema =
        Schema::int_or_string().named("Quantity").of_kubernetes().with(&[Keyword::Pattern(concat!(
            r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))",
            r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$",
        ))]);
}

impl KubeSchema for IntOrString {
    // The integer has 32 bits, both in Go and in Rust.
    const SCHEMA: Schema = Schema::int_or_string()
        .named("IntOrString")
        .of_kubernetes()
        .with(&[Keyword::minimum(i32::MIN as f64), Keyword::maximum(i32::MAX as f64)]);
}

impl KubeSchema for ByteString {
    // The server's format `byte` would reject the encoding of an empty value.
    const SCHEMA: Schema = Schema::string().named("ByteString").of_kubernetes().with(&[Keyword::Pattern(concat!(
        "^([A-Za-z0-9+/]{4})*",
        "([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$",
    ))]);
}

impl KubeSchema for RawExtension {
    const SCHEMA: Schema =
        Schema::object(&[]).named("RawExtension").of_kubernetes().with(&[Keyword::PreserveUnknownFields]);
}

impl KubeSchema for FieldsV1 {
    const SCHEMA: Schema =
        Schema::object(&[]).named("FieldsV1").of_kubernetes().with(&[Keyword::PreserveUnknownFields]);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::super::accepts::{accepts, assert_accepts_serialized, assert_roundtrips};
    use super::*;

    /// Returns the first name in a line that starts with `start`.
    fn name_after<'a>(line: &'a str, start: &str) -> Option<&'a str> {
        let rest = line.strip_prefix(start)?;
        let end = rest.find(|character: char| !character.is_alphanumeric())?;
        let name = &rest[..end];
        name.starts_with(char::is_uppercase).then_some(name)
    }

    #[test]
    fn the_table_in_the_docs_has_all_types() {
        const SOURCES: [&str; 4] = [
            include_str!("kubernetes.rs"),
            include_str!("kubernetes/core_v1.rs"),
            include_str!("kubernetes/kube.rs"),
            include_str!("kubernetes/meta_v1.rs"),
        ];
        let implemented: BTreeSet<_> = SOURCES
            .iter()
            .flat_map(|source| source.lines())
            .filter_map(|line| {
                let in_macro = line.ends_with('{').then(|| name_after(line, "    "));
                name_after(line, "impl KubeSchema for ").or(in_macro?)
            })
            .filter(|name| *name != "ConditionStatus") // a part of `Condition`
            .collect();
        let documented: BTreeSet<_> = include_str!("types.md")
            .lines()
            .filter(|line| ["| `k8s_openapi::", "| `kube::", "| `crdkit::"].iter().any(|start| line.starts_with(start)))
            .filter_map(|line| line.split('`').nth(1)?.rsplit("::").next())
            .collect();
        assert_eq!(documented, implemented);
    }

    #[test]
    fn scalars_accept_what_serde_writes_and_reads() {
        assert_accepts_serialized(Time(k8s_openapi::jiff::Timestamp::UNIX_EPOCH));
        assert_accepts_serialized(MicroTime(k8s_openapi::jiff::Timestamp::UNIX_EPOCH));
        assert_roundtrips::<Quantity>(json!("1.5Gi"));
        assert_roundtrips::<IntOrString>(json!("80%"));
        assert_roundtrips::<IntOrString>(json!(80));
        assert_roundtrips::<ByteString>(json!("AAECAw=="));
        assert_roundtrips::<RawExtension>(json!({ "any": 1 }));
    }

    #[test]
    fn numbers_that_decode_are_accepted() {
        assert!(serde_json::from_value::<Quantity>(json!(1)).is_ok());
        assert!(accepts(&Quantity::SCHEMA, &json!(1)));
        assert!(serde_json::from_value::<IntOrString>(json!(1_i64 << 31)).is_err());
        assert!(!accepts(&IntOrString::SCHEMA, &json!(1_i64 << 31)));
    }
}

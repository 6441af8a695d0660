//! The placements of a fragment of JSON Schema in a type: every attribute, constant and foreign type that can contain it.

use std::{borrow::Cow, marker::PhantomData};

use crdkit::{
    Foreign, KubeSchema,
    definition::{Definition, RootSchema},
    schema::ForeignSchema,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::{Case, Expected, with_schema, with_spec, wrappers};

/// Each fragment in a module of its own, with a case for each placement.
macro_rules! fragments {
    ($($expected:ident { $($name:ident: { $($key:literal: $value:tt),* $(,)? };)* })*) => {
        $($(mod $name {
            use std::{borrow::Cow, collections::BTreeMap};

            use crdkit::{schema::{Keyword, Schema as Constant}};
            use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
            use serde_json::{Value, json};

            fn value() -> Value {
                json!({ $($key: $value),* })
            }

            fn over_any() -> Value {
                json!({ "nullable": null, "x-kubernetes-preserve-unknown-fields": null, $($key: $value),* })
            }

            fn schema() -> Schema {
                json_schema!({ $($key: $value),* })
            }

            fn function(_: &mut SchemaGenerator) -> Schema {
                schema()
            }

            fn replace(before: &mut Schema) {
                *before = schema();
            }

            pub(super) struct Fragment;

            impl JsonSchema for Fragment {
                fn schema_name() -> Cow<'static, str> {
                    concat!("Fragment", stringify!($name)).into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    schema()
                }
            }

            #[derive(JsonSchema)]
            struct Kin { v: Fragment, rest: Option<Fragment> }

            #[derive(crdkit::KubeSchema)]
            #[crd(schema_patch({ "nullable": null, "x-kubernetes-preserve-unknown-fields": null, $($key: $value),* }))]
            struct Patched(serde_json::Value);

            #[derive(crdkit::KubeSchema)]
            #[schemars(extend($($key = $value),*))]
            struct Extended(String);

            #[derive(crdkit::KubeSchema)]
            #[schemars(transform = replace)]
            struct Transformed { a: String }

            #[derive(crdkit::KubeSchema)]
            #[crd(schema = CONSTANT)]
            struct Replaced { a: String }

            #[derive(crdkit::KubeSchema)]
            enum PatchedVariant { #[crd(schema_patch({ $($key: $value),* }))] A(String), B { b: i32 } }

            #[derive(crdkit::KubeSchema)]
            enum ExtendedVariant { #[schemars(extend($($key = $value),*))] A(String), B { b: i32 } }

            #[derive(crdkit::KubeSchema)]
            enum VariantByFunction { #[schemars(schema_with = "function")] A(String), B { b: i32 } }

            struct PatchedByHand;

            impl crdkit::KubeSchema for PatchedByHand {
                const SCHEMA: Constant = Constant::any().with(&[Keyword::Patch(over_any)]);
            }

            const CONSTANT: Constant = Constant::string().with(&[Keyword::Extend(value)]);

            crate::resources_of_fields! {
                $expected {
                    by_function: #[schemars(schema_with = "function")] String;
                    by_transform: #[schemars(transform = replace)] String;
                    patched: #[crd(schema_patch({ $($key: $value),* }))] String;
                    patched_items: #[crd(max_items = 3, items(schema_patch({ $($key: $value),* })))] Vec<String>;
                    patched_values: #[crd(max_properties = 3, values(schema_patch({ $($key: $value),* })))] BTreeMap<String, String>;
                    extended: #[schemars(extend($($key = $value),*))] String;
                    foreign: Fragment;
                    foreign_option: Option<Fragment>;
                    foreign_list: #[crd(max_items = 3)] Vec<Fragment>;
                    foreign_map: #[crd(max_properties = 3)] BTreeMap<String, Fragment>;
                    foreign_kin: Kin;
                    by_another_type: #[schemars(with = "Fragment")] String;
                    constant: #[crd(schema = CONSTANT)] String;
                }
            }

            pub(super) fn all() -> Vec<crate::Case> {
                let name = |placement: &str| format!("{}::{placement}", module_path!()).into();
                let expected = crate::Expected::of(stringify!($expected));
                let mut all = CASES.to_vec();
                all.extend(crate::placements::wrapped::<Fragment>(module_path!(), expected));
                for (placement, entry_point, definition) in [
                    ("patched_type", "`#[crd(schema_patch)]` on a type", crate::placements::of::<Patched>()),
                    ("extended_type", "`#[schemars(extend)]` on a type", crate::placements::of::<Extended>()),
                    ("transformed_type", "`#[schemars(transform)]` on a type", crate::placements::of::<Transformed>()),
                    ("replaced_type", "`#[crd(schema)]` on a type", crate::placements::of::<Replaced>()),
                    ("patched_variant", "`#[crd(schema_patch)]` on a variant", crate::placements::of::<PatchedVariant>()),
                    ("extended_variant", "`#[schemars(extend)]` on a variant", crate::placements::of::<ExtendedVariant>()),
                    ("variant_by_function", "`#[schemars(schema_with)]` on a variant", crate::placements::of::<VariantByFunction>()),
                    ("patched_by_hand", "`Keyword::Patch` by hand", crate::placements::of::<PatchedByHand>()),
                ] {
                    all.push(crate::Case { name: name(placement), entry_point, expected, definition });
                }
                all
            }
        })*)*

        pub(super) fn all() -> Vec<crate::Case> {
            let all = [$($($name::all()),*),*];
            all.into_iter().flatten().collect()
        }
    };
}
pub(crate) use fragments;

/// A resource with a field of this type.
pub(crate) fn of<T: KubeSchema>() -> Definition {
    with_spec(<wrappers::field::Spec<T> as KubeSchema>::SCHEMA_REF)
}

/// A foreign type in each wrapper.
pub(crate) fn wrapped<T: JsonSchema>(path: &str, expected: Expected) -> Vec<Case> {
    macro_rules! cases {
        ($($wrapper:ident)*) => {
            [$((
                stringify!($wrapper),
                concat!("a foreign type in `", stringify!($wrapper), "`"),
                with_spec(<wrappers::$wrapper::Spec<Foreign<T>> as KubeSchema>::SCHEMA_REF),
            )),*]
        };
    }
    let place = <wrappers::field::Spec<Foreign<T>> as KubeSchema>::SCHEMA_REF;
    let mut all = cases!(
        field option list set tuple map keyed_list nested newtype flattened
        flattened_option flattened_map external internal adjacent untagged flattened_enum
    )
    .to_vec();
    all.extend([
        ("status", "a foreign type in a status", wrappers::status(place)),
        ("no_spec", "a foreign type at the root", wrappers::no_spec(place)),
        ("manual", "a root written by hand", manual::<T>()),
    ]);
    let case = |(placement, entry_point, definition): (&str, _, _)| Case {
        name: format!("{path}::wrapped::{placement}").into(),
        entry_point,
        expected,
        definition,
    };
    all.into_iter().map(case).collect()
}

/// A root whose schema is written by hand.
struct Manual<T>(PhantomData<T>);

impl<T: JsonSchema> JsonSchema for Manual<T> {
    fn schema_name() -> Cow<'static, str> {
        "Manual".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": { "spec": { "type": "object", "properties": { "v": generator.subschema_for::<T>() } } },
        })
    }
}

fn manual<T: JsonSchema>() -> Definition {
    with_schema(RootSchema::Manual(ForeignSchema::of::<Manual<T>>()))
}

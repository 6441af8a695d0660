//! One rule in CEL by every attribute that takes one. The compiler refuses literal rules with wrong names or types, so those are
//! constants here.

use std::collections::BTreeMap;

use crdkit::{KubeSchema, kube::core::Rule};

use crate::{Case, Expected, placements};

/// Each rule in a module of its own, with a case for each place of the attribute. All apply to an object like `Part`.
macro_rules! ruled {
    ($($expected:ident { $($name:ident: $rule:expr;)* })*) => {
        $($(mod $name {
            use super::*;

            #[derive(KubeSchema)]
            #[crd(validation = $rule)]
            struct Type { min: i32, list: Vec<i32> }

            #[derive(KubeSchema)]
            #[x_kube(validation = $rule)]
            struct TypeByKube { min: i32, list: Vec<i32> }

            #[derive(KubeSchema)]
            #[crd(validation = $rule)]
            struct Newtype(Part);

            #[derive(KubeSchema)]
            struct Flattened { a: i32, #[serde(flatten)] part: Type }

            #[derive(KubeSchema)]
            #[crd(validation = $rule)]
            struct OverFlattened { #[serde(flatten)] part: Part }

            #[derive(KubeSchema)]
            enum Variant { #[crd(validation = $rule)] A(Part), B { b: i32 } }

            #[derive(KubeSchema)]
            #[serde(tag = "t")]
            enum InternalVariant { #[crd(validation = $rule)] A { min: i32, list: Vec<i32> }, B { b: i32 } }

            #[derive(KubeSchema)]
            #[serde(tag = "t", content = "c")]
            enum AdjacentVariant { #[crd(validation = $rule)] A { min: i32, list: Vec<i32> }, B }

            #[derive(KubeSchema)]
            #[serde(tag = "t")]
            enum FieldOfAVariant { A { #[crd(validation = $rule)] part: Part }, B { b: i32 } }

            crate::resources_of_fields! {
                $expected {
                    field: #[crd(validation = $rule)] Part;
                    field_by_kube: #[x_kube(validation = $rule)] Part;
                    option: #[crd(validation = $rule)] Option<Part>;
                    items: #[crd(max_items = 2, items(validation = $rule))] Vec<Part>;
                    values: #[crd(max_properties = 2, values(validation = $rule))] BTreeMap<String, Part>;
                    items_of_values: #[crd(max_properties = 2, values(max_items = 2, items(validation = $rule)))] BTreeMap<String, Vec<Part>>;
                }
            }

            pub(super) fn all() -> Vec<Case> {
                let case = |(placement, entry_point, definition): (&str, _, _)| Case {
                    name: format!("{}::{placement}", module_path!()).into(),
                    entry_point,
                    expected: Expected::of(stringify!($expected)),
                    definition,
                };
                let adjusted = |mut case: Case| {
                    case.expected = expected(&case);
                    case
                };
                let others = [
                    ("type", stringify!(#[crd(validation = $rule)] struct X;), placements::of::<Type>()),
                    ("type_by_kube", stringify!(#[x_kube(validation = $rule)] struct X;), placements::of::<TypeByKube>()),
                    ("newtype", stringify!(#[crd(validation = $rule)] struct X(Part);), placements::of::<Newtype>()),
                    ("flattened", stringify!(#[crd(validation = $rule)] struct X; struct Y { #[serde(flatten)] part: X }), placements::of::<Flattened>()),
                    ("over_flattened", stringify!(#[crd(validation = $rule)] struct X { #[serde(flatten)] part: Part }), placements::of::<OverFlattened>()),
                    ("variant", stringify!(enum X { #[crd(validation = $rule)] A(Part) }), placements::of::<Variant>()),
                    ("internal_variant", stringify!(#[serde(tag = "t")] enum X { #[crd(validation = $rule)] A { min: i32 } }), placements::of::<InternalVariant>()),
                    ("adjacent_variant", stringify!(#[serde(tag = "t", content = "c")] enum X { #[crd(validation = $rule)] A { min: i32 } }), placements::of::<AdjacentVariant>()),
                    ("field_of_a_variant", stringify!(#[serde(tag = "t")] enum X { A { #[crd(validation = $rule)] part: Part } }), placements::of::<FieldOfAVariant>()),
                ];
                CASES.iter().cloned().chain(others.into_iter().map(case)).map(adjusted).collect()
            }
        })*)*

        pub(super) fn all() -> Vec<Case> {
            let all = [$($($name::all()),*),*];
            all.into_iter().flatten().collect()
        }
    };
}

/// A rule on a variant of an internally tagged enum applies to the values of that variant.
fn expected(case: &Case) -> Expected {
    match case.expected {
        Expected::Breaks("C1" | "C11") if case.name.ends_with("::internal_variant") => Expected::Breaks("C10"),
        Expected::Breaks("C18") if case.name.ends_with("::internal_variant") => Expected::Accepted,
        // The server does not find the value that was there before.
        Expected::Accepted if case.name.contains("::optional::items") => Expected::Breaks("C17"),
        expected => expected,
    }
}

#[derive(KubeSchema)]
struct Part {
    min: i32,
    list: Vec<i32>,
}

const BLANK: &str = " ";
const LINES: &str = "self.min > 0 ||\nself.min < 0";
const UNKNOWN: &str = "self.mni > 0";
const NO_BOOLEAN: &str = "self.min + 1";
const NO_TEXT: &str = "self.min";
const NOWHERE: &str = ".mni";
const POSITIVE: &str = "self.min > 0";

fn positive() -> Rule {
    Rule::new(POSITIVE)
}

fn unknown() -> Rule {
    Rule::new(UNKNOWN)
}

ruled! {
    Accepted {
        literal: "self.min > 0";
        chain: Rule::new("self.min > 0").reason(Reason::FieldValueForbidden).field_path(".min");
        constant: Rule::new(POSITIVE);
        function: positive();
        message: Rule::new(LINES).message("not nothing");
        message_expression: Rule::new(POSITIVE).message(Message::Expression("self.min > 9 ? 'large' : 'small'".into()));
        path: Rule::new(POSITIVE).field_path(".list");
        optional: Rule::new("!oldSelf.hasValue() || self.min > 0").optional_old_self(OPTIONAL);
    }
    C1 {
        blank: Rule::new(BLANK);
    }
    C2 {
        blank_message: Rule::new(POSITIVE).message(BLANK);
    }
    C3 {
        lines_in_a_message: Rule::new(POSITIVE).message(LINES);
    }
    C4 {
        lines: Rule::new(LINES);
    }
    C5 {
        blank_expression: Rule::new(POSITIVE).message(Message::Expression(BLANK.into()));
    }
    C7 {
        blank_path: Rule::new(POSITIVE).field_path(BLANK);
    }
    C8 {
        path_to_nothing: Rule::new(POSITIVE).field_path(NOWHERE);
    }
    C10 {
        unknown_field_of_a_constant: Rule::new(UNKNOWN);
        unknown_field_of_a_function: unknown();
    }
    C11 {
        no_boolean: Rule::new(NO_BOOLEAN);
    }
    C12 {
        no_text: Rule::new(POSITIVE).message(Message::Expression(NO_TEXT.into()));
    }
    C14 {
        dear: "self.list.all(a, self.list.all(b, self.list.all(c, a != b || b != c)))";
    }
    C15 {
        dear_message: Rule::new("self.min > 0").message(Message::Expression("'got ' + string(self.min)".into()));
    }
    C18 {
        optional_without_old_self: Rule::new(POSITIVE).optional_old_self(OPTIONAL);
    }
}

const OPTIONAL: bool = true;

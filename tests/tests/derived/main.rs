//! The definitions of derived types, which the generated test and a real API server must both accept or both refuse.
//!
//! The types derive `KubeSchema` alone where that is enough, because nothing is read or written: hundreds of them compile in
//! seconds. `fields` has resources of one field, `fragments` one schema in every placement, `types` whole specs, `roots` what a
//! resource has beside its spec, `manual` roots of which nothing is derived.

#![allow(dead_code, non_camel_case_types, missing_docs)]

use std::borrow::Cow;

use crdkit::{
    definition::{Definition, DerivedRoot, RootSchema},
    schema::Schema,
};

mod cel_rules;
mod defaults;
mod entry_points;
mod fields;
mod fragments;
mod hand_written;
mod manual;
mod markers;
mod merge_strategies;
mod placements;
mod resources;
mod root_fragments;
mod roots;
mod types;
mod verdicts;
mod wrapped_types;
mod wrappers;

/// A definition, the source that it comes from, and the expected verdicts.
#[derive(Clone, Debug)]
struct Case {
    name: Cow<'static, str>,
    /// The attributes, or a description of what else breaks the rule of the case.
    entry_point: &'static str,
    expected: Expected,
    definition: Definition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// The server and crdkit accept it.
    Accepted,
    /// It breaks the rule with this id.
    Breaks(&'static str),
    /// crdkit refuses it before a server could receive it.
    CrdkitOnly,
}

impl Expected {
    /// From `Accepted`, `CrdkitOnly` or the id of a rule.
    const fn of(word: &'static str) -> Self {
        match word.as_bytes() {
            b"Accepted" => Self::Accepted,
            b"CrdkitOnly" => Self::CrdkitOnly,
            _ => Self::Breaks(word),
        }
    }
}

/// A resource with this spec.
const fn with_spec(spec: &'static Schema) -> Definition {
    with_root(DerivedRoot::new(spec))
}

const fn with_root(root: DerivedRoot) -> Definition {
    with_schema(RootSchema::Derived(root))
}

const fn with_schema(schema: RootSchema) -> Definition {
    Definition::new("example.com", "v1", "Case", "cases", "case", "CaseList", schema)
}

/// Resources of one field, a line for each, below the rule that they break.
macro_rules! resources_of_fields {
    ($($expected:ident { $($name:ident: $(#[$($attribute:tt)*])* $type:ty;)* })*) => {
        $($(
            #[derive(crdkit::KubeSchema)]
            struct $name { $(#[$($attribute)*])* pub v: $type }
        )*)*

        pub(crate) const CASES: &[crate::Case] = &[$($(crate::Case {
            name: std::borrow::Cow::Borrowed(concat!(module_path!(), "::", stringify!($name))),
            entry_point: stringify!(struct X { $(#[$($attribute)*])* v: $type }),
            expected: crate::Expected::of(stringify!($expected)),
            definition: crate::with_spec(<$name as crdkit::KubeSchema>::SCHEMA_REF),
        }),*),*];
    };
}
pub(crate) use resources_of_fields;

fn all() -> Vec<Case> {
    let of_functions = [fields::all(), types::all(), roots::all(), manual::all()];
    let tables = of_functions.into_iter().flatten().chain([
        hand_written::CASES,
        defaults::CASES,
        merge_strategies::CASES,
        resources::CASES,
    ]);
    let mut all: Vec<_> = tables.flatten().cloned().collect();
    all.extend(fragments::all());
    all.extend(cel_rules::all());
    all.extend(root_fragments::all());
    all.extend(markers::all());
    all.extend(wrapped_types::all());
    all
}

//! Derived types, each put to a real API server: it accepts what the report of the generated test calls good, and refuses
//! what that calls bad.
//!
//! The types derive `KubeSchema` alone where that is enough, as nothing is read or written: hundreds of them compile in
//! seconds. `fields` are resources of one field, `fragments` one schema by every way into a type, `types` whole specs,
//! `roots` resources beyond their spec, `manual` roots of which nothing is derived.

#![allow(dead_code, non_camel_case_types, missing_docs)]

use std::borrow::Cow;

use crdkit::{
    definition::{Definition, DerivedRoot, RootSchema},
    schema::Schema,
};

mod around;
mod by_hand;
mod defaults;
mod doors;
mod fields;
mod fragments;
mod manual;
mod marks;
mod merged;
mod parts;
mod resources;
mod rooted;
mod roots;
mod ruled;
mod types;
mod verdicts;
mod ways;

/// A definition, how it came about, and what is expected to become of it.
#[derive(Clone, Debug)]
struct Case {
    name: Cow<'static, str>,
    /// The attributes, or words for what else leads to the rule that the case breaks.
    door: &'static str,
    expected: Expected,
    definition: Definition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// The server accepts it, and so does crdkit.
    Good,
    /// It breaks this rule.
    Breaks(&'static str),
    /// crdkit refuses what the server never sees.
    Ours,
}

impl Expected {
    /// From `Good`, `Ours` or the id of a rule.
    const fn of(word: &'static str) -> Self {
        match word.as_bytes() {
            b"Good" => Self::Good,
            b"Ours" => Self::Ours,
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
            door: stringify!(struct X { $(#[$($attribute)*])* v: $type }),
            expected: crate::Expected::of(stringify!($expected)),
            definition: crate::with_spec(<$name as crdkit::KubeSchema>::SCHEMA_REF),
        }),*),*];
    };
}
pub(crate) use resources_of_fields;

fn all() -> Vec<Case> {
    let tables = [fields::all(), types::all(), roots::all(), manual::all()];
    let tables = tables.into_iter().flatten().chain([by_hand::CASES, defaults::CASES, merged::CASES, resources::CASES]);
    let mut all: Vec<_> = tables.flatten().cloned().collect();
    all.extend(fragments::all());
    all.extend(ruled::all());
    all.extend(rooted::all());
    all.extend(marks::all());
    all.extend(parts::all());
    all
}

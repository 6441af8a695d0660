//! Derived types, each put to a real API server: it accepts what the report of the generated test calls good, and refuses
//! what that calls bad.
//!
//! The types derive `KubeSchema` alone, as nothing is read or written: hundreds of them compile in seconds. `fields` are
//! resources of one field, `routes` one schema by every way into a type, `types` whole specs, `roots` resources beyond their
//! spec, `manual` roots of which nothing is derived.

#![allow(dead_code, non_camel_case_types, missing_docs)]

use crdkit::{
    definition::{Definition, Root, RootSchema},
    schema::Schema,
    testing::Report,
    validate::Severity,
};
use crdkit_tests::ControlPlane;
use futures_util::{StreamExt, stream};

mod fields;
mod manual;
mod roots;
mod routes;
mod types;

/// A definition, and what is expected to become of it.
struct Case {
    name: &'static str,
    expected: Expected,
    definition: Definition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// The server accepts it, and so does crdkit.
    Good,
    /// The server refuses it, and so does crdkit.
    Bad,
    /// crdkit refuses what the server never sees, or accepts and does something else with.
    Ours,
}

/// A resource with this spec.
const fn with_spec(spec: &'static Schema) -> Definition {
    with_root(Root::new(spec))
}

const fn with_root(root: Root) -> Definition {
    with_schema(RootSchema::Derived(root))
}

const fn with_schema(schema: RootSchema) -> Definition {
    Definition::new(
        "example.com",
        "v1",
        "Case",
        "cases",
        "case",
        "CaseList",
        schema,
    )
}

/// Resources of one field, a line for each.
macro_rules! resources_of_fields {
    ($($expected:ident { $($name:ident: $(#[$($attribute:tt)*])* $type:ty;)* })*) => {
        $($(
            #[derive(crdkit::KubeSchema)]
            struct $name { $(#[$($attribute)*])* pub v: $type }
        )*)*

        pub(crate) const CASES: &[crate::Case] = &[$($(crate::Case {
            name: concat!(module_path!(), "::", stringify!($name)),
            expected: crate::Expected::$expected,
            definition: crate::with_spec(<$name as crdkit::KubeSchema>::PLACE),
        }),*),*];
    };
}
pub(crate) use resources_of_fields;

fn all() -> Vec<&'static Case> {
    let tables = [
        fields::all(),
        routes::all(),
        types::all(),
        roots::all(),
        manual::all(),
    ];
    tables.into_iter().flatten().flatten().collect()
}

/// What crdkit says the server refuses.
fn errors(report: &Report) -> Vec<String> {
    let violations = report.violations.iter();
    violations
        .filter(|violation| violation.severity == Severity::Error)
        .map(|violation| format!("{} {violation}", violation.rule))
        .collect()
}

/// What is wrong with a case, if something is.
async fn disagreement(plane: &ControlPlane, case: &Case) -> Option<String> {
    let report = Report::of(&case.definition);
    let ours = report
        .violations
        .iter()
        .map(|it| format!("{} {it}", it.rule));
    let ours = ours.collect::<Vec<_>>();
    let expected = expected(case);
    if expected == Expected::Ours {
        return ours
            .is_empty()
            .then(|| format!("{}: crdkit says nothing", case.name));
    }
    let Ok(crd) = case.definition.render() else {
        let is_meant = expected == Expected::Bad;
        return (!is_meant).then(|| format!("{}: not rendered: {ours:?}", case.name));
    };
    let verdict = plane
        .dry_run(&serde_json::to_value(crd).expect("JSON"))
        .await;
    let errors = errors(&report);
    let agree = verdict.accepted == errors.is_empty();
    let as_expected = (expected == Expected::Good) == verdict.accepted;
    // A warning or a lint is a failure of the generated test, too.
    let clean = expected != Expected::Good || ours.is_empty();
    (!agree || !as_expected || !clean).then(|| {
        format!(
            "{}:\n    crdkit: {ours:?}\n    server: {verdict}",
            case.name
        )
    })
}

/// What is expected: the server looks at no default in the values of maps, and crdkit says which of them lets no object in.
fn expected(case: &Case) -> Expected {
    let is_default_in_a_map =
        case.name.contains("::default_") && case.name.ends_with("::foreign_map");
    match is_default_in_a_map {
        true => Expected::Ours,
        false => case.expected,
    }
}

#[tokio::test]
async fn the_server_judges_types_as_crdkit_does() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let cases = all();
    let judged = stream::iter(&cases).map(|case| disagreement(plane, case));
    let found: Vec<_> = judged.buffered(8).filter_map(async |it| it).collect().await;
    assert!(cases.len() >= 300, "only {} cases", cases.len());
    let (count, of) = (found.len(), cases.len());
    assert!(
        found.is_empty(),
        "{count} of {of} disagree:\n{}",
        found.join("\n")
    );
}

//! Fragments of JSON Schema: for each rule that breaks in one value, one that breaks it, and one beside it that is good.

use crate::{Case, Expected};

mod rules;
mod structure;
mod topology;
mod values;

pub(crate) fn all() -> Vec<Case> {
    let all = [structure::all(), topology::all(), values::all(), rules::all()];
    let mut all = all.concat();
    for case in &mut all {
        case.expected = expected(case);
    }
    all
}

/// The ways on which a fragment becomes that of the values of a map.
const TO_MAPS: &[&str] = &["patched_values", "foreign_map", "around::map", "around::flattened_map"];

/// The ways on which a fragment becomes that of the items of a list.
const TO_LISTS: &[&str] =
    &["patched_items", "foreign_list", "around::list", "around::set", "around::tuple", "around::keyed_list"];

/// The ways on which a fragment is that of a foreign type, of which the parts without a form are any value.
const OF_FOREIGN: &[&str] = &[
    "by_function",
    "foreign",
    "foreign_option",
    "foreign_list",
    "foreign_map",
    "foreign_kin",
    "by_another_type",
    "variant_by_function",
];

/// The ways on which a fragment becomes that of a variant.
const TO_VARIANTS: &[&str] = &[
    "around::external",
    "around::internal",
    "around::adjacent",
    "around::untagged",
    "around::flattened_option",
    "patched_variant",
    "extended_variant",
    "variant_by_function",
];

/// What becomes of a default depends on where it stands.
fn expected(case: &Case) -> Expected {
    let leads_to = |ways: &[&str]| ways.iter().any(|way| case.name.ends_with(&format!("::{way}")));
    let is_of_foreign = leads_to(OF_FOREIGN) || case.name.contains("::around::") && !case.name.ends_with("::manual");
    let is_of_the_value = case.name.contains("::default_of_the_value");
    match case.expected {
        Expected::Ours if is_of_foreign => Expected::Good,
        // The server looks at no default there, and no object passes that is filled with it.
        Expected::Breaks("E4" | "E5" | "E6") if leads_to(TO_MAPS) => Expected::Breaks("E9"),
        // It stands only where null does.
        Expected::Breaks("E7") if leads_to(TO_MAPS) => Expected::Breaks("X13"),
        // To an apply, what is there is any JSON.
        Expected::Breaks("C9") if leads_to(TO_MAPS) || leads_to(TO_LISTS) => Expected::Good,
        // The server cannot fill it in beside the fields of others, so that it is left out.
        Expected::Breaks(_) if is_of_the_value && leads_to(TO_VARIANTS) => Expected::Good,
        expected => expected,
    }
}

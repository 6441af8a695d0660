//! Fragments of JSON Schema: for each rule that applies to one value, a fragment that breaks it, and a similar one that is accepted.

use crate::{Case, Expected};

mod rules;
mod structure;
mod topology;
mod values;

pub(crate) fn all() -> Vec<Case> {
    let mut all = [structure::all(), topology::all(), values::all(), rules::all()].concat();
    for case in &mut all {
        case.expected = expected(case);
    }
    all
}

/// The placements in which a fragment applies to the values of a map.
const TO_MAPS: &[&str] = &["patched_values", "foreign_map", "wrapped::map", "wrapped::flattened_map"];

/// The placements in which a fragment applies to the items of a list.
const TO_LISTS: &[&str] =
    &["patched_items", "foreign_list", "wrapped::list", "wrapped::set", "wrapped::tuple", "wrapped::keyed_list"];

/// The placements in which a fragment belongs to a foreign type, whose parts without a structural form become any value.
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

/// The placements in which a fragment applies to a variant.
const TO_VARIANTS: &[&str] = &[
    "wrapped::external",
    "wrapped::internal",
    "wrapped::adjacent",
    "wrapped::untagged",
    "wrapped::flattened_option",
    "patched_variant",
    "extended_variant",
    "variant_by_function",
];

/// The verdict on a default depends on its placement.
fn expected(case: &Case) -> Expected {
    let leads_to =
        |placements: &[&str]| placements.iter().any(|placement| case.name.ends_with(&format!("::{placement}")));
    let is_of_foreign = leads_to(OF_FOREIGN) || case.name.contains("::wrapped::") && !case.name.ends_with("::manual");
    let is_of_the_value = case.name.contains("::default_of_the_value");
    match case.expected {
        Expected::CrdkitOnly if is_of_foreign => Expected::Accepted,
        // The server looks at no default there, and no object passes that is filled with it.
        Expected::Breaks("E4" | "E5" | "E6") if leads_to(TO_MAPS) => Expected::Breaks("E9"),
        // It stands only where null does.
        Expected::Breaks("E7") if leads_to(TO_MAPS) => Expected::Breaks("X13"),
        // To an apply, what is there is any JSON.
        Expected::Breaks("C9") if leads_to(TO_MAPS) || leads_to(TO_LISTS) => Expected::Accepted,
        // The server cannot fill it in beside the fields of others, so that it is left out.
        Expected::Breaks(_) if is_of_the_value && leads_to(TO_VARIANTS) => Expected::Accepted,
        expected => expected,
    }
}

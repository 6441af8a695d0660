//! The API conventions of Kubernetes about names and documentation.

use super::Place;

pub(super) fn comment_start(place: &Place<'_>) -> Option<String> {
    let (name, description) = (place.name?, place.schema.description.as_deref()?);
    let first = description.split_whitespace().next().unwrap_or_default();
    (first != name).then(|| format!("the documentation starts with `{first}` instead of `{name}`"))
}

pub(super) fn descriptions(place: &Place<'_>) -> Option<String> {
    let is_top = ["spec", "status"].iter().any(|top| place.path.strip_prefix('.') == Some(top));
    let description = place.schema.description.as_deref().unwrap_or_default();
    (place.name.is_some() && !is_top && description.trim().is_empty())
        .then(|| "the field has no documentation: write a doc comment".to_owned())
}

pub(super) fn enum_case(place: &Place<'_>) -> Option<String> {
    let mut values = place.schema.enum_.iter().flatten().filter_map(|value| value.0.as_str());
    let is_camel_case = |value: &str| {
        value.is_empty() || value.starts_with(|it: char| it.is_ascii_uppercase()) && !value.contains(['_', '-', ' '])
    };
    let wrong = values.find(|value| !is_camel_case(value))?;
    Some(format!("the value `{wrong}` is not in CamelCase with an initial capital letter"))
}

pub(super) fn json_tags(place: &Place<'_>) -> Option<String> {
    let name = place.name?;
    let is_camel_case =
        name.starts_with(|it: char| it.is_ascii_lowercase()) && name.chars().all(|it| it.is_ascii_alphanumeric());
    (!is_camel_case).then(|| "the name is not in camelCase: use `#[serde(rename_all = \"camelCase\")]`".to_owned())
}

pub(super) fn no_phase(place: &Place<'_>) -> Option<String> {
    let name = place.name?.to_lowercase();
    name.contains("phase").then(|| "the field is a phase: use conditions".to_owned())
}

pub(super) fn no_references(place: &Place<'_>) -> Option<String> {
    let name = place.name?;
    let lower = name.to_lowercase();
    let short = |long: &str, short: &str| {
        let at = lower.find(long)?;
        let initial = if name[at..].starts_with('R') { &short[..1].to_uppercase() } else { &short[..1] };
        Some(format!("{}{initial}{}{}", &name[..at], &short[1..], &name[at + long.len()..]))
    };
    let better = short("references", "refs").or_else(|| short("reference", "ref"))?;
    Some(format!("the name contains `Reference`: use `{better}`"))
}

pub(super) fn no_timestamp(place: &Place<'_>) -> Option<String> {
    let name = place.name?;
    let at = name.to_lowercase().find("timestamp")?;
    let time = if name[at..].starts_with('T') { "Time" } else { "time" };
    Some(format!("the name contains `Timestamp`: use `{}{time}{}`", &name[..at], &name[at + "timestamp".len()..]))
}

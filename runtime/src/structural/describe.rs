//! Descriptions, which also say what no keyword says.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::{Map, Value};

use super::{keywords, walk};
use crate::render::RenderError;

/// The description of an enum, with a list of its documented variants after it.
pub(crate) fn describe_variants<'a>(
    description: Option<&str>,
    variants: impl Iterator<Item = (&'a str, &'a str)>,
) -> Option<String> {
    let variants = variants
        .filter(|(_, doc)| !doc.is_empty())
        .map(|(name, doc)| format!("- `{name}`: {}", doc.replace('\n', "\n  ")))
        .collect::<Vec<_>>()
        .join("\n");
    match description {
        _ if variants.is_empty() => description.map(str::to_owned),
        None | Some("") => Some(variants),
        Some(description) => Some(format!("{description}\n\n{variants}")),
    }
}

/// The list of variants at the end of a description.
pub(crate) fn variants_of(mut description: String) -> Option<String> {
    let start = match description.rfind("\n\n- `") {
        Some(end) => end + "\n\n".len(),
        None if description.starts_with("- `") => 0,
        None => return None,
    };
    Some(description.split_off(start))
}

/// A description that lists no variants but those of which `is_left` holds.
pub(crate) fn without_variants(
    description: &str,
    is_left: impl Fn(&str) -> bool,
) -> Option<String> {
    let Some(variants) = variants_of(description.to_owned()) else {
        return Some(description.to_owned());
    };
    let before = description[..description.len() - variants.len()].trim_end();
    let mut keeps = true;
    let left = variants.lines().filter(|line| {
        let named = line.strip_prefix("- `").and_then(|it| it.split_once('`'));
        if let Some((name, _)) = named {
            keeps = is_left(name);
        }
        keeps
    });
    let left = left.collect::<Vec<_>>().join("\n");
    let parts: Vec<_> = [before, &left]
        .into_iter()
        .filter(|it| !it.is_empty())
        .collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// The variants in such a list, with what is said of each.
pub(crate) fn variants(list: &str) -> impl Iterator<Item = (&str, &str)> {
    let items = list.strip_prefix("- `").unwrap_or(list).split("\n- `");
    items.filter_map(|item| item.split_once("`: "))
}

/// Replaces every description in a schema.
pub(crate) fn describe_all(
    props: &mut JSONSchemaProps,
    replace: &dyn Fn(String) -> Option<String>,
) {
    props.description = props.description.take().and_then(replace);
    let children = walk::children(props).into_iter();
    children.for_each(|child| describe_all(child, replace));
}

/// Reads the description of a node, and says there that the node is deprecated.
pub(super) fn read(
    schema: &mut Map<String, Value>,
    props: &mut JSONSchemaProps,
) -> Result<(), RenderError> {
    props.description = keywords::text(schema, "description")?;
    if keywords::flag(schema, "deprecated")?.is_some() {
        props.description = Some(match props.description.take() {
            Some(text) if text.to_lowercase().contains("deprecated") => text,
            Some(text) => format!("{text}\n\nDeprecated."),
            None => "Deprecated.".to_owned(),
        });
    }
    Ok(())
}

/// A node without its descriptions, for comparison: variants may document the same field in different words.
pub(super) fn undescribed(props: &JSONSchemaProps) -> JSONSchemaProps {
    let mut props = props.clone();
    describe_all(&mut props, &|_| None);
    props
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documented_variants_follow_the_description() {
        for (description, variants, expected) in [
            (None, &[("A", "")][..], None),
            (Some("It."), &[("A", "")], Some("It.")),
            (None, &[("A", "One."), ("B", "")], Some("- `A`: One.")),
            (
                Some("It."),
                &[("A", "One.\nMore."), ("B", "Two.")],
                Some("It.\n\n- `A`: One.\n  More.\n- `B`: Two."),
            ),
        ] {
            let described = describe_variants(description, variants.iter().copied());
            assert_eq!(described.as_deref(), expected);
            let list = expected.and_then(|text| text.find('-').map(|start| &text[start..]));
            assert_eq!(described.and_then(variants_of).as_deref(), list);
        }
    }

    #[test]
    fn variants_that_are_gone_are_not_listed() {
        let variants = [("A", "the\nfirst"), ("B", ""), ("C", "the third")];
        let all = describe_variants(Some("one of\n\nthem"), variants.into_iter()).unwrap();
        let left = |names: &[&str]| without_variants(&all, |name| names.contains(&name)).unwrap();
        assert_eq!(left(&["A", "B", "C"]), all);
        assert_eq!(left(&["C"]), "one of\n\nthem\n\n- `C`: the third");
        assert_eq!(left(&["A"]), "one of\n\nthem\n\n- `A`: the\n  first");
        assert_eq!(left(&["B"]), "one of\n\nthem");
        let variants = describe_variants(None, variants.into_iter()).unwrap();
        assert_eq!(without_variants(&variants, |_| false), None);
    }
}

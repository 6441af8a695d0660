//! Descriptions, including lists of enum variants.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::{Map, Value};

use crate::{
    crd::structural::{keywords, walk},
    error::RenderError,
};

/// Returns the description of an enum, followed by a list of its documented variants.
pub(crate) fn describe_variants<'a, D: AsRef<str>>(
    about: Option<&str>,
    variants: impl Iterator<Item = (&'a str, D)>,
) -> Option<String> {
    let mut text = about.unwrap_or_default().to_owned();
    let documented = variants.filter(|(_, doc)| !doc.as_ref().is_empty());
    for (at, (name, doc)) in documented.enumerate() {
        text.push_str(match at {
            _ if text.is_empty() => "",
            0 => "\n\n",
            _ => "\n",
        });
        push_item(&mut text, name, doc.as_ref());
    }
    (!text.is_empty()).then_some(text)
}

fn push_item(text: &mut String, name: &str, doc: &str) {
    for part in ["- `", name, "`: "] {
        text.push_str(part);
    }
    if doc.contains('\n') {
        text.push_str(&doc.replace('\n', "\n  ").replace("\n  \n", "\n\n"));
    } else {
        text.push_str(doc);
    }
}

/// Replaces the part of a description before the list of variants.
pub(crate) fn replace_summary(about: &str, description: &str) -> Option<String> {
    let parts = match (about, split(description).1) {
        ("", list) => [list, "", ""],
        (about, "") => [about, "", ""],
        (about, list) => [about, "\n\n", list],
    };
    let text = parts.concat();
    (!text.is_empty()).then_some(text)
}

/// Removes variants for which `is_left` is false from the list in a description.
pub(crate) fn without_variants(description: &str, is_left: impl Fn(&str) -> bool) -> Option<String> {
    let left = variants(description).filter(|(name, _)| is_left(name));
    describe_variants(Some(summary(description)), left)
}

/// Returns the part of a description before the list of variants.
pub(crate) fn summary(description: &str) -> &str {
    split(description).0
}

/// Returns the variants in the list at the end of a description, with their documentation.
pub(crate) fn variants(description: &str) -> impl Iterator<Item = (&str, String)> {
    let (_, list) = split(description);
    let items = list.strip_prefix("- `").unwrap_or(list).split("\n- `");
    items.filter_map(|item| {
        let (name, doc) = item.split_once("`: ")?;
        Some((name, doc.replace("\n  ", "\n")))
    })
}

fn split(description: &str) -> (&str, &str) {
    if !description.contains('`') {
        return (description, ""); // a fast path for most descriptions
    }
    let start = match description.rfind("\n\n- `") {
        Some(end) => end + "\n\n".len(),
        None => 0,
    };
    let (about, list) = description.split_at(start);
    if list.starts_with("- `") && list.lines().all(is_of_list) { (about.trim_end(), list) } else { (description, "") }
}

fn is_of_list(line: &str) -> bool {
    match line.strip_prefix("- `") {
        Some(item) => item.contains("`: "),
        None => line.is_empty() || line.starts_with("  "),
    }
}

/// Replaces every description in a schema.
pub(crate) fn describe_all(props: &mut JSONSchemaProps, replace: &dyn Fn(String) -> Option<String>) {
    props.description = props.description.take().and_then(replace);
    walk::children(props).for_each(|child| describe_all(child, replace));
}

/// Reads the description of a node, and adds a note if the node is deprecated.
pub(super) fn read(schema: &mut Map<String, Value>, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
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

/// Returns a node without descriptions, for comparison: variants may document the same field differently.
pub(crate) fn undescribed(props: &JSONSchemaProps) -> JSONSchemaProps {
    let mut props = props.clone();
    describe_all(&mut props, &|_| None);
    props
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(about: Option<&str>, variants: &[(&'static str, &str)]) -> Option<String> {
        describe_variants(about, variants.iter().copied())
    }

    #[test]
    fn documented_variants_follow_the_description() {
        for (about, variants, expected) in [
            (None, &[("A", "")][..], None),
            (Some(""), &[], None),
            (Some("It."), &[("A", "")], Some("It.")),
            (None, &[("A", "One."), ("B", "")], Some("- `A`: One.")),
            (
                Some("It."),
                &[("A", "One.\nMore.\n\n- `x`: y"), ("B", "Two.")],
                Some("It.\n\n- `A`: One.\n  More.\n\n  - `x`: y\n- `B`: Two."),
            ),
        ] {
            assert_eq!(described(about, variants).as_deref(), expected);
        }
    }

    #[test]
    fn what_is_listed_is_read_again() {
        let listed = [("A", "One.\nMore.\n\n- `x`: y\n  z"), ("B", "Two.")];
        for text in ["", "It.", "One of:\n\n- `a`: b\n\nMore."] {
            let description = described(Some(text), &listed).unwrap();
            assert_eq!(summary(&description), text);
            let read: Vec<_> = variants(&description).collect();
            assert_eq!(read, listed.map(|(name, doc)| (name, doc.to_owned())));
        }
    }

    #[test]
    fn what_is_listed_stays_below_another_text() {
        let listed = [("A", "One.\nMore.\n\n- `x`: y\n  z"), ("B", "Two.")];
        for before in ["", "It.", "One of:\n\n- `a`: b\n\nMore."] {
            let description = described(Some(before), &listed).unwrap();
            for after in ["", "Other."] {
                assert_eq!(replace_summary(after, &description), described(Some(after), &listed));
                assert_eq!(replace_summary(after, before), (!after.is_empty()).then(|| after.to_owned()));
            }
        }
    }

    #[test]
    fn other_lists_are_no_variants() {
        for text in ["It.", "- `a`: b\n\nMore.", "One of:\n\n- `a`: b\n- `c`", "One of:\n\n- `a`: b\nMore."] {
            assert_eq!(summary(text), text);
            assert_eq!(variants(text).count(), 0, "{text:?}");
        }
    }

    #[test]
    fn variants_that_are_gone_are_not_listed() {
        let variants = [("A", "the\nfirst"), ("B", ""), ("C", "the third")];
        let all = described(Some("one of\n\nthem"), &variants).unwrap();
        let left = |names: &[&str]| without_variants(&all, |name| names.contains(&name)).unwrap();
        assert_eq!(left(&["A", "B", "C"]), all);
        assert_eq!(left(&["C"]), "one of\n\nthem\n\n- `C`: the third");
        assert_eq!(left(&["A"]), "one of\n\nthem\n\n- `A`: the\n  first");
        assert_eq!(left(&["B"]), "one of\n\nthem");
        let variants = described(None, &variants).unwrap();
        assert_eq!(without_variants(&variants, |_| false), None);
    }
}

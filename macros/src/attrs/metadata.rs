//! Labels and annotations of the CustomResourceDefinition.

use darling::{Error, FromMeta, Result, ast::NestedMeta};
use syn::Meta;

use super::{
    items,
    names::is_subdomain,
    text::{Checked, Text},
};

/// `label("key", "value")`.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) key: Text,
    pub(crate) value: Text,
}

/// `annotation("key", "value")`.
#[derive(Clone, Debug)]
pub(crate) struct Annotation {
    pub(crate) key: Text,
    pub(crate) value: Text,
}

impl FromMeta for Label {
    fn from_meta(item: &Meta) -> Result<Self> {
        let [key, value] = pair("label", item)?;
        Ok(Self {
            key: key.checked(|key| qualified_name(key, str::to_owned))?,
            value: value.checked(label_value)?,
        })
    }
}

impl FromMeta for Annotation {
    fn from_meta(item: &Meta) -> Result<Self> {
        let [key, value] = pair("annotation", item)?;
        Ok(Self {
            key: key.checked(|key| qualified_name(key, str::to_lowercase))?,
            value,
        })
    }
}

fn pair(what: &str, item: &Meta) -> Result<[Text; 2]> {
    let form = || {
        Error::custom(format!(
            "expected a key and a value: `{what}(\"example.com/key\", \"value\")`"
        ))
        .with_span(item)
    };
    let Meta::List(list) = item else {
        return Err(form());
    };
    let mut errors = Error::accumulator();
    let nested = items::nested(&list.tokens, &mut errors);
    errors.finish()?;
    match nested.as_slice() {
        [NestedMeta::Lit(key), NestedMeta::Lit(value)] => {
            match (Text::of_lit(key), Text::of_lit(value)) {
                (Some(key), Some(value)) => Ok([key, value]),
                _ => Err(form()),
            }
        }
        _ => Err(form()),
    }
}

/// Kubernetes' qualified name: `name` or `prefix/name`.
fn qualified_name(key: &str, prefix_case: fn(&str) -> String) -> Checked<()> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    let prefix_is_valid = prefix.is_none_or(|prefix| is_subdomain(&prefix_case(prefix)));
    if prefix_is_valid && !name.is_empty() && is_label_value(name) {
        return Ok(());
    }
    Err(format!(
        "`{key}` is not a valid key: expected at most 63 letters, digits, `-`, `_` and `.`, \
         optionally after a DNS subdomain and a slash, such as `example.com/name`"
    ))
}

fn label_value(value: &str) -> Checked<()> {
    if is_label_value(value) {
        return Ok(());
    }
    Err(format!(
        "`{value}` is not a valid label value: expected at most 63 letters, digits, `-`, `_` and \
         `.`, starting and ending with a letter or digit"
    ))
}

fn is_label_value(text: &str) -> bool {
    let alphanumeric = |c: char| c.is_ascii_alphanumeric();
    text.is_empty()
        || text.len() <= 63
            && text.starts_with(alphanumeric)
            && text.ends_with(alphanumeric)
            && text
                .chars()
                .all(|c| alphanumeric(c) || matches!(c, '-' | '_' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        for valid in ["app", "example.com/app", "a_b.c-d"] {
            assert_eq!(qualified_name(valid, str::to_owned), Ok(()), "{valid}");
        }
        for invalid in ["", "a b", "/a", "a/", "a/b/c", "Example.com/app", "-a"] {
            assert!(qualified_name(invalid, str::to_owned).is_err(), "{invalid}");
        }
        assert_eq!(qualified_name("Example.com/app", str::to_lowercase), Ok(()));
    }
}

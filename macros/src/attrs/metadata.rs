//! Labels and annotations of the CustomResourceDefinition.

use crdkit_core::rules::metadata::{annotation_key_is_qualified, label_key_is_qualified, label_value_is_valid};
use darling::{Error, FromMeta, Result, ast::NestedMeta};
use syn::Meta;

use super::{
    items,
    text::{Text, check_result},
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
            key: key.checked(|key| check_result(label_key_is_qualified(key)))?,
            value: value.checked(|value| check_result(label_value_is_valid(value)))?,
        })
    }
}

impl FromMeta for Annotation {
    fn from_meta(item: &Meta) -> Result<Self> {
        let [key, value] = pair("annotation", item)?;
        Ok(Self { key: key.checked(|key| check_result(annotation_key_is_qualified(key)))?, value })
    }
}

fn pair(key_name: &str, item: &Meta) -> Result<[Text; 2]> {
    let expected = || {
        Error::custom(format!("expected a key and a value: `{key_name}(\"example.com/key\", \"value\")`"))
            .with_span(item)
    };
    let Meta::List(list) = item else {
        return Err(expected());
    };
    let mut errors = Error::accumulator();
    let nested = items::parse_nested(&list.tokens, &mut errors);
    errors.finish()?;
    match nested.as_slice() {
        [NestedMeta::Lit(key), NestedMeta::Lit(value)] => match (Text::from_lit(key), Text::from_lit(value)) {
            (Some(key), Some(value)) => Ok([key, value]),
            _ => Err(expected()),
        },
        _ => Err(expected()),
    }
}

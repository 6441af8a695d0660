//! Labels and annotations of the CustomResourceDefinition.

use crdkit_core::rules::metadata::{m5_annotation_key, m5_label_key, m5_label_value};
use darling::{Error, FromMeta, Result, ast::NestedMeta};
use syn::Meta;

use super::{
    items,
    text::{Text, rule},
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
            key: key.checked(|key| rule(m5_label_key(key)))?,
            value: value.checked(|value| rule(m5_label_value(value)))?,
        })
    }
}

impl FromMeta for Annotation {
    fn from_meta(item: &Meta) -> Result<Self> {
        let [key, value] = pair("annotation", item)?;
        Ok(Self { key: key.checked(|key| rule(m5_annotation_key(key)))?, value })
    }
}

fn pair(what: &str, item: &Meta) -> Result<[Text; 2]> {
    let form = || {
        Error::custom(format!("expected a key and a value: `{what}(\"example.com/key\", \"value\")`")).with_span(item)
    };
    let Meta::List(list) = item else {
        return Err(form());
    };
    let mut errors = Error::accumulator();
    let nested = items::nested(&list.tokens, &mut errors);
    errors.finish()?;
    match nested.as_slice() {
        [NestedMeta::Lit(key), NestedMeta::Lit(value)] => match (Text::of_lit(key), Text::of_lit(value)) {
            (Some(key), Some(value)) => Ok([key, value]),
            _ => Err(form()),
        },
        _ => Err(form()),
    }
}

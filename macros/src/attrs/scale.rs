//! The scale subresource: its paths on the type, its roles on fields.

use darling::{Error, FromMeta, Result, ast::NestedMeta};
use proc_macro2::Span;
use syn::{Lit, Meta, spanned::Spanned};

use super::{
    items,
    json_path::JsonPath,
    printer_column::{json_object, json_string},
    text::Text,
};

/// `scale(...)`, or a bare `scale` whose paths fields give.
#[derive(Clone, Debug)]
pub(crate) enum Scale {
    Paths(ScalePaths),
    Fields(Span),
}

/// The paths of the scale subresource.
#[derive(Clone, Debug)]
pub(crate) struct ScalePaths {
    pub(crate) spec_replicas: JsonPath,
    pub(crate) status_replicas: JsonPath,
    pub(crate) label_selector: Option<JsonPath>,
}

const KEYS: &[&str] = &[
    "spec_replicas_path",
    "status_replicas_path",
    "label_selector_path",
];
const JSON_KEYS: &[&str] = &[
    "specReplicasPath",
    "statusReplicasPath",
    "labelSelectorPath",
];

impl FromMeta for ScalePaths {
    fn from_list(nested: &[NestedMeta]) -> Result<Self> {
        let mut errors = Error::accumulator();
        let (mut spec, mut status, mut selector) = (None, None, None);
        let mut written = Vec::new();
        for item in &items::metas(nested, &mut errors) {
            let key = items::name(item);
            match key.as_str() {
                "spec_replicas_path" => items::once(&mut spec, item, &mut errors),
                "status_replicas_path" => items::once(&mut status, item, &mut errors),
                "label_selector_path" => items::once(&mut selector, item, &mut errors),
                _ => errors.push(items::unknown(item, KEYS)),
            }
            written.push(key);
        }
        for (key, example) in [(KEYS[0], ".spec.replicas"), (KEYS[1], ".status.replicas")] {
            if !written.iter().any(|name| name == key) {
                errors.push(items::missing(key, &format!("{key} = \"{example}\"")));
            }
        }
        errors.finish()?;
        match (spec, status) {
            (Some(spec), Some(status)) => Self::checked(spec, status, selector),
            _ => Err(Error::custom("the scale subresource is incomplete")),
        }
    }

    fn from_value(lit: &Lit) -> Result<Self> {
        let text = Text::from_value(lit)?;
        Self::from_json(&text).map_err(|error| error.with_span(lit))
    }
}

impl ScalePaths {
    fn from_json(text: &Text) -> Result<Self> {
        let object = json_object(text, JSON_KEYS)?;
        let path = |key: &str| {
            json_string(&object, key, text)?
                .map(JsonPath::new)
                .transpose()
        };
        let needed =
            |key: &str| path(key)?.ok_or_else(|| Error::custom(format!("the JSON has no `{key}`")));
        Self::checked(
            needed(JSON_KEYS[0])?,
            needed(JSON_KEYS[1])?,
            path(JSON_KEYS[2])?,
        )
    }

    fn checked(
        spec_replicas: JsonPath,
        status_replicas: JsonPath,
        label_selector: Option<JsonPath>,
    ) -> Result<Self> {
        let mut errors = Error::accumulator();
        errors.handle(below(&spec_replicas, &["spec"]));
        errors.handle(below(&status_replicas, &["status"]));
        if let Some(selector) = &label_selector {
            errors.handle(below(selector, &["spec", "status"]));
        }
        errors.finish_with(Self {
            spec_replicas,
            status_replicas,
            label_selector,
        })
    }
}

fn below(path: &JsonPath, roots: &[&str]) -> Result<()> {
    let error = |message: String| Err(Error::custom(message).with_span(&path.span()));
    if !roots.iter().any(|root| path.is_below(root)) {
        return error(format!(
            "`{}` does not lead below `.{}`, where the scale subresource looks",
            path.as_str(),
            roots.join("` or `.")
        ));
    }
    if !path.is_plain() {
        return error(format!(
            "`{}` is more than names of fields: the scale subresource follows nothing else",
            path.as_str()
        ));
    }
    Ok(())
}

impl FromMeta for Scale {
    fn from_meta(item: &Meta) -> Result<Self> {
        match item {
            Meta::Path(path) => Ok(Self::Fields(path.span())),
            _ => ScalePaths::from_meta(item).map(Self::Paths),
        }
    }
}

/// `scale(replicas)`, `scale(status_replicas)` or `scale(label_selector)` on a field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldScale {
    pub(crate) role: ScaleRole,
    pub(crate) span: Span,
}

/// What a field is to the scale subresource.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ScaleRole {
    Replicas,
    StatusReplicas,
    LabelSelector,
}

impl FromMeta for FieldScale {
    fn from_list(nested: &[NestedMeta]) -> Result<Self> {
        let [NestedMeta::Meta(Meta::Path(path))] = nested else {
            return Err(Self::expected());
        };
        let role = match path.get_ident().map(ToString::to_string).as_deref() {
            Some("replicas") => ScaleRole::Replicas,
            Some("status_replicas") => ScaleRole::StatusReplicas,
            Some("label_selector") => ScaleRole::LabelSelector,
            _ => return Err(Self::expected().with_span(path)),
        };
        Ok(Self {
            role,
            span: path.span(),
        })
    }

    fn from_word() -> Result<Self> {
        Err(Self::expected())
    }
}

impl FieldScale {
    fn expected() -> Error {
        Error::custom(
            "expected one of `scale(replicas)`, `scale(status_replicas)` and `scale(label_selector)`",
        )
    }
}

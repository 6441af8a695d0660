//! The scale subresource: its paths on the type, its roles on fields.

use crdkit_core::{
    Violation,
    rules::subresources::{
        selector_path_is_in_spec_or_status, spec_replicas_path_is_in_spec, status_replicas_path_is_in_status,
    },
};
use darling::{Error, FromMeta, Result};
use proc_macro2::Span;
use syn::{Meta, MetaList, spanned::Spanned};

use super::{
    items, json,
    json_path::JsonPath,
    key::{Key, keys},
    text::{FromText, Text, check_result},
};

/// `scale(...)`, or a bare `scale` whose paths come from fields.
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

keys! {
    PathKey {
        SpecReplicas = "spec_replicas_path",
        StatusReplicas = "status_replicas_path",
        LabelSelector = "label_selector_path",
    }

    /// The keys of the JSON form.
    JsonKey {
        SpecReplicas = "specReplicasPath",
        StatusReplicas = "statusReplicasPath",
        LabelSelector = "labelSelectorPath",
    }

    /// The role of a field in the scale subresource.
    ScaleRole { Replicas = "replicas", StatusReplicas = "status_replicas", LabelSelector = "label_selector" }
}

impl FromMeta for ScalePaths {
    fn from_meta(item: &Meta) -> Result<Self> {
        match item {
            Meta::List(list) => Self::from_items(item, list),
            Meta::NameValue(value) => match Text::literal(&value.value) {
                Some(text) => Self::from_json(&text),
                None => Err(Self::expected(item)),
            },
            Meta::Path(_) => Err(Self::expected(item)),
        }
    }
}

impl ScalePaths {
    fn expected(item: &Meta) -> Error {
        Error::custom(
            "expected `scale(spec_replicas_path = \".spec.replicas\", status_replicas_path = \
             \".status.replicas\")`; with `#[crd(scale)]` fields can give the paths",
        )
        .with_span(item)
    }

    fn from_items(item: &Meta, list: &MetaList) -> Result<Self> {
        let mut errors = Error::accumulator();
        let (mut spec, mut status, mut selector) = (None, None, None);
        for item in &items::parse_list(list, &mut errors) {
            match (PathKey::of(item), ScaleRole::of(item)) {
                (Some(PathKey::SpecReplicas), _) => items::parse_once(&mut spec, item, &mut errors),
                (Some(PathKey::StatusReplicas), _) => items::parse_once(&mut status, item, &mut errors),
                (Some(PathKey::LabelSelector), _) => items::parse_once(&mut selector, item, &mut errors),
                (None, Some(role)) => errors.push(role_on_type(role.name(), item)),
                (None, None) => errors.push(items::unknown(item, &PathKey::names())),
            }
        }
        if items::no_errors(&mut errors) {
            let spec_path = "spec_replicas_path = \".spec.replicas\"";
            let status_path = "status_replicas_path = \".status.replicas\"";
            let keys = [
                (PathKey::SpecReplicas.name(), spec_path, spec.is_some()),
                (PathKey::StatusReplicas.name(), status_path, status.is_some()),
            ];
            let missing = items::missing_keys(&keys, str::to_owned);
            errors.extend(missing.map(|message| Error::custom(message).with_span(item)));
        }
        errors.finish()?;
        match (spec, status) {
            (Some(spec), Some(status)) => Self::checked(spec, status, selector),
            _ => Err(Error::custom("the scale subresource is incomplete")),
        }
    }

    fn from_json(text: &Text) -> Result<Self> {
        let object = json::object(text)?;
        let required_path = |key| json::required_string(&object, key, text).and_then(JsonPath::from_text);
        let selector = json::string(&object, JsonKey::LabelSelector, text)?;
        Self::checked(
            required_path(JsonKey::SpecReplicas)?,
            required_path(JsonKey::StatusReplicas)?,
            selector.map(JsonPath::from_text).transpose()?,
        )
    }

    fn checked(spec_replicas: JsonPath, status_replicas: JsonPath, label_selector: Option<JsonPath>) -> Result<Self> {
        let mut errors = Error::accumulator();
        errors.handle(check_path(&spec_replicas, spec_replicas_path_is_in_spec));
        errors.handle(check_path(&status_replicas, status_replicas_path_is_in_status));
        if let Some(selector) = &label_selector {
            errors.handle(check_path(selector, selector_path_is_in_spec_or_status));
        }
        errors.finish_with(Self { spec_replicas, status_replicas, label_selector })
    }
}

fn role_on_type(role: &str, item: &Meta) -> Error {
    Error::custom(format!(
        "`{role}` applies to fields: write the paths, `scale(spec_replicas_path = \"...\", status_replicas_path = \
         \"...\")`, or `#[crd(scale)]` here and `#[crd(scale({role}))]` on the field"
    ))
    .with_span(item.path())
}

fn check_path(path: &JsonPath, check: fn(&str) -> std::result::Result<(), Violation<'_>>) -> Result<()> {
    let text = path.as_str();
    let result = if path.is_simple() {
        check_result(check(text))
    } else {
        Err(format!("`{text}` contains more than field names, which the scale subresource does not support"))
    };
    result.map_err(|message| Error::custom(message).with_span(&path.span()))
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

impl FromMeta for FieldScale {
    fn from_meta(item: &Meta) -> Result<Self> {
        let mut errors = Error::accumulator();
        let items = match item {
            Meta::List(list) => items::parse_list(list, &mut errors),
            _ => Vec::new(),
        };
        errors.finish()?;
        let path = match items.as_slice() {
            [Meta::Path(path)] => path,
            [other] => return Err(Self::expected(other.path())),
            _ => return Err(Self::expected(item.path())),
        };
        let role = path.get_ident().and_then(|name| ScaleRole::from_name(&name.to_string()));
        let role = role.ok_or_else(|| Self::expected(path))?;
        Ok(Self { role, span: path.span() })
    }
}

impl FieldScale {
    fn expected(path: &syn::Path) -> Error {
        Error::custom("expected one of `scale(replicas)`, `scale(status_replicas)` and `scale(label_selector)`")
            .with_span(path)
    }
}

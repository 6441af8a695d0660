//! Default values of fields, and whether fields may be omitted.

mod mistakes;

pub(super) use mistakes::mistakes;

use serde_derive_internals::{ast::Field as SerdeField, attr::Default as SerdeDefault};
use syn::{ExprPath, spanned::Spanned};

use super::{Presence, known_type, names::json_name, resolver::Resolver};
use crate::{
    attrs::{default::DefaultAttr, field::FieldAttrs},
    model::{
        keyword::{self, Default, DefaultValue, Keyword},
        schema_source::SchemaSource,
    },
};

impl Resolver<'_> {
    pub(super) fn presence(&self, field: &SerdeField, attrs: &FieldAttrs) -> Presence {
        let has_default = !self.container.attrs.default().is_none() || !field.attrs.default().is_none();
        if has_default {
            Presence::Optional
        } else if attrs.default.is_some() {
            Presence::Defaulted
        } else if attrs.schemars.validation.required {
            Presence::Required
        } else if field.attrs.deserialize_with().is_some() {
            Presence::Present // serde lets an `Option` be omitted only if it deserializes it itself
        } else {
            Presence::Inferred
        }
    }

    /// The default in the schema: `#[crd(default = ...)]`, or else the default of serde.
    pub(super) fn default(&self, field: &SerdeField, attr: Option<DefaultAttr>) -> Option<Keyword> {
        match attr {
            Some(attr) => {
                let serialize_with = field.attrs.serialize_with().cloned();
                Some(keyword::default(attr, serialize_with))
            }
            None => self.serde_default(field).and_then(as_literal),
        }
    }

    fn serde_default(&self, field: &SerdeField) -> Option<Default> {
        if field.attrs.skip_serializing() || field.attrs.flatten() {
            return None;
        }
        let value = self.default_value(field)?;
        let skip_if = field.attrs.skip_serializing_if();
        if matches!(value, DefaultValue::Type(_)) && skip_if.is_some_and(is_empty_predicate) {
            return None;
        }
        Some(Default { value, skip_if: skip_if.cloned(), serialize_with: field.attrs.serialize_with().cloned() })
    }

    fn default_value(&self, field: &SerdeField) -> Option<DefaultValue> {
        let member = |container: Option<ExprPath>| DefaultValue::Member { container, member: field.member.clone() };
        match (field.attrs.default(), self.container.attrs.default()) {
            (SerdeDefault::Path(path), _) => Some(DefaultValue::Function(path.clone())),
            (SerdeDefault::Default, _) => Some(DefaultValue::Type(field.ty.clone())),
            (SerdeDefault::None, SerdeDefault::Path(path)) => Some(member(Some(path.clone()))),
            (SerdeDefault::None, SerdeDefault::Default) => Some(member(None)),
            (SerdeDefault::None, SerdeDefault::None) => None,
        }
    }
}

/// The names besides that of the schema under which serde reads a field; none if it does not read the field under that name.
pub(super) fn aliases(field: &SerdeField) -> Option<Vec<String>> {
    let in_schema = json_name(field);
    let (same, others): (Vec<_>, Vec<_>) =
        field.attrs.aliases().iter().map(|name| name.value.clone()).partition(|name| *name == in_schema);
    (!same.is_empty() && !field.attrs.skip_deserializing()).then_some(others)
}

/// The default, as a literal if the type has a known one; none for an `Option`, whose default is null.
fn as_literal(default: Default) -> Option<Keyword> {
    let DefaultValue::Type(ty) = &default.value else {
        return Some(Keyword::Default(default));
    };
    if default.skip_if.is_some() || default.serialize_with.is_some() {
        return Some(Keyword::Default(default));
    }
    let source = SchemaSource::new(ty, None);
    match known_type::default(&source) {
        _ if source.is_optional() => None,
        Some(constant) => Some(Keyword::DefaultLiteral(constant, ty.span())),
        None => Some(Keyword::Default(default)),
    }
}

/// Whether a predicate of the standard library holds for the default of its type.
///
/// Such a default is never serialized. Detecting it here avoids the generated code for it.
fn is_empty_predicate(predicate: &ExprPath) -> bool {
    const EMPTY: &[&str] = &["Vec", "String", "BTreeMap", "HashMap", "BTreeSet", "HashSet"];
    let path = &predicate.path;
    match path.segments.iter().collect::<Vec<_>>()[..] {
        [ty, function] if predicate.qself.is_none() && path.leading_colon.is_none() => {
            function.ident == "is_empty" && EMPTY.iter().any(|name| ty.ident == name)
                || function.ident == "is_none" && ty.ident == "Option"
        }
        _ => false,
    }
}

//! Resolves the fields and variants of a type.

use std::collections::HashMap;

use darling::Error;
use proc_macro2::{Ident, Span};
use serde_derive_internals::{
    Ctxt, Derive,
    ast::{Container, Data, Field as SerdeField, Style},
    attr::{self, TagType},
};
use syn::{DeriveInput, Type, spanned::Spanned};

use super::{
    Body, Check, CheckKind, Column, ConstChecks, Embedded, Presence, SchemaField, checks, default, hidden,
    misplaced_attributes,
    names::{json_name, rust_name},
    relations,
};
use crate::{
    attrs::{Errors, field::FieldAttrs, keywords::Scalar, serde_or_schemars},
    model::{
        keyword::{self, Keyword},
        schema_source::SchemaSource,
    },
};

/// The form of the type's schema, by the attributes of serde.
pub(super) fn body(
    input: &DeriveInput,
    effective: &DeriveInput,
    is_transformed: bool,
    checks: &mut ConstChecks,
    errors: &mut Errors,
) -> Body {
    if matches!(input.data, syn::Data::Union(_)) {
        errors.push(Error::custom("a union has no schema: serde does not support unions").with_span(&input.ident));
        return Body::Unknown;
    }
    let context = Ctxt::new();
    let private = Ident::new("__private", Span::call_site());
    let container = Container::from_ast(&context, effective, Derive::Deserialize, &private);
    // Serde's own derive reports these errors.
    let (Ok(()), Some(container)) = (context.check(), container) else {
        return Body::Unknown;
    };
    let nothing = syn::Fields::Unit;
    let resolver = Resolver {
        input,
        container: &container,
        fields: match &input.data {
            syn::Data::Struct(data) => &data.fields,
            _ => &nothing,
        },
        is_transformed,
    };
    resolver.body(checks, errors)
}

/// The attributes of serde on the type.
pub(super) fn container(effective: &DeriveInput) -> attr::Container {
    let context = Ctxt::new();
    let attrs = attr::Container::from_ast(&context, effective);
    let _ = context.check(); // reported by serde
    attrs
}

/// Resolves the fields and variants of a type, from serde's model and the user's tokens.
pub(super) struct Resolver<'a> {
    pub(super) input: &'a DeriveInput,
    pub(super) container: &'a Container<'a>,
    /// The fields of the struct or variant, with all attributes.
    pub(super) fields: &'a syn::Fields,
    /// Whether the type has `#[schemars(transform = ...)]`.
    pub(super) is_transformed: bool,
}

impl Resolver<'_> {
    fn body(&self, checks: &mut ConstChecks, errors: &mut Errors) -> Body {
        let attrs = &self.container.attrs;
        if let Some(from) = attrs.type_from().or(attrs.type_try_from()) {
            misplaced_attributes::all_fields(self.input, errors);
            checks.hidden_types.extend(hidden::hidden_types(self.input));
            let source = SchemaSource::new(from, None);
            checks.structural_types.extend(source.possibly_non_structural());
            return Body::Newtype(Box::new(source), Vec::new());
        }
        match &self.container.data {
            Data::Enum(variants) => self.enumeration(variants, checks, errors),
            Data::Struct(Style::Struct, fields) if !attrs.transparent() => {
                let mut fields = self.object(fields, checks, errors);
                fields.extend(self.tag());
                Body::Object(fields)
            }
            Data::Struct(Style::Tuple, fields) if !attrs.transparent() => {
                let items = self.tuple(fields, checks, errors);
                let span = self.input.ident.span();
                checks.attr_checks.push(Check::new(0, span, CheckKind::Tuple));
                Body::Tuple(items)
            }
            Data::Struct(Style::Newtype | Style::Struct | Style::Tuple, fields) => {
                match self.newtype(fields, checks, errors) {
                    Some((source, keywords)) => Body::Newtype(Box::new(source), keywords),
                    None => Body::Unknown,
                }
            }
            Data::Struct(Style::Unit, _) => Body::Null,
        }
    }

    /// The field of `#[serde(tag = "...")]` on a struct, which is optional when it is deserialized.
    fn tag(&self) -> Option<SchemaField> {
        let attrs = &self.container.attrs;
        let TagType::Internal { tag } = attrs.tag() else {
            return None;
        };
        if attrs.deny_unknown_fields() {
            return None; // serde serializes the tag, and rejects it when it deserializes
        }
        let name = attrs.name().deserialize_name().value.clone();
        Some(SchemaField {
            name: Some(tag.clone()),
            ident: String::new(),
            source: SchemaSource::Type(syn::parse_quote!(::std::string::String)),
            presence: Presence::Optional,
            aliases: Vec::new(),
            filled_in: false,
            immutable: false,
            keywords: vec![Keyword::Enum(vec![Scalar::Text(name)])],
            columns: Vec::new(),
            selectable: false,
            scale: Vec::new(),
        })
    }

    pub(super) fn reject(&self, message: &str, errors: &mut Errors) -> Body {
        errors.push(Error::custom(message).with_span(&self.input.ident));
        Body::Unknown
    }

    /// The value of a newtype; none for a transparent struct without fields, which serde reports.
    pub(super) fn newtype(
        &self,
        fields: &[SerdeField],
        checks: &mut ConstChecks,
        errors: &mut Errors,
    ) -> Option<(SchemaSource, Vec<Keyword>)> {
        let transparent = fields.iter().find(|field| field.attrs.transparent());
        let field = transparent.or(fields.first())?;
        let attrs = self.field_attrs(field, errors);
        misplaced_attributes::markers(&attrs, errors);
        misplaced_attributes::default(&attrs, errors);
        misplaced_attributes::relations(&attrs, errors);
        if attrs.schemars.validation.required {
            errors.push(
                Error::custom("`required` applies only to named fields: here, write the type without `Option`")
                    .with_span(field.ty),
            );
        }
        let source = self.source(field, &attrs, errors);
        checks.hidden_types.extend(self.hidden(field, &attrs));
        checks.embedded_types.extend(self.embedded(field, &attrs));
        checks.structural_types.extend(source.possibly_non_structural());
        let validation = &attrs.schemars.validation;
        checks.attr_checks.extend(checks::value_checks(&attrs.keywords, validation, &attrs.rules, &source));
        let (mut keywords, patches) = value_keywords(attrs);
        keywords.extend(patches);
        Some((source, keywords))
    }

    /// The items of a tuple.
    pub(super) fn tuple(
        &self,
        fields: &[SerdeField],
        checks: &mut ConstChecks,
        errors: &mut Errors,
    ) -> Vec<SchemaSource> {
        let mut items = Vec::new();
        for field in fields.iter().filter(|field| !field.attrs.skip_deserializing()) {
            let attrs = self.field_attrs(field, errors);
            misplaced_attributes::on_tuple_item(&attrs, errors);
            misplaced_attributes::schema_size(&attrs, errors);
            let source = self.source(field, &attrs, errors);
            checks.structural_types.extend(source.possibly_non_structural());
            items.push(source);
            checks.hidden_types.extend(self.hidden(field, &attrs));
        }
        items
    }

    pub(super) fn object(
        &self,
        fields: &[SerdeField],
        checks: &mut ConstChecks,
        errors: &mut Errors,
    ) -> Vec<SchemaField> {
        let mut resolved: Vec<SchemaField> = Vec::new();
        let mut spans = HashMap::new();
        let mut relations = Vec::new();
        for field in fields {
            let mut attrs = self.field_attrs(field, errors);
            if field.attrs.skip_deserializing() {
                misplaced_attributes::all(&attrs, errors);
                continue;
            }
            let index = resolved.len();
            if !field.attrs.flatten() {
                relations.push((index, std::mem::take(&mut attrs.relations)));
            }
            let mut new = self.field(field, attrs, index, checks, errors);
            new.source.share_span(&mut spans);
            resolved.push(new);
        }
        self.check_field_names(fields, errors);
        relations::add_field_relations(relations, &mut resolved, checks, errors);
        resolved
    }

    /// The attributes of a field.
    fn field_attrs(&self, field: &SerdeField, errors: &mut Errors) -> FieldAttrs {
        FieldAttrs::parse(self.original(field), errors)
    }

    pub(super) fn original(&self, field: &SerdeField) -> &syn::Field {
        self.fields
            .members()
            .zip(self.fields)
            .find(|(member, _)| *member == field.member)
            .map(|(_, field)| field)
            .expect("serde sees the same fields")
    }

    fn field(
        &self,
        field: &SerdeField,
        attrs: FieldAttrs,
        index: usize,
        checks: &mut ConstChecks,
        errors: &mut Errors,
    ) -> SchemaField {
        let mut source = self.source(field, &attrs, errors);
        checks.hidden_types.extend(self.hidden(field, &attrs));
        checks.embedded_types.extend(self.embedded(field, &attrs));
        checks.structural_types.extend(source.possibly_non_structural());
        if field.attrs.flatten() {
            misplaced_attributes::on_flattened(&attrs, errors);
            if attrs.schemars.validation.required {
                source = source.required();
            }
            let span = self.original(field).ident.span();
            checks.attr_checks.extend(checks::flattened_check(&source, index, span));
            checks.attr_checks.extend(self.replaced_flattened_check(field, &attrs, index));
        } else {
            misplaced_attributes::unsupported_names(&attrs, &json_name(field), errors);
            checks.attr_checks.extend(checks::field_checks(&attrs, &source, index));
        }
        misplaced_attributes::default_of_required(&attrs, errors);
        let presence = self.presence(field, &attrs);
        if let Some(key) = self.left_out_by(field) {
            checks.attr_checks.extend(checks::left_out_check(key, presence, &source, index));
        }
        let aliases = default::aliases(field);
        let filled_in = attrs.default.is_some() && aliases.is_some();
        let columns = attrs.columns.iter().map(|column| Column::new(column, field)).collect();
        let (selectable, scale) = (attrs.selectable.is_some(), attrs.scale.clone());
        let keywords = self.field_keywords(field, attrs);
        for (mistake, span) in default::mistakes(&keywords) {
            errors.push(Error::custom(mistake).with_span(&span));
        }
        SchemaField {
            name: (!field.attrs.flatten()).then(|| json_name(field)),
            ident: rust_name(field),
            source,
            presence,
            aliases: aliases.unwrap_or_default(),
            filled_in,
            immutable: false,
            keywords,
            columns,
            selectable,
            scale,
        }
    }

    /// The key because of which serde leaves the field out when it serializes, and its span.
    fn left_out_by(&self, field: &SerdeField) -> Option<(&'static str, Span)> {
        let key = if field.attrs.skip_serializing() {
            "skip_serializing"
        } else {
            field.attrs.skip_serializing_if().map(|_| "skip_serializing_if")?
        };
        let item = serde_or_schemars::find(&self.original(field).attrs, key)?;
        Some((key, item.span()))
    }

    /// The check of a flattened field whose type has another schema, unless a function reads or writes it.
    fn replaced_flattened_check(&self, field: &SerdeField, attrs: &FieldAttrs, index: usize) -> Option<Check> {
        if field.attrs.deserialize_with().is_some() || field.attrs.serialize_with().is_some() {
            return None;
        }
        let ty = SchemaSource::new(field.ty, None).required();
        match (self.hidden(field, attrs)?, ty) {
            (ty, SchemaSource::Type(_)) => {
                let span = self.original(field).ident.span();
                Some(checks::replaced_flattened_check(ty, index, span))
            }
            _ => None,
        }
    }

    fn hidden(&self, field: &SerdeField, attrs: &FieldAttrs) -> Option<Type> {
        let is_hidden = attrs.overrides_schema();
        is_hidden.then(|| hidden::hidden_type(self.input, field.ty))?
    }

    /// The type of a field with `embed`.
    fn embedded(&self, field: &SerdeField, attrs: &FieldAttrs) -> Option<Embedded> {
        let embed = attrs.size.embed.as_ref()?;
        let source = SchemaSource::new(field.ty, attrs.schemars.schema.as_ref());
        let is_generic = !self.input.generics.params.is_empty();
        let ty = source.leaf_type().filter(|_| !is_generic)?;
        Some(Embedded { ty: ty.clone(), mode: embed.mode, span: embed.span })
    }

    fn field_keywords(&self, field: &SerdeField, mut attrs: FieldAttrs) -> Vec<Keyword> {
        let default = self.default(field, attrs.default.take());
        let (mut keywords, patches) = value_keywords(attrs);
        keywords.extend(default);
        keywords.extend(patches);
        keywords
    }
}

/// The keywords of a field's value, and those that change the rendered schema and so come last.
fn value_keywords(attrs: FieldAttrs) -> (Vec<Keyword>, Vec<Keyword>) {
    let preserves_unknown_fields = attrs.preserves_unknown_fields();
    let (mut keywords, patches) = keyword::value_keywords(attrs.schemars, attrs.keywords, attrs.rules);
    if preserves_unknown_fields {
        keywords.push(Keyword::PreserveUnknownFields);
    }
    keywords.extend(keyword::schema_size(attrs.size));
    (keywords, patches)
}

//! A type that has a schema.

use darling::Error;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use serde_derive_internals::{
    Ctxt, Derive,
    ast::{Container, Data, Field as SerdeField, Style, Variant as SerdeVariant},
    attr::{Default as SerdeDefault, TagType},
};
use syn::{DeriveInput, ExprPath, Generics, Type, spanned::Spanned};

use super::{
    crates::Crates,
    keyword::{self, Default, DefaultValue, Keyword},
    source::Source,
};
use crate::attrs::{
    Errors,
    docs::Docs,
    field::FieldAttrs,
    merge_strategy::{ListMerge, MergeStrategy},
    printer_column::FieldColumn,
    scale::FieldScale,
    schemars::{Annotations, Override},
    serde,
    type_attrs::{self, TypeAttrs},
};

/// A type that has a schema.
pub(crate) struct SchemaType {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) crates: Crates,
    pub(crate) cel: bool,
    pub(crate) body: Body,
    pub(crate) keywords: Vec<Keyword>,
    pub(crate) checks: Vec<Check>,
}

/// What kind of value the type is.
pub(crate) enum Body {
    Object(Vec<Field>),
    Enum(Vec<Variant>),
    Newtype(Source),
    /// Nothing that could be read: errors were reported.
    Unknown,
}

/// A field of an object.
pub(crate) struct Field {
    /// The name in JSON; none where the field's own fields take its place.
    pub(crate) name: Option<String>,
    pub(crate) source: Source,
    pub(crate) span: Span,
    pub(crate) presence: Presence,
    pub(crate) keywords: Vec<Keyword>,
    pub(crate) columns: Vec<Column>,
    pub(crate) selectable: bool,
    pub(crate) scale: Vec<FieldScale>,
}

/// Whether a field must be there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Inferred,
    Optional,
    Required,
}

/// A column with the name that the field gives it.
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) attrs: FieldColumn,
}

/// A string that an enum may be.
pub(crate) struct Variant {
    pub(crate) name: String,
    pub(crate) description: String,
}

/// What is checked about a field's type while compiling.
pub(crate) struct Check {
    pub(crate) field: usize,
    pub(crate) span: Span,
    pub(crate) kind: CheckKind,
}

/// The demand of an attribute towards its field's type.
pub(crate) enum CheckKind {
    Column,
    Selectable,
    Scale(crate::attrs::scale::ScaleRole),
    ListMapKeys,
    ListSet,
}

impl SchemaType {
    /// Reads a type; mistakes are in `errors`, and what could not be read is left out.
    pub(crate) fn resolve(input: &DeriveInput, errors: &mut Errors) -> Self {
        let attrs = TypeAttrs::parse(input, errors);
        let mut keywords = Vec::new();
        let (early, late) = keyword::annotations(attrs.schemars.annotations);
        keywords.extend(early);
        keywords.extend(attrs.rules.into_iter().map(keyword::rule));
        keywords.extend(late);
        let effective = serde::effective(input, errors);
        let mut checks = Vec::new();
        let body = match &attrs.schemars.schema {
            Some(schema) => Body::Newtype(overridden(schema)),
            None => body(input, &effective, &mut checks, errors),
        };
        Self {
            ident: input.ident.clone(),
            generics: bounded(input, &body),
            crates: Crates::resolve(attrs.crates),
            cel: attrs.cel,
            body,
            keywords,
            checks,
        }
    }
}

fn overridden(schema: &Override) -> Source {
    match schema {
        Override::Type(ty) => Source::new(ty, None),
        Override::Function(function) => Source::Function(function.clone()),
    }
}

fn body(input: &DeriveInput, effective: &DeriveInput, checks: &mut Vec<Check>, errors: &mut Errors) -> Body {
    if matches!(input.data, syn::Data::Union(_)) {
        errors.push(
            Error::custom("a union has no JSON form, and so no schema").with_span(&input.ident),
        );
        return Body::Unknown;
    }
    let context = Ctxt::new();
    let private = Ident::new("__private", Span::call_site());
    let container = Container::from_ast(&context, effective, Derive::Deserialize, &private);
    // Serde's own derive reports these.
    let (Ok(()), Some(container)) = (context.check(), container) else {
        return Body::Unknown;
    };
    Reader {
        input,
        container: &container,
    }
    .body(checks, errors)
}

/// Reads the members of a type, with serde's view beside the user's tokens.
struct Reader<'a> {
    input: &'a DeriveInput,
    container: &'a Container<'a>,
}

impl Reader<'_> {
    fn body(&self, checks: &mut Vec<Check>, errors: &mut Errors) -> Body {
        let attrs = &self.container.attrs;
        if let Some(from) = attrs.type_from().or(attrs.type_try_from()) {
            return Body::Newtype(Source::new(from, None));
        }
        match &self.container.data {
            Data::Enum(variants) => self.enumeration(variants, errors),
            Data::Struct(Style::Struct, fields) if !attrs.transparent() => {
                self.object(fields, checks, errors)
            }
            Data::Struct(Style::Newtype | Style::Struct, fields) => {
                self.newtype(fields, errors)
            }
            Data::Struct(Style::Tuple, fields) if attrs.transparent() => self.newtype(fields, errors),
            Data::Struct(Style::Tuple, _) => self.refuse(
                "a tuple struct has no structural schema: give the fields names, or write \
                 `#[schemars(with = \"Type\")]` on the type",
                errors,
            ),
            Data::Struct(Style::Unit, _) => self.refuse(
                "a unit struct is `null` in JSON, which has no structural schema: write \
                 `struct Name {}` for an object without fields",
                errors,
            ),
        }
    }

    fn refuse(&self, message: &str, errors: &mut Errors) -> Body {
        errors.push(Error::custom(message).with_span(&self.input.ident));
        Body::Unknown
    }

    fn newtype(&self, fields: &[SerdeField], errors: &mut Errors) -> Body {
        let Some(field) = fields.iter().find(|field| field.attrs.transparent()).or(fields.first())
        else {
            return Body::Unknown; // serde reports a transparent struct without fields
        };
        let attrs = self.field_attrs(field, errors);
        refuse_markers(&attrs, errors);
        let source = self.source(field, &attrs, errors);
        Body::Newtype(source)
    }

    fn object(&self, fields: &[SerdeField], checks: &mut Vec<Check>, errors: &mut Errors) -> Body {
        let mut resolved = Vec::new();
        for field in fields {
            let attrs = self.field_attrs(field, errors);
            if field.attrs.skip_deserializing() {
                refuse_markers(&attrs, errors);
                continue;
            }
            resolved.push(self.field(field, attrs, resolved.len(), checks, errors));
        }
        if self.has_type_parameters() {
            checks.clear(); // left to the generated test of the resource, which knows the arguments
        }
        Body::Object(resolved)
    }

    fn has_type_parameters(&self) -> bool {
        self.input.generics.type_params().next().is_some()
    }

    /// The attributes of a field as the user wrote them.
    fn field_attrs(&self, field: &SerdeField, errors: &mut Errors) -> FieldAttrs {
        FieldAttrs::parse(self.original(field), errors)
    }

    fn original(&self, field: &SerdeField) -> &syn::Field {
        let syn::Data::Struct(data) = &self.input.data else {
            unreachable!("only structs have fields that are read");
        };
        data.fields
            .members()
            .zip(&data.fields)
            .find(|(member, _)| *member == field.member)
            .map(|(_, field)| field)
            .expect("serde sees the same fields")
    }

    fn field(
        &self,
        field: &SerdeField,
        attrs: FieldAttrs,
        index: usize,
        checks: &mut Vec<Check>,
        errors: &mut Errors,
    ) -> Field {
        let source = self.source(field, &attrs, errors);
        if field.attrs.flatten() {
            refuse_markers(&attrs, errors);
        }
        checks.extend(field_checks(&attrs, index));
        let presence = self.presence(field, &attrs);
        let columns = attrs.columns.iter().map(|column| Column::new(column, field)).collect();
        let (selectable, scale) = (attrs.selectable.is_some(), attrs.scale.clone());
        Field {
            name: (!field.attrs.flatten()).then(|| name(field)),
            source,
            span: field.ty.span(),
            presence,
            keywords: self.field_keywords(field, attrs),
            columns,
            selectable,
            scale,
        }
    }

    fn source(&self, field: &SerdeField, attrs: &FieldAttrs, errors: &mut Errors) -> Source {
        if attrs.preserve_unknown_fields {
            return opaque(field.ty);
        }
        let overridden = attrs.schemars.schema.as_ref();
        if overridden.is_none()
            && let Some((path, span)) = &attrs.serde_with
        {
            return with_type(path, *span, errors);
        }
        let source = Source::new(field.ty, overridden);
        if let Some(ty) = source.types()
            && self.mentions_itself(ty)
        {
            errors.push(recursive(&self.input.ident, ty));
            return Source::Any;
        }
        source
    }

    /// Whether a type names the one that it is a field of.
    fn mentions_itself(&self, ty: &Type) -> bool {
        match ty {
            Type::Path(path) => path
                .path
                .get_ident()
                .is_some_and(|ident| *ident == self.input.ident || ident == "Self"),
            _ => false,
        }
    }

    fn presence(&self, field: &SerdeField, attrs: &FieldAttrs) -> Presence {
        let has_default = !self.container.attrs.default().is_none() || !field.attrs.default().is_none();
        if has_default {
            Presence::Optional
        } else if attrs.schemars.validation.required {
            Presence::Required
        } else {
            Presence::Inferred
        }
    }

    fn field_keywords(&self, field: &SerdeField, attrs: FieldAttrs) -> Vec<Keyword> {
        let (mut keywords, late) = keyword::annotations(attrs.schemars.annotations);
        if attrs.preserve_unknown_fields {
            keywords.push(Keyword::Word("PreserveUnknownFields"));
        }
        keywords.extend(keyword::validation(attrs.schemars.validation));
        if let Some(strategy) = attrs.merge_strategy {
            keywords.extend(keyword::merge_strategy(strategy));
        }
        keywords.extend(attrs.rules.into_iter().map(keyword::rule));
        keywords.extend(self.default(field).map(Keyword::Default));
        keywords.extend(late);
        keywords
    }

    fn default(&self, field: &SerdeField) -> Option<Default> {
        if field.attrs.skip_serializing() || field.attrs.flatten() {
            return None;
        }
        Some(Default {
            value: self.default_value(field)?,
            skip_if: field.attrs.skip_serializing_if().cloned(),
            serialize_with: field.attrs.serialize_with().cloned(),
        })
    }

    fn default_value(&self, field: &SerdeField) -> Option<DefaultValue> {
        let member = |container: Option<ExprPath>| DefaultValue::Member {
            container,
            member: field.member.clone(),
        };
        match (field.attrs.default(), self.container.attrs.default()) {
            (SerdeDefault::Path(path), _) => Some(DefaultValue::Function(path.clone())),
            (SerdeDefault::Default, _) => Some(DefaultValue::Type(field.ty.clone())),
            (SerdeDefault::None, SerdeDefault::Path(path)) => Some(member(Some(path.clone()))),
            (SerdeDefault::None, SerdeDefault::Default) => Some(member(None)),
            (SerdeDefault::None, SerdeDefault::None) => None,
        }
    }

    fn enumeration(&self, variants: &[SerdeVariant], errors: &mut Errors) -> Body {
        if let Some(message) = self.no_enumeration(variants) {
            errors.push(message);
            return Body::Unknown;
        }
        let variants: Vec<_> = variants
            .iter()
            .filter(|variant| !variant.attrs.skip_deserializing())
            .map(|variant| {
                let attrs = type_attrs::variant(self.original_variant(variant), errors);
                Variant {
                    name: variant.attrs.name().deserialize_name().value.clone(),
                    description: description(&attrs.annotations),
                }
            })
            .collect();
        if variants.is_empty() {
            return self.refuse("an enum without variants has no value, and so no schema", errors);
        }
        Body::Enum(variants)
    }

    fn original_variant(&self, variant: &SerdeVariant) -> &syn::Variant {
        let syn::Data::Enum(data) = &self.input.data else {
            unreachable!("only enums have variants");
        };
        data.variants
            .iter()
            .find(|original| original.ident == variant.ident)
            .expect("serde sees the same variants")
    }

    /// Why the variants are not strings.
    fn no_enumeration(&self, variants: &[SerdeVariant]) -> Option<Error> {
        let way_out = "not supported yet: derive `schemars::JsonSchema` for this enum, or write \
                       `#[schemars(schema_with = \"...\")]` where it is used";
        let data = variants
            .iter()
            .find(|variant| !matches!(variant.style, Style::Unit) && !variant.attrs.skip_deserializing());
        if let Some(variant) = data {
            return Some(
                Error::custom(format!(
                    "the variant `{}` carries data, and enums with data are {way_out}",
                    variant.ident
                ))
                .with_span(&variant.ident),
            );
        }
        if !matches!(self.container.attrs.tag(), TagType::External) {
            return Some(
                Error::custom(format!(
                    "the variants are not strings in JSON, and enums of another form are {way_out}"
                ))
                .with_span(&self.input.ident),
            );
        }
        None
    }
}

fn name(field: &SerdeField) -> String {
    field.attrs.name().deserialize_name().value.clone()
}

fn description(annotations: &Annotations) -> String {
    match &annotations.docs {
        Docs::Text { description, .. } => description.clone(),
        Docs::Lines(_) => String::new(),
    }
}

/// Any value, but none if the field may be left out.
fn opaque(ty: &Type) -> Source {
    if Source::new(ty, None).is_optional() {
        Source::Optional(Box::new(Source::Any))
    } else {
        Source::Any
    }
}

/// `#[serde(with = "...")]` names a type that stands for the field's, or a module that hides its form.
fn with_type(path: &syn::Path, span: Span, errors: &mut Errors) -> Source {
    let names_a_type = path
        .segments
        .last()
        .is_some_and(|segment| segment.ident.to_string().starts_with(char::is_uppercase));
    if names_a_type {
        return Source::Type(syn::parse_quote!(#path));
    }
    errors.push(
        Error::custom(
            "the functions of this module decide what the field looks like in JSON: say it with \
             `#[schemars(with = \"Type\")]` or `#[schemars(schema_with = \"function\")]`",
        )
        .with_span(&span),
    );
    Source::Any
}

fn recursive(ident: &Ident, ty: &Type) -> Error {
    Error::custom(format!(
        "`{ident}` contains itself, which no structural schema can say: mark this field \
         `#[crd(preserve_unknown_fields)]` to accept any value here"
    ))
    .with_span(ty)
}

fn field_checks(attrs: &FieldAttrs, field: usize) -> Vec<Check> {
    let check = |span: Span, kind: CheckKind| Check { field, span, kind };
    let columns = attrs.columns.iter().map(|column| check(column.span, CheckKind::Column));
    let selectable = attrs.selectable.iter().map(|span| check(*span, CheckKind::Selectable));
    let scale = attrs
        .scale
        .iter()
        .map(|scale| check(scale.span, CheckKind::Scale(scale.role)));
    let mut checks: Vec<_> = columns.chain(selectable).chain(scale).collect();
    match &attrs.merge_strategy {
        Some(MergeStrategy::List(ListMerge::Map(keys))) => {
            let span = keys.first().map_or_else(Span::call_site, |key| key.span());
            checks.push(check(span, CheckKind::ListMapKeys));
        }
        Some(MergeStrategy::List(ListMerge::Set)) => {
            checks.push(check(attrs.merge_strategy_span(), CheckKind::ListSet));
        }
        _ => {}
    }
    checks
}

/// A marker where no resource can read it.
fn refuse_markers(attrs: &FieldAttrs, errors: &mut Errors) {
    let spans = attrs
        .columns
        .iter()
        .map(|column| column.span)
        .chain(attrs.selectable)
        .chain(attrs.scale.iter().map(|scale| scale.span));
    for span in spans {
        errors.push(
            Error::custom("the field has no place of its own in the JSON, so nothing can be read from it")
                .with_span(&span),
        );
    }
}

impl Column {
    fn new(attrs: &FieldColumn, field: &SerdeField) -> Self {
        let name = match &attrs.name {
            Some(name) => name.to_string(),
            None => match &field.member {
                syn::Member::Named(ident) => header(&ident.to_string()),
                syn::Member::Unnamed(_) => String::new(),
            },
        };
        Self {
            name,
            attrs: attrs.clone(),
        }
    }
}

/// `ready_replicas` as the header `Ready-Replicas`: one word, as `kubectl`'s own columns are.
fn header(field: &str) -> String {
    let words = field.trim_start_matches("r#").split('_').filter(|word| !word.is_empty());
    let capitalised = words.map(|word| {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        first.to_uppercase() + rest
    });
    capitalised.collect::<Vec<_>>().join("-")
}

/// The type's generics, with a bound on each parameter that its schema depends on.
fn bounded(input: &DeriveInput, body: &Body) -> Generics {
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.default = None;
    }
    let used = used_idents(body);
    let parameters: Vec<Ident> = generics
        .type_params()
        .map(|parameter| parameter.ident.clone())
        .filter(|ident| used.contains(&ident.to_string()))
        .collect();
    generics.make_where_clause().predicates.extend(
        parameters
            .iter()
            .map(|ident| -> syn::WherePredicate { syn::parse_quote!(#ident: __KubeSchema) }),
    );
    generics
}

fn used_idents(body: &Body) -> Vec<String> {
    let sources: Vec<&Source> = match body {
        Body::Object(fields) => fields.iter().map(|field| &field.source).collect(),
        Body::Newtype(source) => vec![source],
        Body::Enum(_) | Body::Unknown => Vec::new(),
    };
    let mut idents = Vec::new();
    for ty in sources.into_iter().filter_map(Source::types) {
        collect_idents(quote::ToTokens::to_token_stream(ty), &mut idents);
    }
    idents
}

fn collect_idents(tokens: TokenStream, idents: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => idents.push(ident.to_string()),
            TokenTree::Group(group) => collect_idents(group.stream(), idents),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::header;

    #[test]
    fn headers() {
        for (field, expected) in [
            ("phase", "Phase"),
            ("ready_replicas", "Ready-Replicas"),
            ("r#type", "Type"),
            ("_x", "X"),
        ] {
            assert_eq!(header(field), expected);
        }
    }
}

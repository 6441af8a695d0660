//! Variants of enums with data.

use std::collections::HashSet;

use crdkit_core::{literal::cel, shared_schema::variants::tag_not_nameable};
use darling::Error;
use serde_derive_internals::{
    ast::{Style, Variant as SerdeVariant},
    attr::TagType,
};

use super::{
    Check, CheckKind, ConstChecks, Content, SchemaField, Tagging, Variant, VariantKind, checks, field_source, hidden,
    keyword_checks::{self, Target},
    misplaced_attributes, override_source,
    resolver::Resolver,
    variant_placement::VariantPlacement,
};
use crate::{
    attrs::{Errors, field::FieldAttrs, rule::Rule, variant::VariantAttrs},
    model::{
        keyword::{self, DocText, Keyword},
        schema_source::SchemaSource,
    },
};

impl Resolver<'_> {
    /// Resolves the variant at the index `at` of those in the schema.
    pub(super) fn variant(
        &self,
        variant: &SerdeVariant,
        at: usize,
        placement: VariantPlacement,
        checks: &mut ConstChecks,
        errors: &mut Errors,
    ) -> Variant {
        let mut attrs = VariantAttrs::parse(self.original_variant(variant), errors);
        if placement == VariantPlacement::BesideTag {
            self.reject_rules_without_tag(variant, &mut attrs.rules, errors);
        }
        let all_supported = placement.reject_unsupported(&attrs, errors);
        let first = checks.attr_checks.len();
        let mut data = match placement {
            VariantPlacement::NoData => {
                self.reject_on_fields(variant, errors);
                None
            }
            _ => self.data(variant, &attrs, checks, errors),
        };
        if let Some(data) = &mut data {
            self.apply_nested_overrides(data, variant, &attrs, checks, errors);
        }
        // Beside a tag, the rules become those of the enum.
        let (own, shared): (&[Rule], &[Rule]) = match placement {
            VariantPlacement::BesideTag => (&[], &attrs.rules),
            _ => (&attrs.rules, &[]),
        };
        if all_supported && let Some(data) = &data {
            check_all(&attrs, own, data, first, checks);
        }
        for check in &mut checks.attr_checks[first..] {
            check.variant = Some(at);
        }
        if all_supported {
            let rule_checks = keyword_checks::rule_checks(shared, Target::Type, &[]);
            checks.attr_checks.extend(rule_checks);
        }
        let (description, of_variant) = into_keywords(attrs);
        let (content, mut keywords) = match data {
            Some(data) => (Some(data.content), data.keywords),
            None => (None, Vec::new()),
        };
        let accepted = |it: &Keyword| all_supported && placement.accepts(it);
        keywords.extend(of_variant.into_iter().filter(accepted));
        Variant {
            name: variant.attrs.name().deserialize_name().value.clone(),
            ident: variant.ident.to_string(),
            description,
            content,
            keywords,
            kind: match (variant.attrs.other(), variant.attrs.untagged()) {
                (true, _) => VariantKind::Other,
                (_, true) => VariantKind::Untagged,
                _ => VariantKind::Tagged,
            },
        }
    }

    /// Whether the data of a variant is in an object of its own.
    fn has_own_object(&self, variant: &SerdeVariant) -> bool {
        matches!(self.container.attrs.tag(), TagType::External) && !variant.attrs.untagged()
    }

    /// Removes and reports the rules of a variant if CEL cannot access the tag.
    fn reject_rules_without_tag(&self, variant: &SerdeVariant, rules: &mut Vec<Rule>, errors: &mut Errors) {
        let TagType::Internal { tag } = self.container.attrs.tag() else {
            return;
        };
        if cel::is_nameable(tag) {
            return;
        }
        for rule in rules.drain(..) {
            let name = &variant.attrs.name().deserialize_name().value;
            let message = tag_not_nameable(tag, name);
            errors.push(Error::custom(message.as_str()).with_span(&rule.span()));
        }
    }

    fn data(
        &self,
        variant: &SerdeVariant,
        attrs: &VariantAttrs,
        checks: &mut ConstChecks,
        errors: &mut Errors,
    ) -> Option<Data> {
        let original = self.original_variant(variant);
        if let Some(source) = replacement(attrs, errors) {
            for field in &original.fields {
                misplaced_attributes::all(&FieldAttrs::parse(field, errors), errors);
                checks.hidden_types.extend(hidden::hidden_type(self.input, &field.ty));
            }
            return Some(Data::value(source, Vec::new()));
        }
        if variant.attrs.deserialize_with().is_some() {
            errors.push(unknown_json_form(variant));
            return Some(Data::value(SchemaSource::Invalid, Vec::new()));
        }
        let resolver = Resolver { fields: &original.fields, ..*self };
        Some(match variant.style {
            Style::Unit => return None,
            Style::Struct => {
                if !self.has_own_object(variant) {
                    reject_defaults(&original.fields, errors);
                }
                Content::Object(resolver.object(&variant.fields, checks, errors)).into()
            }
            Style::Newtype => {
                let (source, keywords) = resolver.newtype(&variant.fields, checks, errors)?;
                Data::value(source, keywords)
            }
            Style::Tuple => {
                let items = resolver.tuple(&variant.fields, checks, errors);
                let span = original.ident.span();
                checks.attr_checks.push(Check::new(0, span, CheckKind::Tuple));
                Content::Tuple(items).into()
            }
        })
    }
}

impl Resolver<'_> {
    /// Replaces the schemas of items and values as the attributes of the variant require.
    fn apply_nested_overrides(
        &self,
        data: &mut Data,
        variant: &SerdeVariant,
        attrs: &VariantAttrs,
        checks: &mut ConstChecks,
        errors: &mut Errors,
    ) {
        if attrs.keywords.nested_override().is_none() {
            return;
        }
        let source = match &mut data.content {
            Content::Value(source) => Some(&mut **source),
            _ => None,
        };
        field_source::apply_nested_overrides(source, &attrs.keywords, errors);
        let fields = &self.original_variant(variant).fields;
        let leaves = fields.iter().filter_map(|it| hidden::hidden_type(self.input, &it.ty));
        checks.hidden_types.extend(leaves);
    }
}

/// The data of a variant, with the keywords of its only field.
struct Data {
    content: Content,
    keywords: Vec<Keyword>,
}

impl Data {
    fn value(source: SchemaSource, keywords: Vec<Keyword>) -> Self {
        Self { content: Content::Value(Box::new(source)), keywords }
    }
}

impl From<Content> for Data {
    fn from(content: Content) -> Self {
        Self { content, keywords: Vec::new() }
    }
}

/// Adds the checks of the variant's attributes to those of its data, which start at `first`.
fn check_all(attrs: &VariantAttrs, rules: &[Rule], data: &Data, first: usize, checks: &mut ConstChecks) {
    let nothing = SchemaSource::Invalid;
    // The type as written is decisive only if the field has no keywords.
    let source = match &data.content {
        Content::Value(source) if data.keywords.is_empty() => source,
        _ => &nothing,
    };
    let of_data = checks.attr_checks.split_off(first);
    let of_variant = checks::value_checks(&attrs.keywords, &attrs.schemars.validation, rules, source);
    let of_data = keyword_checks::without_duplicates(of_data, &of_variant);
    checks.attr_checks.extend(of_data);
    checks.attr_checks.extend(of_variant);
}

/// The description of a variant, and the keywords of its data.
pub(super) fn into_keywords(attrs: VariantAttrs) -> (Option<DocText>, Vec<Keyword>) {
    let mut description = None;
    let mut others = Vec::new();
    for keyword in keywords_of(attrs) {
        match keyword {
            Keyword::Description(doc_text) => description = Some(doc_text),
            keyword => others.push(keyword),
        }
    }
    (description, others)
}

fn keywords_of(attrs: VariantAttrs) -> Vec<Keyword> {
    let (mut keywords, patches) = keyword::value_keywords(attrs.schemars, attrs.keywords, attrs.rules);
    keywords.extend(patches);
    keywords
}

/// Reports defaults that the API server would also set for other variants.
fn reject_defaults(fields: &syn::Fields, errors: &mut Errors) {
    let items = fields.iter().flat_map(|field| FieldAttrs::items(&field.attrs));
    for item in items.filter(|item| item.path().is_ident("default")) {
        errors.push(
            Error::custom(
                "the variants share an object, so the API server would set this default for other variants, too: use \
                 `#[serde(default)]`, which applies when the variant is deserialized",
            )
            .with_span(item.path()),
        );
    }
}

/// The schema that replaces that of the variant's data.
fn replacement(attrs: &VariantAttrs, errors: &mut Errors) -> Option<SchemaSource> {
    if let Some(schema) = attrs.schema_override.get() {
        misplaced_attributes::schemars_override(schema, &attrs.schemars, errors);
        return Some(SchemaSource::from_override(schema));
    }
    attrs.schemars.schema.as_ref().map(override_source)
}

fn unknown_json_form(variant: &SerdeVariant) -> Error {
    Error::custom(format!(
        "a function deserializes the data of `{}`, so its JSON form is unknown: add `#[schemars(with = \"Type\")]` or \
         `#[crd(schema = ...)]` to the variant",
        variant.ident
    ))
    .with_span(&variant.ident)
}

/// Whether the variant certainly has fields beside which a tag is possible, or needs none.
pub(super) fn accepts_tag(tagging: &Tagging, this: &Variant) -> bool {
    let tag = match tagging {
        Tagging::Internal(tag) if this.kind != VariantKind::Untagged => tag,
        _ => return true,
    };
    this.content.is_none() || (names(this).is_some() && cel::is_nameable(tag))
}

/// What is known of the variants before another one.
#[derive(Default)]
pub(super) struct Preceding<'a> {
    is_any: bool,
    has_rules: bool,
    /// Whether some are tagged, and some untagged, and likewise of those without data.
    taggings: [bool; 2],
    taggings_without_data: [bool; 2],
    has_data: bool,
    has_unknown_names: bool,
    names: HashSet<&'a String>,
}

impl<'a> Preceding<'a> {
    /// Whether a variant certainly shares no field and no node with rules with one of these.
    pub(super) fn are_disjoint_from(&self, this: &Variant, tagging: &Tagging) -> bool {
        if !self.is_any {
            return true;
        }
        let other_tagging = usize::from(this.kind != VariantKind::Untagged);
        if self.has_rules || has_rules(this, tagging) || self.taggings_without_data[other_tagging] {
            return false;
        }
        if this.content.is_none() {
            return !self.taggings[other_tagging];
        }
        match names(this) {
            Some(names) => !self.has_unknown_names && names.iter().all(|name| !self.names.contains(name)),
            None => !self.has_data,
        }
    }

    pub(super) fn add(&mut self, this: &'a Variant, tagging: &Tagging) {
        let own_tagging = usize::from(this.kind == VariantKind::Untagged);
        self.is_any = true;
        self.has_rules |= has_rules(this, tagging);
        self.taggings[own_tagging] = true;
        if this.content.is_none() {
            self.taggings_without_data[own_tagging] = true;
            return;
        }
        match names(this) {
            Some(names) => self.names.extend(names),
            None => self.has_unknown_names = true,
        }
        self.has_data = true;
    }
}

/// Whether fields of a variant add rules to a node that other variants share.
fn has_rules(this: &Variant, tagging: &Tagging) -> bool {
    let is_guarded = matches!(tagging, Tagging::External | Tagging::Internal(_));
    let adds_rule = |field: &SchemaField| {
        let mut keywords = field.keywords.iter();
        field.immutable || keywords.any(|it| matches!(it, Keyword::Requires(_)))
    };
    match &this.content {
        Some(Content::Object(fields)) if !is_guarded || this.kind == VariantKind::Untagged => {
            fields.iter().any(adds_rule)
        }
        _ => false,
    }
}

/// The names of the fields, if all are known.
fn names(this: &Variant) -> Option<Vec<&String>> {
    match &this.content {
        Some(Content::Object(fields)) => fields.iter().map(|field| field.name.as_ref()).collect(),
        _ => None,
    }
}

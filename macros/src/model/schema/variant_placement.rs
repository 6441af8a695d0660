//! How much can be said of one variant, by where its data stands.

use darling::Error;
use proc_macro2::Span;
use serde_derive_internals::{ast::Variant, attr::TagType};
use syn::{Meta, Token, punctuated::Punctuated, spanned::Spanned};

use super::{enumeration::is_unit, reader::Reader};
use crate::{
    attrs::{
        Errors, items,
        keywords::{ElementAttrs, KeywordAttr, KeywordAttrs, KeywordValue},
        merge_strategy::MergeStrategy,
        schemars::SchemarsAttrs,
        variant::VariantAttrs,
    },
    model::keyword::Keyword,
};

/// Where the data of a variant stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum VariantPlacement {
    /// Nowhere: there is none.
    NoData,
    /// In a field that no other variant has.
    OwnField,
    /// In the fields beside the tag.
    BesideTag,
    /// In the field that holds the data of other variants, too.
    SharedField,
    /// In the place of the enum itself.
    WholeEnum,
    /// Where another schema takes its place.
    Overridden,
}

/// What a word about a variant asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Requirement {
    /// A place in the list of variants.
    VariantEntry,
    /// Value validation, which each variant may have.
    Validation,
    Rules,
    /// A schema of its own.
    OwnSchema,
}

/// What a variant says, and what that asks for.
struct VariantAttr {
    name: String,
    span: Span,
    requirement: Requirement,
}

impl Reader<'_> {
    /// Where the data of one of `all` variants stands.
    pub(super) fn placement(&self, variant: &Variant, all: &[&Variant]) -> VariantPlacement {
        if is_unit(variant) {
            return VariantPlacement::NoData;
        }
        if variant.attrs.untagged() {
            return VariantPlacement::WholeEnum;
        }
        let is_other = |it: &&Variant| it.ident != variant.ident;
        let mut others = all.iter().copied().filter(is_other);
        match self.container.attrs.tag() {
            TagType::External => VariantPlacement::OwnField,
            TagType::Internal { .. } => VariantPlacement::BesideTag,
            TagType::Adjacent { .. } if others.all(is_unit) => VariantPlacement::OwnField,
            TagType::Adjacent { .. } => VariantPlacement::SharedField,
            TagType::None => VariantPlacement::WholeEnum,
        }
    }
}

impl VariantPlacement {
    /// Refuses what nothing can be made of here; returns whether that is nothing.
    pub(super) fn reject_unsupported(self, attrs: &VariantAttrs, errors: &mut Errors) -> bool {
        reject_required(&attrs.schemars, errors);
        let refused: Vec<_> =
            variant_attrs(attrs).into_iter().filter(|attr| !self.supports(attr.requirement)).collect();
        for attr in &refused {
            let message = format!("`{}` {}", attr.name, self.error_message(attr.requirement));
            errors.push(Error::custom(message).with_span(&attr.span));
        }
        refused.is_empty()
    }

    /// Whether a keyword has a place here that may also be made of the documentation.
    pub(super) fn accepts(self, keyword: &Keyword) -> bool {
        self.supports(Requirement::OwnSchema) || !matches!(keyword, Keyword::Title(_))
    }

    fn supports(self, requirement: Requirement) -> bool {
        match self {
            Self::OwnField => true,
            Self::Overridden => false,
            Self::NoData => requirement == Requirement::VariantEntry,
            Self::BesideTag => requirement != Requirement::OwnSchema,
            Self::SharedField | Self::WholeEnum => {
                matches!(requirement, Requirement::VariantEntry | Requirement::Validation)
            }
        }
    }

    fn error_message(self, requirement: Requirement) -> String {
        let why = match self {
            Self::OwnField | Self::NoData => {
                return "has no meaning on a variant without data, of which only a `description` is written".to_owned();
            }
            Self::Overridden => {
                return "has no place on this variant: another schema stands in place of that of the enum".to_owned();
            }
            Self::BesideTag => "its fields stand beside those of the other variants",
            Self::SharedField => {
                "its data stands in one field with that of others, from which it differs in bounds alone"
            }
            Self::WholeEnum => "its data stands where that of others stands, from which it differs in bounds alone",
        };
        let instead = match (self, requirement) {
            (_, Requirement::Rules) => "write a rule on the enum that is about this variant alone",
            (Self::BesideTag, _) => "write it on the enum, or on a field of the variant",
            _ => "write it on the enum",
        };
        format!("has no place on this variant: {why}: {instead}")
    }
}

fn reject_required(schemars: &SchemarsAttrs, errors: &mut Errors) {
    for item in &schemars.items {
        if item.path().is_ident("required") {
            let message = "`required` is for fields: the data of a variant is always there";
            errors.push(Error::custom(message).with_span(item));
        }
    }
}

fn variant_attrs(attrs: &VariantAttrs) -> Vec<VariantAttr> {
    let mut variant_attrs = of_keywords(&attrs.keywords);
    let rules = attrs.rules.iter();
    variant_attrs.extend(rules.map(|rule| VariantAttr::new("validation", rule.span(), Requirement::Rules)));
    let form = attrs.schema_override.get().zip(attrs.schema_override.span());
    variant_attrs.extend(form.map(|(form, span)| VariantAttr::new(form.key(), span, Requirement::Validation)));
    variant_attrs.extend(attrs.schemars.items.iter().filter_map(of_schemars));
    variant_attrs
}

fn of_keywords(attrs: &KeywordAttrs) -> Vec<VariantAttr> {
    let mut variant_attrs: Vec<_> = attrs.keywords.iter().map(of_given).collect();
    variant_attrs.extend(attrs.items.iter().flat_map(of_items));
    let values = attrs.values.iter();
    variant_attrs.extend(values.map(|values| VariantAttr::new(values.key, values.span, Requirement::OwnSchema)));
    let merge = attrs.merge_strategy.iter();
    variant_attrs.extend(merge.map(|(merge, span)| VariantAttr::new(key_of(merge), *span, Requirement::OwnSchema)));
    let patch = attrs.schema_patch.iter();
    variant_attrs.extend(patch.map(|(_, span)| VariantAttr::new("schema_patch", *span, Requirement::OwnSchema)));
    variant_attrs
}

fn of_given(given: &KeywordAttr) -> VariantAttr {
    let requirement = match given.value {
        KeywordValue::Description(_) => Requirement::VariantEntry,
        KeywordValue::Number(..)
        | KeywordValue::Count(..)
        | KeywordValue::Pattern(_)
        | KeywordValue::Format(_)
        | KeywordValue::Enum(_) => Requirement::Validation,
        KeywordValue::Nullable(_)
        | KeywordValue::Title(_)
        | KeywordValue::Example(_)
        | KeywordValue::ExternalDocs(_)
        | KeywordValue::EmbeddedResource => Requirement::OwnSchema,
    };
    VariantAttr::new(given.key, given.span, requirement)
}

fn key_of(merge: &MergeStrategy) -> &'static str {
    match merge {
        MergeStrategy::List(_) => "list_type",
        MergeStrategy::Map(_) => "map_type",
        MergeStrategy::Expression(_) => "merge_strategy",
    }
}

/// What is said of items; they are in no list of variants.
fn of_items(items: &ElementAttrs) -> Vec<VariantAttr> {
    let mut variant_attrs = vec![VariantAttr::new(items.key, items.span, Requirement::Validation)];
    for mut attr in of_keywords(&items.keywords) {
        if attr.requirement == Requirement::VariantEntry {
            attr.requirement = Requirement::OwnSchema;
        }
        variant_attrs.push(attr);
    }
    let rules = items.rules.iter();
    variant_attrs.extend(rules.map(|rule| VariantAttr::new("validation", rule.span(), Requirement::Rules)));
    let default = items.default.iter();
    variant_attrs.extend(default.map(|default| VariantAttr::new("default", default.span, Requirement::OwnSchema)));
    variant_attrs
}

fn of_schemars(item: &Meta) -> Option<VariantAttr> {
    let name = items::name(item);
    let requirement = match name.as_str() {
        "required" => return None,
        "description" => Requirement::VariantEntry,
        "title" | "example" | "extend" | "transform" => Requirement::OwnSchema,
        _ if contains_ip(item) => Requirement::Rules,
        _ => Requirement::Validation,
    };
    Some(VariantAttr::new(&name, item.span(), requirement))
}

/// Whether the item is `ip`, or says it of what is inside; a rule is made of it.
fn contains_ip(item: &Meta) -> bool {
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    match item {
        Meta::List(list) => list.parse_args_with(parser).is_ok_and(|items| items.iter().any(contains_ip)),
        _ => item.path().is_ident("ip"),
    }
}

impl VariantAttr {
    fn new(name: &str, span: Span, requirement: Requirement) -> Self {
        let name = name.to_owned();
        Self { name, span, requirement }
    }
}

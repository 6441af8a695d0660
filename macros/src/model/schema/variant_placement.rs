//! Which attributes a variant accepts, depending on where its data is in the JSON.

use darling::Error;
use proc_macro2::Span;
use serde_derive_internals::{ast::Variant, attr::TagType};
use syn::{Meta, Token, punctuated::Punctuated, spanned::Spanned};

use super::{enumeration::is_unit, resolver::Resolver};
use crate::{
    attrs::{
        Errors, items,
        keywords::{ElementAttrs, KeywordAttr, KeywordAttrs, KeywordValue},
        merge_strategy::MergeStrategy,
        rule::Rule,
        schemars::SchemarsAttrs,
        variant::VariantAttrs,
    },
    model::keyword::Keyword,
};

/// Where the data of a variant is in the JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum VariantPlacement {
    /// The variant has no data.
    NoData,
    /// In a field that no other variant uses.
    OwnField,
    /// In fields of the object that has the tag.
    BesideTag,
    /// In a field that holds the data of other variants, too.
    SharedField,
    /// The data is the whole value of the enum.
    WholeEnum,
    /// Another schema replaces that of the enum.
    Overridden,
}

/// What an attribute of a variant requires of its placement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Requirement {
    /// An entry in the list of variants.
    VariantEntry,
    /// Value validation, which a junctor can contain.
    Validation,
    Rules,
    /// A schema that the variant does not share with others.
    OwnSchema,
}

/// An attribute of a variant.
struct VariantAttr {
    name: String,
    span: Span,
    requirement: Requirement,
}

impl Resolver<'_> {
    /// Where the data of one of `all` variants is.
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
    /// Reports the attributes that are not supported here; returns whether all are.
    pub(super) fn reject_unsupported(self, attrs: &VariantAttrs, errors: &mut Errors) -> bool {
        reject_required(&attrs.schemars, errors);
        let attrs = variant_attrs(attrs).into_iter();
        let unsupported: Vec<_> = attrs.filter(|attr| !self.supports(attr.requirement)).collect();
        for attr in &unsupported {
            let message = format!("`{}` {}", attr.name, self.reason(attr.requirement));
            errors.push(Error::custom(message).with_span(&attr.span));
        }
        unsupported.is_empty()
    }

    /// Whether the schema of the variant can contain a keyword, which may come from documentation.
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

    fn reason(self, requirement: Requirement) -> String {
        let why = match self {
            Self::OwnField | Self::NoData => {
                return "has no effect on a variant without data, which takes only a `description`".to_owned();
            }
            Self::Overridden => {
                return "has no effect on this variant: another schema replaces that of the enum".to_owned();
            }
            Self::BesideTag => "its fields share an object with those of the other variants",
            Self::SharedField => "its data shares a field with that of other variants, which can differ in bounds only",
            Self::WholeEnum => "it shares a schema with other variants, which can differ in bounds only",
        };
        let instead = match (self, requirement) {
            (_, Requirement::Rules) => "write a rule on the enum that tests for this variant",
            (Self::BesideTag, _) => "write it on the enum, or on a field of the variant",
            _ => "write it on the enum",
        };
        format!("does not apply to this variant: {why}; {instead}")
    }
}

fn reject_required(schemars: &SchemarsAttrs, errors: &mut Errors) {
    for item in &schemars.items {
        if item.path().is_ident("required") {
            let message = "`required` applies to fields; the data of a variant is always required";
            errors.push(Error::custom(message).with_span(item));
        }
    }
}

fn variant_attrs(attrs: &VariantAttrs) -> Vec<VariantAttr> {
    let mut all = keyword_attrs(&attrs.keywords);
    all.extend(rule_attrs(&attrs.rules));
    let schema = attrs.schema_override.get().zip(attrs.schema_override.span());
    all.extend(schema.map(|(schema, span)| VariantAttr::new(schema.name(), span, Requirement::Validation)));
    all.extend(attrs.schemars.items.iter().filter_map(schemars_attr));
    all
}

fn rule_attrs(rules: &[Rule]) -> impl Iterator<Item = VariantAttr> {
    rules.iter().map(|rule| VariantAttr::new("validation", rule.span(), Requirement::Rules))
}

fn keyword_attrs(attrs: &KeywordAttrs) -> Vec<VariantAttr> {
    let mut all: Vec<_> = attrs.keywords.iter().map(keyword_attr).collect();
    all.extend(attrs.items.iter().flat_map(element_attrs));
    let values = attrs.values.iter();
    all.extend(values.map(|values| VariantAttr::new(values.key, values.span, Requirement::OwnSchema)));
    let merge = attrs.merge_strategy.iter();
    all.extend(merge.map(|(merge, span)| VariantAttr::new(merge_strategy_key(merge), *span, Requirement::OwnSchema)));
    let patch = attrs.schema_patch.iter();
    all.extend(patch.map(|(_, span)| VariantAttr::new("schema_patch", *span, Requirement::OwnSchema)));
    all
}

fn keyword_attr(keyword: &KeywordAttr) -> VariantAttr {
    let requirement = match keyword.value {
        KeywordValue::Description(_) => Requirement::VariantEntry,
        KeywordValue::Number(..)
        | KeywordValue::Count(..)
        | KeywordValue::Pattern(_)
        | KeywordValue::KeyPattern(_)
        | KeywordValue::Format(_)
        | KeywordValue::Enum(_) => Requirement::Validation,
        KeywordValue::Nullable(_)
        | KeywordValue::Title(_)
        | KeywordValue::Example(_)
        | KeywordValue::ExternalDocs(_)
        | KeywordValue::EmbeddedResource => Requirement::OwnSchema,
    };
    VariantAttr::new(keyword.key, keyword.span, requirement)
}

fn merge_strategy_key(merge: &MergeStrategy) -> &'static str {
    match merge {
        MergeStrategy::List(_) => "list_type",
        MergeStrategy::Map(_) => "map_type",
        MergeStrategy::Expression(_) => "merge_strategy",
    }
}

/// The attributes of list items, which have no entry in the list of variants.
fn element_attrs(items: &ElementAttrs) -> Vec<VariantAttr> {
    let mut all = vec![VariantAttr::new(items.key, items.span, Requirement::Validation)];
    for mut attr in keyword_attrs(&items.keywords) {
        if attr.requirement == Requirement::VariantEntry {
            attr.requirement = Requirement::OwnSchema;
        }
        all.push(attr);
    }
    all.extend(rule_attrs(&items.rules));
    let default = items.default.iter();
    all.extend(default.map(|default| VariantAttr::new("default", default.span, Requirement::OwnSchema)));
    all
}

fn schemars_attr(item: &Meta) -> Option<VariantAttr> {
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

/// Whether the item is or contains `ip`, which becomes a rule.
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

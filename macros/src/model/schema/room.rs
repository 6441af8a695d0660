//! How much can be said of one variant, by where its data stands.

use darling::Error;
use proc_macro2::Span;
use serde_derive_internals::{ast::Variant, attr::TagType};
use syn::{Meta, Token, punctuated::Punctuated, spanned::Spanned};

use super::{enumeration::is_unit, reader::Reader};
use crate::{
    attrs::{
        Errors, items,
        keywords::{Given, Inner, KeywordAttrs, Value},
        merge_strategy::MergeStrategy,
        schemars::SchemarsAttrs,
        variant::VariantAttrs,
    },
    model::keyword::Keyword,
};

/// Where the data of a variant stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// Nowhere: there is none.
    Nowhere,
    /// In a field that no other variant has.
    OwnField,
    /// In the fields beside the tag.
    BesideTag,
    /// In the field that holds the data of other variants, too.
    SharedField,
    /// In the place of the enum itself.
    WholeEnum,
    /// Where another schema takes its place.
    Hidden,
}

/// What a word about a variant asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// A place in the list of variants.
    Entry,
    /// Value validation, which each variant may have.
    Bounds,
    Rules,
    /// A schema of its own.
    Schema,
}

/// What a variant says, and what that asks for.
struct Word {
    name: String,
    span: Span,
    need: Need,
}

impl Reader<'_> {
    /// Where the data of one of `all` variants stands.
    pub(super) fn room(&self, variant: &Variant, all: &[&Variant]) -> Room {
        if is_unit(variant) {
            return Room::Nowhere;
        }
        if variant.attrs.untagged() {
            return Room::WholeEnum;
        }
        let is_other = |it: &&Variant| it.ident != variant.ident;
        let mut others = all.iter().copied().filter(is_other);
        match self.container.attrs.tag() {
            TagType::External => Room::OwnField,
            TagType::Internal { .. } => Room::BesideTag,
            TagType::Adjacent { .. } if others.all(is_unit) => Room::OwnField,
            TagType::Adjacent { .. } => Room::SharedField,
            TagType::None => Room::WholeEnum,
        }
    }
}

impl Room {
    /// Refuses what nothing can be made of here; returns whether that is nothing.
    pub(super) fn refuse_what_has_none(self, attrs: &VariantAttrs, errors: &mut Errors) -> bool {
        refuse_required(&attrs.schemars, errors);
        let refused: Vec<_> = words(attrs).into_iter().filter(|word| !self.has(word.need)).collect();
        for word in &refused {
            let message = format!("`{}` {}", word.name, self.refusal(word.need));
            errors.push(Error::custom(message).with_span(&word.span));
        }
        refused.is_empty()
    }

    /// Whether a keyword has a place here that may also be made of the documentation.
    pub(super) fn takes(self, keyword: &Keyword) -> bool {
        self.has(Need::Schema) || !matches!(keyword, Keyword::Title(_))
    }

    fn has(self, need: Need) -> bool {
        match self {
            Self::OwnField => true,
            Self::Hidden => false,
            Self::Nowhere => need == Need::Entry,
            Self::BesideTag => need != Need::Schema,
            Self::SharedField | Self::WholeEnum => matches!(need, Need::Entry | Need::Bounds),
        }
    }

    fn refusal(self, need: Need) -> String {
        let why = match self {
            Self::OwnField | Self::Nowhere => {
                return "has no meaning on a variant without data, of which only a `description` is written".to_owned();
            }
            Self::Hidden => {
                return "has no place on this variant: another schema stands in place of that of the enum".to_owned();
            }
            Self::BesideTag => "its fields stand beside those of the other variants",
            Self::SharedField => {
                "its data stands in one field with that of others, from which it differs in bounds alone"
            }
            Self::WholeEnum => "its data stands where that of others stands, from which it differs in bounds alone",
        };
        let instead = match (self, need) {
            (_, Need::Rules) => "write a rule on the enum that is about this variant alone",
            (Self::BesideTag, _) => "write it on the enum, or on a field of the variant",
            _ => "write it on the enum",
        };
        format!("has no place on this variant: {why}: {instead}")
    }
}

fn refuse_required(schemars: &SchemarsAttrs, errors: &mut Errors) {
    for item in &schemars.written {
        if item.path().is_ident("required") {
            let message = "`required` is for fields: the data of a variant is always there";
            errors.push(Error::custom(message).with_span(item));
        }
    }
}

fn words(attrs: &VariantAttrs) -> Vec<Word> {
    let mut words = of_keywords(&attrs.keywords);
    let rules = attrs.rules.iter();
    words.extend(rules.map(|rule| Word::new("validation", rule.span(), Need::Rules)));
    let form = attrs.form.form().zip(attrs.form.span());
    words.extend(form.map(|(form, span)| Word::new(form.key(), span, Need::Bounds)));
    words.extend(attrs.schemars.written.iter().filter_map(of_schemars));
    words
}

fn of_keywords(attrs: &KeywordAttrs) -> Vec<Word> {
    let mut words: Vec<_> = attrs.given.iter().map(of_given).collect();
    words.extend(attrs.items.iter().flat_map(of_items));
    let values = attrs.values.iter();
    words.extend(values.map(|values| Word::new(values.key, values.span, Need::Schema)));
    let merge = attrs.merge.iter();
    words.extend(merge.map(|(merge, span)| Word::new(key_of(merge), *span, Need::Schema)));
    let patch = attrs.patch.iter();
    words.extend(patch.map(|(_, span)| Word::new("schema_patch", *span, Need::Schema)));
    words
}

fn of_given(given: &Given) -> Word {
    let need = match given.value {
        Value::Description(_) => Need::Entry,
        Value::Number(..) | Value::Count(..) | Value::Pattern(_) | Value::Format(_) | Value::Enum(_) => Need::Bounds,
        Value::Nullable(_) | Value::Title(_) | Value::Example(_) | Value::ExternalDocs(_) | Value::EmbeddedResource => {
            Need::Schema
        }
    };
    Word::new(given.key, given.span, need)
}

fn key_of(merge: &MergeStrategy) -> &'static str {
    match merge {
        MergeStrategy::List(_) => "list_type",
        MergeStrategy::Map(_) => "map_type",
        MergeStrategy::Expression(_) => "merge_strategy",
    }
}

/// What is said of items; they are in no list of variants.
fn of_items(items: &Inner) -> Vec<Word> {
    let mut words = vec![Word::new(items.key, items.span, Need::Bounds)];
    for mut word in of_keywords(&items.keywords) {
        if word.need == Need::Entry {
            word.need = Need::Schema;
        }
        words.push(word);
    }
    let rules = items.rules.iter();
    words.extend(rules.map(|rule| Word::new("validation", rule.span(), Need::Rules)));
    let default = items.default.iter();
    words.extend(default.map(|default| Word::new("default", default.span, Need::Schema)));
    words
}

fn of_schemars(item: &Meta) -> Option<Word> {
    let name = items::name(item);
    let need = match name.as_str() {
        "required" => return None,
        "description" => Need::Entry,
        "title" | "example" | "extend" | "transform" => Need::Schema,
        _ if names_an_address(item) => Need::Rules,
        _ => Need::Bounds,
    };
    Some(Word::new(&name, item.span(), need))
}

/// Whether the item is `ip`, or says it of what is inside; a rule is made of it.
fn names_an_address(item: &Meta) -> bool {
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    match item {
        Meta::List(list) => list.parse_args_with(parser).is_ok_and(|items| items.iter().any(names_an_address)),
        _ => item.path().is_ident("ip"),
    }
}

impl Word {
    fn new(name: &str, span: Span, need: Need) -> Self {
        let name = name.to_owned();
        Self { name, span, need }
    }
}

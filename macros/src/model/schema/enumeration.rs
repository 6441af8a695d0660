//! Enums whose variants are strings.

use darling::Error;
use serde_derive_internals::{
    ast::{Style, Variant as SerdeVariant},
    attr::TagType,
};

use super::{Body, Variant, reader::Reader};
use crate::{
    attrs::{Errors, schemars::Annotations, type_attrs},
    model::keyword::{self, Keyword, Words},
};

impl Reader<'_> {
    pub(super) fn enumeration(&self, variants: &[SerdeVariant], errors: &mut Errors) -> Body {
        if let Some(message) = self.no_enumeration(variants) {
            errors.push(message);
            return Body::Unknown;
        }
        self.check_variant_names(variants, errors);
        let variants: Vec<_> = variants
            .iter()
            .filter(|variant| !variant.attrs.skip_deserializing())
            .map(|variant| {
                let attrs = type_attrs::variant(self.original_variant(variant), errors);
                Variant {
                    name: variant.attrs.name().deserialize_name().value.clone(),
                    description: description(attrs.annotations),
                }
            })
            .collect();
        if variants.is_empty() {
            return self.refuse(
                "an enum without variants has no value, and so no schema",
                errors,
            );
        }
        Body::Enum(variants)
    }

    pub(super) fn original_variant(&self, variant: &SerdeVariant) -> &syn::Variant {
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
        let data = variants.iter().find(|variant| {
            !matches!(variant.style, Style::Unit) && !variant.attrs.skip_deserializing()
        });
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

fn description(annotations: Annotations) -> Option<Words> {
    let (keywords, _) = keyword::annotations(annotations);
    keywords
        .into_iter()
        .rev()
        .find_map(|keyword| match keyword {
            Keyword::Description(words) => Some(words),
            _ => None,
        })
}

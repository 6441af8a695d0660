//! Enums: of strings, and with data.

use std::ptr;

use darling::Error;
use serde_derive_internals::{
    ast::{Data, Style, Variant as SerdeVariant},
    attr::TagType,
};

use super::{
    Body, Check, CheckKind, ConstChecks, Tagging, UnitVariant, Variant, VariantKind, misplaced_attributes,
    resolver::Resolver, variant, variant_placement::VariantPlacement,
};
use crate::attrs::{Errors, field::FieldAttrs, variant::VariantAttrs};

impl Resolver<'_> {
    pub(super) fn enumeration(&self, variants: &[SerdeVariant], checks: &mut ConstChecks, errors: &mut Errors) -> Body {
        let mut read = self.check_variant_names(variants, errors);
        read.retain(|variant| !variant.attrs.skip_deserializing());
        if read.is_empty() {
            return self.reject("an enum without variants has no values, and so no schema", errors);
        }
        if self.is_string_enum(&read) {
            return Body::StringEnum(self.unit_variants(&read, errors));
        }
        // The result of a transform is left to the generated test of the resource.
        if !self.is_transformed {
            self.reject_mixed_representation(&read, errors);
        }
        let mut alternatives = Vec::new();
        for (at, variant) in read.iter().enumerate() {
            let placement = self.placement(variant, &read);
            alternatives.push(self.variant(variant, at, placement, checks, errors));
        }
        let tagging = self.tagging();
        if !self.is_transformed {
            self.check_compatibility(&tagging, &alternatives, &read, checks);
        }
        Body::DataEnum(tagging, alternatives)
    }

    fn is_string_enum(&self, variants: &[&SerdeVariant]) -> bool {
        let is_string =
            |variant: &&SerdeVariant| is_unit(variant) && !variant.attrs.other() && !variant.attrs.untagged();
        matches!(self.container.attrs.tag(), TagType::External) && variants.iter().all(is_string)
    }

    fn unit_variants(&self, variants: &[&SerdeVariant], errors: &mut Errors) -> Vec<UnitVariant> {
        let variant = |variant: &&SerdeVariant| {
            let attrs = VariantAttrs::parse(self.original_variant(variant), errors);
            self.reject_on_fields(variant, errors);
            VariantPlacement::NoData.reject_unsupported(&attrs, errors);
            UnitVariant {
                name: variant.attrs.name().deserialize_name().value.clone(),
                description: variant::into_keywords(attrs).0,
            }
        };
        variants.iter().map(variant).collect()
    }

    /// Reports attributes of the fields of a variant that serde treats as a unit.
    pub(super) fn reject_on_fields(&self, variant: &SerdeVariant, errors: &mut Errors) {
        for field in &self.original_variant(variant).fields {
            misplaced_attributes::all(&FieldAttrs::parse(field, errors), errors);
        }
    }

    pub(super) fn original_variant(&self, variant: &SerdeVariant) -> &syn::Variant {
        let (syn::Data::Enum(data), Data::Enum(of_serde)) = (&self.input.data, &self.container.data) else {
            unreachable!("only enums have variants");
        };
        // By address, because a comparison of identifiers copies both.
        let at = of_serde.iter().position(|it| ptr::eq(it, variant)).expect("the variant is one of the enum");
        &data.variants[at]
    }

    fn tagging(&self) -> Tagging {
        match self.container.attrs.tag() {
            TagType::External => Tagging::External,
            TagType::Internal { tag } => Tagging::Internal(tag.clone()),
            TagType::Adjacent { tag, content } => Tagging::Adjacent { tag: tag.clone(), content: content.clone() },
            TagType::None => Tagging::Untagged,
        }
    }

    /// Reports an externally tagged enum of units and of variants with data, which is either a string or an object.
    fn reject_mixed_representation(&self, variants: &[&SerdeVariant], errors: &mut Errors) {
        if !matches!(self.container.attrs.tag(), TagType::External) {
            return;
        }
        let tagged = || variants.iter().filter(|it| !it.attrs.untagged());
        let unit = tagged().find(|it| is_unit(it));
        let data = tagged().find(|it| !is_unit(it));
        if let (Some(unit), Some(data)) = (unit, data) {
            errors.push(mixed_representation_error(unit, data, &self.input.ident.to_string()));
        }
    }

    /// Adds checks of variants that are not certain to be compatible.
    fn check_compatibility(
        &self,
        tagging: &Tagging,
        alternatives: &[Variant],
        variants: &[&SerdeVariant],
        checks: &mut ConstChecks,
    ) {
        let is_mixed = alternatives.iter().any(|it| it.kind == VariantKind::Untagged);
        if matches!(tagging, Tagging::External) && !is_mixed {
            return;
        }
        let mut preceding = variant::Preceding::default();
        for (at, this) in alternatives.iter().enumerate() {
            let is_plain = variant::accepts_tag(tagging, this) && preceding.are_disjoint_from(this, tagging);
            preceding.add(this, tagging);
            if !is_plain {
                let span = self.original_variant(variants[at]).ident.span();
                checks.attr_checks.push(Check::new(at, span, CheckKind::CompatibleVariant));
            }
        }
    }
}

/// Whether serde serializes only the name of the variant: it has no field, or its only one is skipped.
pub(super) fn is_unit(variant: &SerdeVariant) -> bool {
    match variant.style {
        Style::Unit => true,
        Style::Newtype => variant.fields[0].attrs.skip_deserializing(),
        Style::Struct | Style::Tuple => false,
    }
}

fn mixed_representation_error(unit: &SerdeVariant, data: &SerdeVariant, name: &str) -> Error {
    let (unit, data) = (&unit.ident, &data.ident);
    Error::custom(format!(
        "`{unit}` is a string in JSON and `{data}` an object, which no structural schema can express: write `{unit} \
         {{}}`, or add `#[serde(tag = \"...\")]`, `#[crd(preserve_unknown_fields)]` or `#[crd(schema = ...)]` to \
                                        `{name}`"
    ))
    .with_span(&unit)
}

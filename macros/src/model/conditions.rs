//! The field of a status that contains its conditions.

use darling::Error;
use syn::{Data, DeriveInput, Fields, Member, Meta, Type};

use crate::attrs::{Errors, field::FieldAttrs};

/// A field with `#[crd(conditions)]`.
pub(crate) struct Conditions {
    pub(crate) member: Member,
    pub(crate) ty: Type,
}

impl Conditions {
    pub(crate) fn resolve(input: &DeriveInput, errors: &mut Errors) -> Option<Self> {
        match &input.data {
            Data::Struct(data) => Self::from_fields(&data.fields, errors),
            Data::Enum(data) => {
                let fields = data.variants.iter().flat_map(|variant| &variant.fields);
                for item in fields.filter_map(conditions_item) {
                    let message = "other variants may not have conditions: mark a field of a struct, or implement \
                                   `HasConditions` manually";
                    errors.push(Error::custom(message).with_span(&item));
                }
                None
            }
            Data::Union(_) => None,
        }
    }

    fn from_fields(fields: &Fields, errors: &mut Errors) -> Option<Self> {
        let members = fields.members().zip(fields);
        let mut marked = members.filter_map(|(member, field)| Some((member, field, conditions_item(field)?)));
        let (member, field, _) = marked.next()?;
        for (.., item) in marked {
            let message = "another field is already marked: a type has one list of conditions";
            errors.push(Error::custom(message).with_span(&item));
        }
        Some(Self { member, ty: field.ty.clone() })
    }
}

fn conditions_item(field: &syn::Field) -> Option<Meta> {
    let mut items = FieldAttrs::items(&field.attrs).into_iter();
    items.find(|item| item.path().is_ident("conditions"))
}

//! The field of a status that contains its conditions.

use darling::Error;
use syn::{Data, DeriveInput, Fields, Ident, Member, Meta, Type};

use super::schema_source::{arguments, as_path};
use crate::attrs::{Errors, field::FieldAttrs};

/// A field with the conditions of a status.
pub(crate) struct Conditions {
    pub(crate) member: Member,
    pub(crate) ty: Type,
    /// Whether the field has `#[crd(conditions)]`. If not, it has the usual name, and its type is written like the
    /// usual one.
    pub(crate) is_marked: bool,
}

impl Conditions {
    pub(crate) fn resolve(input: &DeriveInput, errors: &mut Errors) -> Option<Self> {
        match &input.data {
            Data::Struct(data) => {
                let marked = Self::from_fields(&data.fields, errors);
                marked.or_else(|| Self::from_usual_field(input, &data.fields))
            }
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
        Some(Self { member, ty: field.ty.clone(), is_marked: true })
    }

    /// The field `conditions` of the usual type. Not of a generic type, as the generated code evaluates a constant that depends
    /// on the type.
    fn from_usual_field(input: &DeriveInput, fields: &Fields) -> Option<Self> {
        let is_usual = |field: &&syn::Field| field.ident.as_ref().is_some_and(|it| it == "conditions");
        let field = fields.iter().find(is_usual).filter(|field| is_list_of_conditions(&field.ty))?;
        let member = Member::Named(field.ident.clone()?);
        input.generics.params.is_empty().then(|| Self { member, ty: field.ty.clone(), is_marked: false })
    }
}

/// Whether a type is written as `Vec<Condition>` or as an `Option` of it.
fn is_list_of_conditions(ty: &Type) -> bool {
    let list = only_argument(ty, "Option").unwrap_or(ty);
    only_argument(list, "Vec").and_then(name).is_some_and(|name| name == "Condition")
}

fn only_argument<'a>(ty: &'a Type, container: &str) -> Option<&'a Type> {
    match arguments(ty)[..] {
        [argument] if name(ty)? == container => Some(argument),
        _ => None,
    }
}

/// The last name of the path of a type.
fn name(ty: &Type) -> Option<&Ident> {
    as_path(ty)?.path.segments.last().map(|last| &last.ident)
}

fn conditions_item(field: &syn::Field) -> Option<Meta> {
    let mut items = FieldAttrs::items(&field.attrs).into_iter();
    items.find(|item| item.path().is_ident("conditions"))
}

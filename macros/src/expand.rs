//! The output: tokens, from a validated model.

use darling::Error;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{DeriveInput, spanned::Spanned};

use crate::{
    attrs::{
        Errors, checked::CheckedAttrs, group_version::GroupVersionAttrs, inherit::InheritAttrs, selector::Selector,
    },
    model::{
        apply::ApplyType, checked::CheckedFunction, convert::ConvertType, crates::Crates, group_version::Module,
        resource::Resource, schema::SchemaType,
    },
};

mod apply;
mod checked;
mod checks;
mod conditions;
mod convert;
mod definition;
mod group_version;
mod inherited;
mod keyword;
mod resource;
mod root;
mod schema;
mod schema_source;
mod selector;
mod serde;

/// A value that a function of `serialize_with` writes as JSON: as a value, and as text.
fn json_with(function: &impl ToTokens, value: &TokenStream, private: &Ident) -> TokenStream {
    quote!(#private::json_with(#value, |value, json| #function(value, json), |value, text| #function(value, text)))
}

/// The root of a custom resource.
pub(crate) fn custom_resource(input: &DeriveInput) -> TokenStream {
    let mut errors = Error::accumulator();
    let resource = Resource::resolve(input, &mut errors);
    let errors = into_compile_errors(errors);
    match resource {
        Some(resource) => resource::expand(&resource, errors),
        None => {
            let spec = resource::spec_impl_of_invalid(input);
            quote! { #errors #spec }
        }
    }
}

/// The schema of a type.
pub(crate) fn kube_schema(input: &DeriveInput) -> TokenStream {
    let mut errors = Error::accumulator();
    let schema = SchemaType::resolve(input, &mut errors);
    schema::expand(&schema, into_compile_errors(errors))
}

/// A type with the identity of another resource.
pub(crate) fn inherited_resource(input: &DeriveInput) -> TokenStream {
    let mut errors = Error::accumulator();
    let attrs = InheritAttrs::parse(input, &mut errors);
    let crates = Crates::resolve(attrs.crates);
    let tokens = inherited::expand(input, attrs.inherit, &crates, &mut errors);
    let errors = into_compile_errors(errors);
    let tokens = wrap_in_const(&crates, &tokens);
    quote! { #errors #tokens }
}

/// The apply type of a type.
pub(crate) fn apply(input: &DeriveInput) -> TokenStream {
    let mut errors = Error::accumulator();
    let apply = ApplyType::resolve(input, &mut errors);
    let errors = into_compile_errors(errors);
    match apply {
        Some(apply) => apply::expand(&apply, errors),
        None => errors,
    }
}

/// The conversion of a type to the hub version.
pub(crate) fn convert(input: &DeriveInput) -> TokenStream {
    let mut errors = Error::accumulator();
    let convert = ConvertType::resolve(input, &mut errors);
    let errors = into_compile_errors(errors);
    let is_sound = errors.is_empty();
    let tokens = convert.filter(|_| is_sound).map(|it| convert::expand(&it));
    quote! { #errors #tokens }
}

/// A module whose resources share a group and a version.
pub(crate) fn group_version(arguments: &TokenStream, module: TokenStream) -> TokenStream {
    let mut errors = Error::accumulator();
    let attrs = GroupVersionAttrs::parse(arguments, &mut errors);
    let expanded = match Module::resolve(module.clone(), &attrs, &mut errors) {
        Some(module) => group_version::expand(&module),
        None => module,
    };
    let errors = into_compile_errors(errors);
    quote! { #errors #expanded }
}

/// A function that returns webhooks, with its test.
pub(crate) fn checked(arguments: &TokenStream, function: &TokenStream) -> TokenStream {
    let mut errors = Error::accumulator();
    let attrs = CheckedAttrs::parse(arguments, &mut errors);
    let checked = CheckedFunction::resolve(function.clone(), attrs, &mut errors);
    let errors = into_compile_errors(errors);
    let test = checked.filter(|_| errors.is_empty()).map(|it| checked::test(&it));
    quote! { #errors #function #test }
}

/// A field selector.
pub(crate) fn selector(input: &Selector) -> TokenStream {
    selector::expand(input)
}

/// An anonymous constant around generated code, with the imports that it uses.
fn wrap_in_const(crates: &Crates, tokens: &TokenStream) -> TokenStream {
    let Crates { crdkit, private, unused, .. } = crates;
    let unused = unused.iter().map(|path| quote_spanned!(path.span()=> use #path as _;));
    quote! {
        #[allow(deprecated)]
        const _: () = {
            #[allow(unused_imports)]
            use #crdkit::__private::{
                this as #private, Default as __Default, Fallback as _, KubeSchema as __KubeSchema, Probe as __Probe,
                require as __require,
            };
            #(#[allow(unused_imports)] #unused)*
            #tokens
        };
    }
}

/// The errors as calls of `compile_error!`, empty if there are none.
fn into_compile_errors(errors: Errors) -> TokenStream {
    match errors.finish() {
        Ok(()) => TokenStream::new(),
        Err(error) => error.write_errors(),
    }
}

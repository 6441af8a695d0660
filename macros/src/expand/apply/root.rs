//! The apply type of a resource.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Path, ext::IdentExt};

use super::setter;
use crate::model::apply::{ApplyType, Root};

/// Methods of the type, which have precedence over fields of the spec with the same name.
const OWN_METHODS: &[&str] =
    &["new", "labels", "annotations", "finalizers", "owner_references", "spec", "status", "extract", "extract_status"];

pub(super) fn definition(apply: &ApplyType) -> Option<TokenStream> {
    let root = apply.root.as_ref()?;
    let doc =
        format!("A part of a [`{}`], for server-side apply. Fields that are not set are not sent.", root.attrs.root);
    Some(super::definition(apply, &root.apply, &doc))
}

pub(super) fn expand(apply: &ApplyType) -> TokenStream {
    let Some(root) = &apply.root else {
        return TokenStream::new();
    };
    let (type_, ident, private) = (&root.attrs.root, &root.apply, &apply.crates.private);
    let parts = [
        metadata(apply, root),
        parts(apply, root),
        spec_setters(apply, root),
        extract(apply, root),
        super::default(ident),
        super::serialize_impl(apply, ident),
    ];
    quote! {
        #(#parts)*
        #[automatically_derived]
        impl #private::Apply<#type_> for #ident {}
    }
}

fn metadata(apply: &ApplyType, root: &Root) -> TokenStream {
    let (ident, private, vis) = (&root.apply, &apply.crates.private, &apply.vis);
    let pairs = quote! {
        impl #private::IntoIterator<Item = (impl #private::Into<#private::String>, impl #private::Into<#private::String>)>
    };
    let strings = quote!(impl #private::IntoIterator<Item = impl #private::Into<#private::String>>);
    quote! {
        #[automatically_derived]
        impl #ident {
            /// Creates an object without fields.
            #vis fn new() -> Self {
                Self(#private::Fields::new())
            }
            /// Sets the labels.
            #vis fn labels(self, labels: #pairs) -> Self {
                Self(self.0.set(&["metadata"], "labels", #private::string_map(labels)))
            }
            /// Sets the annotations.
            #vis fn annotations(self, annotations: #pairs) -> Self {
                Self(self.0.set(&["metadata"], "annotations", #private::string_map(annotations)))
            }
            /// Sets the finalizers.
            #vis fn finalizers(self, finalizers: #strings) -> Self {
                let finalizers = #private::list(finalizers, |it| {
                    #private::json(&<_ as #private::Into<#private::String>>::into(it))
                });
                Self(self.0.set(&["metadata"], "finalizers", finalizers))
            }
            /// Sets the owner references.
            #vis fn owner_references(
                self,
                owners: impl #private::IntoIterator<Item = #private::OwnerReference>,
            ) -> Self {
                let owners = #private::list(owners, |owner| #private::json(&owner));
                Self(self.0.set(&["metadata"], "ownerReferences", owners))
            }
        }
    }
}

fn parts(apply: &ApplyType, root: &Root) -> TokenStream {
    let (ident, private, vis) = (&root.apply, &apply.crates.private, &apply.vis);
    let (spec, spec_apply) = (&apply.ident, &apply.apply);
    let json = quote!(<#spec_apply as #private::ApplyValue<#spec>>::into_json(spec));
    let set_spec = if root.attrs.no_spec { quote!(merge(&[], #json)) } else { quote!(set(&[], "spec", #json)) };
    let status = root.attrs.status.as_ref().map(|status| {
        quote! {
            /// Sets the status, to an apply type if the status derives `Apply`.
            #vis fn status(self, status: impl #private::ApplyValue<#status>) -> Self {
                let status = <_ as #private::ApplyValue<#status>>::into_json(status);
                Self(self.0.set(&[], "status", status))
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #ident {
            /// Sets the spec, and replaces fields of it that are set.
            #vis fn spec(self, spec: #spec_apply) -> Self {
                Self(self.0.#set_spec)
            }
            #status
        }
    }
}

/// The setters of the spec's fields.
fn spec_setters(apply: &ApplyType, root: &Root) -> TokenStream {
    let (ident, private) = (&root.apply, &apply.crates.private);
    let place: &[&str] = if root.attrs.no_spec { &[] } else { &["spec"] };
    let is_own = |ident: &Ident| OWN_METHODS.iter().any(|own| ident.unraw() == own);
    let fields = apply.fields.iter().filter(|field| !is_own(&field.ident));
    let setters = fields.map(|field| setter::method(field, place, private));
    quote! {
        #[automatically_derived]
        impl #ident {
            #(#setters)*
        }
    }
}

fn extract(apply: &ApplyType, root: &Root) -> TokenStream {
    let (ident, private, vis) = (&root.apply, &apply.crates.private, &apply.vis);
    let type_ = &root.attrs.root;
    let extract = |subresource: &str| {
        let full_json = full_json(apply, root, root.attrs.status.as_ref());
        quote! {
            #private::extract(
                object,
                #full_json,
                #private::DefinitionOf::<#type_>::DEFINITION,
                field_manager,
                #subresource,
            )
        }
    };
    let result = quote!(::core::result::Result<Self, #private::ExtractError>);
    let str_ = quote!(::core::primitive::str);
    let of_object = extract("");
    let of_status = root.attrs.status.as_ref().map(|_| {
        let extracted = extract("status");
        quote! {
            /// The part of the status that a field manager applied, according to `metadata.managedFields`.
            ///
            /// # Errors
            ///
            /// As for `extract`.
            #vis fn extract_status(object: &#type_, field_manager: &#str_) -> #result {
                #extracted.map(Self)
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #ident {
            /// The part of an object that a field manager applied, according to `metadata.managedFields`; empty if it
            /// applied nothing.
            ///
            /// # Errors
            ///
            /// If the object has no `metadata.managedFields`, or differs from what the manager applied.
            #vis fn extract(object: &#type_, field_manager: &#str_) -> #result {
                #of_object.map(Self)
            }
            #of_status
        }
    }
}

/// The object with all its fields in JSON.
fn full_json(apply: &ApplyType, root: &Root, status: Option<&Path>) -> TokenStream {
    let private = &apply.crates.private;
    let spec = quote!(#private::FieldJson(&object.spec).json());
    let spec = if root.attrs.no_spec { quote!(.merge(&[], #spec)) } else { quote!(.put("spec", #spec)) };
    let status = status.map(|_| quote!(.put("status", #private::FieldJson(&object.status).json())));
    quote! {
        #private::Fields::new()
            .put("metadata", #private::json(&object.metadata))
            #spec
            #status
    }
}

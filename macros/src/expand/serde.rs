//! The root in JSON.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use crate::model::resource::Resource;

pub(super) fn expand(resource: &Resource) -> TokenStream {
    let serialize = serialize(resource);
    let deserialize = deserialize(resource);
    quote! { #serialize #deserialize }
}

fn serialize(resource: &Resource) -> TokenStream {
    let root = &resource.root;
    let (private, serde) = (&resource.crates.private, &resource.crates.serde);
    let status = match &resource.status {
        Some(_) => quote!(self.status.as_ref()),
        None => quote!(#private::None::<&()>),
    };
    let function = if resource.no_spec {
        quote!(serialize_flat)
    } else {
        quote!(serialize)
    };
    let type_name = root.unraw().to_string();
    let type_meta = type_meta(resource);
    quote! {
        #[automatically_derived]
        impl #serde::Serialize for #root {
            fn serialize<__S: #serde::Serializer>(
                &self,
                serializer: __S,
            ) -> #private::Result<<__S as #serde::Serializer>::Ok, <__S as #serde::Serializer>::Error> {
                #private::root::#function(
                    serializer,
                    #type_name,
                    &#type_meta,
                    &self.metadata,
                    &self.spec,
                    #status,
                )
            }
        }
    }
}

/// The group version and kind as they stand in an object.
fn type_meta(resource: &Resource) -> TokenStream {
    let private = &resource.crates.private;
    let names = &resource.names;
    let api_version = format!("{}/{}", names.group, names.version);
    let kind = &names.kind;
    quote!(#private::root::TypeMeta { api_version: #api_version, kind: #kind })
}

fn deserialize(resource: &Resource) -> TokenStream {
    let (root, spec) = (&resource.root, &resource.spec);
    let (private, serde) = (&resource.crates.private, &resource.crates.serde);
    let status_type = match &resource.status {
        Some(status) => quote!(#status),
        None => quote!(#private::root::NoStatus),
    };
    let status = resource
        .status
        .is_some()
        .then(|| quote!(status: parts.status,));
    let decode = if resource.no_spec {
        quote!(decode_flat)
    } else {
        quote!(decode)
    };
    let expected = if resource.decode_any_version {
        quote!(#private::None)
    } else {
        let type_meta = type_meta(resource);
        quote!(#private::Some(&#type_meta))
    };
    quote! {
        #[automatically_derived]
        impl<'de> #serde::Deserialize<'de> for #root {
            fn deserialize<__D: #serde::Deserializer<'de>>(
                deserializer: __D,
            ) -> #private::Result<Self, <__D as #serde::Deserializer<'de>>::Error> {
                #private::root::#decode::<#spec, #status_type, __D>(deserializer, #expected)
                    .map(|parts| Self { metadata: parts.metadata, spec: parts.spec, #status })
            }
        }
    }
}

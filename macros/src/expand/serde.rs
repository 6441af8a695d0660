//! The implementations of `Serialize` and `Deserialize` for the root.

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
    let function = if resource.no_spec { quote!(serialize_flat) } else { quote!(serialize) };
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

/// The `apiVersion` and `kind` of an object.
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
    let (shape, status) = (shape(resource), status_type(resource));
    let decode = if resource.no_spec {
        quote!(#private::root::decode_flat::<#root, #spec, #status, __D>)
    } else {
        quote!(#private::root::RootProbe::<'_, #root, #spec, #status>::decode)
    };
    let status = resource.status.as_ref().map(|_| quote!(status: parts.status,));
    quote! {
        #[automatically_derived]
        impl<'de> #serde::Deserialize<'de> for #root {
            fn deserialize<__D: #serde::Deserializer<'de>>(
                deserializer: __D,
            ) -> #private::Result<Self, <__D as #serde::Deserializer<'de>>::Error> {
                #[allow(unused_imports)]
                use #private::root::RootBySerde as _;
                static __SHAPE: #private::root::RootShape = #shape;
                #decode(deserializer, &__SHAPE)
                    .map(|parts| Self { metadata: parts.metadata, spec: parts.spec, #status })
            }
        }
    }
}

fn status_type(resource: &Resource) -> TokenStream {
    let private = &resource.crates.private;
    match &resource.status {
        Some(status) => quote!(#status),
        None => quote!(#private::root::NoStatus),
    }
}

/// What is known of the root. With `decode_any_version`, the `apiVersion` and the `kind` of an object are not checked.
fn shape(resource: &Resource) -> TokenStream {
    let (root, private) = (&resource.root, &resource.crates.private);
    let (expected, expecting) = if resource.decode_any_version {
        (quote!(#private::None), "a custom resource".to_owned())
    } else {
        let names = &resource.names;
        let type_meta = type_meta(resource);
        (quote!(#private::Some(#type_meta)), format!("a {} of {}/{}", names.kind, names.group, names.version))
    };
    quote!(#private::root::RootShape::new::<#root>(#expected, #expecting))
}

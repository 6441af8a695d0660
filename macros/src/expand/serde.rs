//! The implementations of `Serialize` and `Deserialize` for the root.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use crate::model::resource::Resource;

pub(super) fn expand(resource: &Resource) -> TokenStream {
    let serialize = serialize(resource);
    let deserialize = deserialize(resource);
    let decode = decode(resource);
    quote! { #serialize #deserialize #decode }
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
    let root = &resource.root;
    let (private, serde) = (&resource.crates.private, &resource.crates.serde);
    let by_serde = by_serde(resource);
    let body =
        if has_decoder(resource) { quote!(#private::decode::deserialize(deserializer)) } else { by_serde.clone() };
    let result = quote!(#private::Result<Self, <__D as #serde::Deserializer<'de>>::Error>);
    let behind_the_decoder = has_decoder(resource).then(|| {
        quote! {
            #[automatically_derived]
            impl #private::decode::Root for #root {
                fn by_serde<'de, __D: #serde::Deserializer<'de>>(deserializer: __D) -> #result {
                    #by_serde
                }
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl<'de> #serde::Deserialize<'de> for #root {
            fn deserialize<__D: #serde::Deserializer<'de>>(deserializer: __D) -> #result {
                #body
            }
        }
        #behind_the_decoder
    }
}

fn status_type(resource: &Resource) -> TokenStream {
    let private = &resource.crates.private;
    match &resource.status {
        Some(status) => quote!(#status),
        None => quote!(#private::root::NoStatus),
    }
}

/// A closure that builds the root from its parts.
fn from_parts(resource: &Resource) -> TokenStream {
    let has_status = resource.status.is_some();
    let status = has_status.then(|| quote!(status: parts.status,));
    quote!(|parts| Self { metadata: parts.metadata, spec: parts.spec, #status })
}

/// The expected `apiVersion` and `kind` of an object, if they are checked.
fn expected(resource: &Resource) -> TokenStream {
    let private = &resource.crates.private;
    if resource.decode_any_version {
        return quote!(#private::None);
    }
    let type_meta = type_meta(resource);
    quote!(#private::Some(&#type_meta))
}

fn by_serde(resource: &Resource) -> TokenStream {
    let (spec, private) = (&resource.spec, &resource.crates.private);
    let (status_type, expected) = (status_type(resource), expected(resource));
    let from_parts = from_parts(resource);
    let decode = if resource.no_spec { quote!(decode_flat) } else { quote!(decode) };
    let root = &resource.root;
    quote! {
        static __DEFAULTS: #private::root::ResourceDefaults = #private::root::ResourceDefaults::of::<#root>();
        #private::root::#decode::<#root, #spec, #status_type, __D>(
            deserializer,
            #expected,
            &__DEFAULTS,
        )
        .map(#from_parts)
    }
}

/// Whether the root has a decoder. With `no_spec`, only serde can separate the fields of the spec from those of the
/// root.
fn has_decoder(resource: &Resource) -> bool {
    resource.decode && !resource.no_spec
}

fn decode(resource: &Resource) -> Option<TokenStream> {
    let (root, spec, private) = (&resource.root, &resource.spec, &resource.crates.private);
    let (status_type, expected) = (status_type(resource), expected(resource));
    let from_parts = from_parts(resource);
    has_decoder(resource).then(|| {
        quote! {
            #[automatically_derived]
            impl #private::decode::Decode for #root {
                fn decode(parser: &mut #private::decode::Parser<'_>) -> #private::Option<Self> {
                    #[allow(unused_imports)]
                    use #private::decode::BySerde as _;
                    #private::decode::root(
                        parser,
                        #expected,
                        #private::decode::Reader::<#spec>::decode,
                        #private::decode::Reader::<#private::Option<#status_type>>::decode,
                    )
                    .map(#from_parts)
                }
            }
        }
    })
}

//! Variants of enums with data.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{field, keyword, path, schema_source};
use crate::model::{
    crates::Crates,
    keyword::Keyword,
    schema::{Content, Tagging, Variant, VariantKind},
};

pub(super) fn tagging(tagging: &Tagging, private: &Ident) -> TokenStream {
    match tagging {
        Tagging::External => quote!(#private::Tagging::External),
        Tagging::Internal(tag) => quote!(#private::Tagging::Internal(#tag)),
        Tagging::Adjacent { tag, content } => {
            quote!(#private::Tagging::Adjacent { tag: #tag, content: #content })
        }
        Tagging::Untagged => quote!(#private::Tagging::Untagged),
    }
}

/// A variant of the type named `owner`. `closed` is set if the type has `deny_unknown_fields`.
pub(super) fn variant(it: &Variant, owner: &str, closed: bool, crates: &Crates) -> TokenStream {
    let private = &crates.private;
    let name = &it.name;
    let description = match &it.description {
        Some(doc_text) => keyword::text(doc_text, "description", private),
        None => quote!(""),
    };
    let role = match it.kind {
        VariantKind::Tagged => TokenStream::new(),
        VariantKind::Other => quote!(.other()),
        VariantKind::Untagged => quote!(.untagged()),
    };
    match &it.content {
        None => quote!(#private::unit(#name, #description)#role),
        Some(content) => {
            let name_in_rust = format!("{owner}::{}", it.ident.trim_start_matches("r#"));
            let content = self::content(content, &it.keywords, &name_in_rust, closed, crates);
            quote!(#private::data(#name, #description, #content)#role)
        }
    }
}

/// The schema of the data, with the name of the variant for error messages.
fn content(content: &Content, keywords: &[Keyword], name: &str, closed: bool, crates: &Crates) -> TokenStream {
    let private = &crates.private;
    let with = keyword::with_keywords(keywords, crates);
    match content {
        Content::Object(fields) => {
            let path = path(fields);
            let fields = fields.iter().map(|it| field(it, crates));
            let closed = closed.then(|| quote!(.closed()));
            quote!(&#private::object(#name, "", &[#(#fields),*])#path #closed #with)
        }
        Content::Tuple(items) => {
            let items = items.iter().map(|item| schema_source::schema(item, private));
            quote!(&#private::Schema::tuple(&[#(#items),*])#with)
        }
        Content::Value(value) => {
            let value = schema_source::schema(value, private);
            if keywords.is_empty() { value } else { quote!(&#private::Schema::newtype(#value)#with) }
        }
    }
}

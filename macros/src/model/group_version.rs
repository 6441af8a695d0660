//! A module whose resources share a group and a version.

use darling::Error;
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::{
    Attribute, Token, Visibility, braced,
    parse::{Parse, ParseStream},
};

use crate::attrs::{Errors, group_version::GroupVersionAttrs, items};

/// A module, with the keys that are added to its resources.
pub(crate) struct Module {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) module: Token![mod],
    pub(crate) ident: Ident,
    pub(crate) body: Vec<BodyPart>,
}

/// A part of the body of a module.
pub(crate) enum BodyPart {
    Token(TokenTree),
    /// The body of a nested module.
    Module(Group, Vec<BodyPart>),
    /// The keys for the resource whose attributes end here.
    Keys(GroupVersionAttrs),
}

impl Module {
    /// Resolves a module; none if the item is not a module with a body.
    pub(crate) fn resolve(tokens: TokenStream, attrs: &GroupVersionAttrs, errors: &mut Errors) -> Option<Self> {
        let Ok(item) = syn::parse2::<ModuleItem>(tokens) else {
            let message = "`group_version` applies to a module with a body, `mod v1 { ... }`";
            errors.push(Error::custom(message));
            return None;
        };
        let ModuleItem { attributes, vis, module, ident, body } = item;
        let mut resources = 0;
        let body = parts(body, attrs, &mut resources);
        if resources == 0 {
            let message =
                format!("`group_version` has no effect: no type in the module `{ident}` derives `CustomResource`");
            errors.push(Error::custom(message).with_span(&ident));
        }
        Some(Self { attributes, vis, module, ident, body })
    }
}

struct ModuleItem {
    attributes: Vec<Attribute>,
    vis: Visibility,
    module: Token![mod],
    ident: Ident,
    body: TokenStream,
}

impl Parse for ModuleItem {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let (vis, module, ident) = (input.parse()?, input.parse()?, input.parse()?);
        let body;
        braced!(body in input);
        Ok(Self { attributes, vis, module, ident, body: body.parse()? })
    }
}

/// The attributes and keywords of the current item, as far as they matter here.
#[derive(Default)]
struct Item {
    is_resource: bool,
    is_module: bool,
    /// The keys that the item has itself.
    keys: Vec<String>,
}

fn parts(body: TokenStream, attrs: &GroupVersionAttrs, resources: &mut usize) -> Vec<BodyPart> {
    let mut parts = Vec::new();
    let mut item = Item::default();
    let mut tokens = body.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_attribute = is_punct(&token, '#');
        if !is_attribute && item.is_resource {
            *resources += 1;
            parts.push(BodyPart::Keys(attrs.without(&item.keys)));
            item = Item::default();
        }
        match &token {
            TokenTree::Group(body) if item.is_module && body.delimiter() == Delimiter::Brace => {
                let inner = self::parts(body.stream(), &attrs.without(&item.keys), resources);
                parts.push(BodyPart::Module(body.clone(), inner));
                item = Item::default();
                continue;
            }
            TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => item = Item::default(),
            TokenTree::Punct(punct) if punct.as_char() == ';' => item = Item::default(),
            TokenTree::Ident(ident) if ident == "mod" => item.is_module = true,
            _ => {}
        }
        parts.push(BodyPart::Token(token));
        if let Some(attribute) = tokens.next_if(|next| is_attribute && is_brackets(next)) {
            if let TokenTree::Group(attribute) = &attribute {
                item.parse_attribute(attribute.stream());
            }
            parts.push(BodyPart::Token(attribute));
        }
    }
    parts
}

impl Item {
    fn parse_attribute(&mut self, attribute: TokenStream) {
        let tokens: Vec<_> = attribute.into_iter().collect();
        let [path @ .., TokenTree::Group(arguments)] = &tokens[..] else {
            return;
        };
        let Some(TokenTree::Ident(name)) = path.last() else {
            return;
        };
        let arguments = arguments.stream();
        if name == "derive" {
            let is_derive = |token: TokenTree| matches!(token, TokenTree::Ident(ident) if ident == "CustomResource");
            self.is_resource |= arguments.into_iter().any(is_derive);
        } else if ["crd", "kube", "group_version"].iter().any(|it| name == it) {
            // The derive reports attributes that cannot be parsed.
            let mut ignored = Error::accumulator();
            self.keys.extend(items::parse_items(&arguments, &mut ignored).iter().map(items::name));
            drop(ignored.into_inner());
        }
    }
}

fn is_punct(token: &TokenTree, expected: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == expected)
}

fn is_brackets(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket)
}

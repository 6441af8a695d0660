//! JSON that is merged into a schema, which must not contain members that a schema does not have.

use crdkit_core::schema::{
    api_fields::{FieldType, PROPS},
    patch,
};
use darling::Error;
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::{Lit, LitStr};

use super::Errors;

/// Reports the literal members of a patch that a schema does not have.
pub(super) fn check(members: &TokenStream, errors: &mut Errors) {
    value(&PROPS, members.clone(), errors);
}

/// Reports a member that a schema does not have, also within its value.
pub(super) fn check_member(key: &LitStr, members: &TokenStream, errors: &mut Errors) {
    member(&PROPS, &key.value(), key.span(), members.clone(), errors);
}

fn value(field_type: &'static FieldType, tokens: TokenStream, errors: &mut Errors) {
    let mut tokens = tokens.into_iter();
    let (Some(TokenTree::Group(group)), None) = (tokens.next(), tokens.next()) else {
        return;
    };
    let parts = parts(group.stream());
    match group.delimiter() {
        Delimiter::None => value(field_type, group.stream(), errors),
        Delimiter::Bracket => {
            for part in parts {
                value(patch::item(field_type), part, errors);
            }
        }
        Delimiter::Brace => {
            for part in parts {
                if let Some((key, span, value)) = split_member(part) {
                    member(field_type, &key, span, value, errors);
                }
            }
        }
        Delimiter::Parenthesis => {}
    }
}

fn member(field_type: &'static FieldType, key: &str, span: Span, tokens: TokenStream, errors: &mut Errors) {
    match patch::member(field_type, key) {
        Ok(field_type) => value(field_type, tokens, errors),
        Err(message) => errors.push(Error::custom(message).with_span(&span)),
    }
}

/// The tokens between commas.
fn parts(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    for token in tokens {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == ',' => parts.push(TokenStream::new()),
            _ => parts.last_mut().expect("never empty").extend([token]),
        }
    }
    parts
}

/// The literal key and the value of a member.
fn split_member(tokens: TokenStream) -> Option<(String, Span, TokenStream)> {
    let mut tokens = tokens.into_iter();
    let key = tokens.next()?;
    match tokens.next()? {
        TokenTree::Punct(punct) if punct.as_char() == ':' => {}
        _ => return None,
    }
    match syn::parse2(TokenStream::from(key)).ok()? {
        Lit::Str(key) => Some((key.value(), key.span(), tokens.collect())),
        _ => None,
    }
}

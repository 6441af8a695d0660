//! A field selector, and the checks of its fields.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Type, spanned::Spanned};

use crate::attrs::selector::{Kind, Requirement, Segment, Selector, Value};

pub(super) fn expand(selector: &Selector) -> TokenStream {
    let Selector { crdkit, kind, .. } = selector;
    let is_kind = quote_spanned!(kind.span()=> __selector::is_kind::<#kind>());
    let name = name(kind);
    let checks = selector.requirements.iter().map(|it| check(it, &name));
    let requirements = selector.requirements.iter().map(requirement);
    quote! {{
        #[allow(unused_imports)]
        use #crdkit::__private::{
            PathStep as __Step, require as __require,
            selector::{self as __selector, AnyKind as _, OtherValue as _},
        };
        const __SELECTABLE: &__selector::Selectable = {
            #is_kind;
            &__selector::KindOf::<#kind>::SELECTABLE
        };
        #(#checks)*
        __selector::FieldSelector::<#kind>::of([#(#requirements),*])
    }}
}

/// The name of the kind in error messages.
fn name(kind: &Type) -> String {
    match kind {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default(),
        other => other.to_token_stream().to_string(),
    }
}

fn check(requirement: &Requirement, kind: &str) -> TokenStream {
    let steps = steps(&requirement.path);
    let (first, last) = ends(&requirement.path);
    let is_field = require_on(first, last, &quote!(__selector::field(__SELECTABLE, #kind, #steps)));
    let literal = match &requirement.value {
        Value::Literal(kind, text, span) => {
            let kind = literal_kind(*kind);
            let call = quote!(__selector::literal(__SELECTABLE, #steps, __selector::Literal::#kind(#text)));
            let fits = require_on(*span, *span, &call);
            quote!(const _: () = #fits;)
        }
        Value::Expression(_) => TokenStream::new(),
    };
    quote!(const _: () = #is_field; #literal)
}

/// `__require` of a result, with a span that covers two others.
fn require_on(first: Span, last: Span, result: &TokenStream) -> TokenStream {
    let here = |span: Span| Span::call_site().located_at(span);
    let require = Ident::new("__require", here(first));
    let mut arguments = Group::new(proc_macro2::Delimiter::Parenthesis, result.clone());
    arguments.set_span(here(last));
    [TokenTree::from(require), arguments.into()].into_iter().collect()
}

fn ends(path: &[Segment]) -> (Span, Span) {
    let span = |segment: Option<&Segment>| segment.map_or_else(Span::call_site, |it| it.span);
    (span(path.first()), span(path.last()))
}

fn literal_kind(kind: Kind) -> Ident {
    let name = match kind {
        Kind::String => "String",
        Kind::Integer => "Integer",
        Kind::Boolean => "Boolean",
    };
    Ident::new(name, Span::call_site())
}

fn steps(path: &[Segment]) -> TokenStream {
    let names = path.iter().map(|segment| &segment.name);
    quote!(&[#(__Step::Field(#names)),*])
}

fn requirement(requirement: &Requirement) -> TokenStream {
    let names: Vec<&str> = requirement.path.iter().map(|it| it.name.as_str()).collect();
    let (path, equal) = (names.join("."), requirement.equal);
    let value = value(requirement);
    quote!(__selector::Requirement::new(#path, #equal, #value))
}

fn value(requirement: &Requirement) -> TokenStream {
    match &requirement.value {
        Value::Literal(_, text, _) => {
            quote!(__selector::Value::<__selector::AnyField, _>::new(#text).text())
        }
        Value::Expression(expr) => {
            let steps = steps(&requirement.path);
            let tag = quote!({ __selector::tag(__selector::kind(__SELECTABLE, #steps)) });
            let field = quote!(<__selector::Tag<#tag> as __selector::Tagged>::Field);
            quote_spanned!(expr.span()=> __selector::Value::<#field, _>::new(#expr).text())
        }
    }
}

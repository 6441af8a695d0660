//! Keywords of schemas.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, spanned::Spanned};

use crate::{
    attrs::{
        keywords::Scalar,
        merge_strategy::{ListMerge, MapMerge},
        relations::FieldGroupKey,
        rule::{LiteralRule, Message},
        validation::Bounds,
    },
    model::{
        crates::Crates,
        keyword::{DocText, Evaluated, Keyword, Number},
    },
};

mod default;

pub(super) use default::constant;

/// A slice of keywords.
pub(super) fn slice(keywords: &[Keyword], crates: &Crates) -> TokenStream {
    let keywords = keywords.iter().map(|keyword| keyword_tokens(keyword, crates));
    quote!(&[#(#keywords),*])
}

/// `.with(&[...])`, or nothing without keywords.
pub(super) fn with_keywords(keywords: &[Keyword], crates: &Crates) -> TokenStream {
    if keywords.is_empty() {
        return TokenStream::new();
    }
    let keywords = slice(keywords, crates);
    quote!(.with(#keywords))
}

/// Separates the description, empty if there is none, from the other keywords. Nearly all fields have one, and it
/// compiles faster as an argument than as a keyword.
pub(super) fn split_description<'a>(keywords: &'a [Keyword], crates: &Crates) -> (TokenStream, &'a [Keyword]) {
    match keywords {
        [Keyword::Description(doc_text), others @ ..] if !doc_text.may_be_empty() => {
            (text(doc_text, "description", &crates.private), others)
        }
        _ => (quote!(""), keywords),
    }
}

fn keyword_tokens(keyword: &Keyword, crates: &Crates) -> TokenStream {
    let private = &crates.private;
    let k = quote!(#private::Keyword);
    match keyword {
        Keyword::Description(doc_text) => {
            let text = text(doc_text, "description", private);
            quote!(#k::Description(#text))
        }
        Keyword::Title(doc_text) => {
            let text = text(doc_text, "title", private);
            quote!(#k::Title(#text))
        }
        Keyword::Number(bound, value) => {
            let bound = ident(bound.variant_name());
            let value = number(value, &quote!(#private::f64));
            quote!(#k::Number(#private::NumberBound::#bound, #value))
        }
        Keyword::Count(bound, value) => {
            let bound = ident(bound.variant_name());
            let value = number(value, &quote!(#private::i64));
            quote!(#k::Count(#private::CountBound::#bound, #value))
        }
        Keyword::MinSize(value) => quote!(#k::MinSize(#value)),
        Keyword::MaxSize(value) => quote!(#k::MaxSize(#value)),
        Keyword::Pattern(text) => quote!(#k::Pattern(#text)),
        Keyword::Format(format) => quote!(#k::Format(#format)),
        Keyword::Ip => quote!(#private::IP_RULE),
        Keyword::PreserveUnknownFields => quote!(#k::PreserveUnknownFields),
        Keyword::ListMerge(merge) => list_merge(merge, private),
        Keyword::MapMerge(merge) => map_merge(*merge, private),
        Keyword::Rule(rule) => {
            let rule = literal_rule(rule, private);
            quote!(#k::Rule(#rule))
        }
        Keyword::Items(keywords) => {
            let keywords = slice(keywords, crates);
            quote!(#k::Items(#keywords))
        }
        Keyword::Values(keywords) => {
            let keywords = slice(keywords, crates);
            quote!(#k::Values(#keywords))
        }
        Keyword::FieldGroup(group, names) => {
            let set = match group {
                FieldGroupKey::OneOf => quote!(OneOf),
                FieldGroupKey::AtMostOneOf => quote!(AtMostOneOf),
                FieldGroupKey::AtLeastOneOf => quote!(AtLeastOneOf),
            };
            quote!(#k::#set(&[#(#names),*]))
        }
        Keyword::Requires(names) => quote!(#k::Requires(&[#(#names),*])),
        Keyword::Enum(values) => {
            let values = values.iter().map(|value| enum_value(value, private));
            quote!(#k::Enum(&[#(#values),*]))
        }
        Keyword::EmbeddedResource => quote!(#k::EmbeddedResource),
        Keyword::Descriptions(name) => {
            let name = ident(name);
            quote!(#k::Descriptions(#private::Descriptions::#name))
        }
        Keyword::Embed(name) => {
            let name = ident(name);
            quote!(#k::Embed(#private::KubernetesTypeDetail::#name))
        }
        Keyword::Nullable(nullable) => quote!(#k::Nullable(#nullable)),
        Keyword::ExternalDocs { url, description } => {
            quote!(#k::ExternalDocs { url: #url, description: #description })
        }
        Keyword::PatternConst(expr) => quote!(#k::Pattern(#expr)),
        Keyword::DefaultLiteral(value, _) => {
            let value = constant(value, private);
            quote!(#k::DefaultLiteral(#value))
        }
        Keyword::Default(default) => {
            let function = default::function(default, crates);
            quote!(#k::Default(#function))
        }
        Keyword::Evaluated(evaluated) => evaluated_keyword(evaluated, crates),
    }
}

fn number(number: &Number<impl ToTokens>, type_: &TokenStream) -> TokenStream {
    match number {
        Number::Literal(number) => quote!(#number),
        Number::Const(expr) => quote!((#expr) as #type_),
    }
}

fn enum_value(value: &Scalar, private: &Ident) -> TokenStream {
    let value = match value {
        Scalar::Text(text) => quote!(Text(#text)),
        Scalar::Integer(number) => quote!(Integer(#number)),
        Scalar::Number(number) => quote!(Number(#number)),
    };
    quote!(#private::EnumValue::#value)
}

fn list_merge(merge: &ListMerge, private: &Ident) -> TokenStream {
    let k = quote!(#private::Keyword);
    let list_type = quote!(#private::ListType);
    match merge {
        ListMerge::Atomic => quote!(#k::ListType(#list_type::Atomic)),
        ListMerge::Set => quote!(#k::ListType(#list_type::Set)),
        ListMerge::Map(keys) => {
            let keys = keys.iter().map(|key| key.as_str());
            quote!(#k::ListType(#list_type::Map), #k::ListMapKeys(&[#(#keys),*]))
        }
    }
}

fn map_merge(merge: MapMerge, private: &Ident) -> TokenStream {
    let map_type = match merge {
        MapMerge::Atomic => quote!(Atomic),
        MapMerge::Granular => quote!(Granular),
    };
    quote!(#private::Keyword::MapType(#private::MapType::#map_type))
}

/// Keywords whose values are expressions, evaluated when the schema is rendered.
fn evaluated_keyword(keyword: &Evaluated, crates: &Crates) -> TokenStream {
    let private = &crates.private;
    let json = quote!(#private::serde_json);
    let k = quote!(#private::Keyword);
    match keyword {
        Evaluated::Sizes(bounds) => {
            let function = sizes(bounds, private);
            quote!(#k::EvaluatedSize(#function))
        }
        Evaluated::Number(bound, expr) => {
            let name = bound.name();
            quote!(#k::Evaluated(|| #json::json!({ #name: #expr })))
        }
        Evaluated::Contains(expr) => quote! {
            #k::Evaluated(|| #json::json!({ "pattern": #private::escape(&(#expr)) }))
        },
        Evaluated::Pattern(expr) => quote! {
            #k::Evaluated(|| {
                use #private::ToString as _; // also for the content of a `LazyLock`
                #json::json!({ "pattern": (#expr).to_string() })
            })
        },
        Evaluated::Example(expr) => {
            quote!(#k::Example(|| #private::example(&(#expr))))
        }
        Evaluated::MergeStrategy(expr) => {
            let names = kube_names(crates);
            quote! { #k::Evaluated(|| { #names #private::merge_strategy(#expr) }) }
        }
        Evaluated::Rule(expr) => {
            let names = kube_names(crates);
            quote! { #k::EvaluatedRule(|| { #names #private::rule(#expr) }) }
        }
        Evaluated::Extend(extensions) => {
            let keys = extensions.iter().map(|extension| &extension.key);
            let values = extensions.iter().map(|extension| &extension.value);
            quote!(#k::Extend(|| #json::json!({ #(#keys: #values),* })))
        }
        Evaluated::Patch(patch) => quote!(#k::Patch(|| #json::json!(#patch))),
        Evaluated::Transform(expr) => {
            let schemars = &crates.schemars;
            quote_spanned! {expr.span()=>
                #k::Transform(|schema| #schemars::transform::Transform::transform(&mut #expr, schema))
            }
        }
    }
}

/// The names that kube-derive imports for rules and merge strategies.
fn kube_names(crates: &Crates) -> TokenStream {
    let kube_core = &crates.kube_core;
    quote! {
        #[allow(unused_imports)]
        use #kube_core::{ListMerge, MapMerge, Message, Reason, Rule, StructMerge};
    }
}

fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

pub(super) fn text(doc_text: &DocText, part: &str, private: &Ident) -> TokenStream {
    match doc_text {
        DocText::Text(text) => quote!(#text),
        DocText::Expression(expr) => quote!(#expr),
        DocText::Docs(lines) => {
            let part = ident(part);
            let lines = lines.iter().enumerate().map(|(at, line)| doc_line(at, line));
            quote!(#private::docs::#part(::core::concat!(#(#lines),*)))
        }
    }
}

fn doc_line(at: usize, line: &Expr) -> TokenStream {
    let line = match crate::attrs::schemars::string(line) {
        Some(text) => {
            let value = text.value();
            let text = value.strip_prefix(' ').unwrap_or(&value).to_owned();
            quote!(#text)
        }
        None => quote!(#line),
    };
    if at == 0 { line } else { quote!("\n", #line) }
}

fn literal_rule(rule: &LiteralRule, private: &Ident) -> TokenStream {
    let text = rule.rule.as_str();
    let message = rule.message.as_ref().map(|message| match message {
        Message::Text(text) => {
            let text = text.as_str();
            quote!(.message(#text))
        }
        Message::Expression(text) => {
            let text = text.as_str();
            quote!(.message_expression(#text))
        }
    });
    let reason = rule.reason.map(|reason| {
        let reason = ident(reason);
        quote!(.reason(#private::Reason::#reason))
    });
    let field_path = rule.field_path.as_ref().map(|path| {
        let path = path.as_str();
        quote!(.field_path(#path))
    });
    let optional = rule.optional_old_self.map(|optional| quote!(.optional_old_self(#optional)));
    quote!(#private::Rule::new(#text) #message #reason #field_path #optional)
}

fn sizes(bounds: &Bounds, private: &Ident) -> TokenStream {
    let side = |expr: &Option<Expr>| match expr {
        Some(expr) => quote!(#private::Some((#expr) as #private::i64)),
        None => quote!(#private::None),
    };
    let (min, max) = (side(&bounds.min), side(&bounds.max));
    quote!(|| (#min, #max))
}

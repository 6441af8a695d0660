//! Checks of the types in CEL rules.

use crdkit_core::cel::{MAX_ARGS, RuleScope, Scalar, TypeStep, TypeStepKind};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::ident_of;
use crate::attrs::rule::{RulePart, RuleTypeCheck};

/// The check of a rule about a value; none if nothing depends on the schema.
pub(super) fn types(check: &RuleTypeCheck, subject: &TokenStream, private: &Ident) -> Option<TokenStream> {
    let (count, arguments) = arguments(check, private)?;
    Some(quote!(#private::check::cel::types::<#count>(&#subject, #arguments)))
}

/// The check of a rule about a resource.
pub(super) fn types_of_resource(check: &RuleTypeCheck, private: &Ident) -> Option<TokenStream> {
    let (count, arguments) = arguments(check, private)?;
    Some(quote!(#private::check::cel::types_of_resource::<#count>(__DEFINITION, #arguments)))
}

/// The number of steps of the type check of an expression, the expression and the steps.
fn arguments(check: &RuleTypeCheck, private: &Ident) -> Option<(usize, TokenStream)> {
    let of_part = |(part, text)| (part == check.part).then_some(text);
    let source = check.rule.parts().find_map(of_part)?.as_str();
    let what = match check.part {
        RulePart::Rule => "the rule",
        RulePart::MessageExpression => "the message expression",
    };
    check.rule.with_type_steps(check.part, &RuleScope::unknown(), |steps, _| {
        let tokens = steps.iter().map(step);
        let cel = quote!(#private::check::cel);
        let arguments = quote!(#cel::Expression { what: #what, source: #source }, &{
            use #cel::{Scalar as __S, TypeStep as __T, TypeStepKind as __K};
            [#(#tokens),*]
        });
        (!steps.is_empty()).then_some((steps.len(), arguments))
    })
}

fn step(step: &TypeStep<'_>) -> TokenStream {
    let at = step.at;
    let kind = match step.kind {
        TypeStepKind::Known(type_) => {
            let type_ = scalar(type_);
            quote!(__K::Known(#type_))
        }
        TypeStepKind::Unknown => quote!(__K::Unknown),
        TypeStepKind::Itself => quote!(__K::Itself),
        TypeStepKind::OptionalItself => quote!(__K::OptionalItself),
        TypeStepKind::Field { of, name, is_optional } => {
            quote!(__K::Field { of: #of, name: #name, is_optional: #is_optional })
        }
        TypeStepKind::Call { function, args, arity, overloads } => {
            let args: [usize; MAX_ARGS] = args;
            quote!(__K::Call { function: #function, args: [#(#args),*], arity: #arity, overloads: #overloads })
        }
        TypeStepKind::Overload(signature) => quote!(__K::Overload(#signature)),
        TypeStepKind::Range(of) => quote!(__K::Range(#of)),
        TypeStepKind::Variable { range, is_pair } => quote!(__K::Variable { range: #range, is_pair: #is_pair }),
        TypeStepKind::SecondVariable(range) => quote!(__K::SecondVariable(#range)),
        TypeStepKind::Same(first, other) => quote!(__K::Same(#first, #other)),
        TypeStepKind::List(item) => quote!(__K::List(#item)),
        TypeStepKind::Map(key, value) => quote!(__K::Map(#key, #value)),
        TypeStepKind::Condition(of) => quote!(__K::Condition(#of)),
        TypeStepKind::Result(of, type_) => {
            let type_ = scalar(type_);
            quote!(__K::Result(#of, #type_))
        }
    };
    quote!(__T { at: #at, kind: #kind })
}

fn scalar(scalar: Scalar) -> TokenStream {
    let variant = ident_of(match scalar {
        Scalar::Null => "Null",
        Scalar::Bool => "Bool",
        Scalar::Int => "Int",
        Scalar::Uint => "Uint",
        Scalar::Double => "Double",
        Scalar::String => "String",
        Scalar::Bytes => "Bytes",
        Scalar::Timestamp => "Timestamp",
        Scalar::Duration => "Duration",
    });
    quote!(__S::#variant)
}

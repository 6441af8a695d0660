//! A function that returns webhooks, and gets a test.

use darling::Error;
use proc_macro2::{Ident, TokenStream};
use syn::{Expr, FnArg, ItemFn, Path, Signature};

use crate::attrs::{Errors, checked::CheckedAttrs};

/// The test of a function.
pub(crate) struct CheckedFunction {
    pub(crate) ident: Ident,
    pub(crate) client: Option<Expr>,
    pub(crate) arguments: Vec<Expr>,
    pub(crate) crdkit: Option<Path>,
}

impl CheckedFunction {
    /// Resolves the test of a function; none if the test cannot call it.
    pub(crate) fn resolve(function: TokenStream, attrs: CheckedAttrs, errors: &mut Errors) -> Option<Self> {
        let Ok(ItemFn { sig, .. }) = syn::parse2(function) else {
            errors.push(Error::custom("`checked` applies to a function that returns `Webhooks`"));
            return None;
        };
        errors.handle(check(&sig, attrs.arguments.len()))?;
        let CheckedAttrs { client, arguments, crdkit } = attrs;
        Some(Self { ident: sig.ident, client, arguments, crdkit })
    }
}

/// Checks that a test can call the function with this number of arguments.
fn check(signature: &Signature, arguments: usize) -> darling::Result<()> {
    if let Some(keyword) = &signature.asyncness {
        return Err(Error::custom("a test cannot call an `async` function: return the webhooks without waiting")
            .with_span(keyword));
    }
    if let Some(FnArg::Receiver(receiver)) = signature.inputs.first() {
        return Err(Error::custom("`checked` applies to a function, not to a method").with_span(receiver));
    }
    let expected = signature.inputs.len();
    if arguments == expected {
        return Ok(());
    }
    let message = match arguments {
        0 => "the test needs arguments: add `checked(arguments(...))`, such as `Client::offline()` for a client"
            .to_owned(),
        _ => format!("the function has {expected} parameters, but `arguments(...)` has {arguments}"),
    };
    Err(Error::custom(message).with_span(&signature.ident))
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    fn mistakes(arguments: &TokenStream, function: TokenStream) -> String {
        let mut errors = Error::accumulator();
        let attrs = CheckedAttrs::parse(arguments, &mut errors);
        CheckedFunction::resolve(function, attrs, &mut errors);
        errors.finish().map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn functions_that_a_test_calls() {
        assert_eq!(
            mistakes(
                &quote!(),
                quote!(
                    pub fn webhooks() -> Webhooks {
                        all()
                    }
                )
            ),
            ""
        );
        let arguments = quote!(arguments(Client::offline(), 1), client = address("a"), crate = crate::deps::crdkit);
        assert_eq!(
            mistakes(
                &arguments,
                quote!(
                    fn webhooks(client: Client, limit: u8) -> Webhooks {
                        all()
                    }
                )
            ),
            ""
        );
    }

    #[test]
    fn others_are_mistakes() {
        let none = quote!(
            fn webhooks() -> Webhooks {
                all()
            }
        );
        for (arguments, function, message) in [
            (
                quote!(),
                quote!(
                    struct Webhooks;
                ),
                "`checked` applies to a function that returns `Webhooks`",
            ),
            (
                quote!(),
                quote!(
                    async fn webhooks() -> Webhooks {
                        all()
                    }
                ),
                "a test cannot call an `async` function",
            ),
            (
                quote!(),
                quote!(
                    fn webhooks(&self) -> Webhooks {
                        all()
                    }
                ),
                "`checked` applies to a function, not to a method",
            ),
            (
                quote!(),
                quote!(
                    fn webhooks(client: Client) -> Webhooks {
                        all()
                    }
                ),
                "the test needs arguments: add",
            ),
            (quote!(arguments(1)), none.clone(), "the function has 0 parameters, but `arguments(...)` has 1"),
            (quote!(arguments = 1), none.clone(), "expected `arguments(...)`"),
            (quote!(cleint = 1), none, "unknown key `cleint`: did you mean `client`?"),
        ] {
            let mistakes = mistakes(&arguments, function);
            assert!(mistakes.starts_with(message), "{mistakes}");
        }
    }
}

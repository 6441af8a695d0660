//! Webhook configurations, admission policies and their bindings.
//!
//! Const evaluation checks two of the rules. The others are checked by `crdkit`, in `admission_registration`.

use crate::{
    literal::dns::{self, SUBDOMAIN},
    violation::{Arg, ErrorType, ServerError, Text, Violation},
};

rules! {
    H1 Error [Const, Registration] "The name of a webhook is a DNS subdomain of at least three labels.";
    H2 Error [Const, Registration] "The timeout of a webhook is from 1 to 30 seconds.";
    H3 Error [Registration] "No name of a webhook is repeated.";
    H4 Error [Registration] "The `clientConfig` of a webhook has a URL or a service, and not both.";
    H5 Error [Registration] "The URL of a webhook has only the scheme `https`, a host and an optional path.";
    H6 Error [Registration] "A service has a namespace, a name, a valid port and a path of DNS subdomains.";
    H7 Error [Registration] "The side effects of a webhook are `None` or `NoneOnDryRun`.";
    H8 Error [Registration] "The policies for failures, matches and reinvocation are ones that the server supports.";
    H9 Error [Registration] "The review versions of a webhook are distinct DNS labels that include `v1` or `v1beta1`.";
    H10 Error [Registration] "A rule has operations that the server supports; `*` is the only one.";
    H11 Error [Registration] "A rule has API groups and API versions that are not empty; `*` is the only one.";
    H12 Error [Registration] "A rule has resources, none of which is empty or part of another.";
    H13 Error [Registration] "The scope of a rule is `Cluster`, `Namespaced` or `*`.";
    H14 Error [Registration] "A label selector has valid keys, operators and values.";
    H15 Error [Registration] "There are at most 64 match conditions.";
    H16 Error [Registration] "The names of match conditions are distinct qualified names.";
    H17 Error [Registration] "A match condition compiles and evaluates to a boolean.";
    H18 Error [Registration] "The name of a configuration, a policy or a binding is a DNS subdomain.";
    H19 Error [Registration] "A policy has match constraints with resource rules.";
    H20 Error [Registration] "The resource names of a rule are distinct, and each is a segment of a path.";
    H21 Error [Registration] "A variable has an identifier as its name, and an expression that compiles.";
    H22 Error [Registration] "A policy has validations or audit annotations.";
    H23 Error [Registration] "A validation compiles and evaluates to a boolean.";
    H24 Error [Registration] "The message of a validation is not blank and has one line.";
    H25 Error [Registration] "The message expression of a validation is not blank, compiles and evaluates to a string.";
    H26 Error [Registration] "The reason of a validation is one that the server supports.";
    H27 Error [Registration] "A policy has at most 20 audit annotations with distinct valid keys.";
    H28 Error [Registration] "The value of an audit annotation compiles and evaluates to a string or null.";
    H29 Error [Registration] "A binding has the name of a policy.";
    H30 Error [Registration] "The parameters of a binding have a name or a selector, and an action for missing ones.";
    H31 Error [Registration] "The actions of a binding are distinct and supported, and not both `Deny` and `Warn`.";
    H32 Error [Registration] "An object has only fields of its kind, with values of their types.";
    H33 Error [Registration] "The labels, annotations, owners and finalizers of a configuration, a policy or a binding are valid.";
    H34 Error [Registration] "The kind of the parameters of a policy has a valid API version and name.";
    H35 Error [Registration] "A policy that mutates has mutations, each with the expression of its patch type.";
}

/// The maximum number of match conditions of a webhook.
pub const MAX_MATCH_CONDITIONS: usize = 64;

/// [`H1`].
pub const fn webhook_name_is_subdomain(name: &str) -> Result<(), Violation<'_>> {
    let server_error = ServerError::new(ErrorType::Invalid, ".name", "").with_value(Arg::Quoted(name));
    let (message, server_error) = match dns::subdomain(name) {
        _ if name.is_empty() => (
            Text::literal("a webhook needs a name, such as `machines.example.com`"),
            ServerError::new(ErrorType::Required, ".name", ""),
        ),
        Err(error) => (
            Text::new(
                "`{}` is not the name of a webhook: expected lower-case letters, digits, `-` and `.`",
                &[Arg::Text(name)],
            ),
            ServerError { detail: Text::literal(SUBDOMAIN.text(error)), ..server_error },
        ),
        Ok(()) if labels(name) < 3 => (
            Text::new(
                "the name `{}` of a webhook needs at least three labels, such as `machines.example.com`",
                &[Arg::Text(name)],
            ),
            ServerError {
                detail: Text::literal("should be a domain with at least three segments separated by dots"),
                ..server_error
            },
        ),
        Ok(()) => return Ok(()),
    };
    Err(Violation::new(&H1, message).with_server_error(server_error))
}

/// [`H2`].
pub const fn timeout_is_in_range<'a>(seconds: i64) -> Result<(), Violation<'a>> {
    if 1 <= seconds && seconds <= 30 {
        return Ok(());
    }
    let seconds = Arg::Integer(seconds);
    let message = Text::new("the timeout of a webhook cannot be {} s: write 1 to 30", &[seconds]);
    let detail = "the timeout value must be between 1 and 30 seconds";
    let server_error = ServerError::new(ErrorType::Invalid, ".timeoutSeconds", detail).with_value(seconds);
    Err(Violation::new(&H2, message).with_server_error(server_error))
}

/// Returns the number of labels between dots.
const fn labels(name: &str) -> usize {
    let bytes = name.as_bytes();
    let (mut labels, mut at) = (1, 0);
    while at < bytes.len() {
        if bytes[at] == b'.' {
            labels += 1;
        }
        at += 1;
    }
    labels
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn names_and_timeouts() {
        assert!(
            webhook_name_is_subdomain("a.example.com").is_ok()
                && webhook_name_is_subdomain("v1.pods.core").is_ok()
                && timeout_is_in_range(1).is_ok()
                && timeout_is_in_range(30).is_ok()
        );
        let server = |violation: Result<(), Violation<'_>>| violation.unwrap_err().server_error.unwrap().to_string();
        assert_eq!(server(webhook_name_is_subdomain("")), "Required value");
        let few = "Invalid value: \"a.b\": should be a domain with at least three segments separated by dots";
        assert_eq!(server(webhook_name_is_subdomain("a.b")), few);
        assert!(
            server(webhook_name_is_subdomain("A.b.c"))
                .starts_with("Invalid value: \"A.b.c\": a lowercase RFC 1123 subdomain must consist of")
        );
        assert_eq!(
            server(timeout_is_in_range(0)),
            "Invalid value: 0: the timeout value must be between 1 and 30 seconds"
        );
        assert_eq!(
            timeout_is_in_range(31).unwrap_err().message.to_string(),
            "the timeout of a webhook cannot be 31 s: write 1 to 30"
        );
    }
}

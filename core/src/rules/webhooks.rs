//! The server's rules about the webhooks in a ValidatingWebhookConfiguration or MutatingWebhookConfiguration. They are not about
//! definitions, so they are not in [`TABLES`](super::TABLES).

use crate::{
    literal::dns::{self, SUBDOMAIN},
    violation::{Arg, ErrorType, ServerError, Text, Violation},
};

rules! {
    H1 Error [Const] "The name of a webhook is a DNS subdomain of at least three labels.";
    H2 Error [Const] "The timeout of a webhook is from 1 to 30 seconds.";
}

/// The maximum number of match conditions of a webhook.
pub const MAX_MATCH_CONDITIONS: usize = 64;

/// The name of a webhook is a DNS subdomain of at least three labels.
///
/// # Errors
///
/// If it is empty, no subdomain, or has fewer labels.
pub const fn h1(name: &str) -> Result<(), Violation<'_>> {
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

/// The timeout of a webhook is from 1 to 30 seconds.
///
/// # Errors
///
/// If it is another one.
pub const fn h2<'a>(seconds: i64) -> Result<(), Violation<'a>> {
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
        assert!(h1("a.example.com").is_ok() && h1("v1.pods.core").is_ok() && h2(1).is_ok() && h2(30).is_ok());
        let server = |violation: Result<(), Violation<'_>>| violation.unwrap_err().server_error.unwrap().to_string();
        assert_eq!(server(h1("")), "Required value");
        let few = "Invalid value: \"a.b\": should be a domain with at least three segments separated by dots";
        assert_eq!(server(h1("a.b")), few);
        assert!(
            server(h1("A.b.c")).starts_with("Invalid value: \"A.b.c\": a lowercase RFC 1123 subdomain must consist of")
        );
        assert_eq!(server(h2(0)), "Invalid value: 0: the timeout value must be between 1 and 30 seconds");
        assert_eq!(h2(31).unwrap_err().message.to_string(), "the timeout of a webhook cannot be 31 s: write 1 to 30");
    }
}

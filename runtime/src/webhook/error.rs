//! Errors of validators and defaulters.

use std::{error::Error as StdError, fmt};

use serde_json::{Value, json};

use super::FieldErrors;
use crate::client::error_chain::{describe, sources};

/// Any error. Each error type converts to it with `?`.
pub type Error = Box<dyn StdError + Send + Sync>;

/// Denies a request with the status 403 and this message.
///
/// Errors of an object's fields are better reported as [`FieldErrors`], whose paths kubectl prints.
///
/// ```
/// use crdkit::webhook::{Error, deny};
///
/// fn check(groups: &[String]) -> Result<(), Error> {
///     if !groups.iter().any(|group| group == "admins") {
///         return Err(deny("only admins may resize machines").into());
///     }
///     Ok(())
/// }
///
/// assert!(check(&[]).is_err());
/// ```
#[doc(alias("Denied", "admission.Denied"))]
pub fn deny(message: impl Into<String>) -> Denied {
    Denied { message: message.into() }
}

/// Marks an error as a failure of the webhook, and not of the object: the API server applies the
/// [failure policy](super::WebhookBuilder::failure_policy).
///
/// Any other error of a validator or a defaulter denies the request, as in controller-runtime.
///
/// ```
/// use crdkit::webhook::{Error, failed};
///
/// fn quota(answer: Result<u32, std::io::Error>) -> Result<u32, Error> {
///     Ok(answer.map_err(failed)?)
/// }
///
/// let refused = std::io::Error::other("connection refused");
/// assert_eq!(quota(Err(refused)).unwrap_err().to_string(), "connection refused");
/// ```
pub fn failed(error: impl Into<Error>) -> Failed {
    Failed { error: error.into() }
}

/// An error that denies a request: see [`deny`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Denied {
    message: String,
}

/// An error that is a failure of the webhook: see [`failed`].
#[derive(Debug)]
pub struct Failed {
    error: Error,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl StdError for Failed {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.error)
    }
}

/// What follows from an error.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The object is invalid.
    Invalid(FieldErrors),
    /// The request is denied with this message.
    Denied(String),
    /// The webhook failed, with this message.
    Failed(String),
}

impl Refusal {
    pub(super) fn of(error: &Error) -> Self {
        for error in sources(&**error) {
            if let Some(errors) = error.downcast_ref::<FieldErrors>().filter(|errors| !errors.is_empty()) {
                return Self::Invalid(errors.clone());
            }
            if let Some(Denied { message }) = error.downcast_ref() {
                return Self::Denied(message.clone());
            }
            if error.is::<Failed>() {
                return Self::Failed(describe(sources(error)));
            }
        }
        Self::Denied(describe(sources(&**error)))
    }
}

/// Returns the `Status` of a denied request.
pub(super) fn denied_status(code: u16, reason: &str, message: &str) -> Value {
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "code": code, "reason": reason, "message": message,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot check the quota")]
    struct Wrapped(#[source] Error);

    fn of(error: impl Into<Error>) -> String {
        match Refusal::of(&error.into()) {
            Refusal::Invalid(errors) => format!("invalid {errors}"),
            Refusal::Denied(message) => format!("denied {message}"),
            Refusal::Failed(message) => format!("failed {message}"),
        }
    }

    #[test]
    fn errors_are_recognized_in_the_chain() {
        let mut errors = FieldErrors::new();
        errors.required("spec", "");
        assert_eq!(of(errors.clone()), "invalid spec: Required value");
        assert_eq!(of(Wrapped(errors.into())), "invalid spec: Required value");
        assert_eq!(of(Wrapped(deny("no").into())), "denied no");
        assert_eq!(of(failed(Wrapped("refused".into()))), "failed cannot check the quota: refused");
        assert_eq!(of(Wrapped("refused".into())), "denied cannot check the quota: refused");
        assert_eq!(of("plain"), "denied plain");
    }
}

//! Errors of requests in a namespace that is being deleted.

use std::{error::Error as StdError, time::Duration};

use kube_core::Status;

use super::ApplyOwnedError;
use crate::client::{
    error::{ApplyError, Error as ClientError, UpdateError},
    error_chain::sources,
};

/// When an object is reconciled again that needs another namespace than its own, which is being deleted: nothing else may cause a
/// reconciliation once the namespace is created again.
pub(super) const RETRY: Duration = Duration::from_secs(30);

/// The cause of the admission plugin NamespaceLifecycle, and its message: between these texts is the namespace.
const CAUSE: &str = "NamespaceTerminating";
const MESSAGE: (&str, &str) = ("unable to create new content in namespace ", " because it is being terminated");

/// A request that was rejected because its namespace is being deleted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the namespace {namespace} {}", if *.is_gone { "does not exist" } else { "is being deleted" })]
pub(super) struct NamespaceEnds {
    pub(super) namespace: String,
    /// Whether there is no such namespace. It may never have existed.
    pub(super) is_gone: bool,
}

impl NamespaceEnds {
    /// Finds such a request in an error or its sources.
    ///
    /// An error that displays as another one hides it from its sources, so the message counts as well.
    pub(super) fn find(error: &(dyn StdError + 'static)) -> Option<Self> {
        sources(error).find_map(|error| {
            let known = error.downcast_ref::<Self>().cloned();
            known.or_else(|| of_status(error)).or_else(|| of_message(&error.to_string()).map(Self::terminating))
        })
    }

    fn terminating(namespace: String) -> Self {
        Self { namespace, is_gone: false }
    }
}

fn of_status(error: &(dyn StdError + 'static)) -> Option<NamespaceEnds> {
    let client = error.downcast_ref::<ClientError>();
    let status = client.and_then(ClientError::status);
    let apply = error.downcast_ref::<ApplyError>().or_else(|| match error.downcast_ref()? {
        ApplyOwnedError::Apply(apply) => Some(apply),
        _ => None,
    });
    let status = status
        .or_else(|| apply?.status())
        .or_else(|| error.downcast_ref::<UpdateError>()?.status())
        .or_else(|| error.downcast_ref::<Status>())?;
    let details = status.details.as_ref()?;
    if status.code == 404 && details.kind == "namespaces" && details.group.is_empty() {
        return Some(NamespaceEnds { namespace: details.name.clone(), is_gone: true });
    }
    let is_ending = details.causes.iter().any(|cause| cause.reason == CAUSE);
    let requested = || client.and_then(|error| error.operation().namespace.clone());
    is_ending.then(|| NamespaceEnds::terminating(of_message(&status.message).or_else(requested).unwrap_or_default()))
}

fn of_message(message: &str) -> Option<String> {
    let (_, rest) = message.split_once(MESSAGE.0)?;
    let (namespace, _) = rest.split_once(MESSAGE.1)?;
    Some(namespace.to_owned())
}

#[cfg(test)]
mod tests {
    use kube_core::response::{StatusCause, StatusDetails};

    use super::*;

    #[derive(Debug, thiserror::Error)]
    enum Wrapped {
        #[error(transparent)]
        Transparent(kube::Error),
        #[error("cannot create the disk")]
        Named(#[source] kube::Error),
        #[error("cannot create the disk: {0}")]
        Text(String),
    }

    fn status(code: u16, kind: &str, name: &str, causes: &[&str]) -> Status {
        let causes = causes.iter().map(|reason| StatusCause {
            reason: (*reason).to_owned(),
            message: String::new(),
            field: String::new(),
        });
        let details = StatusDetails {
            name: name.to_owned(),
            group: String::new(),
            kind: kind.to_owned(),
            uid: String::new(),
            causes: causes.collect(),
            retry_after_seconds: 0,
        };
        let message = "configmaps \"a\" is forbidden: unable to create new content in namespace shop because it is being terminated";
        Status { details: Some(details), ..Status::failure(message, "Forbidden").with_code(code) }
    }

    fn found(error: &(dyn StdError + 'static)) -> Option<String> {
        NamespaceEnds::find(error).map(|ends| ends.namespace)
    }

    #[test]
    fn the_cause_is_found_in_each_error() {
        let error = || kube::Error::Api(Box::new(status(403, "configmaps", "a", &[CAUSE])));
        let errors = [Wrapped::Transparent(error()), Wrapped::Named(error()), Wrapped::Text(error().to_string())];
        for error in &errors {
            assert_eq!(found(error).as_deref(), Some("shop"), "{error:?}");
        }
        assert_eq!(found(&NamespaceEnds::terminating("shop".into())).as_deref(), Some("shop"));
    }

    #[test]
    fn a_namespace_that_is_gone_has_ended() {
        let gone = Status { message: String::new(), ..status(404, "namespaces", "shop", &[]) };
        assert_eq!(NamespaceEnds::find(&gone), Some(NamespaceEnds { namespace: "shop".into(), is_gone: true }));
    }

    #[test]
    fn other_errors_are_failures() {
        let without_message = |status| Status { message: "forbidden".to_owned(), ..status };
        let others = [
            without_message(status(403, "configmaps", "a", &[])),
            without_message(status(403, "configmaps", "a", &["FieldValueInvalid"])),
            without_message(status(404, "configmaps", "a", &[])),
        ];
        assert!(others.iter().all(|error| found(error).is_none()));
        assert_eq!(found(&without_message(status(403, "configmaps", "a", &[CAUSE]))).as_deref(), Some(""));
    }
}

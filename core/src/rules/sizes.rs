//! Limits in bytes.

use crate::{
    definition::Definition,
    rules::{Report, report_at_field},
    violation::{Arg, ErrorType, ServerError, Text, Violation},
};

rules! {
    Z1 Error [Derive, Validate] "The annotations have at most 262,144 bytes in total.";
    Z2 Error [Validate] "The definition has at most 1.5 MiB, the limit of etcd.";
    Z3 Error [Never("Z2 is stricter")] "The request has at most 3 MiB.";
    Z4 Lint [Validate] "The copy of the definition that client-side `kubectl apply` adds fits into the annotations.";
    Z5 Defect [Validate] "The definition with the server's additions has at most 1.5 MiB.";
}

/// The limit of all keys and values of the annotations of an object, in bytes.
pub const MAX_ANNOTATION_BYTES: usize = crate::object_processing::resource::ANNOTATIONS_LIMIT;
/// The limit of one request to etcd, in bytes: its `DefaultMaxRequestBytes`.
pub const MAX_STORED_BYTES: usize = 1_572_864;
/// The space for the server's additions to a definition: managed fields, and the conditions of its status.
pub const RESERVED_BYTES: usize = 2_048;

/// Checks the family, except the rules about the size of the JSON.
pub(super) fn check(definition: &Definition<'_>, report: &mut Report<'_>) {
    let annotations = definition.metadata.annotations.iter();
    let bytes = annotations.map(|(key, value)| key.len() + value.len()).sum();
    report_at_field("metadata.annotations", annotations_fit(bytes), report);
}

/// [`Z1`].
pub const fn annotations_fit<'a>(bytes: usize) -> Result<(), Violation<'a>> {
    if bytes <= MAX_ANNOTATION_BYTES {
        return Ok(());
    }
    let message = Text::new("all annotations have {} bytes together: at most 262144 are allowed", &[number(bytes)]);
    let detail = "may not be more than 262144 bytes";
    Err(Violation::new(&Z1, message).with_server_error(ServerError::new(ErrorType::TooLong, "", detail)))
}

/// [`Z2`].
pub const fn definition_fits<'a>(bytes: usize) -> Result<(), Violation<'a>> {
    if bytes <= MAX_STORED_BYTES {
        return Ok(());
    }
    let message = Text::new(
        "the definition has {} bytes, but the API server stores at most 1.5 MiB: shorten it with `#[crd(descriptions \
         = \"...\")]` and `#[crd(embed = \"...\")]`",
        &[number(bytes)],
    );
    let detail = "etcdserver: request is too large";
    Err(Violation::new(&Z2, message).with_server_error(ServerError::new(ErrorType::Other, "", detail)))
}

/// [`Z5`], unless it breaks [`Z2`].
pub const fn definition_fits_with_additions<'a>(bytes: usize) -> Result<(), Violation<'a>> {
    if bytes <= MAX_STORED_BYTES - RESERVED_BYTES || bytes > MAX_STORED_BYTES {
        return Ok(());
    }
    let message = Text::new(
        "the definition has {} bytes, and the API server stores at most 1.5 MiB, so that the status of the definition \
         does not fit and it is never served: shorten it with `#[crd(descriptions = \"...\")]` and `#[crd(embed = \
         \"...\")]`",
        &[number(bytes)],
    );
    Err(Violation::new(&Z5, message))
}

/// [`Z4`]. `bytes` is the size of all annotations including the copy.
pub const fn applied_copy_fits<'a>(bytes: usize) -> Result<(), Violation<'a>> {
    if bytes <= MAX_ANNOTATION_BYTES {
        return Ok(());
    }
    let message = Text::new(
        "with the copy that `kubectl apply` adds, the annotations have {} bytes of at most 262144: apply the \
         definition with `--server-side`, or shorten it with `#[crd(descriptions = \"...\")]` and `#[crd(embed = \
         \"...\")]`",
        &[number(bytes)],
    );
    Err(Violation::new(&Z4, message))
}

#[allow(clippy::cast_possible_wrap)] // sizes of values in memory
const fn number<'a>(bytes: usize) -> Arg<'a> {
    Arg::Integer(bytes as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        assert!(annotations_fit(MAX_ANNOTATION_BYTES).is_ok());
        assert!(annotations_fit(MAX_ANNOTATION_BYTES + 1).is_err());
        assert!(definition_fits(MAX_STORED_BYTES).is_ok());
        assert!(definition_fits(MAX_STORED_BYTES + 1).is_err());
        assert!(definition_fits_with_additions(MAX_STORED_BYTES - RESERVED_BYTES).is_ok());
        assert!(definition_fits_with_additions(MAX_STORED_BYTES - RESERVED_BYTES + 1).is_err());
        assert!(definition_fits_with_additions(MAX_STORED_BYTES + 1).is_ok());
        assert!(applied_copy_fits(MAX_ANNOTATION_BYTES).is_ok());
        assert!(applied_copy_fits(MAX_ANNOTATION_BYTES + 1).is_err());
    }
}

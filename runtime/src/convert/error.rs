//! Errors of conversions.

/// Why an object cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The object has no `apiVersion` or `kind`, or is not an object.
    #[error("expected an object with `apiVersion` and `kind`")]
    NotAnObject,
    /// The object is of another kind.
    #[error("cannot convert a {found}: expected a {expected}")]
    OtherKind {
        /// The kind and group of the object.
        found: String,
        /// The kind and group that are converted.
        expected: String,
    },
    /// The requested `apiVersion` is not one of the group.
    #[error("cannot convert to `{requested}`: expected a version of the group `{expected}`")]
    OtherGroup {
        /// The requested `apiVersion`.
        requested: String,
        /// The group of the kind that is converted.
        expected: String,
    },
    /// The object has no `metadata`.
    #[error("the object has no `metadata`")]
    NoMetadata,
    /// No type is registered for the version.
    #[error("there is no version `{version}` of {kind}; it has {known}")]
    UnknownVersion {
        /// The version.
        version: String,
        /// The kind.
        kind: String,
        /// The versions that exist.
        known: String,
    },
    /// A conversion function failed, or its argument cannot be decoded.
    #[error("{path}: {message}")]
    Value {
        /// The path in the object to convert, such as `spec.disks[0].size`.
        path: String,
        /// The message of the function.
        message: String,
    },
    /// The annotations exceed the limit of Kubernetes, because of what the target version cannot express.
    #[error(
        "version `{version}` cannot express {kept} bytes of this object, and with them the annotations have {total} bytes; Kubernetes allows {limit}"
    )]
    TooLarge {
        /// The version of the result.
        version: String,
        /// The size of the kept values.
        kept: usize,
        /// The size of all annotations.
        total: usize,
        /// The limit.
        limit: usize,
    },
    /// The object cannot be serialized.
    #[error("the object cannot be serialized: {0}")]
    NotSerializable(String),
    /// The result does not deserialize to the type of the target version.
    #[error("the converted object is not valid: {0}")]
    InvalidResult(String),
}

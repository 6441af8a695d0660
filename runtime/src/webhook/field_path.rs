use std::fmt;

/// The path of a field in an object, such as `spec.disks[0].size`, as apimachinery's `field.Path`.
///
/// ```
/// use crdkit::webhook::FieldPath;
///
/// let disks = FieldPath::new("spec").field("disks");
/// assert_eq!(disks.index(0).field("size").to_string(), "spec.disks[0].size");
/// let annotation = FieldPath::new("metadata").field("annotations").key("example.com/zone");
/// assert_eq!(annotation.to_string(), "metadata.annotations[example.com/zone]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldPath(String);

impl FieldPath {
    /// Creates the path of a field of the object, such as `spec`, or a whole path.
    pub fn new(field: impl Into<String>) -> Self {
        Self(field.into())
    }

    /// Returns the path of a field of this one.
    #[doc(alias("Child"))]
    pub fn field(&self, name: &str) -> Self {
        Self(format!("{}.{name}", self.0))
    }

    /// Returns the path of an item of this list.
    pub fn index(&self, index: usize) -> Self {
        Self(format!("{}[{index}]", self.0))
    }

    /// Returns the path of an entry of this map.
    pub fn key(&self, key: &str) -> Self {
        Self(format!("{}[{key}]", self.0))
    }

    /// Returns the path in the form of [`FieldError::place`](crdkit_core::object_processing::FieldError::place).
    pub(super) fn into_place(self) -> String {
        if self.0.is_empty() || self.0.starts_with('[') { self.0 } else { format!(".{}", self.0) }
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&Self> for FieldPath {
    fn from(path: &Self) -> Self {
        path.clone()
    }
}

impl From<&str> for FieldPath {
    fn from(path: &str) -> Self {
        Self::new(path)
    }
}

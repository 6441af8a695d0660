use serde::{Deserialize, Serialize};

/// What is done to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[non_exhaustive]
pub enum Operation {
    /// It is created.
    Create,
    /// It is updated, patched or applied.
    Update,
    /// It is deleted.
    Delete,
}

impl Operation {
    /// Returns the operation in rules, such as `CREATE`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
}

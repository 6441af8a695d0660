use super::{Unavailable, Wanted};
use crate::client::Error;

/// Why a resource is not found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiscoveryError {
    /// There is none of the name or kind.
    #[error("the API server serves no {wanted}{}{}", near(.nearest), silent(.unavailable))]
    Unknown {
        /// What was looked for.
        wanted: Box<Wanted>,
        /// What is most like it, as a name with its group.
        nearest: Option<String>,
        /// What does not answer and may have it.
        unavailable: Vec<Unavailable>,
    },
    /// It is served in other versions.
    #[error(
        "the API server does not serve {wanted} in this version: it serves {}",
        .versions.join(", ")
    )]
    NotServed {
        /// What was looked for.
        wanted: Box<Wanted>,
        /// The versions that are served, the preferred one first.
        versions: Vec<String>,
    },
    /// There are several, none of which comes first.
    #[error("{wanted} is ambiguous: say which of `{}` is meant", .candidates.join("`, `"))]
    Ambiguous {
        /// What was looked for.
        wanted: Box<Wanted>,
        /// The resources, as names with their groups.
        candidates: Vec<String>,
    },
    /// There is nothing of the category.
    #[error("nothing that the API server serves is of the category `{category}`{}", silent(.unavailable))]
    UnknownCategory {
        /// What was looked for.
        category: String,
        /// What does not answer and may have some.
        unavailable: Vec<Unavailable>,
    },
    /// The API server does not say what it serves.
    #[error(transparent)]
    Request(#[from] Error),
}

impl DiscoveryError {
    /// Whether the API server answered, and does not serve it. What a group may have that does not answer is not unknown.
    pub fn is_unknown(&self) -> bool {
        match self {
            Self::Unknown { unavailable, .. } | Self::UnknownCategory { unavailable, .. } => {
                unavailable.is_empty()
            }
            Self::NotServed { .. } => true,
            Self::Ambiguous { .. } | Self::Request(_) => false,
        }
    }
}

fn near(nearest: &Option<String>) -> String {
    match nearest {
        Some(nearest) => format!(": did you mean `{nearest}`?"),
        None => String::new(),
    }
}

fn silent(unavailable: &[Unavailable]) -> String {
    let lines = unavailable.iter().map(|silent| {
        let (group, version) = (&silent.group, &silent.version);
        format!("\n  {group}/{version} may have it: {}", silent.reason)
    });
    lines.collect()
}

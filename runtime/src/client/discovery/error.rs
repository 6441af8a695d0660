use super::{ResourceArg, UnavailableGroup};
use crate::client::{Error, error::Excerpt};

/// So many names are in a message; the error has all of them.
const MAX_LISTED: usize = 50;

/// Why a resource is not found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiscoveryError {
    /// There is none of the name or kind.
    #[error("the API server serves no {wanted}{}{}", near(.nearest), silent(.unavailable))]
    Unknown {
        /// What was looked for.
        wanted: Box<ResourceArg>,
        /// What is most like it, as a name with its group.
        nearest: Option<String>,
        /// What does not answer and may have it.
        unavailable: Vec<UnavailableGroup>,
    },
    /// It is served in other versions.
    #[error(
        "the API server does not serve {wanted} in this version: it serves {}",
        listed(.versions, ", ")
    )]
    NotServed {
        /// What was looked for.
        wanted: Box<ResourceArg>,
        /// The versions that are served, the preferred one first.
        versions: Vec<String>,
    },
    /// There are several, none of which comes first.
    #[error("{wanted} is ambiguous: say which of `{}` is meant", listed(.candidates, "`, `"))]
    Ambiguous {
        /// What was looked for.
        wanted: Box<ResourceArg>,
        /// The resources, as names with their groups.
        candidates: Vec<String>,
    },
    /// There is nothing of the category.
    #[error("nothing that the API server serves is of the category `{category}`{}", silent(.unavailable))]
    UnknownCategory {
        /// What was looked for.
        category: String,
        /// What does not answer and may have some.
        unavailable: Vec<UnavailableGroup>,
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
        Some(nearest) => format!(": did you mean `{}`?", Excerpt(nearest)),
        None => String::new(),
    }
}

/// The first of several names.
fn listed(names: &[String], between: &str) -> String {
    let names = names.iter().take(MAX_LISTED);
    let names = names.map(|name| Excerpt(name).to_string());
    names.collect::<Vec<_>>().join(between)
}

fn silent(unavailable: &[UnavailableGroup]) -> String {
    let lines = unavailable.iter().take(MAX_LISTED).map(|silent| {
        let (group, version) = (Excerpt(&silent.group), Excerpt(&silent.version));
        format!("\n  {group}/{version} may have it: {}", silent.reason)
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_answer_are_cut() {
        let long = "\n".repeat(1 << 20);
        let unavailable = UnavailableGroup {
            group: long.clone(),
            version: long.clone(),
            reason: "no".to_owned(),
        };
        let wanted = || Box::new(ResourceArg::from("vm"));
        for error in [
            DiscoveryError::Unknown {
                wanted: wanted(),
                nearest: Some(long.clone()),
                unavailable: vec![unavailable; 100],
            },
            DiscoveryError::NotServed {
                wanted: wanted(),
                versions: vec![long.clone(); 100],
            },
            DiscoveryError::Ambiguous {
                wanted: wanted(),
                candidates: vec![long.clone(); 100],
            },
        ] {
            let length = error.to_string().len();
            assert!(length < 100_000, "{length}");
        }
    }
}

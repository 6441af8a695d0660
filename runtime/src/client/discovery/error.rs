use super::{ResourceArg, UnavailableGroup};
use crate::client::{Error, error::Excerpt};

/// Maximum number of names in a message; the error contains all of them.
const MAX_LISTED: usize = 50;

/// Why a resource is not found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiscoveryError {
    /// No resource has this name or kind.
    #[error("the API server does not serve {wanted}{}{}", near(.nearest), silent(.unavailable))]
    Unknown {
        /// The requested resource.
        wanted: Box<ResourceArg>,
        /// The most similar resource, as a name with its group.
        nearest: Option<String>,
        /// The unavailable versions that may contain it.
        unavailable: Vec<UnavailableGroup>,
    },
    /// The resource is served only in other versions.
    #[error(
        "the API server does not serve {wanted} in this version, but in {}",
        listed(.versions, ", ")
    )]
    NotServed {
        /// The requested resource.
        wanted: Box<ResourceArg>,
        /// The versions that are served, the preferred one first.
        versions: Vec<String>,
    },
    /// Several resources match, and none takes precedence.
    #[error("{wanted} is ambiguous: specify one of `{}`", listed(.candidates, "`, `"))]
    Ambiguous {
        /// The requested resource.
        wanted: Box<ResourceArg>,
        /// The resources, as names with their groups.
        candidates: Vec<String>,
    },
    /// The category contains no resources.
    #[error("the API server serves no resource in the category `{category}`{}", silent(.unavailable))]
    UnknownCategory {
        /// The requested category.
        category: String,
        /// The unavailable versions that may contain resources of the category.
        unavailable: Vec<UnavailableGroup>,
    },
    /// A discovery request failed.
    #[error(transparent)]
    Request(#[from] Error),
}

impl DiscoveryError {
    /// Returns whether the resource is certainly not served. If a group that may contain it is unavailable, this is
    /// false.
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

/// Joins the first of several names.
fn listed(names: &[String], between: &str) -> String {
    let names = names.iter().take(MAX_LISTED);
    let names = names.map(|name| Excerpt(name).to_string());
    names.collect::<Vec<_>>().join(between)
}

fn silent(unavailable: &[UnavailableGroup]) -> String {
    let lines = unavailable.iter().take(MAX_LISTED).map(|silent| {
        let (group, version) = (Excerpt(&silent.group), Excerpt(&silent.version));
        format!("\n  {group}/{version} may contain it: {}", silent.reason)
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

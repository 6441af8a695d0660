use super::{ResourceArg, UnavailableGroup};
use crate::client::{Error, error::Excerpt};

/// Maximum number of names in a message; the error contains all of them.
const MAX_LISTED: usize = 50;

/// Why a resource is not found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiscoveryError {
    /// No resource has this name or kind.
    #[error("the API server does not serve {resource}{}{}", suggestion(.nearest), unavailable_lines(.unavailable))]
    Unknown {
        /// The requested resource.
        resource: Box<ResourceArg>,
        /// The most similar resource, as a name with its group.
        nearest: Option<String>,
        /// The unavailable versions that may contain it.
        unavailable: Vec<UnavailableGroup>,
    },
    /// The resource is served only in other versions.
    #[error(
        "the API server does not serve {resource} in this version, but in {}",
        join_names(.versions, ", ")
    )]
    NotServed {
        /// The requested resource.
        resource: Box<ResourceArg>,
        /// The versions that are served, the preferred one first.
        versions: Vec<String>,
    },
    /// Several resources match, and none takes precedence.
    #[error("{resource} is ambiguous: specify one of `{}`", join_names(.candidates, "`, `"))]
    Ambiguous {
        /// The requested resource.
        resource: Box<ResourceArg>,
        /// The resources, as names with their groups.
        candidates: Vec<String>,
    },
    /// The category contains no resources.
    #[error("the API server serves no resource in the category `{category}`{}", unavailable_lines(.unavailable))]
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
            Self::Unknown { unavailable, .. } | Self::UnknownCategory { unavailable, .. } => unavailable.is_empty(),
            Self::NotServed { .. } => true,
            Self::Ambiguous { .. } | Self::Request(_) => false,
        }
    }
}

fn suggestion(nearest: &Option<String>) -> String {
    match nearest {
        Some(nearest) => format!(": did you mean `{}`?", Excerpt(nearest)),
        None => String::new(),
    }
}

/// Joins the first of several names.
fn join_names(names: &[String], between: &str) -> String {
    let names = names.iter().take(MAX_LISTED).map(|name| Excerpt(name).to_string());
    names.collect::<Vec<_>>().join(between)
}

fn unavailable_lines(unavailable: &[UnavailableGroup]) -> String {
    let lines = unavailable.iter().take(MAX_LISTED).map(|unavailable_lines| {
        let (group, version) = (Excerpt(&unavailable_lines.group), Excerpt(&unavailable_lines.version));
        format!("\n  {group}/{version} may contain it: {}", unavailable_lines.reason)
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_response_are_truncated() {
        let long = "\n".repeat(1 << 20);
        let unavailable = UnavailableGroup { group: long.clone(), version: long.clone(), reason: "no".to_owned() };
        let resource = || Box::new(ResourceArg::from("vm"));
        for error in [
            DiscoveryError::Unknown {
                resource: resource(),
                nearest: Some(long.clone()),
                unavailable: vec![unavailable; 100],
            },
            DiscoveryError::NotServed { resource: resource(), versions: vec![long.clone(); 100] },
            DiscoveryError::Ambiguous { resource: resource(), candidates: vec![long.clone(); 100] },
        ] {
            let length = error.to_string().len();
            assert!(length < 100_000, "{length}");
        }
    }
}

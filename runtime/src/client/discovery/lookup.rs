use std::sync::Arc;

use crdkit_core::suggest::nearest_by;
use kube_core::GroupVersionKind;

use super::{
    ApiResources, DiscoveryError, GroupVersionResource, ResourceArg, ServedResource, UnavailableGroup,
    api_resources::preferred,
    resource_arg::{Interpretation, interpretations},
};

/// Why a lookup fails.
#[derive(Debug)]
pub(super) enum Miss {
    NotFoundInCache(DiscoveryError),
    Ambiguous(DiscoveryError),
}

impl Miss {
    /// Returns whether a refresh of the cache may help.
    pub(super) fn may_appear(&self) -> bool {
        matches!(self, Self::NotFoundInCache(_))
    }
}

impl From<Miss> for DiscoveryError {
    fn from(miss: Miss) -> Self {
        match miss {
            Miss::NotFoundInCache(error) | Miss::Ambiguous(error) => error,
        }
    }
}

type Found = Vec<Arc<ServedResource>>;

/// The names of a resource, the one with the highest precedence first.
const RANKS: [fn(&ServedResource, &str) -> bool; 3] = [
    |resource, name| resource.plural.eq_ignore_ascii_case(name),
    |resource, name| resource.singular.eq_ignore_ascii_case(name) || resource.kind.eq_ignore_ascii_case(name),
    |resource, name| {
        let mut names = resource.short_names.iter();
        names.any(|short| short.eq_ignore_ascii_case(name))
    },
];

impl ApiResources {
    /// Finds a resource without a request.
    ///
    /// # Errors
    ///
    /// The same as for [`Discovery::find`](super::Discovery::find).
    pub fn find(&self, arg: impl Into<ResourceArg>) -> Result<Arc<ServedResource>, DiscoveryError> {
        Ok(self.look_up(&arg.into())?)
    }

    pub(super) fn look_up(&self, arg: &ResourceArg) -> Result<Arc<ServedResource>, Miss> {
        let mut found = match arg {
            ResourceArg::Word(word) => self.by_word(word),
            ResourceArg::Kind(kind) => self.matching(|resource| resource.gvk() == *kind),
            ResourceArg::Resource(gvr) => self.matching(|resource| resource.gvr() == *gvr),
        };
        let is_of_core = |resource: &Arc<ServedResource>| resource.group.is_empty();
        if found.len() > 1 && found.iter().filter(|found| is_of_core(found)).count() == 1 {
            found.retain(is_of_core);
        }
        match found.pop() {
            None => Err(Miss::NotFoundInCache(self.explain(arg))),
            Some(only) if found.is_empty() => Ok(only),
            Some(last) => {
                found.push(last);
                let candidates = found.iter().map(|found| found.qualified_name()).collect();
                Err(Miss::Ambiguous(DiscoveryError::Ambiguous { resource: Box::new(arg.clone()), candidates }))
            }
        }
    }

    pub(super) fn look_up_category(&self, name: &str) -> Result<Found, Miss> {
        let is_in = |resource: &&Arc<ServedResource>| {
            let mut categories = resource.categories.iter();
            categories.any(|category| category.eq_ignore_ascii_case(name))
        };
        let found: Found = self.preferred_resources().filter(is_in).cloned().collect();
        if found.is_empty() {
            return Err(Miss::NotFoundInCache(DiscoveryError::UnknownCategory {
                category: name.to_owned(),
                unavailable: self.unavailable.clone(),
            }));
        }
        Ok(found)
    }

    fn by_word(&self, word: &str) -> Found {
        let interpretations = interpretations(word);
        let founds = interpretations.iter().map(|reading| self.by_interpretation(reading));
        founds.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }

    fn by_interpretation(&self, reading: &Interpretation<'_>) -> Found {
        let founds = RANKS.iter().map(|is_named| {
            self.matching(|resource| {
                is_named(resource, reading.name)
                    && reading.group.is_none_or(|group| resource.group == group)
                    && reading.version.is_none_or(|version| resource.version == version)
            })
        });
        founds.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Returns all matches, each resource in its most preferred matching version.
    fn matching(&self, fits: impl Fn(&ServedResource) -> bool) -> Found {
        let fitting = self.resources().filter(|resource| fits(resource));
        preferred(fitting).cloned().collect()
    }

    fn explain(&self, arg: &ResourceArg) -> DiscoveryError {
        let versions = match arg {
            ResourceArg::Word(_) => Vec::new(),
            ResourceArg::Kind(kind) => self.versions_of_kind(kind),
            ResourceArg::Resource(resource) => self.versions_of_resource(resource),
        };
        if !versions.is_empty() {
            let resource = Box::new(arg.clone());
            return DiscoveryError::NotServed { resource, versions };
        }
        let nearest = match arg {
            ResourceArg::Word(word) => self.nearest(interpretations(word)[0].name),
            ResourceArg::Kind(kind) => self.nearest(&kind.kind),
            ResourceArg::Resource(resource) => self.nearest(&resource.resource),
        };
        DiscoveryError::Unknown {
            resource: Box::new(arg.clone()),
            nearest: nearest.map(|resource| resource.qualified_name()),
            unavailable: self.unavailable_for(arg),
        }
    }

    fn versions_of_kind(&self, gvk: &GroupVersionKind) -> Vec<String> {
        let of_kind = self.resources().filter(|resource| resource.group == gvk.group && resource.kind == gvk.kind);
        of_kind.map(|resource| resource.version.clone()).collect()
    }

    fn versions_of_resource(&self, gvr: &GroupVersionResource) -> Vec<String> {
        let of_name =
            self.resources().filter(|resource| resource.group == gvr.group && resource.plural == gvr.resource);
        of_name.map(|resource| resource.version.clone()).collect()
    }

    fn nearest(&self, name: &str) -> Option<&Arc<ServedResource>> {
        let named = self.preferred_resources().flat_map(|resource| {
            let names = [&resource.plural, &resource.singular].into_iter().chain(&resource.short_names);
            names.map(move |name| (name.as_str(), resource))
        });
        nearest_by(name, named, |(name, _)| name).map(|(_, resource)| resource)
    }

    /// Returns the unavailable versions that may contain the resource.
    fn unavailable_for(&self, arg: &ResourceArg) -> Vec<UnavailableGroup> {
        let group = match arg {
            ResourceArg::Word(_) => None,
            ResourceArg::Kind(kind) => Some(&kind.group),
            ResourceArg::Resource(resource) => Some(&resource.group),
        };
        let all = self.unavailable.iter();
        all.filter(|unavailable| group.is_none_or(|group| unavailable.group == *group)).cloned().collect()
    }
}

//! Which controller applied an object: an annotation of the object.
//!
//! Owner references identify the owner, not the controller: a kind may have several controllers, and people create objects with owner
//! references, too. Managed fields identify a client, which controllers share, and caches drop them. An inventory in the owner would
//! be another write for each change of the set. So the object has an annotation, in the apply that is sent anyway.
//!
//! It also has the resource, namespace and name of the object, as Argo CD's tracking id: metadata that somebody copies to another
//! object, or that another controller copies to the objects that it makes of this one, does not count.

use super::ChildKey;

/// The annotation of objects that [`Context::apply_owned`](super::super::Context::apply_owned) applied: the field manager and the name
/// of the controller, the resource, and the namespace and name, such as `vm-operator/virtualmachine pods prod/web`.
pub const APPLIED_BY_ANNOTATION: &str = "controller.crdkit.dev/applied-by";

/// The end of the annotation of objects that are not pruned.
const KEPT: &str = " kept";

/// A controller, as the annotation names it.
pub(in crate::controller) struct Applier {
    /// The field manager.
    manager: String,
    /// The field manager and the name of the controller.
    name: String,
    /// The same, as they were before.
    former: Vec<String>,
}

/// Who applied an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::controller) enum AppliedBy {
    /// A person, or a program without this annotation.
    Unknown,
    /// The controller itself. Objects that it applied without pruning are kept.
    Own {
        is_kept: bool,
    },
    Other(String),
}

impl Applier {
    /// Creates an applier. Former names are those of the controller, with the same field manager, or `manager/name`.
    pub(in crate::controller) fn new(manager: Option<&str>, controller: &str, former: &[String]) -> Self {
        let manager = manager.unwrap_or_default();
        let identity = |name: &str| format!("{manager}/{name}");
        // The name of a controller may have a domain, so that one with `/` may be either.
        let with_manager = former.iter().filter(|name| name.contains('/')).cloned();
        Self {
            manager: manager.to_owned(),
            name: identity(controller),
            former: former.iter().map(|name| identity(name)).chain(with_manager).collect(),
        }
    }

    /// Returns the present name and the former ones, each with its field manager.
    pub(in crate::controller) fn names(&self) -> impl Iterator<Item = &str> {
        [&self.name].into_iter().chain(&self.former).map(String::as_str)
    }

    /// Whether a former name is that of another controller.
    pub(in crate::controller) fn is_formerly(&self, other: &Self) -> bool {
        self.name != other.name && self.former.contains(&other.name)
    }

    /// Returns the annotation of an object.
    pub(super) fn annotation(&self, child: &ChildKey, is_kept: bool) -> String {
        let end = if is_kept { KEPT } else { "" };
        format!("{} {child}{end}", self.name)
    }

    /// Returns the field managers, other than its own, by which an object may have been applied under a former name: both parts of such
    /// a name may have a `/`.
    pub(super) fn former_managers(&self, annotation: Option<&str>) -> Vec<&str> {
        let annotation = annotation.unwrap_or_default();
        let is_named = |former: &&String| annotation.strip_prefix(&***former).is_some_and(|rest| rest.starts_with(' '));
        let is_other = |former: &&String| !former.strip_prefix(&self.manager).is_some_and(|rest| rest.starts_with('/'));
        let former = self.former.iter().find(is_named).filter(is_other);
        former.into_iter().flat_map(|former| former.match_indices('/').map(|(at, _)| &former[..at])).collect()
    }

    /// Reads the annotation of an object.
    pub(in crate::controller) fn applied_by(&self, child: &ChildKey, annotation: Option<&str>) -> AppliedBy {
        let Some(annotation) = annotation else {
            return AppliedBy::Unknown;
        };
        let (rest, is_kept) = match annotation.strip_suffix(KEPT) {
            Some(rest) => (rest, true),
            None => (annotation, false),
        };
        let Some(applier) = rest.strip_suffix(&child.to_string()).and_then(|rest| rest.strip_suffix(' ')) else {
            // It was copied from another object.
            return AppliedBy::Unknown;
        };
        if applier == self.name || self.former.iter().any(|former| former == applier) {
            return AppliedBy::Own { is_kept };
        }
        AppliedBy::Other(applier.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::informer::ObjectKey;

    fn child(namespace: &str, name: &str) -> ChildKey {
        ChildKey { group: "apps".into(), plural: "deployments".into(), object: ObjectKey::new(namespace, name) }
    }

    #[test]
    fn an_annotation_identifies_the_controller_and_the_object() {
        let [own, other] = ["vm", "disk"].map(|name| Applier::new(Some("ops"), name, &[]));
        let renamed = Applier::new(Some("ops"), "machine", &["vm".to_owned(), "old/disk".to_owned()]);
        let web = child("prod", "web");
        let annotation = own.annotation(&web, false);
        assert_eq!(annotation, "ops/vm deployments.apps prod/web");
        let read = |applier: &Applier, child: &ChildKey| applier.applied_by(child, Some(&annotation));
        assert_eq!(read(&own, &web), AppliedBy::Own { is_kept: false });
        assert_eq!(read(&renamed, &web), AppliedBy::Own { is_kept: false });
        assert_eq!(read(&other, &web), AppliedBy::Other("ops/vm".to_owned()));
        for copy in [child("test", "web"), child("prod", "web-2"), child("prod", "eb")] {
            assert_eq!(read(&own, &copy), AppliedBy::Unknown);
        }
        let with_domain = Applier::new(Some("ops"), "example.com/vm", &[]);
        let renamed = Applier::new(Some("ops"), "vm", &["example.com/vm".to_owned()]);
        let own_again = renamed.applied_by(&web, Some(&with_domain.annotation(&web, false)));
        assert_eq!(own_again, AppliedBy::Own { is_kept: false });
        assert!(renamed.former_managers(Some(&with_domain.annotation(&web, false))).is_empty());
        let moved = Applier::new(Some("new"), "vm", &["old/a.io/vm".to_owned()]);
        assert_eq!(moved.former_managers(Some("old/a.io/vm deployments.apps prod/web")), ["old", "old/a.io"]);
        assert!(moved.former_managers(Some("new/vm deployments.apps prod/web")).is_empty());
        assert!(moved.former_managers(Some("old/a.io/vms deployments.apps prod/web")).is_empty());
        assert!(renamed.is_formerly(&with_domain) && !with_domain.is_formerly(&renamed));
        assert_eq!(own.applied_by(&web, Some(&own.annotation(&web, true))), AppliedBy::Own { is_kept: true });
        for odd in [None, Some(""), Some(" kept"), Some("deployments.apps prod/web")] {
            assert_eq!(own.applied_by(&web, odd), AppliedBy::Unknown, "{odd:?}");
        }
    }
}

//! The form of an inventory that kubectl's `apply --applyset` has: labels and annotations of the parent ([KEP-3659]).
//!
//! [KEP-3659]: https://github.com/kubernetes/enhancements/tree/master/keps/sig-cli/3659-kubectl-apply-prune

use std::collections::{BTreeMap, BTreeSet};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use kube_core::ObjectMeta;
use sha2::{Digest, Sha256};

use super::contents::{Contents, Edit, GroupKind};

/// The label of a parent: the id of its set.
const ID: &str = "applyset.kubernetes.io/id";
/// The label of members: the id of the set of their parent.
pub(super) const PART_OF: &str = "applyset.kubernetes.io/part-of";
/// The annotation of a parent: the tool that manages its set, and the version of the tool.
const TOOLING: &str = "applyset.kubernetes.io/tooling";
/// The annotation of a parent: the kinds of its members.
const CONTAINS_GROUP_KINDS: &str = "applyset.kubernetes.io/contains-group-kinds";
/// The annotation of a parent: the namespaces of its members, without its own.
const ADDITIONAL_NAMESPACES: &str = "applyset.kubernetes.io/additional-namespaces";

/// Returns the id of a set: the first version of kubectl's format, which is a label value.
pub(super) fn id(name: &str, namespace: Option<&str>, kind: &GroupKind) -> String {
    let parent = format!("{name}.{}.{}.{}", namespace.unwrap_or_default(), kind.kind, kind.group);
    format!("applyset-{}-v1", URL_SAFE_NO_PAD.encode(Sha256::digest(parent)))
}

/// The set of a parent.
#[derive(Clone, Debug)]
pub(super) struct ApplySet<'a> {
    pub(super) id: &'a str,
    /// The names of the tool: the present one, and former ones.
    pub(super) tools: &'a [String],
}

/// Returns the tool that manages the set of a parent, and its version, if it is none of some.
pub(super) fn other_tool<'a>(parent: &'a ObjectMeta, tools: &[String]) -> Option<&'a str> {
    let tooling = parent.annotations.as_ref().and_then(|all| all.get(TOOLING))?;
    let is_own = tools.iter().any(|tool| tooling.split('/').next() == Some(tool));
    (!is_own).then_some(tooling)
}

/// Returns the inventory of a parent.
pub(super) fn read(parent: &ObjectMeta) -> Contents {
    let items = |key: &str| {
        let list = parent.annotations.as_ref().and_then(|all| all.get(key)).map(String::as_str);
        list.unwrap_or_default().split(',').map(str::trim).filter(|item| !item.is_empty())
    };
    Contents::ApplySet {
        group_kinds: items(CONTAINS_GROUP_KINDS).map(GroupKind::parse).collect(),
        namespaces: items(ADDITIONAL_NAMESPACES).map(str::to_owned).collect(),
    }
}

impl ApplySet<'_> {
    /// Changes the inventory of a parent.
    ///
    /// # Errors
    ///
    /// The tool that manages the set, if it is another one.
    pub(super) fn edit(&self, parent: &mut ObjectMeta, edit: &Edit) -> Result<(), String> {
        if let Some(tooling) = other_tool(parent, self.tools) {
            return Err(tooling.to_owned());
        }
        let mut contents = read(parent);
        let before = contents.clone();
        edit.apply(&mut contents);
        if contents == before {
            return Ok(());
        }
        let Contents::ApplySet { group_kinds, namespaces } = contents else {
            return Ok(());
        };
        let kinds: BTreeSet<_> = group_kinds.iter().map(GroupKind::to_string).collect();
        let labels = parent.labels.get_or_insert_with(BTreeMap::new);
        labels.insert(ID.to_owned(), self.id.to_owned());
        let annotations = parent.annotations.get_or_insert_with(BTreeMap::new);
        let tool = self.tools.first().map(String::as_str).unwrap_or_default();
        annotations.insert(TOOLING.to_owned(), format!("{tool}/v{}", env!("CARGO_PKG_VERSION")));
        annotations.insert(CONTAINS_GROUP_KINDS.to_owned(), joined(kinds));
        annotations.insert(ADDITIONAL_NAMESPACES.to_owned(), joined(namespaces));
        Ok(())
    }
}

fn joined(items: BTreeSet<String>) -> String {
    items.into_iter().collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        controller::inventory::{contents::Member, store::Form},
        informer::ObjectKey,
    };

    /// The id is that of kubectl's own tests.
    #[test]
    fn ids_are_those_of_kubectl() {
        let id = id("my-set", Some("test"), &GroupKind::parse("Secret"));
        assert_eq!(id, "applyset-0eFHV8ySqp7XoShsGvyWFQD3s96yqwHmzc4e0HR1dsY-v1");
        assert!(id.len() <= 63);
    }

    fn contents(kinds: &[&str], namespace: Option<&str>) -> Contents {
        let members = kinds
            .iter()
            .map(|kind| (Member::new(GroupKind::parse(kind), ObjectKey::new(namespace, "x")), "v1".to_owned()));
        Contents::of(Form::ApplySet, members, None)
    }

    #[test]
    fn a_parent_has_labels_and_annotations() {
        let set = ApplySet { id: "applyset-x-v1", tools: &["ops.app".to_owned(), "ops.old".to_owned()] };
        let mut parent = ObjectMeta::default();
        let added = contents(&["ConfigMap", "ClusterRole.rbac.authorization.k8s.io"], Some("b"));
        set.edit(&mut parent, &Edit::Add(added.clone())).unwrap();
        assert_eq!(parent.labels.as_ref().unwrap()[ID], "applyset-x-v1");
        let annotations = parent.annotations.as_ref().unwrap();
        assert_eq!(annotations[CONTAINS_GROUP_KINDS], "ClusterRole.rbac.authorization.k8s.io,ConfigMap");
        assert_eq!(annotations[ADDITIONAL_NAMESPACES], "b");
        assert_eq!(annotations[TOOLING], concat!("ops.app/v", env!("CARGO_PKG_VERSION")));
        assert_eq!(read(&parent), added);

        let same = parent.clone();
        set.edit(&mut parent, &Edit::Add(contents(&["ConfigMap"], None))).unwrap();
        assert_eq!(parent, same);
        set.edit(&mut parent, &Edit::Remove(contents(&["ConfigMap"], Some("b")))).unwrap();
        assert_eq!(read(&parent), contents(&["ClusterRole.rbac.authorization.k8s.io"], None));
        // Both annotations are required.
        assert_eq!(parent.annotations.unwrap()[ADDITIONAL_NAMESPACES], "");
    }

    #[test]
    fn a_set_has_one_tool() {
        let mut parent = ObjectMeta::default();
        let set = |tools: &'static [String]| ApplySet { id: "applyset-x-v1", tools };
        let kubectl: &'static [String] = Box::leak(Box::new(["kubectl".to_owned()]));
        let renamed: &'static [String] = Box::leak(Box::new(["ops.new".to_owned(), "kubectl".to_owned()]));
        let other: &'static [String] = Box::leak(Box::new(["ops.app".to_owned()]));
        set(kubectl).edit(&mut parent, &Edit::Add(contents(&["ConfigMap"], None))).unwrap();
        let refused = set(other).edit(&mut parent, &Edit::Add(contents(&["Secret"], None)));
        assert!(refused.unwrap_err().starts_with("kubectl/v"));
        set(renamed).edit(&mut parent, &Edit::Add(contents(&["Secret"], None))).unwrap();
        assert!(parent.annotations.unwrap()[TOOLING].starts_with("ops.new/v"));
    }
}

//! An object as it is sent: with its owner, its namespace and the name of its controller.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value, json};

use super::{APPLIED_BY_ANNOTATION, ApplyOwned, ApplyOwnedError, ChildKey, kind_of};
use crate::{
    client::OwnerError,
    controller::{
        ReconciledKind, StaticKind,
        kind::{is_namespaced, namespace_of_child},
    },
    informer::{CacheObject, ObjectKey},
};

/// An object with its owner.
#[derive(Clone)]
pub(super) struct Prepared {
    pub(super) key: ChildKey,
    pub(super) object: Value,
    /// The hash of the object.
    pub(super) fields: u64,
}

impl<K: ReconciledKind, C: StaticKind> ApplyOwned<'_, K, C> {
    /// Adds the owner and the applier to an object.
    pub(super) fn prepare(&self, mut object: Value) -> Result<Prepared, ApplyOwnedError> {
        check_form(&object)?;
        let metadata = &mut object["metadata"];
        let name = metadata["name"]
            .as_str()
            .filter(|name| !name.is_empty())
            .ok_or_else(|| ApplyOwnedError::MissingName { kind: kind_of::<C>() })?
            .to_owned();
        let own = metadata["namespace"].as_str().filter(|own| !own.is_empty());
        let namespace = self.namespace_of(own)?;
        match &namespace {
            Some(namespace) => metadata["namespace"] = namespace.as_str().into(),
            None if is_namespaced::<C>() => {
                return Err(ApplyOwnedError::MissingNamespace { kind: kind_of::<C>(), name });
            }
            None => {}
        }
        if self.by_inventory {
            self.mark(metadata)?;
        } else {
            self.refer(metadata)?;
        }
        let key = ChildKey::of::<C>(ObjectKey::new(namespace.as_deref(), &name));
        metadata["annotations"][APPLIED_BY_ANNOTATION] = self.run.applier.annotation(&key, !self.prunes).into();
        let mut hasher = DefaultHasher::new();
        object.to_string().hash(&mut hasher);
        Ok(Prepared { key, object, fields: hasher.finish() })
    }

    /// Returns the namespace of an object that may have one.
    fn namespace_of(&self, own: Option<&str>) -> Result<Option<String>, OwnerError> {
        if self.by_inventory {
            return Ok(namespace_of_child::<C>(own, self.owner.namespace()).map(str::to_owned));
        }
        if let (Some(own), Some(owner)) = (own, self.owner.namespace())
            && own != owner
        {
            return Err(OwnerError::NamespaceMismatch { owner: owner.to_owned(), child: Some(own.to_owned()) });
        }
        // The scope of an owner whose kind is known at run time is not checked at compile time.
        if let Some(owner) = self.owner.namespace().filter(|_| !is_namespaced::<C>()) {
            return Err(OwnerError::NamespaceMismatch { owner: owner.to_owned(), child: None });
        }
        Ok(namespace_of_child::<C>(self.owner.namespace(), own).map(str::to_owned))
    }

    /// Adds the reference to the owner.
    fn refer(&self, metadata: &mut Value) -> Result<(), OwnerError> {
        let kind = &self.run.kind;
        let owner = self.owner.owner_ref(kind.dynamic()).ok_or_else(|| OwnerError::NotCreated { kind: kind.name() })?;
        let mut reference = json!(owner);
        reference["controller"] = true.into();
        reference["blockOwnerDeletion"] = true.into();
        match metadata["ownerReferences"].as_array_mut() {
            Some(others) => {
                others.retain(|other| other["uid"] != reference["uid"]);
                others.push(reference);
            }
            None => metadata["ownerReferences"] = json!([reference]),
        }
        Ok(())
    }
}

/// Fails if metadata cannot be added to an object.
fn check_form(object: &Value) -> Result<(), serde_json::Error> {
    if !object.is_object() {
        return Err(serde::ser::Error::custom("it is not an object"));
    }
    let metadata = object.get("metadata").unwrap_or(&Value::Null);
    let part = |name: &str| metadata.get(name).unwrap_or(&Value::Null);
    let (annotations, labels) = (part("annotations"), part("labels"));
    for (value, name) in [(metadata, "metadata"), (annotations, "metadata.annotations"), (labels, "metadata.labels")] {
        if !value.is_object() && !value.is_null() {
            return Err(serde::ser::Error::custom(format!("its `{name}` is not an object")));
        }
    }
    Ok(())
}

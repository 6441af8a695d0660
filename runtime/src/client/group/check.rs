//! Checks the group version of a type at compile time.

use crdkit_core::{Message, text::equal_bytes};

use crate::resource::definition::CustomResource;

/// The group version of a type.
pub struct GroupVersion {
    group: &'static str,
    version: &'static str,
}

/// Selects the group version of a type by method resolution.
pub struct VersionOf<K>(std::marker::PhantomData<K>);

impl<K: CustomResource> VersionOf<K> {
    /// The group version of the definition.
    pub const GROUP_VERSION: GroupVersion = GroupVersion { group: K::DEFINITION.group, version: K::DEFINITION.version };
}

/// A type of k8s-openapi.
pub trait BuiltIn {
    /// The group version of the type.
    const GROUP_VERSION: GroupVersion;
}

impl<K: k8s_openapi::Resource> BuiltIn for VersionOf<K> {
    const GROUP_VERSION: GroupVersion = GroupVersion { group: K::GROUP, version: K::VERSION };
}

/// Checks that a kind belongs to the group version of a client.
pub const fn check(client: &str, expected: &str, kind: &str, found: &GroupVersion) -> Result<(), Message> {
    if matches(expected, found) {
        return Ok(());
    }
    let slash = if found.group.is_empty() { "" } else { "/" };
    Err(Message::concat(&[
        "`",
        kind,
        "` belongs to `",
        found.group,
        slash,
        found.version,
        "`, but `",
        client,
        "` is a client for `",
        expected,
        "`",
    ]))
}

/// Returns whether the text is group, slash and version, or only the version for the core group.
const fn matches(text: &str, group_version: &GroupVersion) -> bool {
    let (group, version) = (group_version.group.as_bytes(), group_version.version.as_bytes());
    let text = text.as_bytes();
    if group.is_empty() {
        return equal_bytes(text, version);
    }
    if text.len() != group.len() + 1 + version.len() {
        return false;
    }
    let (start, rest) = text.split_at(group.len());
    equal_bytes(start, group) && rest[0] == b'/' && equal_bytes(rest.split_at(1).1, version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_versions_are_compared_as_text() {
        let of = |group, version| GroupVersion { group, version };
        assert!(matches("apps/v1", &of("apps", "v1")));
        assert!(matches("v1", &of("", "v1")));
        for text in ["v1", "apps/v2", "apps/v1beta1", "appsxv1", "/v1"] {
            assert!(!matches(text, &of("apps", "v1")), "{text}");
        }
        assert!(!matches("/v1", &of("", "v1")));
        let message = check("InfraV1", "infra.example.com/v1", "Pod", &of("", "v1")).unwrap_err();
        let expected = "`Pod` belongs to `v1`, but `InfraV1` is a client for `infra.example.com/v1`";
        assert_eq!(message.as_str(), expected);
    }
}

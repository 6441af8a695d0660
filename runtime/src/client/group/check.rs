//! Which group version a type is of, known while compiling.

use crdkit_core::{Message, text::equal_bytes};

use crate::definition::CustomResource;

/// What a type says of its group version.
pub struct GroupVersion {
    group: &'static str,
    version: &'static str,
}

/// A type that is asked for its group version.
pub struct VersionOf<K>(std::marker::PhantomData<K>);

impl<K: CustomResource> VersionOf<K> {
    /// That of the definition.
    pub const GROUP_VERSION: GroupVersion = GroupVersion {
        group: K::DEFINITION.group,
        version: K::DEFINITION.version,
    };
}

/// A type of Kubernetes' own.
pub trait OfKubernetes {
    /// That of the type.
    const GROUP_VERSION: GroupVersion;
}

impl<K: k8s_openapi::Resource> OfKubernetes for VersionOf<K> {
    const GROUP_VERSION: GroupVersion = GroupVersion {
        group: K::GROUP,
        version: K::VERSION,
    };
}

/// Whether a kind is of the group version that a client is of.
pub const fn check(
    client: &str,
    expected: &str,
    kind: &str,
    found: &GroupVersion,
) -> Result<(), Message> {
    if is(expected, found) {
        return Ok(());
    }
    let slash = if found.group.is_empty() { "" } else { "/" };
    Err(Message::of(&[
        "`",
        kind,
        "` is of `",
        found.group,
        slash,
        found.version,
        "`, and `",
        client,
        "` is a client of `",
        expected,
        "`",
    ]))
}

/// Whether the text is group, slash and version; the version alone for Kubernetes' core.
const fn is(text: &str, group_version: &GroupVersion) -> bool {
    let (group, version) = (
        group_version.group.as_bytes(),
        group_version.version.as_bytes(),
    );
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
        assert!(is("apps/v1", &of("apps", "v1")));
        assert!(is("v1", &of("", "v1")));
        for text in ["v1", "apps/v2", "apps/v1beta1", "appsxv1", "/v1"] {
            assert!(!is(text, &of("apps", "v1")), "{text}");
        }
        assert!(!is("/v1", &of("", "v1")));
        let message = check("InfraV1", "infra.example.com/v1", "Pod", &of("", "v1"));
        let message = message.unwrap_err();
        let expected = "`Pod` is of `v1`, and `InfraV1` is a client of `infra.example.com/v1`";
        assert_eq!(message.as_str(), expected);
    }
}

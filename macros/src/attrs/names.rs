//! Names that the API server checks, checked here on their literals.

use std::ops::Deref;

use darling::Result;

use super::text::{Checked, FromText, Text, from_text};

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident: $check:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub(crate) struct $name(Text);

        impl FromText for $name {
            fn from_text(text: Text) -> Result<Self> {
                text.checked($check).map(Self)
            }
        }

        from_text!($name);

        impl Deref for $name {
            type Target = Text;

            fn deref(&self) -> &Text {
                &self.0
            }
        }
    )*};
}

names! {
    /// An API group.
    Group: group;
    /// An API version.
    Version: |text| label(text, "version", "`v1` or `v1alpha1`");
    /// A kind, or the kind of a list.
    Kind: kind;
    /// A plural name.
    Plural: |text| label(text, "plural name", "`virtualmachines`");
    /// A singular name.
    Singular: |text| label(text, "singular name", "`virtualmachine`");
    /// A short name.
    ShortName: |text| label(text, "short name", "`vm`");
    /// A category.
    Category: |text| label(text, "category", "`all`");
}

const MAX_LABEL: usize = 63;
const MAX_SUBDOMAIN: usize = 253;

fn group(text: &str) -> Checked<()> {
    let expected = "expected a DNS subdomain with at least one dot, such as `example.com`";
    if text.len() > MAX_SUBDOMAIN {
        return Err(format!(
            "the API group `{text}` has {} characters: at most {MAX_SUBDOMAIN} are allowed",
            text.len()
        ));
    }
    if !is_subdomain(text) {
        return Err(format!("`{text}` is not a valid API group: {expected}"));
    }
    if !text.contains('.') {
        return Err(format!("the API group `{text}` has no dot: {expected}"));
    }
    Ok(())
}

fn label(text: &str, what: &str, example: &str) -> Checked<()> {
    if text.len() > MAX_LABEL {
        return Err(format!(
            "the {what} `{text}` has {} characters: at most {MAX_LABEL} are allowed",
            text.len()
        ));
    }
    if !is_label(text) {
        return Err(format!(
            "`{text}` is not a valid {what}: expected lower-case letters, digits and `-`, \
             starting with a letter, such as {example}"
        ));
    }
    Ok(())
}

fn kind(text: &str) -> Checked<()> {
    if text.len() > MAX_LABEL {
        return label(text, "kind", "");
    }
    if !is_label(&text.to_ascii_lowercase()) {
        return Err(format!(
            "`{text}` is not a valid kind: expected letters, digits and `-`, starting with a \
             letter, such as `VirtualMachine`"
        ));
    }
    Ok(())
}

/// RFC 1035's label, as Kubernetes reads it.
fn is_label(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase()) && is_subdomain_part(text)
}

/// RFC 1123's subdomain, as Kubernetes reads it.
pub(crate) fn is_subdomain(text: &str) -> bool {
    text.len() <= MAX_SUBDOMAIN && text.split('.').all(is_subdomain_part)
}

fn is_subdomain_part(text: &str) -> bool {
    let alphanumeric = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.starts_with(alphanumeric)
        && text.ends_with(alphanumeric)
        && text.chars().all(|c| alphanumeric(c) || c == '-')
}

/// Whether Kubernetes' API reserves the group, so that a CRD in it needs an approval.
pub(crate) fn is_protected_group(group: &str) -> bool {
    ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|suffix| group == *suffix || group.ends_with(&format!(".{suffix}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups() {
        for valid in ["example.com", "a.b", "1a.2b", "x-y.z"] {
            assert_eq!(group(valid), Ok(()), "{valid}");
        }
        for invalid in [
            "",
            "nodot",
            "Example.com",
            "a_b.c",
            "a..b",
            ".a.b",
            "a.b.",
            "-a.b",
            "a.b-",
        ] {
            assert!(group(invalid).is_err(), "{invalid}");
        }
        assert!(group(&format!("{}.com", "a".repeat(250))).is_err());
    }

    #[test]
    fn labels() {
        for valid in ["v1", "v1alpha1", "foo", "a-b", &"a".repeat(63)] {
            assert_eq!(label(valid, "version", ""), Ok(()), "{valid}");
        }
        for invalid in ["", "V1", "1v", "v1.0", "v1_1", "v-", "a b", &"a".repeat(64)] {
            assert!(label(invalid, "version", "").is_err(), "{invalid}");
        }
    }

    #[test]
    fn kinds() {
        for valid in ["Y", "VirtualMachine", "My-Foo", "Foo2"] {
            assert_eq!(kind(valid), Ok(()), "{valid}");
        }
        for invalid in ["", "My_Foo", "2Foo", "Foo Bar", "Föö"] {
            assert!(kind(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn protected_groups() {
        assert!(is_protected_group("gateway.networking.k8s.io"));
        assert!(is_protected_group("kubernetes.io"));
        assert!(!is_protected_group("example.x-k8s.io"));
    }
}

//! Which names objects can have.

use crdkit_core::literal::dns::{self, SUBDOMAIN};
use serde::Deserialize;

use super::{builtin, resource::Resource};

/// Which names the objects of a kind can have.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(super) enum NameRule {
    #[default]
    Subdomain,
    /// A label of RFC 1123.
    Label,
    /// Any text that can be a segment of a path.
    PathSegment,
}

impl NameRule {
    pub(super) fn of(resource: &Resource) -> Self {
        if resource.is_custom { Self::Subdomain } else { builtin::name_rule(&resource.group, &resource.names.plural) }
    }

    /// Returns the errors of a name, or of a prefix of generated names.
    pub(super) fn messages(self, name: &str, is_prefix: bool) -> Vec<String> {
        let masked;
        let name = match self {
            // A generated name continues after a dash.
            Self::Subdomain | Self::Label if is_prefix && name.len() > 1 && name.ends_with('-') => {
                masked = name.get(..name.len() - 2).map(|start| format!("{start}a"));
                masked.as_deref().unwrap_or(name)
            }
            _ => name,
        };
        let messages: Vec<_> = match self {
            Self::Subdomain => dns::subdomain(name).err().into_iter().flat_map(|it| SUBDOMAIN.messages(it)).collect(),
            Self::Label => dns::label_1123_messages(name).collect(),
            Self::PathSegment => return path_segment(name, is_prefix),
        };
        messages.into_iter().map(str::to_owned).collect()
    }
}

fn path_segment(name: &str, is_prefix: bool) -> Vec<String> {
    if !is_prefix && matches!(name, "." | "..") {
        return vec![format!("may not be '{name}'")];
    }
    let contained = ['/', '%'].into_iter().filter(|c| name.contains(*c));
    contained.map(|c| format!("may not contain '{c}'")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules() {
        for (rule, name, is_prefix, expected) in [
            (NameRule::Subdomain, "a.b-1", false, 0),
            (NameRule::Subdomain, "A", false, 1),
            (NameRule::Subdomain, "a-", false, 1),
            (NameRule::Subdomain, "a-", true, 0),
            (NameRule::Subdomain, "a.-", true, 0),
            (NameRule::Subdomain, &"A".repeat(254), false, 2),
            (NameRule::Label, "a.b", false, 1),
            (NameRule::Label, "1a", false, 0),
            (NameRule::PathSegment, "system:A b", false, 0),
            (NameRule::PathSegment, "a/%", false, 2),
            (NameRule::PathSegment, "..", false, 1),
            (NameRule::PathSegment, "..", true, 0),
        ] {
            let messages = rule.messages(name, is_prefix);
            assert_eq!(messages.len(), expected, "{name}: {messages:?}");
        }
        assert_eq!(NameRule::Label.messages("a.b", false), ["must not contain dots"]);
    }
}

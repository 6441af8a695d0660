use std::fmt;

/// The RBAC rule that allows a request, and nothing else.
///
/// It displays as YAML for the `rules` of a Role or ClusterRole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyRule {
    /// The API group; empty for the core group.
    pub group: String,
    /// The plural name, followed by `/` and the subresource if there is one.
    pub resource: String,
    /// The verbs.
    pub verbs: Vec<String>,
    /// The namespace in which a Role is sufficient; without one, a ClusterRole is required.
    pub namespace: Option<String>,
}

impl PolicyRule {
    /// Parses the rule from the API server's message, which is more precise than the request: a patch can require
    /// `create`.
    pub(super) fn missing(message: &str) -> Option<Self> {
        let (_, rest) = message.split_once("\" cannot ")?;
        let (verb, rest) = rest.split_once(" resource \"")?;
        let (resource, rest) = rest.split_once("\" in API group \"")?;
        let (group, rest) = rest.split_once('"')?;
        let namespace = rest.strip_prefix(" in the namespace \"").and_then(|rest| rest.split_once('"'));
        Some(Self {
            group: group.to_owned(),
            resource: resource.to_owned(),
            verbs: vec![verb.to_owned()],
            namespace: namespace.map(|(namespace, _)| namespace.to_owned()),
        })
    }
}

impl fmt::Display for PolicyRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => writeln!(f, "# in a Role of namespace {namespace}")?,
            None => writeln!(f, "# in a ClusterRole")?,
        }
        writeln!(f, "- apiGroups: [\"{}\"]", self.group)?;
        writeln!(f, "  resources: [\"{}\"]", self.resource)?;
        write!(f, "  verbs: [\"{}\"]", self.verbs.join("\", \""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_parsed_from_the_message() {
        let message = "virtualmachines.infra.example.com \"web\" is forbidden: User \"jane\" cannot patch resource \
                       \"virtualmachines/status\" in API group \"infra.example.com\" in the namespace \"default\"";
        let rule = PolicyRule::missing(message).unwrap();
        let yaml = "# in a Role of namespace default\n- apiGroups: [\"infra.example.com\"]\n  resources: \
                    [\"virtualmachines/status\"]\n  verbs: [\"patch\"]";
        assert_eq!(rule.to_string(), yaml);
    }

    #[test]
    fn cluster_scoped_rules_have_no_namespace() {
        let message = "nodes is forbidden: User \"jane\" cannot list resource \"nodes\" in API group \"\" at the cluster \
                       scope: RBAC: clusterrole.rbac.authorization.k8s.io \"x\" not found";
        let rule = PolicyRule::missing(message).unwrap();
        assert_eq!((rule.group.as_str(), rule.namespace), ("", None));
    }

    #[test]
    fn only_rbac_errors_have_a_rule() {
        assert_eq!(PolicyRule::missing("pods \"web\" is forbidden: exceeded quota: pods"), None);
    }
}

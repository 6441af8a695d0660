use std::fmt;

use kube_core::GroupVersionKind;

use crate::controller::Rbac;

/// What the cluster does not serve or permit, although the program requires it.
///
/// It displays as one message with everything that is missing, and with the roles that grant missing permissions as YAML.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PreflightError {
    /// The differences between the kinds of the program and those that the API server serves.
    pub problems: Vec<PreflightProblem>,
    /// Roles that grant the missing permissions to the user of the client; `None` if none is missing.
    pub missing_permissions: Option<Rbac>,
}

/// A difference between a kind of the program and what the API server serves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PreflightProblem {
    /// The kind is not served in this version.
    #[error("{} is not served{}", describe(.kind), advice(.versions))]
    NotServed {
        /// The kind of the type.
        kind: GroupVersionKind,
        /// The versions in which it is served.
        versions: Vec<String>,
    },
    /// The kind is served under another name.
    #[error("{} is served as `{served}`, and the type declares the plural `{plural}`", describe(.kind))]
    OtherPlural {
        /// The kind of the type.
        kind: GroupVersionKind,
        /// The plural name of the type.
        plural: String,
        /// The plural name that is served.
        served: String,
    },
    /// Another kind is served under the plural name.
    #[error("{} has the plural of the kind `{served}`, which is served", describe(.kind))]
    OtherKind {
        /// The kind of the type.
        kind: GroupVersionKind,
        /// The kind that is served.
        served: String,
    },
    /// The kind has another scope.
    #[error(
        "{} is served as {}, and the type declares {}",
        describe(.kind),
        scope(*.is_namespaced),
        scope(!*.is_namespaced)
    )]
    OtherScope {
        /// The kind of the type.
        kind: GroupVersionKind,
        /// Whether the API server serves it in namespaces.
        is_namespaced: bool,
    },
    /// A subresource that the program uses is not served.
    #[error("{} is served without its subresource `{subresource}`", describe(.kind))]
    NoSubresource {
        /// The kind of the type.
        kind: GroupVersionKind,
        /// The subresource, such as `status`.
        subresource: String,
    },
}

fn describe(kind: &GroupVersionKind) -> String {
    let separator = if kind.group.is_empty() { "" } else { "/" };
    format!("`{}` of `{}{separator}{}`", kind.kind, kind.group, kind.version)
}

fn advice(versions: &[String]) -> String {
    match versions {
        [] => ": install its CustomResourceDefinition".to_owned(),
        versions => format!(", but `{}` is", versions.join("`, `")),
    }
}

fn scope(is_namespaced: bool) -> &'static str {
    if is_namespaced { "namespaced" } else { "cluster-scoped" }
}

impl fmt::Display for PreflightError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the cluster does not serve or permit what this program requires:")?;
        for problem in &self.problems {
            write!(f, "\n- {problem}")?;
        }
        if let Some(missing) = &self.missing_permissions {
            write!(f, "\n- permissions are missing, which these roles grant:\n\n{}", missing.to_yaml())?;
            if let Some((resources, watched)) = missing.beyond_namespaces() {
                let (resources, watched) = (resources.join("`, `"), watched.join("`, `"));
                write!(
                    f,
                    "\nThe program is limited to the namespaces `{watched}`. It needs a ClusterRole nevertheless for `{resources}`: \
                     these have no namespace, or it selects them in all namespaces"
                )?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for PreflightError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_all_problems() {
        let kind = || GroupVersionKind::gvk("infra.example.com", "v1", "VirtualMachine");
        let problems = vec![
            PreflightProblem::NotServed { kind: kind(), versions: Vec::new() },
            PreflightProblem::NotServed { kind: kind(), versions: vec!["v1alpha1".into(), "v1beta1".into()] },
            PreflightProblem::OtherPlural { kind: kind(), plural: "virtualmachines".into(), served: "vms".into() },
            PreflightProblem::OtherKind { kind: kind(), served: "Machine".into() },
            PreflightProblem::OtherScope { kind: kind(), is_namespaced: false },
            PreflightProblem::NoSubresource {
                kind: GroupVersionKind::gvk("", "v1", "Pod"),
                subresource: "status".into(),
            },
        ];
        let error = PreflightError { problems, missing_permissions: None };
        let expected = "the cluster does not serve or permit what this program requires:
- `VirtualMachine` of `infra.example.com/v1` is not served: install its CustomResourceDefinition
- `VirtualMachine` of `infra.example.com/v1` is not served, but `v1alpha1`, `v1beta1` is
- `VirtualMachine` of `infra.example.com/v1` is served as `vms`, and the type declares the plural `virtualmachines`
- `VirtualMachine` of `infra.example.com/v1` has the plural of the kind `Machine`, which is served
- `VirtualMachine` of `infra.example.com/v1` is served as cluster-scoped, and the type declares namespaced
- `Pod` of `v1` is served without its subresource `status`";
        assert_eq!(error.to_string(), expected);
    }
}

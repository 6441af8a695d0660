//! The texts of a project's files.

use minijinja::{Environment, UndefinedBehavior};
use serde::Serialize;

use crate::names::{Group, Kind, Version};

/// What the files of a project depend on.
#[derive(Debug, Serialize)]
pub(crate) struct Project {
    pub(crate) name: String,
    pub(crate) crate_name: String,
    /// Where cargo finds crdkit, as keys of a dependency.
    pub(crate) crdkit: String,
    /// Where cargo finds crdkit-api-server.
    pub(crate) crdkit_api_server: String,
    /// Where cargo finds crdkit-tools.
    pub(crate) crdkit_tools: String,
    #[serde(flatten)]
    pub(crate) kind: CustomResource,
}

/// What the files of a custom resource depend on.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CustomResource {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) module: String,
    pub(crate) is_namespaced: bool,
    pub(crate) has_controller: bool,
}

impl CustomResource {
    pub(crate) fn new(group: &Group, version: &Version, kind: &Kind) -> Self {
        let (group, version) = (group.to_string(), version.to_string());
        Self {
            group,
            version,
            kind: kind.to_string(),
            module: kind.module(),
            is_namespaced: true,
            has_controller: true,
        }
    }
}

/// The files of a project, without those of its kinds.
pub(crate) const PROJECT_FILES: &[(&str, &str)] = &[
    (".dockerignore", include_str!("../templates/dockerignore")),
    (".github/workflows/ci.yaml", include_str!("../templates/ci.yaml")),
    (".gitignore", include_str!("../templates/gitignore")),
    ("Cargo.toml", include_str!("../templates/Cargo.toml.in")),
    ("Dockerfile", include_str!("../templates/Dockerfile.in")),
    ("README.md", include_str!("../templates/README.md.in")),
    ("src/bin/crds.rs", include_str!("../templates/crds.rs.in")),
    ("src/lib.rs", include_str!("../templates/lib.rs.in")),
    ("src/logging.rs", include_str!("../templates/logging.rs.in")),
    ("src/main.rs", include_str!("../templates/main.rs.in")),
    ("tests/end_to_end.rs", include_str!("../templates/end_to_end.rs.in")),
    ("tests/manifests.rs", include_str!("../templates/manifests.rs.in")),
];

/// The module of a custom resource.
pub(crate) const KIND: &str = include_str!("../templates/kind.rs.in");
/// The module of its controller.
pub(crate) const CONTROLLER: &str = include_str!("../templates/controller.rs.in");

/// The list of all webhooks.
pub(crate) const WEBHOOKS: &str = include_str!("../templates/webhooks.rs.in");
/// The module of a webhook.
pub(crate) const WEBHOOK: &str = include_str!("../templates/webhook.rs.in");
/// The list of a kind's versions.
pub(crate) const VERSIONS: &str = include_str!("../templates/versions.rs.in");
/// The module of a version.
pub(crate) const VERSION: &str = include_str!("../templates/version.rs.in");

/// Fills in a template.
///
/// # Panics
///
/// If the template is invalid, which a test excludes.
pub(crate) fn render(template: &str, context: impl Serialize) -> String {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_trim_blocks(true);
    environment.set_keep_trailing_newline(true);
    environment.render_str(template, context).expect("the template is valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_valid() {
        let kind = CustomResource::new(
            &"example.com".parse().unwrap(),
            &"v1".parse().unwrap(),
            &"VirtualMachine".parse().unwrap(),
        );
        for (is_namespaced, has_controller) in [(true, true), (true, false), (false, true), (false, false)] {
            let kind = CustomResource { is_namespaced, has_controller, ..kind.clone() };
            let (name, crate_name) = ("vm-operator".to_owned(), "vm_operator".to_owned());
            let crdkit = "version = \"0.1\"".to_owned();
            let [crdkit_api_server, crdkit_tools] = [crdkit.clone(), crdkit.clone()];
            let project = Project { name, crate_name, crdkit, crdkit_api_server, crdkit_tools, kind: kind.clone() };
            for (path, template) in PROJECT_FILES {
                let text = render(template, &project);
                assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{path}:\n{text}");
            }
            for template in [KIND, CONTROLLER, WEBHOOK, VERSIONS] {
                assert!(render(template, &kind).contains("VirtualMachine"));
            }
        }
    }
}

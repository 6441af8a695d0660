//! The namespaces to which a manager is limited.

use std::env;

use crdkit_core::literal::dns;

use super::{Manager, ManagerHandle, SettingsError};

/// The variable of operator-sdk and of the charts of many operators: names with commas between them, or nothing for all namespaces.
const VARIABLE: &str = "WATCH_NAMESPACE";

impl Manager {
    /// Limits the manager to namespaces: all its controllers reconcile, own, watch and read objects only there, and the
    /// [roles](Self::rbac) are those of these namespaces.
    ///
    /// Objects of kinds without namespaces are not limited, and need a ClusterRole. A controller that
    /// [selects](crate::controller::ControllerBuilder::select) namespaces, or all of them by
    /// [`all_namespaces`](crate::informer::InformerBuilder::all_namespaces), has these instead.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use crdkit::{Client, controller::{Action, Context, Controller, Error, Manager}, k8s_openapi::api::core::v1::{ConfigMap, Secret}};
    /// # async fn reconcile(_: Arc<ConfigMap>, _: Context<ConfigMap>) -> Result<Action, Error> { Ok(Action::Done) }
    /// fn manager(client: Client) -> Manager {
    ///     // ConfigMaps and Secrets of two namespaces, with a Role in each.
    ///     Manager::new(client).namespaces(["prod", "test"]).add(Controller::of::<ConfigMap>().reads::<Secret>().reconcile(reconcile))
    /// }
    /// ```
    ///
    /// A namespace that does not exist, is deleted or is forbidden is [reported](crate::controller::ServeOptions), and the others go on:
    /// [what happens to it](crate::controller#namespaces). [`ManagerHandle::set_namespaces`] changes them while the manager runs, and
    /// [`namespaces_with_labels`](Self::namespaces_with_labels) follows those with certain labels.
    #[doc(alias("DefaultNamespaces", "cache.Options", "WATCH_NAMESPACE", "scope"))]
    pub fn namespaces(self, namespaces: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.informers.namespaces().set_labels(None);
        self.informers.namespaces().limit(namespaces.into_iter().map(Into::into));
        self
    }

    /// Limits the manager to the [namespaces](Self::namespaces) of the environment variable `WATCH_NAMESPACE`, with commas between them.
    /// If it is not set or empty, the manager has all namespaces.
    ///
    /// The charts of `cargo crdkit` set it from their value `watchNamespaces`, with the roles for them.
    pub fn namespaces_from_env(self) -> Self {
        let names = names_in(&env::var(VARIABLE).unwrap_or_default());
        let manager = Self { follows_environment: true, ..self };
        if names.is_empty() { manager } else { manager.namespaces(names) }
    }
}

impl ManagerHandle {
    /// Returns the namespaces to which the manager is [limited](Manager::namespaces), sorted; `None` for all.
    pub fn namespaces(&self) -> Option<Vec<String>> {
        self.informers.namespaces().selected()
    }

    /// Changes the namespaces to which the manager is limited.
    ///
    /// - Objects of an added namespace are reconciled once all informers of their controller have listed it.
    /// - No reconciliation starts in a removed one any more, also no [clean-up](crate::controller::ControllerBuilder::finalizer). Those that
    ///   run there end before its objects leave the caches. These are no deletions: nothing is reconciled because of them, and what
    ///   the objects own remains.
    /// - A namespace that is added again is listed again, so that what changed meanwhile is reconciled.
    ///
    /// The permissions must be granted [before](crate::controller::Rbac::namespaces). Until then, an added namespace is
    /// reported as forbidden.
    ///
    /// ```
    /// use crdkit::controller::{ManagerHandle, SettingsError};
    ///
    /// /// Follows a setting of the program.
    /// fn on_change(handle: &ManagerHandle, tenants: &[String]) -> Result<(), SettingsError> {
    ///     handle.set_namespaces(tenants)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// If a name is not one of a namespace, if the manager was not [limited](Manager::namespaces) when it started, because then its
    /// informers watch all namespaces at once, or if [labels](Manager::namespaces_with_labels) select them. Nothing has changed.
    pub fn set_namespaces(&self, namespaces: impl IntoIterator<Item = impl Into<String>>) -> Result<(), SettingsError> {
        let names: Vec<String> = namespaces.into_iter().map(Into::into).collect();
        let mut problems = problems(&names);
        if self.namespaces().is_none() {
            problems.push(
                "the manager watches all namespaces: limit it with `Manager::namespaces`, to be able to change them"
                    .to_owned(),
            );
        }
        if let Some(labels) = self.informers.namespaces().labels() {
            problems.push(format!(
                "the namespaces of the manager are those with the labels `{labels}`, which it follows itself"
            ));
        }
        if problems.is_empty() {
            self.informers.namespaces().limit(names);
            Ok(())
        } else {
            Err(SettingsError { problems })
        }
    }
}

/// Returns the names that are none of namespaces.
pub(super) fn problems(names: &[String]) -> Vec<String> {
    let invalid = names.iter().filter(|name| dns::label_1123(name).is_err());
    let problem = |name: &String| {
        format!(
            "`{}` is not the name of a namespace: use at most 63 lower-case letters, digits and `-`, with a letter or digit at both ends",
            name.escape_debug()
        )
    };
    invalid.map(problem).collect()
}

fn names_in(variable: &str) -> Vec<String> {
    variable.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_commas_between_them() {
        assert_eq!(names_in("prod"), ["prod"]);
        assert_eq!(names_in(" prod, test,"), ["prod", "test"]);
        assert!(names_in("").is_empty() && names_in(" , ").is_empty());
    }

    #[test]
    fn names_are_those_of_namespaces() {
        let names = ["prod", "Prod", "a/b", ""].map(str::to_owned);
        let problems = problems(&names);
        assert_eq!(problems.len(), 3);
        assert!(problems[0].starts_with("`Prod` is not the name of a namespace"), "{problems:?}");
    }
}

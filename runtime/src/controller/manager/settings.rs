//! Checks how a manager is configured, without requests.

use std::{collections::BTreeMap, fmt};

use crdkit_core::{go::printable::first_unprintable, literal::dns};

use super::{
    super::{apply_owned::Applier, builder::ConnectedController},
    Manager, namespaces,
};
use crate::Client;
#[cfg(feature = "webhook")]
use crate::webhook::certificates::CertificateRequest;

/// The longest name of a field manager that the API server accepts, in bytes.
const MAX_FIELD_MANAGER: usize = 128;

/// What is wrong with the settings of a manager and its controllers.
///
/// It displays as one message with all problems.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SettingsError {
    /// One sentence for each problem, with the names of the controllers or the value.
    pub problems: Vec<String>,
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the manager cannot run with these settings:")?;
        self.problems.iter().try_for_each(|problem| write!(f, "\n- {problem}"))
    }
}

impl std::error::Error for SettingsError {}

impl Manager {
    /// Checks what would fail again and again while the manager runs.
    pub(super) fn check_settings(&self) -> Result<(), SettingsError> {
        let all: Vec<_> = self.controllers.iter().collect();
        let mut problems = controller_problems(&all, &self.client);
        let field_manager = self.client.field_manager_name();
        problems.extend(field_manager.and_then(field_manager_problem));
        problems.extend(namespaces::problems(&self.informers.namespaces().selected().unwrap_or_default()));
        let coordination = self.election.as_ref().or(self.shards.as_ref().map(|(settings, _)| settings));
        problems.extend(coordination.into_iter().flat_map(|settings| settings.problems()));
        if self.client.is_dry_run() && coordination.is_some() {
            problems.push("the requests of the client are dry runs, by which no lease is stored".to_owned());
        }
        if self.is_member && (coordination.is_some() || self.serves()) {
            problems.push(
                "the manager of one of several clusters has a leader election, shards, ports or certificates of its own: the home \
                 manager has them"
                    .to_owned(),
            );
        }
        #[cfg(feature = "webhook")]
        problems.extend(self.certificates.iter().flat_map(|(_, requests)| certificate_problems(requests)));
        if problems.is_empty() { Ok(()) } else { Err(SettingsError { problems }) }
    }
}

impl Manager {
    fn serves(&self) -> bool {
        #[cfg(feature = "webhook")]
        let has_webhooks = self.webhooks.is_some() || self.certificates.is_some();
        #[cfg(not(feature = "webhook"))]
        let has_webhooks = false;
        self.serve.is_some() || has_webhooks
    }
}

/// Returns what is wrong with controllers that use a client, and with their combination.
pub(super) fn controller_problems(controllers: &[&ConnectedController], client: &Client) -> Vec<String> {
    let mut problems = equal_names(controllers);
    let field_manager = client.field_manager_name();
    for controller in controllers {
        problems.extend(name_problem(&controller.name));
        problems.extend(finalizer_problems(controller));
        problems.extend(owner_problems(controller));
        problems.extend(trigger_problems(controller));
        problems.extend(controller.inventory.problem(&controller.name));
        problems.extend(controller.steering.problems(&controller.name));
        if field_manager.is_none() && !controller.owned.is_empty() {
            let (name, owned) = (&controller.name, controller.owned.join("`, `"));
            problems.push(format!(
                "the controller `{name}` owns `{owned}`, and the client has no field manager: set one with `Client::field_manager`"
            ));
        }
    }
    for (index, controller) in controllers.iter().enumerate() {
        let others = controllers[..index].iter();
        let of_same_objects = others.filter(|other| other.selection.overlaps(&controller.selection));
        problems.extend(of_same_objects.flat_map(|other| shared_object_problems(other, controller, field_manager)));
    }
    if client.is_dry_run() && controllers.iter().any(|controller| !controller.finalizers.is_empty()) {
        problems.push("the requests of the client are dry runs, by which no finalizer is stored".to_owned());
    }
    problems
}

/// Returns the names that several controllers have: their metrics, spans and events would be mixed up.
fn equal_names(controllers: &[&ConnectedController]) -> Vec<String> {
    let mut kinds = BTreeMap::<&str, Vec<&str>>::new();
    for controller in controllers {
        kinds.entry(&controller.name).or_default().push(&controller.kind);
    }
    let equal = kinds.into_iter().filter(|(_, kinds)| kinds.len() > 1);
    let problem = |(name, kinds): (&str, Vec<&str>)| {
        let kinds = kinds.join("`, `");
        format!(
            "the controllers of `{kinds}` have the same name `{name}`: set another one with `ControllerBuilder::name`"
        )
    };
    equal.map(problem).collect()
}

/// The name of a controller is the `reportingController` of its events, which the API server checks.
fn name_problem(name: &str) -> Option<String> {
    dns::qualified_name(name).err().map(|_| {
        format!(
            "`{name}` is not the name of a controller: use at most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at \
             both ends, and optionally a domain with `/` before them"
        )
    })
}

/// Returns what objects of a kind cannot own whose scope is known at run time. Otherwise it is checked at compile time.
fn owner_problems(controller: &ConnectedController) -> impl Iterator<Item = String> {
    let ConnectedController { name, kind, not_ownable, .. } = controller;
    not_ownable.iter().map(move |owned| {
        format!("the controller `{name}` of the namespaced kind `{kind}` owns `{owned}`, which is cluster-scoped: only cluster-scoped objects can")
    })
}

fn finalizer_problems(controller: &ConnectedController) -> Vec<String> {
    let (name, finalizers) = (&controller.name, &controller.finalizers);
    let mut problems = Vec::new();
    for (index, finalizer) in finalizers.iter().enumerate() {
        if dns::qualified_name(finalizer).is_err() {
            problems.push(format!(
                "`{finalizer}` of the controller `{name}` is not the name of a finalizer, such as `infra.example.com/machines`"
            ));
        }
        if finalizers[..index].contains(finalizer) {
            problems.push(format!("the controller `{name}` has the finalizer `{finalizer}` twice"));
        }
    }
    problems
}

/// The metrics of triggers with the same name would be mixed up.
fn trigger_problems(controller: &ConnectedController) -> impl Iterator<Item = String> {
    let (name, triggers) = (&controller.name, &controller.triggers);
    let repeated = triggers.iter().enumerate().filter(move |(index, trigger)| triggers[..*index].contains(trigger));
    repeated.map(move |(_, trigger)| format!("the controller `{name}` has two triggers with the name `{trigger}`"))
}

/// Returns what two controllers of the same objects do to each other. Those of one name are another problem.
fn shared_object_problems(
    first: &ConnectedController,
    second: &ConnectedController,
    field_manager: Option<&str>,
) -> Vec<String> {
    let (kind, names) = (&first.kind, (&first.name, &second.name));
    let both = first.finalizers.iter().filter(|finalizer| second.finalizers.contains(finalizer));
    let shared = both.map(|finalizer| {
        format!(
            "the controllers `{}` and `{}` of `{kind}` have the same finalizer `{finalizer}`: the one that cleans up first removes \
             it, so that the other one does not clean up",
            names.0, names.1
        )
    });
    let applier =
        |controller: &ConnectedController| Applier::new(field_manager, &controller.name, &controller.former_names);
    let mut pairs = vec![(first, second), (second, first)];
    pairs.retain(|(renamed, other)| applier(renamed).is_formerly(&applier(other)));
    let claimed = pairs.into_iter().map(|(renamed, other)| {
        format!(
            "`{}` is a former name of the controller `{}` of `{kind}`, and the name of another one, whose objects it would delete",
            other.name, renamed.name
        )
    });
    let steered = first.steering.conflicts(&second.steering, (names.0, names.1), kind);
    let sets = first.inventory.problem_with(&second.inventory, kind, (names.0, names.1));
    shared.chain(claimed).chain(steered).chain(sets).collect()
}

/// The API server has no objects with other names: each request for one fails.
#[cfg(feature = "webhook")]
fn certificate_problems(requests: &[CertificateRequest]) -> Vec<String> {
    let names = requests.iter().filter_map(|request| {
        let (name, resource) = (request.name.as_deref()?, request.resource);
        let problem = || format!("`{name}` is not the name of one of the {resource} for the certificates of webhooks");
        dns::subdomain(name).is_err().then(problem)
    });
    let mut namespaces: Vec<_> = requests.iter().filter_map(|request| request.namespace.as_deref()).collect();
    namespaces.sort_unstable();
    namespaces.dedup();
    namespaces.retain(|namespace| dns::label_1123(namespace).is_err());
    let namespace_problem = |namespace| format!("`{namespace}` is not the namespace of the certificates of webhooks");
    names.chain(namespaces.into_iter().map(namespace_problem)).collect()
}

fn field_manager_problem(name: &str) -> Option<String> {
    let is_accepted = (1..=MAX_FIELD_MANAGER).contains(&name.len()) && first_unprintable(name).is_none();
    (!is_accepted).then(|| {
        format!(
            "`{}` is not the name of a field manager: use at most {MAX_FIELD_MANAGER} printable bytes",
            name.escape_debug()
        )
    })
}

//! Computes the status.

use crdkit::conditions::{NewCondition, set_condition};
use example_resources::virtual_machine::{Phase, VirtualMachine, VirtualMachineStatus};
use k8s_openapi::api::core::v1::Pod;

use super::{OF, plan::Plan};

/// Sets the progress and the error in the status.
pub(super) fn report(status: &mut VirtualMachineStatus, vm: &VirtualMachine, plan: &Plan, error: Option<&str>) {
    let name = vm.metadata.name.as_deref().unwrap_or_default();
    let generation = vm.metadata.generation;
    status.phase = phase(vm, plan, error);
    status.replicas = i32::try_from(plan.fitting.len() + plan.surplus.len()).unwrap_or(i32::MAX);
    status.selector = format!("{OF}={name}");
    status.observed_generation = generation;
    let ready = ready(vm, plan, status.phase, error).observed_generation(generation.unwrap_or_default());
    set_condition(&mut status.conditions, ready);
}

fn phase(vm: &VirtualMachine, plan: &Plan, error: Option<&str>) -> Phase {
    let has_failed = error.is_some() || count(plan, "Failed") > 0;
    let all_run = count(plan, "Running") == vm.spec.replicas && plan.surplus.is_empty();
    match (has_failed, all_run, plan.fitting.is_empty()) {
        (true, ..) => Phase::Failed,
        (_, true, _) => Phase::Running,
        (.., true) => Phase::Pending,
        (.., false) => Phase::Starting,
    }
}

fn ready(vm: &VirtualMachine, plan: &Plan, phase: Phase, error: Option<&str>) -> NewCondition {
    let condition = match phase {
        Phase::Running => NewCondition::is_true("Ready", "AllRun"),
        Phase::Failed => NewCondition::is_false("Ready", "Failed"),
        Phase::Pending | Phase::Starting => NewCondition::is_false("Ready", "Starting"),
    };
    let running = count(plan, "Running");
    let progress = format!("{running} of {} machines run", vm.spec.replicas);
    condition.message(error.unwrap_or(&progress))
}

/// Returns the number of matching machines in a phase.
fn count(plan: &Plan, phase: &str) -> i32 {
    let is_in_phase = |pod: &&Pod| {
        let status = pod.status.as_ref();
        status.and_then(|status| status.phase.as_deref()) == Some(phase)
    };
    let pods = plan.fitting.iter().map(|pod| &**pod);
    i32::try_from(pods.filter(is_in_phase).count()).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::operator::plan::tests::{pods, vm};

    fn status_of(phases: &[&str], error: Option<&str>) -> (Phase, i32, String, String) {
        let vm = vm(2, "debian:13");
        let mut pods = pods(&vm);
        pods.truncate(phases.len());
        for (pod, phase) in pods.iter_mut().zip(phases) {
            let pod = Arc::make_mut(pod);
            pod.status.get_or_insert_default().phase = Some((*phase).to_owned());
        }
        let mut status = VirtualMachineStatus::default();
        report(&mut status, &vm, &Plan::of(&vm, pods).unwrap(), error);
        assert_eq!(status.observed_generation, Some(3));
        let ready = status.conditions.remove(0);
        assert_eq!(ready.observed_generation, Some(3));
        (status.phase, status.replicas, ready.status, ready.message)
    }

    #[test]
    fn the_status_contains_the_progress() {
        let no = |phase, replicas, message: &str| (phase, replicas, "False".to_owned(), message.to_owned());
        assert_eq!(status_of(&[], None), no(Phase::Pending, 0, "0 of 2 machines run"));
        assert_eq!(status_of(&["Running", "Pending"], None), no(Phase::Starting, 2, "1 of 2 machines run"));
        let all = (Phase::Running, 2, "True".to_owned(), "2 of 2 machines run".to_owned());
        assert_eq!(status_of(&["Running", "Running"], None), all);
    }

    #[test]
    fn the_status_contains_the_error() {
        let failed = status_of(&["Running", "Failed"], None);
        assert_eq!(failed.0, Phase::Failed);
        let refused = status_of(&[], Some("forbidden"));
        assert_eq!((refused.0, &*refused.3), (Phase::Failed, "forbidden"));
    }
}

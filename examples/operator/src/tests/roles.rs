//! The roles of the operator are complete and minimal, and the committed file has them.

use crdkit::{
    controller::Rbac,
    emit::CheckError,
    kube::core::admission::{AdmissionRequest, AdmissionResponse},
};
use crdkit_api_server::JournalEntry;
use k8s_openapi::api::{
    authorization::v1::{ResourceAttributes, SubjectAccessReview},
    events::v1::Event as ApiEvent,
    rbac::v1::PolicyRule,
};

use super::*;

/// Updates the file with `CRDKIT_BLESS=1`.
#[tokio::test]
async fn committed_roles_are_up_to_date() -> Result<(), CheckError> {
    let client = ApiServer::new().client().field_manager("vm-operator");
    let rbac = webhooks::serve(manager(client.clone()), &client).rbac();
    rbac.service_account("vm-system", "vm-operator").file("rbac.yaml").check()
}

/// A cluster in which the operator has only the permissions of its roles.
struct Guarded {
    server: ApiServer,
    operator: ApiServer,
}

impl Guarded {
    fn new() -> Self {
        let server = ApiServer::new().with::<VirtualMachine>().with_rbac();
        let admin = server.client();
        let server = server.with_validating_webhook(move |request| enforce_owners(admin.clone(), request));
        Self { operator: server.as_service_account("default", "vm-operator"), server }
    }

    fn manager(&self) -> Manager {
        manager(self.operator.client().field_manager("vm-operator"))
    }

    fn rbac(&self) -> Rbac {
        self.manager().rbac().service_account("default", "vm-operator")
    }

    /// Lets the operator do everything that it ever does, and returns the requests that were refused.
    async fn live(self) -> Vec<String> {
        let cluster = Cluster::start(&self.server, self.manager().without_preflight());
        cluster.create(2).await;
        cluster.set_phase("Running").await;
        // The event is reported again.
        cluster.set_phase("Pending").await;
        cluster.set_phase("Running").await;
        cluster.vms.update("web", |vm| vm.spec.replicas = 1).await.unwrap();
        sleep(Duration::from_secs(5)).await;
        cluster.vms.delete("web").await.unwrap();
        sleep(Duration::from_secs(10)).await;
        let is_refused = |entry: &&JournalEntry| matches!(entry.code(), Some(400 | 403));
        self.server.journal().iter().filter(is_refused).map(ToString::to_string).collect()
    }
}

/// Checks what the admission plugin `OwnerReferencesPermissionEnforcement` of the API server checks.
async fn enforce_owners(client: Client, request: AdmissionRequest<Pod>) -> AdmissionResponse {
    let response = AdmissionResponse::from(&request);
    let owners = request.object.as_ref().and_then(|pod| pod.metadata.owner_references.as_ref());
    if owners.is_none_or(|owners| owners.iter().all(|owner| owner.block_owner_deletion != Some(true))) {
        return response;
    }
    let mut review = SubjectAccessReview::default();
    review.spec.user = request.user_info.username.clone();
    review.spec.groups = request.user_info.groups.clone();
    review.spec.resource_attributes = Some(ResourceAttributes {
        verb: Some("update".into()),
        group: Some("infra.example.com".into()),
        resource: Some("virtualmachines".into()),
        subresource: Some("finalizers".into()),
        namespace: request.namespace.clone(),
        ..ResourceAttributes::default()
    });
    let reviewed = client.resources().create(&review).await.unwrap();
    if reviewed.status.unwrap().allowed { response } else { response.deny("the owner's finalizers cannot be updated") }
}

#[tokio::test(start_paused = true)]
async fn roles_are_complete() {
    let guarded = Guarded::new();
    let server = guarded.server.clone().with_objects(&guarded.rbac().to_yaml());
    assert_eq!(guarded.live().await, [""; 0]);
    let client = server.client();
    assert!(client.resources::<VirtualMachine>().all_namespaces().list().await.unwrap().items.is_empty());
    let events = client.resources::<ApiEvent>().namespace("default").list().await.unwrap().items;
    assert!(events.len() == 1 && events[0].series.is_some());
}

#[tokio::test(start_paused = true)]
async fn no_permission_is_superfluous() {
    let rbac = Guarded::new().rbac();
    let (cluster, mut roles) = (rbac.cluster_role().unwrap().rules.unwrap(), rbac.roles());
    let leases = roles.remove(0).rules.unwrap();
    assert!(roles.is_empty());
    let fewer_of_cluster = without_each(&cluster).into_iter().map(|fewer| (fewer, leases.clone()));
    let fewer_of_leases = without_each(&leases).into_iter().map(|fewer| (cluster.clone(), fewer));
    let fewer: Vec<_> = fewer_of_cluster.chain(fewer_of_leases).collect();
    assert_eq!(fewer.len(), 18);
    for (cluster, leases) in fewer {
        let guarded = Guarded::new();
        let mut objects = vec![json!(rbac.cluster_role_binding()), json!(rbac.role_bindings()[0])];
        let mut role = rbac.cluster_role().unwrap();
        role.rules = Some(cluster.clone());
        objects.push(json!(role));
        let mut role = rbac.roles().remove(0);
        role.rules = Some(leases.clone());
        objects.push(json!(role));
        objects.iter().for_each(|object| drop(guarded.server.clone().with_objects(&object.to_string())));
        assert!(!guarded.live().await.is_empty(), "these are enough: {}, {}", json!(cluster), json!(leases));
    }
}

/// Returns the rules without each of their verbs. Those that read the objects of a cache belong together.
fn without_each(rules: &[PolicyRule]) -> Vec<Vec<PolicyRule>> {
    let reads = ["get", "list", "watch"];
    let mut all = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let is_cached = rule.verbs.iter().any(|verb| verb == "watch");
        let is_read = |verb: &String| is_cached && reads.contains(&&**verb);
        let mut removals: Vec<Vec<_>> =
            rule.verbs.iter().filter(|verb| !is_read(verb)).map(|verb| vec![verb.clone()]).collect();
        if is_cached {
            removals.push(reads.map(str::to_owned).into());
        }
        all.extend(removals.into_iter().map(|removed| {
            let mut fewer = rules.to_vec();
            fewer[index].verbs.retain(|verb| !removed.contains(verb));
            fewer.retain(|rule| !rule.verbs.is_empty());
            fewer
        }));
    }
    all
}

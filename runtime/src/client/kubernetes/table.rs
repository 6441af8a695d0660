// Written by `cargo run -p crdkit-tests --bin subresources` from the API server's discovery.

status! {
    k8s_openapi::api::admissionregistration::v1 =>
    ValidatingAdmissionPolicy: ValidatingAdmissionPolicyStatus;
}

status! {
    k8s_openapi::api::apps::v1 =>
    DaemonSet: DaemonSetStatus;
    Deployment: DeploymentStatus;
    ReplicaSet: ReplicaSetStatus;
    StatefulSet: StatefulSetStatus;
}

status! {
    k8s_openapi::api::autoscaling::v1 =>
    HorizontalPodAutoscaler: HorizontalPodAutoscalerStatus;
}

status! {
    k8s_openapi::api::autoscaling::v2 =>
    HorizontalPodAutoscaler: HorizontalPodAutoscalerStatus;
}

status! {
    k8s_openapi::api::batch::v1 =>
    CronJob: CronJobStatus;
    Job: JobStatus;
}

status! {
    k8s_openapi::api::certificates::v1 =>
    CertificateSigningRequest: CertificateSigningRequestStatus;
}

status! {
    k8s_openapi::api::core::v1 =>
    Namespace: NamespaceStatus;
    Node: NodeStatus;
    PersistentVolume: PersistentVolumeStatus;
    PersistentVolumeClaim: PersistentVolumeClaimStatus;
    Pod: PodStatus;
    ReplicationController: ReplicationControllerStatus;
    ResourceQuota: ResourceQuotaStatus;
    Service: ServiceStatus;
}

status! {
    k8s_openapi::api::flowcontrol::v1 =>
    FlowSchema: FlowSchemaStatus;
    PriorityLevelConfiguration: PriorityLevelConfigurationStatus;
}

status! {
    k8s_openapi::api::networking::v1 =>
    Ingress: IngressStatus;
    ServiceCIDR: ServiceCIDRStatus;
}

status! {
    k8s_openapi::api::policy::v1 =>
    PodDisruptionBudget: PodDisruptionBudgetStatus;
}

status! {
    k8s_openapi::api::resource::v1beta1 =>
    ResourceClaim: ResourceClaimStatus;
}

status! {
    k8s_openapi::api::resource::v1beta2 =>
    ResourceClaim: ResourceClaimStatus;
}

status! {
    k8s_openapi::api::storage::v1 =>
    VolumeAttachment: VolumeAttachmentStatus;
}

status! {
    k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1 =>
    CustomResourceDefinition: CustomResourceDefinitionStatus;
}

status! {
    k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1 =>
    APIService: APIServiceStatus;
}

k8s_openapi::k8s_if_ge_1_34! {
status! {
    k8s_openapi::api::resource::v1 =>
    ResourceClaim: ResourceClaimStatus;
}
}

k8s_openapi::k8s_if_ge_1_35! {
status! {
    k8s_openapi::api::certificates::v1beta1 =>
    PodCertificateRequest: PodCertificateRequestStatus;
}
}

k8s_openapi::k8s_if_ge_1_35! {
status! {
    k8s_openapi::api::resource::v1alpha3 =>
    DeviceTaintRule: DeviceTaintRuleStatus;
}
}

k8s_openapi::k8s_if_ge_1_35! {
status! {
    k8s_openapi::api::storagemigration::v1beta1 =>
    StorageVersionMigration: StorageVersionMigrationStatus;
}
}

k8s_openapi::k8s_if_ge_1_36! {
status! {
    k8s_openapi::api::apiserverinternal::v1alpha1 =>
    StorageVersion: StorageVersionStatus;
}
}

k8s_openapi::k8s_if_ge_1_36! {
status! {
    k8s_openapi::api::resource::v1alpha3 =>
    ResourcePoolStatusRequest: ResourcePoolStatusRequestStatus;
}
}

k8s_openapi::k8s_if_ge_1_36! {
status! {
    k8s_openapi::api::resource::v1beta2 =>
    DeviceTaintRule: DeviceTaintRuleStatus;
}
}

k8s_openapi::k8s_if_ge_1_37! {
status! {
    k8s_openapi::api::certificates::v1 =>
    PodCertificateRequest: PodCertificateRequestStatus;
}
}

k8s_openapi::k8s_if_ge_1_37! {
status! {
    k8s_openapi::api::resource::v1 =>
    DeviceTaintRule: DeviceTaintRuleStatus;
}
}

k8s_openapi::k8s_if_ge_1_37! {
status! {
    k8s_openapi::api::storage::v1 =>
    CSINode: CSINodeStatus;
}
}

k8s_openapi::k8s_if_ge_1_37! {
status! {
    k8s_openapi::api::storagemigration::v1 =>
    StorageVersionMigration: StorageVersionMigrationStatus;
}
}

scale! {
    k8s_openapi::api::apps::v1 =>
    Deployment;
    ReplicaSet;
    StatefulSet;
}

scale! {
    k8s_openapi::api::core::v1 =>
    ReplicationController;
}

apply! {
    k8s_openapi::api::admissionregistration::v1 =>
    MutatingWebhookConfiguration;
    ValidatingAdmissionPolicy;
    ValidatingAdmissionPolicyBinding;
    ValidatingWebhookConfiguration;
}

apply! {
    k8s_openapi::api::admissionregistration::v1alpha1 =>
    MutatingAdmissionPolicy;
    MutatingAdmissionPolicyBinding;
}

apply! {
    k8s_openapi::api::apiserverinternal::v1alpha1 =>
    StorageVersion;
}

apply! {
    k8s_openapi::api::apps::v1 =>
    ControllerRevision;
    DaemonSet;
    Deployment;
    ReplicaSet;
    StatefulSet;
}

apply! {
    k8s_openapi::api::autoscaling::v1 =>
    HorizontalPodAutoscaler;
}

apply! {
    k8s_openapi::api::autoscaling::v2 =>
    HorizontalPodAutoscaler;
}

apply! {
    k8s_openapi::api::batch::v1 =>
    CronJob;
    Job;
}

apply! {
    k8s_openapi::api::certificates::v1 =>
    CertificateSigningRequest;
}

apply! {
    k8s_openapi::api::certificates::v1beta1 =>
    ClusterTrustBundle;
}

apply! {
    k8s_openapi::api::coordination::v1 =>
    Lease;
}

apply! {
    k8s_openapi::api::coordination::v1alpha2 =>
    LeaseCandidate;
}

apply! {
    k8s_openapi::api::coordination::v1beta1 =>
    LeaseCandidate;
}

apply! {
    k8s_openapi::api::core::v1 =>
    ConfigMap;
    Endpoints;
    Event;
    LimitRange;
    Namespace;
    Node;
    PersistentVolume;
    PersistentVolumeClaim;
    Pod;
    PodTemplate;
    ReplicationController;
    ResourceQuota;
    Secret;
    Service;
    ServiceAccount;
}

apply! {
    k8s_openapi::api::discovery::v1 =>
    EndpointSlice;
}

apply! {
    k8s_openapi::api::events::v1 =>
    Event;
}

apply! {
    k8s_openapi::api::flowcontrol::v1 =>
    FlowSchema;
    PriorityLevelConfiguration;
}

apply! {
    k8s_openapi::api::networking::v1 =>
    IPAddress;
    Ingress;
    IngressClass;
    NetworkPolicy;
    ServiceCIDR;
}

apply! {
    k8s_openapi::api::node::v1 =>
    RuntimeClass;
}

apply! {
    k8s_openapi::api::policy::v1 =>
    PodDisruptionBudget;
}

apply! {
    k8s_openapi::api::rbac::v1 =>
    ClusterRole;
    ClusterRoleBinding;
    Role;
    RoleBinding;
}

apply! {
    k8s_openapi::api::resource::v1alpha3 =>
    DeviceTaintRule;
}

apply! {
    k8s_openapi::api::resource::v1beta1 =>
    DeviceClass;
    ResourceClaim;
    ResourceClaimTemplate;
    ResourceSlice;
}

apply! {
    k8s_openapi::api::resource::v1beta2 =>
    DeviceClass;
    ResourceClaim;
    ResourceClaimTemplate;
    ResourceSlice;
}

apply! {
    k8s_openapi::api::scheduling::v1 =>
    PriorityClass;
}

apply! {
    k8s_openapi::api::storage::v1 =>
    CSIDriver;
    CSINode;
    CSIStorageCapacity;
    StorageClass;
    VolumeAttachment;
}

apply! {
    k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1 =>
    CustomResourceDefinition;
}

apply! {
    k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1 =>
    APIService;
}

k8s_openapi::k8s_if_ge_1_34! {
apply! {
    k8s_openapi::api::admissionregistration::v1beta1 =>
    MutatingAdmissionPolicy;
    MutatingAdmissionPolicyBinding;
}
}

k8s_openapi::k8s_if_ge_1_34! {
apply! {
    k8s_openapi::api::resource::v1 =>
    DeviceClass;
    ResourceClaim;
    ResourceClaimTemplate;
    ResourceSlice;
}
}

k8s_openapi::k8s_if_ge_1_34! {
apply! {
    k8s_openapi::api::storage::v1 =>
    VolumeAttributesClass;
}
}

k8s_openapi::k8s_if_ge_1_35! {
apply! {
    k8s_openapi::api::certificates::v1beta1 =>
    PodCertificateRequest;
}
}

k8s_openapi::k8s_if_ge_1_35! {
apply! {
    k8s_openapi::api::storagemigration::v1beta1 =>
    StorageVersionMigration;
}
}

k8s_openapi::k8s_if_ge_1_36! {
apply! {
    k8s_openapi::api::admissionregistration::v1 =>
    MutatingAdmissionPolicy;
    MutatingAdmissionPolicyBinding;
}
}

k8s_openapi::k8s_if_ge_1_36! {
apply! {
    k8s_openapi::api::resource::v1alpha3 =>
    ResourcePoolStatusRequest;
}
}

k8s_openapi::k8s_if_ge_1_36! {
apply! {
    k8s_openapi::api::resource::v1beta2 =>
    DeviceTaintRule;
}
}

k8s_openapi::k8s_if_ge_1_37! {
apply! {
    k8s_openapi::api::certificates::v1 =>
    ClusterTrustBundle;
    PodCertificateRequest;
}
}

k8s_openapi::k8s_if_ge_1_37! {
apply! {
    k8s_openapi::api::resource::v1 =>
    DeviceTaintRule;
}
}

k8s_openapi::k8s_if_ge_1_37! {
apply! {
    k8s_openapi::api::storagemigration::v1 =>
    StorageVersionMigration;
}
}

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

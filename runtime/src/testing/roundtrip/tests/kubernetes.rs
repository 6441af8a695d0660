//! Kubernetes types are consistent with their schemas, both those of crdkit and those of k8s-openapi.

use k8s_openapi::{
    ByteString,
    api::{
        apps::v1::{DaemonSetSpec, DeploymentSpec, DeploymentStrategy, StatefulSetSpec},
        autoscaling::v2::{HorizontalPodAutoscalerSpec, MetricSpec},
        batch::v1::{CronJobSpec, JobSpec, JobTemplateSpec},
        core::v1::{
            Affinity, ConfigMapKeySelector, Container, ContainerPort, EnvFromSource, EnvVar, EnvVarSource, Lifecycle,
            LocalObjectReference, NodeAffinity, NodeSelector, ObjectFieldSelector, ObjectReference,
            PersistentVolumeClaimSpec, PersistentVolumeClaimTemplate, PersistentVolumeSpec, PodSecurityContext,
            PodSpec, PodTemplateSpec, Probe, ResourceClaim, ResourceFieldSelector, ResourceRequirements,
            SecretKeySelector, SecretReference, SecurityContext, ServicePort, ServiceSpec, Toleration,
            TopologySpreadConstraint, TypedLocalObjectReference, TypedObjectReference, Volume, VolumeMount,
            VolumeResourceRequirements,
        },
        networking::v1::{HTTPIngressRuleValue, IngressSpec, NetworkPolicyPort, NetworkPolicySpec},
        policy::v1::PodDisruptionBudgetSpec,
        rbac::v1::{PolicyRule, RoleRef, Subject},
    },
    apimachinery::pkg::{
        api::resource::Quantity,
        apis::meta::v1::{
            Condition, FieldSelectorRequirement, FieldsV1, LabelSelector, LabelSelectorRequirement, ManagedFieldsEntry,
            MicroTime, ObjectMeta, OwnerReference, Time,
        },
        runtime::RawExtension,
        util::intstr::IntOrString,
    },
};
use kube_core::{Duration, DynamicObject, TypeMeta};

use super::*;
use crate::{CustomResource, Foreign};

/// Each type as a field, since that is how they are used.
#[derive(KubeSchema, Serialize, Deserialize)]
struct Holder<T> {
    value: T,
    list: Option<Vec<T>>,
}

/// Checks all of these types, and lists all inconsistent ones.
macro_rules! agree {
    ($($type:ty),+ $(,)?) => {
        let reports = [$(RoundtripTest::of_type::<Holder<$type>>().documents(100).min_percent(10).run()),+];
        let bad: String = reports.iter().filter(|it| !it.is_good()).map(ToString::to_string).collect();
        assert!(bad.is_empty(), "{bad}");
    };
}

#[test]
fn types_that_crdkit_has_the_schemas_of() {
    agree!(
        ByteString,
        Condition,
        ConfigMapKeySelector,
        Duration,
        DynamicObject,
        EnvVar,
        EnvVarSource,
        FieldSelectorRequirement,
        FieldsV1,
        IntOrString,
        LabelSelector,
        LabelSelectorRequirement,
        LocalObjectReference,
        ManagedFieldsEntry,
        MicroTime,
        ObjectFieldSelector,
        ObjectMeta,
        ObjectReference,
        Quantity,
        RawExtension,
        ResourceClaim,
        ResourceFieldSelector,
        ResourceRequirements,
        SecretKeySelector,
        SecretReference,
        Time,
        Toleration,
        TypeMeta,
        TypedLocalObjectReference,
        TypedObjectReference,
        VolumeResourceRequirements,
    );
}

#[test]
fn types_with_schemas_of_k8s_openapi() {
    agree!(
        Foreign<Affinity>,
        Foreign<Container>,
        Foreign<ContainerPort>,
        Foreign<CronJobSpec>,
        Foreign<DaemonSetSpec>,
        Foreign<DeploymentSpec>,
        Foreign<DeploymentStrategy>,
        Foreign<EnvFromSource>,
        Foreign<HTTPIngressRuleValue>,
        Foreign<HorizontalPodAutoscalerSpec>,
        Foreign<IngressSpec>,
        Foreign<IntOrString>,
        Foreign<JobSpec>,
        Foreign<JobTemplateSpec>,
        Foreign<Lifecycle>,
        Foreign<MetricSpec>,
        Foreign<NetworkPolicyPort>,
        Foreign<NetworkPolicySpec>,
        Foreign<NodeAffinity>,
        Foreign<NodeSelector>,
        Foreign<OwnerReference>,
        Foreign<PersistentVolumeClaimSpec>,
        Foreign<PersistentVolumeClaimTemplate>,
        Foreign<PersistentVolumeSpec>,
        Foreign<PodDisruptionBudgetSpec>,
        Foreign<PodSecurityContext>,
        Foreign<PodSpec>,
        Foreign<PodTemplateSpec>,
        Foreign<PolicyRule>,
        Foreign<Probe>,
        Foreign<Quantity>,
        Foreign<RoleRef>,
        Foreign<SecurityContext>,
        Foreign<ServicePort>,
        Foreign<ServiceSpec>,
        Foreign<StatefulSetSpec>,
        Foreign<Subject>,
        Foreign<TopologySpreadConstraint>,
        Foreign<Volume>,
        Foreign<VolumeMount>,
    );
}

#[test]
fn a_template_in_each_form() {
    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "agreement.example.com", version = "v1", kind = "App", test = false)]
    struct AppSpec {
        plain: PodTemplateSpec,
        #[crd(embed = "lean")]
        lean: PodTemplateSpec,
        #[crd(embed = "full")]
        full: PodTemplateSpec,
        jobs: Vec<JobTemplateSpec>,
    }
    roundtrip::<App>();
}

#[test]
fn an_own_integer_or_text_is_made_beyond_32_bits() {
    #[derive(KubeSchema, Serialize, Deserialize)]
    struct Own {
        #[crd(schema = IntOrText::SCHEMA)]
        value: IntOrString,
    }
    struct IntOrText;
    impl IntOrText {
        const SCHEMA: crate::schema::Schema = crate::schema::Schema::int_or_string();
    }
    let report = RoundtripTest::of_type::<Own>().run();
    assert_eq!(report.failure.expect("a failure").path, ".value");
}

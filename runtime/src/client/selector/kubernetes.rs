//! The selectable fields of Kubernetes' own types that have more than the name and namespace.

use k8s_openapi::api::{
    batch::v1::Job,
    certificates::v1::CertificateSigningRequest,
    core::v1::{Event, Namespace, Node, Pod, ReplicationController, Secret, Service},
    events::v1::Event as NewEvent,
};

use super::declared::{FieldKind, Selectable, SelectableField, SelectableFields};

macro_rules! selectable {
    ($($type:ty { $($path:literal: $kind:ident),+ })+) => {$(
        impl SelectableFields for $type {
            const SELECTABLE: Selectable =
                Selectable::Listed(&[$(SelectableField::new($path, FieldKind::$kind)),+]);
        }
    )+};
}
selectable! {
    CertificateSigningRequest { "metadata.name": String, "spec.signerName": String }
    Event {
        "metadata.name": String, "metadata.namespace": String, "involvedObject.kind": String,
        "involvedObject.namespace": String, "involvedObject.name": String, "involvedObject.uid": String,
        "involvedObject.apiVersion": String, "involvedObject.resourceVersion": String,
        "involvedObject.fieldPath": String, "reason": String, "reportingComponent": String, "source": String,
        "type": String
    }
    Job { "metadata.name": String, "metadata.namespace": String, "status.successful": Integer }
    Namespace { "metadata.name": String, "status.phase": String }
    NewEvent {
        "metadata.name": String, "metadata.namespace": String, "regarding.kind": String,
        "regarding.namespace": String, "regarding.name": String, "regarding.uid": String,
        "regarding.apiVersion": String, "regarding.resourceVersion": String, "regarding.fieldPath": String,
        "reason": String, "reportingController": String, "type": String
    }
    Node { "metadata.name": String, "spec.unschedulable": Boolean }
    Pod {
        "metadata.name": String, "metadata.namespace": String, "spec.nodeName": String,
        "spec.restartPolicy": String, "spec.schedulerName": String, "spec.serviceAccountName": String,
        "spec.hostNetwork": Boolean, "status.phase": String, "status.podIP": String,
        "status.nominatedNodeName": String
    }
    ReplicationController { "metadata.name": String, "metadata.namespace": String, "status.replicas": Integer }
    Secret { "metadata.name": String, "metadata.namespace": String, "type": String }
    Service {
        "metadata.name": String, "metadata.namespace": String, "spec.clusterIP": String, "spec.type": String
    }
}

k8s_openapi::k8s_if_ge_1_34! {
    use k8s_openapi::api::resource::v1::ResourceSlice;

    selectable! {
        ResourceSlice { "metadata.name": String, "spec.nodeName": String, "spec.driver": String }
    }
}

//! Types of Kubernetes in schemas, such as the `PodTemplateSpec` of a Deployment: what is in them is not the author's to change.
//!
//! A schema has no name of its type. Types are recognized by the names of their fields, so that this also works for
//! definitions from other programs, and without a mark in the schema.

use crdkit::__internal::kubernetes_types::KnownType;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps as Props;
use serde_json::{Value, json};

/// The fewest fields by which a type is recognized without further conditions: two types of different authors do not have as
/// many fields of the same names.
const DISTINCTIVE_FIELDS: usize = 4;
/// The fewest letters in the names of fewer fields: `matchExpressions` and `matchLabels` are distinctive, `key` and `name` are not.
const DISTINCTIVE_LETTERS: usize = 18;
/// The Kubernetes version of the reference, that of the table of types.
const REFERENCE: &str = "https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.37";

/// A type of Kubernetes.
#[derive(Clone, Copy)]
pub(super) struct KubernetesType(KnownType);

impl KubernetesType {
    /// Returns the type that a schema describes, if it is one of Kubernetes.
    pub(super) fn of(schema: &Props) -> Option<Self> {
        let fields: Vec<&str> = schema.properties.as_ref()?.keys().map(String::as_str).collect();
        if fields == ["metadata", "spec"] {
            return Self::template(schema.properties.as_ref()?.get("spec")?);
        }
        let letters: usize = fields.iter().map(|name| name.len()).sum();
        let is_distinctive = fields.len() >= DISTINCTIVE_FIELDS;
        if !is_distinctive && (fields.len() < 2 || letters < DISTINCTIVE_LETTERS) {
            return Self::small(schema, &fields);
        }
        let exact = KnownType::all().find(|type_| type_.fields() == fields);
        let similar = || KnownType::all().find(|type_| is_earlier_version(&fields, type_.fields()));
        exact.or_else(|| is_distinctive.then(similar).flatten()).map(Self)
    }

    /// Returns a type with a few common field names, such as `LocalObjectReference`: its map type or its description must be
    /// that of Kubernetes too, and its fields have no restrictions, which Kubernetes' schemas never have.
    fn small(schema: &Props, fields: &[&str]) -> Option<Self> {
        if schema.properties.iter().flatten().any(|(_, field)| is_restricted(field)) {
            return None;
        }
        let with_fields = || KnownType::all().filter(|type_| type_.fields() == fields).map(Self);
        let described = schema.description.as_deref().and_then(|text| text.split_whitespace().next());
        if let Some(type_) = with_fields().find(|type_| Some(type_.name()) == described) {
            return Some(type_);
        }
        let map_type = |type_: &Self| type_.0.map_type();
        let is_same =
            |type_: &Self| map_type(type_).is_some() && map_type(type_) == schema.x_kubernetes_map_type.as_deref();
        let mut found: Vec<_> = with_fields().filter(is_same).collect();
        if found.len() > 1 {
            found.retain(|type_| type_.is_meant(schema));
        }
        found.first().copied()
    }

    /// Whether the descriptions of the fields are about this type, of those with the same fields.
    fn is_meant(self, schema: &Props) -> bool {
        let texts: Vec<_> = schema
            .properties
            .iter()
            .flatten()
            .filter_map(|(_, field)| field.description.as_deref())
            .map(str::to_lowercase)
            .collect();
        let mentions = |word: &str| texts.iter().any(|text| text.contains(word));
        match self.name() {
            "SecretKeySelector" => mentions("secret"),
            "RoleRef" => mentions("role"),
            "TypedLocalObjectReference" => !mentions("role"),
            _ => !texts.is_empty() && !mentions("secret"),
        }
    }

    /// Returns the template of a type, which has metadata and the type as its `spec`.
    fn template(spec: &Props) -> Option<Self> {
        let of_spec = Self::of(spec)?.0.name();
        let is_template =
            |type_: &KnownType| type_.fields() == ["metadata", "spec"] && type_.type_of("spec") == Some(of_spec);
        KnownType::all().find(is_template).map(Self)
    }

    /// Returns the name, such as `PodTemplateSpec`.
    pub(super) fn name(self) -> &'static str {
        self.0.name().rsplit('.').next().unwrap_or_default()
    }

    /// Returns the address of the documentation.
    pub(super) fn url(self) -> String {
        let mut parts = self.0.name().rsplit('.');
        let [name, version, group] = [(); 3].map(|()| parts.next().unwrap_or_default().to_lowercase());
        format!("{REFERENCE}/#{name}-{version}-{group}")
    }

    /// Returns a small value that a controller can use; `None` if one with the required fields is such a value.
    pub(super) fn sample(self) -> Option<Value> {
        let pod = |restart: Value| {
            let mut pod = json!({ "containers": [{ "name": "example", "image": "registry.k8s.io/pause:3.10" }] });
            if !restart.is_null() {
                pod["restartPolicy"] = restart;
            }
            pod
        };
        let labels = json!({ "app": "example" });
        let workload = || {
            json!({
                "selector": { "matchLabels": labels },
                "template": { "metadata": { "labels": labels }, "spec": pod(Value::Null) },
            })
        };
        let job = || json!({ "template": { "spec": pod(json!("Never")) } });
        Some(match self.name() {
            "PodSpec" => pod(Value::Null),
            "PodTemplateSpec" => json!({ "spec": pod(Value::Null) }),
            "JobSpec" => job(),
            "JobTemplateSpec" => json!({ "spec": job() }),
            "CronJobSpec" => json!({ "schedule": "0 0 * * *", "jobTemplate": { "spec": job() } }),
            "DeploymentSpec" | "ReplicaSetSpec" | "DaemonSetSpec" | "StatefulSetSpec" => workload(),
            "ServiceSpec" => json!({ "selector": labels, "ports": [{ "port": 80 }] }),
            "PersistentVolumeClaimSpec" => {
                json!({ "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } } })
            }
            "LabelSelector" => json!({ "matchLabels": labels }),
            "SecretKeySelector" | "ConfigMapKeySelector" => json!({ "name": "example", "key": "example" }),
            "LocalObjectReference" | "SecretReference" => json!({ "name": "example" }),
            "ObjectReference" => json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": "example" }),
            "Container" => json!({ "name": "example", "image": "registry.k8s.io/pause:3.10" }),
            _ => return None,
        })
    }
}

/// Whether a schema has a keyword that only an author adds.
fn is_restricted(schema: &Props) -> bool {
    let allowed = Props {
        default: schema.default.clone(),
        description: schema.description.clone(),
        format: schema.format.clone(),
        items: schema.items.clone(),
        nullable: schema.nullable,
        type_: schema.type_.clone(),
        x_kubernetes_list_type: schema.x_kubernetes_list_type.clone(),
        ..Props::default()
    };
    *schema != allowed
}

/// Whether the fields are those of a type in another version of Kubernetes, which has a few fewer.
fn is_earlier_version(fields: &[&str], of_type: &[&str]) -> bool {
    fields.len() <= of_type.len()
        && fields.len() * 5 >= of_type.len() * 4
        && fields.iter().all(|name| of_type.binary_search(name).is_ok())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::{
        api::{
            batch::v1::JobTemplateSpec,
            core::v1::{
                ConfigMapKeySelector, LocalObjectReference, ObjectReference, PodSpec, ResourceRequirements,
                SecretKeySelector, SecretReference, TypedLocalObjectReference,
            },
        },
        apimachinery::pkg::apis::meta::v1::LabelSelector,
    };

    use crdkit::{KubeSchema, render::render_schema};

    use super::*;

    fn schema_of<T: KubeSchema>() -> Props {
        render_schema(T::SCHEMA_REF).unwrap()
    }

    #[derive(KubeSchema, serde::Serialize, serde::Deserialize)]
    struct Own {
        #[crd(embed = "lean")]
        job: JobTemplateSpec,
        #[crd(embed = "lean")]
        pod: PodSpec,
        #[crd(embed = "lean")]
        selector: LabelSelector,
        #[crd(embed = "lean")]
        resources: ResourceRequirements,
        secret_key: SecretKeySelector,
        config_key: ConfigMapKeySelector,
        local: LocalObjectReference,
        object: ObjectReference,
        typed: TypedLocalObjectReference,
        secret: SecretReference,
    }

    #[test]
    fn types_are_recognized_by_their_fields() {
        let own = schema_of::<Own>();
        let fields = own.properties.as_ref().unwrap();
        for (name, expected, url) in [
            ("job", "JobTemplateSpec", "#jobtemplatespec-v1-batch"),
            ("pod", "PodSpec", "#podspec-v1-core"),
            ("selector", "LabelSelector", "#labelselector-v1-meta"),
            ("resources", "ResourceRequirements", "#resourcerequirements-v1-core"),
            ("secret_key", "SecretKeySelector", "#secretkeyselector-v1-core"),
            ("config_key", "ConfigMapKeySelector", "#configmapkeyselector-v1-core"),
            ("local", "LocalObjectReference", "#localobjectreference-v1-core"),
            ("object", "ObjectReference", "#objectreference-v1-core"),
            ("typed", "TypedLocalObjectReference", "#typedlocalobjectreference-v1-core"),
            ("secret", "SecretReference", "#secretreference-v1-core"),
        ] {
            let found = KubernetesType::of(&fields[name]).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(found.name(), expected);
            assert!(found.url().ends_with(url), "{}", found.url());
        }
        assert!(KubernetesType::of(&own).is_none());
    }

    #[test]
    fn types_of_the_author_are_not() {
        let object = |names: &[&str]| {
            let fields = names.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" })));
            let properties: serde_json::Map<_, _> = fields.collect();
            serde_json::from_value::<Props>(json!({ "type": "object", "properties": properties })).unwrap()
        };
        for names in [
            &["name"][..],
            &["name", "namespace"],
            &["key", "name", "optional"],
            &["apiVersion", "kind", "metadata", "spec", "status"],
            &["metadata", "spec"],
            &["containers", "image", "replicas", "schedule"],
            &[],
        ] {
            assert!(KubernetesType::of(&object(names)).is_none(), "{names:?}");
        }
    }

    #[test]
    fn small_types_need_more_than_their_fields() {
        let reference = |restriction: Value, description: &str| {
            let mut name = json!({ "type": "string", "default": "", "description": "The name." });
            name.as_object_mut().unwrap().extend(restriction.as_object().unwrap().clone());
            let schema = json!({ "type": "object", "properties": { "name": name }, "description": description });
            serde_json::from_value::<Props>(schema).unwrap()
        };
        let atomic = |schema: Props| Props { x_kubernetes_map_type: Some("atomic".to_owned()), ..schema };
        let name = |schema: Props| KubernetesType::of(&schema).map(KubernetesType::name);
        let plain = json!({});
        assert_eq!(name(reference(plain.clone(), "")), None);
        assert_eq!(name(atomic(reference(plain.clone(), "The Secret."))), Some("LocalObjectReference"));
        assert_eq!(name(reference(plain, "LocalObjectReference contains a name.")), Some("LocalObjectReference"));
        assert_eq!(name(atomic(reference(json!({ "maxLength": 63 }), "The Secret."))), None);
    }
}

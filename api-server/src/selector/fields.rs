//! Which fields of a resource lists can be restricted by.

use crdkit::__internal::field_selector::{FieldSelector, SelectorField};

use crate::resource::{Resource, Version};

/// Parses the parameter `fieldSelector`. The error is the message of a response with the status 400.
pub(crate) fn parse(text: &str, resource: &Resource, version: &Version) -> Result<FieldSelector, String> {
    FieldSelector::parse(text, |label| field(label, resource, version))
}

/// Returns the field with a label, if lists of the resource can be restricted by it.
fn field(label: &str, resource: &Resource, version: &Version) -> Result<SelectorField, String> {
    if label == "metadata.name" || (label == "metadata.namespace" && accepts_namespace(resource)) {
        return Ok(SelectorField::at(label));
    }
    if resource.is_custom {
        let fields = version.spec.selectable_fields.iter().flatten();
        let paths = fields.map(|field| field.json_path.as_str());
        let found = paths.into_iter().find(|path| path.strip_prefix('.').unwrap_or(path) == label);
        return found.map(SelectorField::of_path).ok_or_else(|| unsupported(label));
    }
    SelectorField::builtin(label, &resource.group, &resource.names.kind).ok_or_else(|| error(label, resource, version))
}

fn accepts_namespace(resource: &Resource) -> bool {
    match (resource.group.as_str(), resource.names.kind.as_str()) {
        ("", "Namespace" | "Node") | ("certificates.k8s.io", _) | ("resource.k8s.io", "ResourceSlice") => false,
        _ => resource.is_namespaced || !resource.is_custom,
    }
}

fn unsupported(label: &str) -> String {
    format!("field label not supported: {label}")
}

/// Returns the server's message about an unknown label of a built-in kind.
fn error(label: &str, resource: &Resource, version: &Version) -> String {
    match (resource.group.as_str(), resource.names.kind.as_str()) {
        ("" | "events.k8s.io", "Event")
        | ("", "Namespace" | "Node" | "Pod" | "ReplicationController" | "Secret" | "Service")
        | ("certificates.k8s.io", _) => unsupported(label),
        ("batch", "Job") => format!("field label \"{label}\" not supported for Job"),
        ("resource.k8s.io", kind @ "ResourceSlice") => {
            let api_version = resource.api_version(&version.spec.name);
            format!("field label not supported for {api_version}, Kind={kind}: {label}")
        }
        _ => format!("\"{label}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""),
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::SelectableField;
    use serde_json::{Value, json};

    use super::*;
    use crate::builtin;

    fn builtin(group: &str, plural: &str) -> Resource {
        let mut resources = builtin::resources().into_iter();
        resources.find(|resource| resource.group == group && resource.names.plural == plural).unwrap()
    }

    fn custom() -> Resource {
        let mut resource = builtin("", "configmaps");
        resource.is_custom = true;
        let paths = [".spec.size", ".spec.isOn", r".spec['a\.b']"];
        let fields = paths.map(|path| SelectableField { json_path: path.to_owned() });
        resource.versions[0].spec.selectable_fields = Some(fields.to_vec());
        resource
    }

    #[track_caller]
    fn matches(resource: &Resource, selector: &str, object: &Value) -> bool {
        parse(selector, resource, &resource.versions[0]).unwrap().matches(object)
    }

    #[test]
    fn matching_custom_resources() {
        let resource = custom();
        let object = json!({
            "metadata": { "name": "a,b", "namespace": "default" },
            "spec": { "size": 3, "isOn": true, "a.b": "=" },
        });
        for (selector, expected) in [
            ("", true),
            (",", true),
            ("=", true),
            (r"metadata.name=a\,b", true),
            ("metadata.name=a", false),
            ("metadata.namespace==default", true),
            ("metadata.namespace!=default", false),
            ("spec.size=3,spec.isOn=true", true),
            ("spec.size=3,spec.isOn=false", false),
            ("spec.size!=4", true),
            (r"spec['a\.b']=\=", true),
        ] {
            assert_eq!(matches(&resource, selector, &object), expected, "{selector}");
        }
        assert!(matches(&resource, "spec.size=", &json!({})));
    }

    #[test]
    fn matching_builtin_kinds() {
        let pod = json!({
            "metadata": { "name": "a", "namespace": "b" },
            "spec": { "nodeName": "n", "hostNetwork": true },
            "status": { "podIPs": [{ "ip": "1.2.3.4" }] },
        });
        let event = json!({ "involvedObject": { "kind": "Pod" }, "reportingComponent": "c", "source": {} });
        let pods = builtin("", "pods");
        for (resource, selector, object, expected) in [
            (&pods, "spec.host=n", &pod, true),
            (&pods, "spec.hostNetwork=true", &pod, true),
            (&pods, "spec.hostNetwork=false", &Value::Null, true),
            (&pods, "status.podIP=1.2.3.4", &pod, true),
            (&builtin("", "events"), "involvedObject.kind=Pod,source=c", &event, true),
            (&builtin("batch", "jobs"), "status.successful=0", &json!({}), true),
            (&builtin("batch", "jobs"), "status.successful=2", &json!({ "status": { "succeeded": 2 } }), true),
            (&builtin("", "nodes"), "spec.unschedulable=true", &json!({}), false),
        ] {
            assert_eq!(matches(resource, selector, object), expected, "{selector}");
        }
    }

    #[test]
    fn mistakes() {
        for (resource, selector, expected) in [
            (&custom(), "x=1", "field label not supported: x"),
            (&custom(), "b=1,a=1", "field label not supported: a"),
            (&custom(), "metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
            (&custom(), r"metadata.name=\x", r"invalid field selector: invalid escape sequence: \x"),
            (&custom(), r"metadata.name=\", r"invalid field selector: invalid escape sequence: \"),
            (&custom(), "metadata.name=a=b", "invalid field selector: unescaped character in value: 61"),
            (
                &builtin("", "configmaps"),
                "x=1",
                r#""x" is not a known field selector: only "metadata.name", "metadata.namespace""#,
            ),
            (&builtin("batch", "jobs"), "x=1", r#"field label "x" not supported for Job"#),
            (&builtin("", "nodes"), "metadata.namespace=a", "field label not supported: metadata.namespace"),
            (
                &builtin("resource.k8s.io", "resourceslices"),
                "x=1",
                "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: x",
            ),
        ] {
            let error = parse(selector, resource, &resource.versions[0]).unwrap_err();
            assert_eq!(error, expected, "{selector}");
        }
    }
}

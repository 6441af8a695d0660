//! The scale subresource.

use serde_json::{Value, json};

use super::{
    decode::{self, text},
    failure::Failure,
    request::Call,
    response::{Content, Reply},
    state::State,
    validation::Part,
    write::Operation,
};

/// The paths behind the scale of an object, as lists of names.
struct Paths {
    spec: Vec<String>,
    status: Vec<String>,
    selector: Option<Vec<String>>,
}

impl Paths {
    fn of(call: &Call) -> Result<Self, Failure> {
        let names = |path: &str| path.split('.').filter(|it| !it.is_empty()).map(str::to_owned).collect();
        let scale = call.version().spec.subresources.as_ref().and_then(|it| it.scale.as_ref());
        let scale = scale.ok_or_else(Failure::no_such_path)?;
        Ok(Self {
            spec: names(&scale.spec_replicas_path),
            status: names(&scale.status_replicas_path),
            selector: scale.label_selector_path.as_deref().map(names),
        })
    }

    fn scale(&self, object: &Value) -> Value {
        let at = |path: &[String]| path.iter().try_fold(object, |value, name| value.get(name));
        let metadata = &object["metadata"];
        let kept = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"];
        let kept = kept.into_iter().filter_map(|name| Some((name.to_owned(), metadata.get(name)?.clone())));
        let mut scale = json!({
            "kind": "Scale", "apiVersion": "autoscaling/v1",
            "metadata": Value::Object(kept.collect()),
            "spec": {},
            "status": { "replicas": at(&self.status).and_then(Value::as_i64).unwrap_or_default() },
        });
        if let Some(replicas) = at(&self.spec).and_then(Value::as_i64).filter(|replicas| *replicas != 0) {
            scale["spec"]["replicas"] = replicas.into();
        }
        let selector = self.selector.as_deref().and_then(at).and_then(Value::as_str);
        if let Some(selector) = selector.filter(|selector| !selector.is_empty()) {
            scale["status"]["selector"] = selector.into();
        }
        scale
    }
}

impl State {
    pub(super) fn get_scale(&mut self, call: &Call) -> Result<Reply, Failure> {
        let paths = Paths::of(call)?;
        let stored = self.stored(call)?.clone();
        let object = self.read(call, &stored)?;
        Ok(Reply::new(200, Content::Document(paths.scale(&object))))
    }

    pub(super) fn update_scale(&mut self, call: &Call) -> Result<Reply, Failure> {
        let scale = decode::parse(&call.request.body, call.request.content_type());
        let scale = scale.map_err(Failure::bad_request)?.object;
        self.write_scale(call, &scale)
    }

    pub(super) fn patch_scale(&mut self, call: &Call) -> Result<Reply, Failure> {
        let paths = Paths::of(call)?;
        let stored = self.stored(call)?.clone();
        let object = self.read(call, &stored)?;
        let mut scale = paths.scale(&object);
        let patch = decode::parse(&call.request.body, call.request.content_type());
        let patch = patch.map_err(Failure::bad_request)?.object;
        match call.request.content_type() {
            "application/json-patch+json" => {
                let patch: json_patch::Patch =
                    serde_json::from_value(patch).map_err(|error| Failure::bad_request(error.to_string()))?;
                json_patch::patch(&mut scale, &patch).map_err(|error| Failure::bad_request(error.to_string()))?;
            }
            _ => json_patch::merge(&mut scale, &patch),
        }
        self.write_scale(call, &scale)
    }

    fn write_scale(&mut self, call: &Call, scale: &Value) -> Result<Reply, Failure> {
        let paths = Paths::of(call)?;
        let stored = self.stored(call)?.clone();
        let old = self.read(call, &stored)?;
        check(call, &old, scale)?;
        let mut new = old.clone();
        let replicas = scale["spec"]["replicas"].as_i64().unwrap_or_default();
        set(&mut new, &paths.spec, replicas.into());
        let new = self.replace_object(call, Part::Main, &old, new, Operation::Update)?;
        Ok(Reply::new(200, Content::Document(paths.scale(&new))))
    }
}

fn check(call: &Call, old: &Value, scale: &Value) -> Result<(), Failure> {
    let name = text(&scale["metadata"], "name");
    if !name.is_empty() && name != call.name() {
        return Err(Failure::bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({})",
            call.name()
        )));
    }
    let expected = text(&scale["metadata"], "resourceVersion");
    if !expected.is_empty() && expected != text(&old["metadata"], "resourceVersion") {
        return Err(Failure::modified(&call.resource, call.name()));
    }
    Ok(())
}

fn set(object: &mut Value, path: &[String], value: Value) {
    let mut at = object;
    for name in path {
        if !at.is_object() {
            *at = json!({});
        }
        at = &mut at[name];
    }
    *at = value;
}

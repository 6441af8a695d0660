//! Requests that the server refuses.

use serde_json::{Value, json};

use super::{APPLY, Generator, JSON, MERGE};
use crate::step::{Body, Step};

/// The server reads no longer bodies.
const LIMIT: usize = 3 * 1024 * 1024;

impl Generator {
    pub(super) fn bad_request(&mut self) -> Step {
        match self.below(5) {
            0 => self.bad_media_type(),
            1 => self.bad_query(),
            2 => self.unknown_path(),
            3 => self.wrong_verb(),
            _ => self.bad_body(),
        }
    }

    /// Returns a request of any verb.
    fn any(&mut self) -> Step {
        let name = self.name();
        let one = format!("{}/{name}", self.path());
        match self.below(6) {
            0 => Step::new("GET", self.path(), Value::Null),
            1 => Step::new("GET", one, Value::Null),
            2 => Step::new("POST", self.path(), self.kind.whole(name)),
            3 => Step::new("PUT", one, self.kind.whole(name)),
            4 => Step::new("DELETE", one, Value::Null),
            _ => Step::new("PATCH", one, json!({ "metadata": { "labels": { "k": "x" } } })).of_type(MERGE),
        }
    }

    fn bad_media_type(&mut self) -> Step {
        let step = self.any();
        if self.one_in(2) {
            let accept = self.pick(&[
                "text/html",
                "application/xml;q=0.9,text/*",
                "application/json;as=Table",
                "application/json;as=Table;v=v9;g=meta.k8s.io",
                "application/json;as=Foo;v=v1;g=meta.k8s.io",
                "*/*",
                "text/html, application/*;q=0.2",
            ]);
            return step.accepting(accept);
        }
        let media_type = self.pick(&[
            "text/plain",
            "application/xml",
            "application/json; charset=utf-8",
            "application/x-www-form-urlencoded",
            "nonsense",
            MERGE,
        ]);
        step.of_type(media_type)
    }

    fn bad_query(&mut self) -> Step {
        let step = self.any();
        let query = self.pick(&[
            "limit=x",
            "limit=-1",
            "limit=1.5",
            "continue=x",
            "resourceVersion=x",
            "resourceVersion=-1",
            "resourceVersionMatch=Exact",
            "resourceVersion=0&resourceVersionMatch=Exact",
            "resourceVersion=0&resourceVersionMatch=None",
            "labelSelector=a%20b",
            "labelSelector=%21",
            "fieldSelector=x%3D1",
            "fieldSelector=x",
            "dryRun=x",
            "dryRun=",
            "dryRun=All&dryRun=All",
            "fieldManager=%00",
            "fieldManager=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "fieldValidation=x",
            "propagationPolicy=x",
            "propagationPolicy=Orphan&orphanDependents=true",
            "orphanDependents=x",
            "gracePeriodSeconds=x",
            "gracePeriodSeconds=-5",
            "force=true",
            "force=x",
            "sendInitialEvents=true",
            "timeoutSeconds=x",
            "pretty=x",
            "a=%zz",
            "=&=",
        ]);
        Step { path: format!("{}?{query}", step.path), ..step }
    }

    fn unknown_path(&mut self) -> Step {
        let step = self.any();
        let name = self.name();
        let path = self.path();
        let mut paths = vec![
            format!("{path}/{name}/none"),
            format!("{path}/{name}/status/more"),
            format!("{path}/{name}/scale/more"),
            format!("{path}/{name}/"),
            format!("{path}/"),
            path.replace("/v1/", "/v9/"),
            format!("{}/{name}", path.replace("/namespaces/$namespace", "")),
            path.replace("$namespace", "none"),
            path.replace(self.kind.plural, "nothings"),
            path.replace(self.kind.plural, self.kind.kind),
            "/apis/none.example.com/v1/things".to_owned(),
            "/api/v2/configmaps".to_owned(),
            "/none".to_owned(),
            "/apis//v1".to_owned(),
        ];
        // A list would have the objects of other tests.
        if step.method != "GET" {
            paths.push(path.replace("/namespaces/$namespace", ""));
        }
        Step { path: self.pick(&paths), ..step }
    }

    fn wrong_verb(&mut self) -> Step {
        let name = self.name();
        let part = self.pick(&["", "/status", "/scale"]);
        let path = self.path();
        let (method, path) = match self.below(4) {
            0 => (self.pick(&["PUT", "PATCH"]), path),
            1 => ("POST", format!("{path}/{name}{part}")),
            2 if !part.is_empty() => ("DELETE", format!("{path}/{name}{part}")),
            _ => (self.pick(&["OPTIONS", "TRACE", "PURGE"]), format!("{path}/{name}{part}")),
        };
        let body = if matches!(method, "POST" | "PUT" | "PATCH") { self.kind.whole(name) } else { Value::Null };
        let step = Step::new(method, path, body);
        if method == "PATCH" { step.of_type(MERGE) } else { step }
    }

    fn bad_body(&mut self) -> Step {
        let name = self.name();
        let one = format!("{}/{name}", self.path());
        let object = self.kind.whole(name);
        let text = object.to_string();
        let open = text.trim_end_matches('}');
        let mut broken = Vec::from(["", "{", "{,}", "{\"a\" 1}", "[1 2]", open].map(str::to_owned));
        broken.extend([format!("{text}x"), format!("{text}{text}")]);
        let in_metadata = |member: &str| text.replacen("\"metadata\":{", &format!("\"metadata\":{{{member},"), 1);
        let named = |other: &str| text.replace(&format!("\"name\":\"{name}\""), &format!("\"name\":{other}"));
        broken.push(in_metadata("\"labels\":{\"k\":\"x\",\"k\":\"y\"}"));
        let mut texts = Vec::from(["[]", "\"x\"", "1"].map(str::to_owned));
        // A Deployment without a spec is only refused by the real server.
        if self.kind.kind != "Deployment" {
            texts.extend(["null", "{}"].map(str::to_owned));
        }
        texts.push(text.replace(self.kind.kind, "Other"));
        texts.push(text.replace(self.kind.api_version, "other/v1"));
        texts.extend([in_metadata("\"namespace\":\"other\""), named("\"d\""), named("\"-\"")]);
        let is_apply = self.one_in(6);
        // The metadata of built-in kinds has no schema for applies.
        if !is_apply || self.kind.is_custom() {
            texts.extend([in_metadata("\"labels\":1"), in_metadata("\"none\":1"), named("1")]);
        }
        // The real server reads YAML by another library, with other errors.
        if !is_apply {
            texts.extend(broken);
        }
        let text =
            if self.one_in(25) { format!("{open},\"large\":\"{}\"}}}}", "x".repeat(LIMIT)) } else { self.pick(&texts) };
        let query = self.pick(&["", "", "?fieldValidation=Strict", "?fieldValidation=Ignore"]);
        if is_apply {
            let path = format!("{one}?fieldManager=m1");
            return Step::new("PATCH", path, Value::Null).of_type(APPLY).with_body(Body::Raw(text));
        }
        let (method, path, media_type) = match self.below(5) {
            0 => ("POST", self.path(), "application/json"),
            1 => ("PUT", one, "application/json"),
            2 => ("DELETE", one, "application/json"),
            3 => ("PATCH", one, JSON),
            _ => ("PATCH", one, MERGE),
        };
        Step::new(method, format!("{path}{query}"), Value::Null).of_type(media_type).with_body(Body::Raw(text))
    }
}

//! Custom resources on the API server of this test binary.

use std::{collections::HashMap, fmt::Debug, marker::PhantomData};

use crdkit::{CustomResource, definition::Scope};
use crdkit_tests::{
    Answer, Request, Verdict,
    server::{Server, server},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::{sync::OnceCell, task::JoinSet};

use crate::registry;

pub(crate) const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
pub(crate) const MERGE_PATCH: &str = "application/merge-patch+json";
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

/// A definition as it was sent to the API server, and the answer.
pub(crate) struct Installed {
    pub(crate) sent: Value,
    pub(crate) verdict: Verdict,
}

/// The definitions of this test binary by their names, installed all at once by the first call.
///
/// The first object of a definition that is younger than two seconds keeps the API server waiting.
pub(crate) async fn installed() -> Option<&'static HashMap<String, Installed>> {
    static INSTALLED: OnceCell<HashMap<String, Installed>> = OnceCell::const_new();
    let server = server()?;
    Some(INSTALLED.get_or_init(|| install_all(server)).await)
}

async fn install_all(server: Server) -> HashMap<String, Installed> {
    let mut installing = JoinSet::new();
    for sent in registry::definitions() {
        installing.spawn(async move {
            let verdict = server.install(&sent).await;
            let name = sent["metadata"]["name"].as_str().unwrap().to_owned();
            (name, Installed { sent, verdict })
        });
    }
    installing.join_all().await.into_iter().collect()
}

/// A custom resource that the API server serves.
pub(crate) struct Served<K> {
    server: Server,
    resource: PhantomData<K>,
}

/// The resource, unless there is no server.
pub(crate) async fn served<K: CustomResource>() -> Option<Served<K>> {
    let name = format!("{}.{}", K::DEFINITION.plural, K::DEFINITION.group);
    let found = &installed().await?.get(&name);
    let definition = found.unwrap_or_else(|| panic!("{name} is not in the registry"));
    assert!(definition.verdict.accepted, "{name}: {}", definition.verdict);
    Some(Served { server: server()?, resource: PhantomData })
}

impl<K: CustomResource> Served<K> {
    pub(crate) fn collection(&self) -> String {
        let definition = K::DEFINITION;
        let namespace = match definition.scope {
            Scope::Namespaced => "namespaces/default/",
            Scope::Cluster => "",
        };
        format!("/apis/{}/{}/{namespace}{}", definition.group, definition.version, definition.plural)
    }

    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.collection())
    }

    pub(crate) async fn send(&self, request: Request) -> Answer {
        self.server.raw(request).await
    }

    /// Creates an object; what the API server does not know of it is an error.
    pub(crate) async fn create(&self, object: impl Serialize) -> Verdict {
        let path = format!("{}?fieldValidation=Strict", self.collection());
        let object = serde_json::to_value(object).unwrap();
        self.send(Request::post(path, object)).await.into()
    }

    /// Creates an object as `kubectl create` does: what the API server does not know is dropped with a warning.
    pub(crate) async fn create_leniently(&self, object: Value) -> Verdict {
        self.send(Request::post(self.collection(), object)).await.into()
    }

    pub(crate) async fn get(&self, name: &str) -> Value {
        let answer = self.send(Request::get(self.path(name))).await;
        assert!(answer.is_success(), "{}", answer.body);
        answer.body
    }

    /// Changes an object, or its subresource if the name goes on with one, as in `a/status`.
    pub(crate) async fn merge(&self, name: &str, patch: Value) -> Verdict {
        let path = format!("{}?fieldValidation=Strict", self.path(name));
        self.send(Request::patch(path, MERGE_PATCH, patch)).await.into()
    }

    /// Applies an object on the server's side.
    pub(crate) async fn apply(&self, manager: &str, name: &str, mut object: Value) -> Verdict {
        let owner = name.split('/').next().unwrap();
        object["metadata"] = json!({ "name": owner });
        let path = format!("{}?fieldManager={manager}", self.path(name));
        self.send(Request::apply(path, object)).await.into()
    }

    /// The columns that `kubectl get` prints after the name: header, type and priority.
    pub(crate) async fn columns(&self) -> Vec<(String, String, i64)> {
        let table = self.table().await;
        let columns = table["columnDefinitions"].as_array().unwrap().iter();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let column = |column: &Value| {
            let priority = column["priority"].as_i64().unwrap();
            (text(&column["name"]), text(&column["type"]), priority)
        };
        columns.skip(1).map(column).collect()
    }

    /// What `kubectl get` prints of one object after its name.
    pub(crate) async fn cells(&self, name: &str) -> Vec<Value> {
        let table = self.table().await;
        let mut rows = table["rows"].as_array().unwrap().iter();
        let row = rows.find(|row| row["cells"][0] == name).unwrap();
        row["cells"].as_array().unwrap()[1..].to_vec()
    }

    /// The table that `kubectl get` prints.
    pub(crate) async fn table(&self) -> Value {
        let request = Request::get(self.collection()).accept(TABLE);
        self.send(request).await.body
    }

    /// The names of the objects that a field selector selects.
    pub(crate) async fn select(&self, selector: &str) -> Vec<String> {
        let path = format!("{}?fieldSelector={selector}", self.collection());
        let answer = self.send(Request::get(path)).await;
        assert!(answer.is_success(), "{selector}: {}", answer.body);
        let items = answer.body["items"].as_array().unwrap();
        let name = |item: &Value| item["metadata"]["name"].as_str().unwrap().to_owned();
        items.iter().map(name).collect()
    }

    /// The resource in discovery.
    pub(crate) async fn discovery(&self) -> Value {
        let definition = K::DEFINITION;
        let path = format!("/apis/{}/{}", definition.group, definition.version);
        let resources = self.send(Request::get(path)).await.body;
        let mut found =
            resources["resources"].as_array().unwrap().iter().filter(|resource| resource["name"] == definition.plural);
        found.next().expect("discovery lists the resource").clone()
    }
}

impl<K: CustomResource + Serialize + DeserializeOwned> Served<K> {
    /// Creates an object that serde wrote, and expects to read back what was written.
    pub(crate) async fn keeps(&self, object: K)
    where
        K: PartialEq + Debug,
    {
        let mut read = self.stored(&object).await;
        *read.meta_mut() = object.meta().clone();
        assert_eq!(read, object);
    }

    /// As [`Self::keeps`], for types that cannot be compared.
    pub(crate) async fn keeps_json(&self, object: K) {
        let mut read = self.stored(&object).await;
        *read.meta_mut() = object.meta().clone();
        assert_eq!(json!(read), json!(object));
    }

    async fn stored(&self, object: &K) -> K {
        let created = self.create(object).await.expect_accepted();
        assert_eq!(created.warnings, Vec::<String>::new());
        let stored = self.get(&object.meta().name.clone().unwrap()).await;
        serde_json::from_value(stored).unwrap()
    }

    /// Expects each change of an object to be refused, on the field that stands beside it.
    pub(crate) async fn refuses(&self, object: &K, changes: &[(&str, Value, &str)]) {
        for (pointer, value, field) in changes {
            let mut object = json!(object);
            set(&mut object, pointer, value.clone());
            let verdict = self.create(object).await;
            assert!(!verdict.accepted, "{pointer}: {value} is accepted");
            assert!(!verdict.causes_at(field).is_empty(), "{pointer}: {value}: {verdict}");
        }
    }
}

/// Columns as [`Served::columns`] lists them.
pub(crate) fn columns(expected: &[(&str, &str, i64)]) -> Vec<(String, String, i64)> {
    let owned = |(name, type_, priority): &(&str, &str, i64)| ((*name).to_owned(), (*type_).to_owned(), *priority);
    expected.iter().map(owned).collect()
}

/// Puts a value at a path such as `/spec/size`, whose parents exist; null removes what is there.
pub(crate) fn set(object: &mut Value, pointer: &str, value: Value) {
    let (parent, member) = pointer.rsplit_once('/').unwrap();
    let parent = object.pointer_mut(parent).expect("the parent exists");
    match (parent, value) {
        (Value::Object(members), Value::Null) => drop(members.remove(member)),
        (Value::Object(members), value) => drop(members.insert(member.to_owned(), value)),
        (Value::Array(items), value) => items[member.parse::<usize>().unwrap()] = value,
        (other, _) => panic!("{other} has no members"),
    }
}

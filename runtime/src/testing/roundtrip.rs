//! Whether the schema of a type and its decoder agree, found with many random documents.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    CustomResource, KubeSchema,
    render::{RenderError, render_root, render_schema},
};

use super::foreign;

mod admit;
mod documents;
mod formats;
mod generate;
#[cfg(test)]
pub(crate) mod model;
mod mutate;
mod node;
mod oracle;
mod pattern;
mod place;
mod random;
mod report;
mod shrink;
mod value;

use documents::Documents;
use node::Node;
use oracle::{Oracle, Verdict};
pub use report::{RoundtripFailure, RoundtripReport};

/// Checks with 500 random documents that the schema of a resource and its decoder agree.
///
/// A document that the schema accepts must decode, what is written again must pass the schema and lose nothing to the
/// API server, and it must decode to what writes the same. [`RoundtripTest`] says what is done in detail, and can be told
/// more.
///
/// ```
/// # use crdkit::{CustomResource, KubeSchema};
/// # use serde::{Deserialize, Serialize};
/// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "example.com", version = "v1", kind = "Foo")]
/// struct FooSpec {
///     #[schemars(range(max = 100))]
///     percent: u8,
///     note: Option<String>,
/// }
///
/// crdkit::testing::roundtrip::<Foo>(); // in a `#[test]`
/// ```
///
/// # Panics
///
/// If they disagree, with the smallest document that shows it, and as [`RoundtripTest::check`].
#[track_caller]
pub fn roundtrip<K: CustomResource + Serialize + DeserializeOwned>() {
    RoundtripTest::of_resource::<K>().check();
}

/// Checks as [`roundtrip()`] does that the schema of any type and its decoder agree.
///
/// ```
/// # use crdkit::KubeSchema;
/// # use serde::{Deserialize, Serialize};
/// #[derive(KubeSchema, Serialize, Deserialize)]
/// #[serde(tag = "phase")]
/// enum Phase {
///     Pending,
///     Running { since: u32 },
/// }
///
/// crdkit::testing::roundtrip_of_type::<Phase>();
/// ```
///
/// # Panics
///
/// As [`roundtrip()`].
#[track_caller]
pub fn roundtrip_of_type<T: KubeSchema + Serialize + DeserializeOwned>() {
    RoundtripTest::of_type::<T>().check();
}

/// A check that a schema and a decoder agree, before it is made.
///
/// Half of the documents are made from the schema so that it accepts them, half of them are such ones with one change:
/// another type, something missing or more, a bound crossed, null, another value of an enum. Each goes through what the
/// API server does first: nulls without a place are dropped, defaults filled in, unknown fields pruned. Then
///
/// - what the schema accepts must decode; what is written again must pass the schema, with no field that the server
///   would prune; and it must decode to a value that writes the same;
/// - what the schema refuses is counted, and how much of it the decoder reads all the same: a schema may be stricter.
///
/// The documents are the same with each run, but for another [`seed`](Self::seed).
///
/// Not all of a schema is understood. Rules of CEL are run, with crdkit's feature `cel`, on what the decoder refuses,
/// and on nothing else. For a pattern with flags or classes of Unicode texts are found by chance only, and of most formats
/// a few are known: [`RoundtripReport::unchecked`] lists them, and [`only`](Self::only) adds to them.
///
/// Where the types of others disagree with their own schemas, [`skip`](Self::skip) leaves their fields out. The types of
/// k8s-openapi need none: what they do not decode though Kubernetes' own schemas let it in is left out, integers beyond 32
/// bits in an `IntOrString` and the `apiVersion` of another type in an embedded object.
///
/// ```
/// # use crdkit::KubeSchema;
/// # use serde::{Deserialize, Serialize};
/// use crdkit::testing::RoundtripTest;
///
/// #[derive(KubeSchema, Serialize, Deserialize)]
/// struct Network {
///     address: std::net::SocketAddr, // IPv6 is any text of its characters, as far as the schema can say
/// }
///
/// let report = RoundtripTest::of_type::<Network>().run();
/// assert!(report.failure.unwrap().message.contains("invalid socket address"));
///
/// let report = RoundtripTest::of_type::<Network>().only(".address", ["10.0.0.1:80", "[::1]:80"]).seed(7).documents(100).run();
/// assert!(report.is_good(), "{report}");
/// assert_eq!(report.accepted + report.rejected, 100);
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is checked until `check` or `run` is called"]
pub struct RoundtripTest {
    name: String,
    schema: JSONSchemaProps,
    roundtrip: oracle::Roundtrip,
    /// Whether the type is the root of a resource, which has more than its schema says.
    is_resource: bool,
    only: Vec<(String, Vec<Value>)>,
    skipped: Vec<String>,
    /// The paths of types whose schema is schemars'.
    foreign: Vec<String>,
    seed: u64,
    documents: usize,
    percent: usize,
}

/// A document, and what an API server is expected to make of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RoundtripCase {
    /// What is sent.
    pub document: Value,
    /// What is kept, with defaults and without unknown fields; none if it is rejected.
    pub stored: Option<Value>,
}

impl RoundtripTest {
    /// The check of a resource.
    ///
    /// # Panics
    ///
    /// If the resource has no schema, or none that can be rendered.
    #[track_caller]
    pub fn of_resource<K: CustomResource + Serialize + DeserializeOwned>() -> Self {
        let schema = render_root(&K::DEFINITION)
            .map(|schema| schema.unwrap_or_else(|| panic!("{} has no schema to check", K::DEFINITION.kind)));
        let mut check = Self::new(K::DEFINITION.kind.to_owned(), schema, oracle::roundtrip::<K>);
        check.is_resource = true;
        check.foreign = paths(foreign::places(&K::DEFINITION));
        check
            .only(".apiVersion", [K::api_version(&()).into_owned()])
            .only(".kind", [K::DEFINITION.kind])
            .only(".metadata", [json!({ "name": "example" })])
    }

    /// The check of any type.
    ///
    /// # Panics
    ///
    /// If the schema cannot be rendered.
    #[track_caller]
    pub fn of_type<T: KubeSchema + Serialize + DeserializeOwned>() -> Self {
        let name = std::any::type_name::<T>().to_owned();
        let mut check = Self::new(name, render_schema(T::SCHEMA_REF), oracle::roundtrip::<T>);
        check.foreign = paths(foreign::places_of(T::SCHEMA_REF));
        check
    }

    #[track_caller]
    fn new(name: String, schema: Result<JSONSchemaProps, RenderError>, roundtrip: oracle::Roundtrip) -> Self {
        Self {
            schema: schema.unwrap_or_else(|error| panic!("the schema of {name} cannot be rendered: {error}")),
            name,
            roundtrip,
            is_resource: false,
            only: Vec::new(),
            skipped: Vec::new(),
            foreign: Vec::new(),
            seed: 0,
            documents: 500,
            percent: 30,
        }
    }

    /// Starts the random numbers elsewhere; 0 by default.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How many documents there are; 500 by default.
    pub fn documents(mut self, documents: usize) -> Self {
        self.documents = documents;
        self
    }

    /// How many percent of the documents the schema must accept, and how many it must refuse; 30 by default.
    ///
    /// It is lowered for types that accept nearly anything.
    pub fn min_percent(mut self, percent: usize) -> Self {
        self.percent = percent;
        self
    }

    /// Makes only these values at a path such as `.spec.disks[].address` or `.spec.labels[*]`, and leaves out the
    /// documents that have others there. It is for what a schema cannot say, such as the form of an
    /// [`SocketAddr`](std::net::SocketAddr). The path of the whole value is empty.
    pub fn only<V: Into<Value>>(mut self, path: &str, values: impl IntoIterator<Item = V>) -> Self {
        self.only.push((path.to_owned(), values.into_iter().map(Into::into).collect()));
        self
    }

    /// Makes no value at a path such as `.spec.template.spec.volumes[]`, and leaves out the documents that have one there
    /// but for the default. It is for types of others whose schema and decoder disagree. A field that each object must
    /// have cannot be skipped: [`only`](Self::only) has values for it, or a field around it is skipped.
    ///
    /// ```
    /// # use crdkit::KubeSchema;
    /// # use serde::{Deserialize, Serialize};
    /// use crdkit::testing::RoundtripTest;
    ///
    /// #[derive(KubeSchema, Serialize, Deserialize)]
    /// struct Network {
    ///     name: String,
    ///     address: Option<std::net::SocketAddr>,
    /// }
    ///
    /// RoundtripTest::of_type::<Network>().skip(".address").check();
    /// ```
    pub fn skip(mut self, path: &str) -> Self {
        self.skipped.push(path.to_owned());
        self
    }

    /// Makes the check.
    ///
    /// # Panics
    ///
    /// If schema and decoder disagree, if too few documents were accepted or rejected to know, or if there is no field
    /// at the path of [`only`](Self::only) or [`skip`](Self::skip), or one that must be there.
    #[track_caller]
    pub fn check(&self) {
        let report = self.run();
        assert!(report.is_good(), "{report}");
    }

    /// Makes the check, and says what came of it.
    ///
    /// # Panics
    ///
    /// If there is no field at the path of [`only`](Self::only) or [`skip`](Self::skip), or one that must be there.
    #[track_caller]
    pub fn run(&self) -> RoundtripReport {
        let oracle = self.oracle();
        let mut report = RoundtripReport::new(self.name.clone(), self.seed, self.percent);
        oracle.root.walk("", &mut |path, node| {
            report.unchecked.extend(node.unchecked().map(|what| format!("{}: {what}", place::shown(path))));
        });
        let skipped = self.skipped.iter();
        report.unchecked.extend(skipped.map(|path| format!("{path}: left out with `skip`")));
        let mut documents = Documents::new(&oracle, self.seed, self.documents);
        while let Some(document) = documents.next() {
            match oracle.verdict(&document) {
                Verdict::Accepted => documents.accepted += 1,
                Verdict::Rejected { is_decodable } => {
                    documents.rejected += 1;
                    report.rejected_but_decoded += usize::from(is_decodable);
                }
                Verdict::Excluded => report.excluded += 1,
                Verdict::Failed(found) => {
                    report.failure = Some(oracle.smallest(&document, &found, &mut documents.random));
                    break;
                }
            }
        }
        report.accepted = documents.accepted;
        report.rejected = documents.rejected;
        report
    }

    /// The documents with what an API server is expected to make of each, to put them before a real one.
    ///
    /// Rules of CEL are not run. Those of [`only`](Self::only) and [`skip`](Self::skip) are left out as in the check.
    ///
    /// ```
    /// # use crdkit::KubeSchema;
    /// # use serde::{Deserialize, Serialize};
    /// use crdkit::testing::RoundtripTest;
    ///
    /// #[derive(KubeSchema, Serialize, Deserialize)]
    /// struct Port {
    ///     #[schemars(range(min = 1))]
    ///     number: u16,
    /// }
    ///
    /// for case in RoundtripTest::of_type::<Port>().documents(20).cases() {
    ///     let passes = case.document["number"].as_u64().is_some_and(|number| (1..=65_535).contains(&number));
    ///     assert_eq!(case.stored.is_some(), passes, "{}", case.document);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no field at the path of [`only`](Self::only) or [`skip`](Self::skip), or one that must be there.
    #[track_caller]
    pub fn cases(&self) -> Vec<RoundtripCase> {
        let oracle = self.oracle();
        let mut documents = Documents::new(&oracle, self.seed, self.documents);
        let mut all = Vec::new();
        while let Some(document) = documents.next() {
            let Some(case) = oracle.case(document) else {
                continue;
            };
            match case.stored {
                Some(_) => documents.accepted += 1,
                None => documents.rejected += 1,
            }
            all.push(case);
        }
        all
    }

    #[track_caller]
    fn field<'a>(&self, root: &'a mut Node, path: &str) -> &'a mut Node {
        match root.at_path(path) {
            Some(node) => node,
            None => panic!("{} has no field `{path}`", self.name),
        }
    }

    #[track_caller]
    fn oracle(&self) -> Oracle {
        let mut root = Node::new(self.schema.clone());
        if self.is_resource {
            root.make_resource();
        }
        for path in &self.foreign {
            if let Some(node) = root.at_path(path) {
                node.skip_k8s_openapi_mismatches();
            }
        }
        for (path, values) in &self.only {
            self.field(&mut root, path).only.clone_from(values);
        }
        for path in &self.skipped {
            self.field(&mut root, path).is_skipped = true;
        }
        root.walk("", &mut |path, node| {
            let is_skipped = |name: &&String| {
                let member = node.properties.get(*name);
                member.is_some_and(|member| member.is_skipped && member.default().is_none())
            };
            if let Some(name) = node.required().find(is_skipped) {
                panic!(
                    "`{path}.{name}` of {} cannot be skipped, since it is required: give values with `only`, or skip \
                     a field around it",
                    self.name
                );
            }
        });
        Oracle::new(root, &self.schema, self.roundtrip)
    }
}

fn paths(places: Vec<foreign::ForeignField>) -> Vec<String> {
    places.into_iter().map(|place| place.path).collect()
}

#[cfg(test)]
mod tests;

//! Round-trip tests of schemas and decoders with random documents.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    CustomResource, KubeSchema,
    crd::{
        render::{RenderError, render_root, render_schema},
        structural::foreign_places,
    },
};

mod admit;
mod documents;
#[cfg(test)]
pub(crate) mod model;
mod mutate;
mod node;
mod options;
mod oracle;
mod place;
mod report;
mod shrink;

use documents::Documents;
use node::SchemaNode;
use oracle::{Oracle, Verdict};
pub use report::{RoundtripFailure, RoundtripReport};

/// Tests with 500 random documents that the schema of a resource and its decoder are consistent.
///
/// Each document that the schema accepts must decode. The encoded value must match the schema, without fields that the API
/// server would prune, and must decode to an equal value. [`RoundtripTest`] describes the procedure and has options.
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
/// If they are inconsistent, with the smallest document that demonstrates it. See also [`RoundtripTest::check`].
#[track_caller]
pub fn roundtrip<K: CustomResource + Serialize + DeserializeOwned>() {
    RoundtripTest::of_resource::<K>().check();
}

/// Tests like [`roundtrip()`] that the schema of any type and its decoder are consistent.
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
/// See [`roundtrip()`].
#[track_caller]
pub fn roundtrip_of_type<T: KubeSchema + Serialize + DeserializeOwned>() {
    RoundtripTest::of_type::<T>().check();
}

/// A test that a schema and a decoder are consistent.
///
/// Half of the documents are generated to match the schema. The other half have one modification: another type, a missing
/// or additional field, a value out of bounds, null, another enum value. Each document is first processed as by the API
/// server: it drops nulls that are not allowed, sets defaults, and prunes unknown fields. Then
///
/// - a document that the schema accepts must decode; the encoded value must match the schema, without fields that the
///   server would prune, and must decode to an equal value;
/// - documents that the schema rejects are counted, and so are those among them that the decoder accepts: a schema may be
///   stricter.
///
/// Each run uses the same documents, unless you change the [`seed`](Self::seed).
///
/// Some keywords are not fully supported. CEL rules are evaluated only on documents that the decoder rejects. Patterns with flags or Unicode classes are matched only by chance, and most formats have only
/// a few sample values. [`RoundtripReport::unchecked`] lists such parts, and [`only`](Self::only) provides values.
///
/// If a third-party type is inconsistent with its own schema, exclude its fields with [`skip`](Self::skip). This is not
/// necessary for k8s-openapi: values that Kubernetes' schemas accept and its types cannot decode are excluded
/// automatically, namely integers beyond 32 bits in an `IntOrString`, and the `apiVersion` of another type in an embedded
/// object.
///
/// ```
/// # use crdkit::KubeSchema;
/// # use serde::{Deserialize, Serialize};
/// use crdkit::testing::RoundtripTest;
///
/// #[derive(KubeSchema, Serialize, Deserialize)]
/// struct Network {
///     address: std::net::SocketAddr, // the schema cannot fully describe IPv6 addresses
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
    /// Whether the type is the root of a resource, which has fields that its schema does not declare.
    is_resource: bool,
    only: Vec<(String, Vec<Value>)>,
    skipped: Vec<String>,
    /// The paths of types with a schemars schema.
    foreign: Vec<String>,
    seed: u64,
    documents: usize,
    percent: usize,
}

/// A document, and the expected result of sending it to an API server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RoundtripCase {
    /// The sent document.
    pub document: Value,
    /// The stored document, with defaults and without unknown fields; `None` if it is rejected.
    pub stored: Option<Value>,
}

impl RoundtripTest {
    /// Creates a test of a resource.
    ///
    /// # Panics
    ///
    /// If the resource has no schema, or the schema cannot be rendered.
    #[track_caller]
    pub fn of_resource<K: CustomResource + Serialize + DeserializeOwned>() -> Self {
        let schema = render_root(&K::DEFINITION)
            .map(|schema| schema.unwrap_or_else(|| panic!("{} has no schema to check", K::DEFINITION.kind)));
        let mut check = Self::new(K::DEFINITION.kind.to_owned(), schema, oracle::roundtrip::<K>);
        check.is_resource = true;
        check.foreign = paths(foreign_places::places(&K::DEFINITION));
        check
            .only(".apiVersion", [K::api_version(&()).into_owned()])
            .only(".kind", [K::DEFINITION.kind])
            .only(".metadata", [json!({ "name": "example" })])
    }

    /// Creates a test of any type.
    ///
    /// # Panics
    ///
    /// If the schema cannot be rendered.
    #[track_caller]
    pub fn of_type<T: KubeSchema + Serialize + DeserializeOwned>() -> Self {
        let name = std::any::type_name::<T>().to_owned();
        let mut check = Self::new(name, render_schema(T::SCHEMA_REF), oracle::roundtrip::<T>);
        check.foreign = paths(foreign_places::places_of(T::SCHEMA_REF));
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

    /// Runs the test, and prints the number of documents and what is not checked in one line, which `cargo test -- --nocapture` shows.
    ///
    /// # Panics
    ///
    /// If schema and decoder are inconsistent, if too few documents were accepted or rejected, or if a path of
    /// [`only`](Self::only) or [`skip`](Self::skip) does not exist, or a skipped field is required.
    #[track_caller]
    pub fn check(&self) {
        let report = self.run();
        assert!(report.is_good(), "{report}");
        println!("{}", report.in_one_line());
    }

    /// Runs the test, and returns the result.
    ///
    /// # Panics
    ///
    /// If a path of [`only`](Self::only) or [`skip`](Self::skip) does not exist, or a skipped field is required.
    #[track_caller]
    pub fn run(&self) -> RoundtripReport {
        let oracle = self.oracle();
        let mut report = RoundtripReport::new(self.name.clone(), self.seed, self.percent);
        oracle.root.walk("", &mut |path, node| {
            report.unchecked.extend(node.unchecked().map(|what| format!("{}: {what}", place::shown(path))));
        });
        let skipped = self.skipped.iter();
        report.unchecked.extend(skipped.map(|path| format!("{path}: excluded with `skip`")));
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

    /// Returns the documents and the expected results, for a test with a real API server.
    ///
    /// CEL rules are not evaluated. [`only`](Self::only) and [`skip`](Self::skip) exclude documents as in the test.
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
    /// If a path of [`only`](Self::only) or [`skip`](Self::skip) does not exist, or a skipped field is required.
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
    fn field<'a>(&self, root: &'a mut SchemaNode, path: &str) -> &'a mut SchemaNode {
        match root.at_path(path) {
            Some(node) => node,
            None => panic!("{} has no field `{path}`", self.name),
        }
    }

    #[track_caller]
    fn oracle(&self) -> Oracle {
        let mut root = SchemaNode::new(self.schema.clone());
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
                    "`{path}.{name}` of {} cannot be skipped, because it is required: provide values with `only`, or \
                     skip an enclosing field",
                    self.name
                );
            }
        });
        Oracle::new(root, &self.schema, self.roundtrip)
    }
}

fn paths(places: Vec<foreign_places::ForeignField>) -> Vec<String> {
    places.into_iter().map(|place| place.path).collect()
}

#[cfg(test)]
mod tests;

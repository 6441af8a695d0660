//! Checks for `cargo test`.
//!
//! | function | what it finds |
//! |---|---|
//! | [`check`] | what the API server would refuse in a definition; each derive of a resource makes a test that calls it |
//! | [`roundtrip()`] | documents that the schema of a resource accepts and its decoder does not, or loses; with the feature `testing` |
//!
//! # Schema and decoder
//!
//! The schema says which objects the API server lets in, serde which ones the program reads. Where they differ, an object
//! is stored that no controller can read: it is worth a test for each resource.
//!
//! ```
//! # use crdkit::{CustomResource, KubeSchema};
//! # use serde::{Deserialize, Serialize};
//! #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
//! #[crd(group = "example.com", version = "v1", kind = "Server")]
//! struct ServerSpec {
//!     port: std::num::NonZeroU16,
//!     #[serde(default)]
//!     protocol: Protocol,
//! }
//!
//! #[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug, Default)]
//! enum Protocol {
//!     #[default]
//!     Tcp,
//!     Udp,
//! }
//!
//! # /*
//! #[test]
//! # */
//! fn objects_round_trip() {
//!     # #[cfg(feature = "testing")]
//!     crdkit::testing::roundtrip::<Server>();
//! }
//! # objects_round_trip();
//! ```
//!
//! The feature belongs where tests are built only:
//!
//! ```toml
//! [dev-dependencies]
//! crdkit = { version = "0.1", features = ["testing"] }
//! ```
//!
//! [`RoundtripTest`] describes what is done, and has what can be set.
//!
//! # Without a cluster
//!
//! What there is to test the types and the code of an operator with, without an API server:
//!
//! | what is tested | with |
//! |---|---|
//! | definitions | [the generated test](crate::attributes#the-generated-test) of each resource; [`check`] is the same |
//! | that committed files are up to date | [`Crds::check`](crate::emit::Crds::check) |
//! | schemas, against what the program reads and writes | [`roundtrip()`] |
//! | rules in CEL | [`validate_cel`](crate::attributes#rules-run-in-process), with the feature `cel` |
//! | a reconciler that reads from listers | `Lister::of([...])` of `crdkit::informer` makes a lister of these objects |
//! | what handles events | `Subscription::from_iter([...])` of `crdkit::informer` makes a subscription with these events |
//! | a program that calls the API server | `Client::from` a `kube::Client` on a service of your own |
//!
//! The last of these is a function from requests to responses, a mock of the API server:
//!
//! ```
//! # #[cfg(feature = "client")] {
//! use crdkit::{Client, kube};
//! use http::{Request, Response};
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube::client::Body;
//! use serde_json::json;
//!
//! /// A server with one ConfigMap.
//! async fn answer(request: Request<Body>) -> Result<Response<Body>, std::convert::Infallible> {
//!     let path = request.uri().path();
//!     let (code, body) = match (request.method().as_str(), path) {
//!         ("GET", "/api/v1/namespaces/default/configmaps/web") => (
//!             200,
//!             json!({
//!                 "apiVersion": "v1", "kind": "ConfigMap",
//!                 "metadata": { "name": "web", "namespace": "default", "uid": "1", "resourceVersion": "1" },
//!                 "data": { "size": "2" },
//!             }),
//!         ),
//!         _ => (
//!             404,
//!             json!({
//!                 "apiVersion": "v1", "kind": "Status", "status": "Failure",
//!                 "reason": "NotFound", "message": "not found", "code": 404,
//!                 "details": { "kind": "configmaps", "name": path.rsplit('/').next() }, // of objects, not of kinds
//!             }),
//!         ),
//!     };
//!     let response = Response::builder().status(code).header("content-type", "application/json");
//!     Ok(response.body(Body::from(body.to_string().into_bytes())).expect("a response"))
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let client = Client::from(kube::Client::new(tower::service_fn(answer), "default"));
//! let configs = client.resources::<ConfigMap>().namespace("default");
//! assert_eq!(configs.get("web").await?.data.unwrap()["size"], "2");
//! assert!(configs.get_opt("other").await?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crates `http` and `tower` are dependencies of such a test. What only a server does, such as merging what is applied,
//! is tested against one: [kind](https://kind.sigs.k8s.io) and
//! [envtest](https://book.kubebuilder.io/reference/envtest.html) have one for a machine of your own.

use std::{
    fmt::{self, Write as _},
    io::Write as _,
};

use crdkit_core::rules::sizes;

use crate::{
    CustomResource,
    definition::{Definition, RootSchema},
    validate::{self, Violation, validate, validate_unapproved},
};

pub(crate) mod foreign;
mod render_errors;
#[cfg(any(feature = "testing", test, doc))]
pub(crate) mod roundtrip;
mod size;

#[cfg(any(feature = "testing", test, doc))]
#[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
pub use roundtrip::{RoundtripCase, RoundtripFailure, RoundtripReport, RoundtripTest, roundtrip, roundtrip_of_type};

/// Checks a resource as the API server does; each derive of a resource makes a test that calls this.
///
/// It renders the definition, foreign types included, and looks at what cannot be seen while compiling. What is worth
/// knowing but no mistake is written to the standard error.
///
/// ```
/// # use crdkit::{CustomResource, KubeSchema};
/// # use serde::{Deserialize, Serialize};
/// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "example.com", version = "v1", kind = "Foo", test = false)]
/// struct FooSpec {
///     size: u8,
/// }
///
/// crdkit::testing::check::<Foo>(); // what the test would do that `test = false` turns off
/// ```
///
/// # Panics
///
/// If the API server would refuse the definition of `K`, or something in it can never work.
#[track_caller]
pub fn check<K: CustomResource>() {
    let report = CheckReport::new(&K::DEFINITION);
    if let Some(notes) = report.notes_text() {
        // Not through `eprint!`, which a test that passes keeps to itself.
        let _ = std::io::stderr().lock().write_all(notes.as_bytes());
    }
    assert!(report.is_good(), "{report}");
}

/// What is wrong with a definition, and what is worth knowing about it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckReport {
    /// The kind, for messages.
    pub kind: &'static str,
    /// What the API server would refuse, or what can never work.
    pub violations: Vec<Violation>,
    /// What is no mistake, but worth knowing.
    pub notes: Vec<String>,
    /// The paths of foreign types, whose fields could not be checked while compiling.
    pub foreign: Vec<String>,
}

impl CheckReport {
    /// The report on a definition.
    pub fn new(definition: &Definition) -> Self {
        let foreign = foreign::places(definition);
        let mut notes = notes(definition);
        notes.extend(foreign.iter().flat_map(foreign::ForeignField::notes));
        notes.extend(foreign::lost_keywords(definition));
        let violations = match (&definition.schema, definition.render()) {
            (RootSchema::Disabled, Ok(_)) => Vec::new(),
            (_, Ok(mut crd)) => {
                // The storage version may be another type's, and another be served; that there is one is seen where versions are merged.
                for version in &mut crd.spec.versions {
                    (version.storage, version.served) = (true, true);
                }
                let paths: Vec<_> = foreign.iter().map(|it| it.path.clone()).collect();
                let found = match definition.installed_elsewhere {
                    true => validate_unapproved(&crd),
                    false => validate(&crd),
                };
                let (mut violations, mut minor) = validate::split_by_severity(found);
                for large in violations.iter_mut().chain(&mut minor).filter(is_of_size) {
                    let remedy = size::remedy(definition, &crd, &paths);
                    large.message = format!("{}. {remedy}", large.message);
                }
                notes.extend(minor.iter().map(ToString::to_string));
                violations
            }
            (_, Err(error)) => render_errors::all(definition, error),
        };
        Self { kind: definition.kind, violations, notes, foreign: foreign.iter().map(ToString::to_string).collect() }
    }

    /// Whether nothing is wrong.
    pub fn is_good(&self) -> bool {
        self.violations.is_empty()
    }

    fn notes_text(&self) -> Option<String> {
        let mut text = String::new();
        for note in self.notes.iter().chain(&self.unchecked()) {
            let _ = writeln!(text, "note: {}: {note}", self.kind);
        }
        (!text.is_empty()).then_some(text)
    }

    /// Where the compiler saw nothing, in one line.
    fn unchecked(&self) -> Option<String> {
        const SHOWN: usize = 3;
        let shown = self.foreign.get(..SHOWN).unwrap_or(&self.foreign);
        let rest = match self.foreign.len() - shown.len() {
            0 => String::new(),
            rest => format!(" and {rest} more"),
        };
        (!shown.is_empty()).then(|| {
            format!("the compiler did not check what has its schema from schemars: {}{rest}", shown.join(", "))
        })
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = match self.violations.len() {
            1 => "a defect".to_owned(),
            count => format!("{count} defects"),
        };
        writeln!(f, "the definition of {} has {count}:", self.kind)?;
        for violation in &self.violations {
            writeln!(f, "  {violation}")?;
        }
        if !self.foreign.is_empty() {
            writeln!(f, "types whose schema comes from schemars stand at {}", self.foreign.join(", "))?;
        }
        Ok(())
    }
}

fn is_of_size(violation: &&mut Violation) -> bool {
    [sizes::Z2.id, sizes::Z4.id, sizes::Z5.id].contains(&violation.rule)
}

fn notes(definition: &Definition) -> Vec<String> {
    let plural = definition.plural_from_singular.then(|| {
        format!(
            "the plural `{}` was made from the singular `{}`: if that is not its name, write \
             `plural = \"...\"`",
            definition.plural, definition.singular
        )
    });
    plural.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        definition::DerivedRoot,
        schema::{Field, ForeignSchema, Keyword, Schema},
    };

    const fn definition(spec: &'static Schema) -> Definition {
        Definition::new(
            "example.com",
            "v1",
            "Foo",
            "feet",
            "foot",
            "FooList",
            RootSchema::Derived(DerivedRoot::new(spec)),
        )
    }

    #[test]
    fn a_good_definition() {
        const SPEC: Schema = Schema::object(&[Field::new("size", &Schema::integer())]);
        let report = CheckReport::new(&definition(&SPEC));
        assert!(report.is_good(), "{report}");
        assert!(report.notes.is_empty());
    }

    #[test]
    fn a_default_that_does_not_fit() {
        const SIZE: Field = Field::new("size", &Schema::integer()).with(&[Keyword::Default(|| Ok(Some("big".into())))]);
        const SPEC: Schema = Schema::object(&[SIZE]);
        let report = CheckReport::new(&definition(&SPEC));
        assert_eq!(
            report.to_string(),
            "the definition of Foo has a defect:\n  v1.spec.size: the default `\"big\"` does not match its own \
             schema: it must be of type integer: \"string\"\n"
        );
    }

    #[test]
    fn all_that_cannot_be_rendered_is_listed() {
        const TUPLE: Schema = Schema::tuple(&[&Schema::integer(), &Schema::string()]);
        const KEYED: Schema = Schema::list(&TUPLE);
        const PART: Schema = Schema::object(&[
            Field::new("good", &Schema::integer()),
            Field::new("pair", &TUPLE),
            Field::flattened(&Schema::string()),
        ]);
        const SPEC: Schema =
            Schema::object(&[Field::new("parts", &Schema::list(&PART)), Field::new("names", &Schema::map(&KEYED))]);
        let report = CheckReport::new(&definition(&SPEC));
        let paths = report.violations.iter().map(|violation| &violation.path);
        assert_eq!(
            paths.collect::<Vec<_>>(),
            ["v1.spec.parts[].pair", "v1.spec.parts[]", "v1.spec.names[*][]"],
            "{report}"
        );
        assert!(report.to_string().contains("has 3 defects:\n"), "{report}");
    }

    #[test]
    fn what_has_no_form_is_a_note() {
        const PAIRS: Schema = Schema::foreign(ForeignSchema::of::<Vec<(u8, String)>>());
        const SPEC: Schema = Schema::object(&[Field::new("pairs", &PAIRS)]);
        let report = CheckReport::new(&definition(&SPEC));
        assert!(report.is_good(), "{report}");
        let note = "any value is kept at .spec.pairs[], in `alloc::vec::Vec<(u8, alloc::string::String)>`: a tuple of \
                    different types has no structural schema: annotate the field with";
        assert!(report.notes[0].starts_with(note), "{:?}", report.notes);
    }

    #[test]
    fn what_the_compiler_did_not_check_is_a_note() {
        const TEXT: Schema = Schema::foreign(ForeignSchema::of::<String>());
        const SPEC: Schema = Schema::object(&[Field::new("text", &TEXT)]);
        const MANY: Schema = Schema::object(&[
            Field::new("a", &TEXT),
            Field::new("b", &TEXT),
            Field::new("c", &TEXT),
            Field::new("d", &TEXT),
            Field::new("e", &TEXT),
        ]);
        assert_eq!(
            CheckReport::new(&definition(&SPEC)).notes_text().unwrap(),
            "note: Foo: the compiler did not check what has its schema from schemars: .spec.text \
             (`alloc::string::String`)\n"
        );
        let many = CheckReport::new(&definition(&MANY)).notes_text().unwrap();
        assert!(many.ends_with(" and 2 more\n"), "{many}");
    }

    #[test]
    fn a_plural_that_comes_from_the_singular_is_named() {
        const SPEC: Schema = Schema::object(&[]);
        let report = CheckReport::new(&definition(&SPEC).plural_from_singular());
        assert!(report.notes[0].contains("`feet`"), "{:?}", report.notes);
    }
}

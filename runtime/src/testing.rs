//! Checks for `cargo test`.
//!
//! | function | finds |
//! |---|---|
//! | [`check`] | violations of the API server's rules in a definition; each derived resource has a generated test that calls it |
//! | [`roundtrip()`] | documents that a resource's schema accepts, but that do not survive decoding and encoding (feature `testing`) |
//!
//! # Round trips
//!
//! The schema determines which objects the API server stores, serde which objects the program can read. If they differ,
//! the API server stores objects that no controller can read. Add a round-trip test for each resource:
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
//! Enable the feature for tests only:
//!
//! ```toml
//! [dev-dependencies]
//! crdkit = { version = "0.1", features = ["testing"] }
//! ```
//!
//! [`RoundtripTest`] describes the procedure and has the options.
//!
//! # Without a cluster
//!
//! To test the types and the code of an operator without an API server:
//!
//! | subject | tool |
//! |---|---|
//! | definitions | [the generated test](crate::attributes::resource#the-generated-test) of each resource, which calls [`check`] |
//! | committed files | [`Crds::check`](crate::emit::Crds::check) |
//! | schemas, compared with serde's behaviour | [`roundtrip()`] |
//! | CEL rules | [`validate_cel`](crate::attributes::resource#rules-run-in-process), with the feature `cel` |
//! | a reconciler that reads from listers | `crdkit::informer::Lister::of([...])`, a lister with fixed objects |
//! | an event handler | `crdkit::informer::Subscription::from_iter([...])`, a subscription with fixed events |
//! | a program that calls the API server | `Client::from` a `kube::Client` with a mock service |
//!
//! A mock service is a function from requests to responses:
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
//! Such a test depends on the crates `http` and `tower`. Behaviour of the API server itself, such as server-side apply,
//! requires a real one: [kind](https://kind.sigs.k8s.io) and
//! [envtest](https://book.kubebuilder.io/reference/envtest.html) run one locally.

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

#[cfg(feature = "testing")]
#[expect(dead_code, reason = "under construction")]
mod api_server;
pub(crate) mod foreign;
mod render_errors;
#[cfg(any(feature = "testing", test, doc))]
pub(crate) mod roundtrip;
mod size;

#[cfg(feature = "testing")]
#[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
pub use api_server::{ApiServer, Service};
#[cfg(any(feature = "testing", test, doc))]
#[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
pub use roundtrip::{RoundtripCase, RoundtripFailure, RoundtripReport, RoundtripTest, roundtrip, roundtrip_of_type};

/// Validates the definition of a resource as the API server does. The generated test of each derived resource calls this.
///
/// It renders the definition, including foreign types, and checks everything that cannot be checked at compile time. Notes
/// that are not errors are printed to the standard error.
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
/// crdkit::testing::check::<Foo>(); // equivalent to the generated test, which `test = false` disables
/// ```
///
/// # Panics
///
/// If the API server would reject the definition of `K`, or a part of it can never work.
#[track_caller]
pub fn check<K: CustomResource>() {
    let report = CheckReport::new(&K::DEFINITION);
    if let Some(notes) = report.notes_text() {
        // Unlike the output of `eprint!`, this is shown for passing tests.
        let _ = std::io::stderr().lock().write_all(notes.as_bytes());
    }
    assert!(report.is_good(), "{report}");
}

/// The result of checking a definition.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckReport {
    /// The kind, for messages.
    pub kind: &'static str,
    /// Violations: the API server would reject the definition, or a part of it can never work.
    pub violations: Vec<Violation>,
    /// Notes that are not errors.
    pub notes: Vec<String>,
    /// The paths of foreign types, whose fields could not be checked at compile time.
    pub foreign: Vec<String>,
}

impl CheckReport {
    /// Checks a definition.
    pub fn new(definition: &Definition) -> Self {
        let foreign = foreign::places(definition);
        let mut notes = notes(definition);
        notes.extend(foreign.iter().flat_map(foreign::ForeignField::notes));
        notes.extend(foreign::lost_keywords(definition));
        let violations = match (&definition.schema, definition.render()) {
            (RootSchema::Disabled, Ok(_)) => Vec::new(),
            (_, Ok(mut crd)) => {
                // Another type may be the storage version or the served version; merging the versions checks that.
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

    /// Returns whether there are no violations.
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

    /// Returns a note that lists the foreign types.
    fn unchecked(&self) -> Option<String> {
        const SHOWN: usize = 3;
        let shown = self.foreign.get(..SHOWN).unwrap_or(&self.foreign);
        let rest = match self.foreign.len() - shown.len() {
            0 => String::new(),
            rest => format!(" and {rest} more"),
        };
        (!shown.is_empty()).then(|| {
            format!("not checked at compile time, because the schema comes from schemars: {}{rest}", shown.join(", "))
        })
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = match self.violations.len() {
            1 => "1 problem".to_owned(),
            count => format!("{count} problems"),
        };
        writeln!(f, "the definition of {} has {count}:", self.kind)?;
        for violation in &self.violations {
            writeln!(f, "  {violation}")?;
        }
        if !self.foreign.is_empty() {
            writeln!(f, "types with a schemars schema: {}", self.foreign.join(", "))?;
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
            "the plural `{}` was derived from the singular `{}`; if it is wrong, specify \
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
            "the definition of Foo has 1 problem:\n  v1.spec.size: the default `\"big\"` does not match its own \
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
        assert!(report.to_string().contains("has 3 problems:\n"), "{report}");
    }

    #[test]
    fn what_has_no_form_is_a_note() {
        const PAIRS: Schema = Schema::foreign(ForeignSchema::of::<Vec<(u8, String)>>());
        const SPEC: Schema = Schema::object(&[Field::new("pairs", &PAIRS)]);
        let report = CheckReport::new(&definition(&SPEC));
        assert!(report.is_good(), "{report}");
        let note = "any value is kept at .spec.pairs[], in `alloc::vec::Vec<(u8, alloc::string::String)>`: a tuple with \
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
            "note: Foo: not checked at compile time, because the schema comes from schemars: .spec.text \
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

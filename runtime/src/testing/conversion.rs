//! Property tests of conversions.

use std::io::Write as _;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::RoundtripTest;
use crate::{
    CustomResource,
    convert::{CONVERSION_DATA_ANNOTATION, ConvertError, FunctionCall, Spoke},
};

mod coverage;

use coverage::Coverage;

/// How many random documents of each version are generated.
const DOCUMENTS: usize = 200;

/// A test that a conversion between a version and its hub loses nothing, with random objects of both versions.
///
/// - Converted to the other version and back, an object is the same. Fields that its version does not declare remain too.
/// - The type of the other version decodes it.
/// - A change between two conversions is kept, in either version.
/// - The functions of `with` and `try_with` are each other's inverse, for each value of the spoke.
/// - Most objects convert. One that does not, because a function of `try_with` rejects a value, makes
///   [each list of that version fail](crate::attributes::convert#functions-that-can-fail). It is left out of the other checks and
///   counted: the test fails if less than 30 % of the objects convert in a direction, or if a function accepts less than 30 % of
///   its values, and names the fields. If it passes, the standard error lists what was left out.
///
/// The derive [`Convert`](macro@crate::convert::Convert) generates a test that calls [`check`](Self::check), if crdkit's
/// feature `testing` is enabled. The random values are those that the schemas accept, so a pattern excludes what a function rejects.
/// Where a schema cannot express it, `#[crd(test = false)]` replaces the generated tests by ones of your own, with values from
/// [`spoke`](Self::spoke) and [`hub`](Self::hub):
///
/// ```
/// # mod v1 {
/// #     use crdkit::{CustomResource, KubeSchema};
/// #     use serde::{Deserialize, Serialize};
/// #     #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
/// #     #[crd(group = "example.com", version = "v1", kind = "Machine", namespaced)]
/// #     pub struct MachineSpec { pub memory: String }
/// # }
/// # mod v1alpha1 {
/// #     use crdkit::{convert::Convert, CustomResource, KubeSchema};
/// #     use serde::{Deserialize, Serialize};
/// #     #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
/// #     #[crd(group = "example.com", version = "v1alpha1", kind = "Machine", namespaced, storage = false)]
/// #     #[convert(hub = super::v1::Machine)]
/// #     pub struct MachineSpec { #[convert(to = "memory")] pub ram: String }
/// # }
/// use crdkit::testing::ConversionTest;
///
/// # fn main() {
/// ConversionTest::of::<v1alpha1::Machine>().hub(|test| test.only(".spec.memory", ["1Gi", "512Mi"])).check();
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is checked until `check` is called"]
pub struct ConversionTest {
    kind: &'static str,
    spoke_version: &'static str,
    hub_version: &'static str,
    convert: fn(Value, bool) -> Result<Value, ConvertError>,
    /// Returns the calls of functions while an object is converted.
    function_calls: fn(Value, bool) -> Vec<FunctionCall>,
    /// Decodes an object of the hub, or of the spoke.
    decode: fn(&Value, bool) -> serde_json::Result<()>,
    spoke: RoundtripTest,
    hub: RoundtripTest,
    percent: usize,
}

impl ConversionTest {
    /// Creates a test of the conversion between a version and its hub.
    ///
    /// # Panics
    ///
    /// As [`RoundtripTest::of_resource`].
    #[track_caller]
    pub fn of<S: Spoke + Serialize + DeserializeOwned>() -> Self
    where
        S::Hub: Serialize + DeserializeOwned,
    {
        Self {
            kind: S::DEFINITION.kind,
            spoke_version: S::DEFINITION.version,
            hub_version: S::Hub::DEFINITION.version,
            convert: |object, is_to_hub| crate::convert::convert_json::<S>(object, is_to_hub),
            function_calls: crate::convert::function_calls::<S>,
            decode: |object, is_hub| {
                if is_hub { S::Hub::deserialize(object).map(drop) } else { S::deserialize(object).map(drop) }
            },
            spoke: test_of::<S>(),
            hub: test_of::<S::Hub>(),
            percent: 30,
        }
    }

    /// Changes the random objects of the version.
    pub fn spoke(mut self, change: impl FnOnce(RoundtripTest) -> RoundtripTest) -> Self {
        self.spoke = change(self.spoke);
        self
    }

    /// Changes the random objects of the hub version.
    pub fn hub(mut self, change: impl FnOnce(RoundtripTest) -> RoundtripTest) -> Self {
        self.hub = change(self.hub);
        self
    }

    /// Sets the minimum percentage of objects that convert in each direction, and of values that each function accepts; 30 by default.
    pub fn min_percent(mut self, percent: usize) -> Self {
        self.percent = percent;
        self
    }

    /// Runs the test. What was left out is printed to the standard error.
    ///
    /// # Panics
    ///
    /// If the conversion loses a value or a change, with the objects that demonstrate it, or if too few objects convert, with the
    /// fields whose functions reject them.
    #[track_caller]
    pub fn check(&self) {
        let (spokes, hubs) = (objects(&self.spoke), objects(&self.hub));
        for spoke in &spokes {
            self.check_functions(spoke);
        }
        let mut notes = String::new();
        for (objects, others, is_to_hub) in [(&spokes, &hubs, true), (&hubs, &spokes, false)] {
            let coverage = self.coverage(objects, is_to_hub);
            assert!(!coverage.is_too_low(self.percent), "{}", coverage.failure(self.percent));
            notes.extend(coverage.note());
            for (at, object) in objects.iter().enumerate() {
                self.check_result(object, is_to_hub);
                self.check_round_trip(object, is_to_hub);
                let mut object = object.clone();
                add_undeclared_fields(&mut object, at);
                self.check_round_trip(&object, is_to_hub);
                if let Some(other) = others.get(at % others.len().max(1)) {
                    self.check_change(&object, other, is_to_hub);
                }
            }
        }
        if !notes.is_empty() {
            // Unlike the output of `eprint!`, this is shown for passing tests.
            let _ = std::io::stderr().lock().write_all(notes.as_bytes());
        }
    }

    /// Converts all objects in one direction, and counts what is left out of the checks.
    fn coverage(&self, objects: &[Value], is_to_hub: bool) -> Coverage {
        let versions = [self.spoke_version, self.hub_version];
        let [from, to] = if is_to_hub { versions } else { [versions[1], versions[0]] };
        let mut coverage = Coverage::new(self.kind, from, to);
        for object in objects {
            let calls = (self.function_calls)(object.clone(), is_to_hub);
            coverage.add(calls, (self.convert)(object.clone(), is_to_hub).err());
            if let Err(error) = (self.decode)(object, !is_to_hub) {
                coverage.add_undecodable(&error);
            }
        }
        coverage
    }

    #[track_caller]
    fn check_functions(&self, spoke: &Value) {
        for call in (self.function_calls)(spoke.clone(), true) {
            if let Some((value, back)) = call.not_inverse() {
                panic!("`from_hub` is not the inverse of `to_hub` for `{}`: {value} becomes {back}", call.path);
            }
        }
    }

    #[track_caller]
    fn check_result(&self, object: &Value, is_to_hub: bool) {
        if (self.decode)(object, !is_to_hub).is_err() {
            return;
        }
        let Ok(there) = (self.convert)(object.clone(), is_to_hub) else {
            return;
        };
        if let Err(error) = (self.decode)(&there, is_to_hub) {
            panic!("the type of the other version does not decode an object: {error}\n{object}\nbecomes\n{there}");
        }
    }

    #[track_caller]
    fn check_round_trip(&self, object: &Value, is_to_hub: bool) {
        let Ok(there) = (self.convert)(object.clone(), is_to_hub) else {
            return;
        };
        match (self.convert)(there.clone(), !is_to_hub) {
            Ok(back) => assert!(
                back == *object,
                "the conversion loses something:\n{object}\nbecomes\n{there}\nand then\n{back}"
            ),
            Err(error) => panic!("an object cannot be converted back: {error}\n{object}\nbecomes\n{there}"),
        }
    }

    /// Checks that members of the spec of another object, set between two conversions, are kept.
    #[track_caller]
    fn check_change(&self, object: &Value, other: &Value, is_to_hub: bool) {
        let Ok(mut there) = (self.convert)(object.clone(), is_to_hub) else {
            return;
        };
        let (Some(spec), Some(others)) = (there["spec"].as_object_mut(), other["spec"].as_object()) else {
            return;
        };
        for (name, value) in others.iter().step_by(2) {
            spec.insert(name.clone(), value.clone());
        }
        let back = (self.convert)(there.clone(), !is_to_hub).and_then(|back| (self.convert)(back, is_to_hub));
        if let Ok(mut back) = back {
            for object in [&mut back, &mut there] {
                remove_annotation(object);
            }
            assert!(back == there, "the conversion loses a change:\n{there}\nbecomes\n{back}");
        }
    }
}

/// Adds fields that no version declares to the spec and the status, and to one object inside the spec.
fn add_undeclared_fields(object: &mut Value, seed: usize) {
    const NAME: &str = "undeclaredField";
    for member in ["spec", "status"] {
        if let Some(member) = object.get_mut(member).and_then(Value::as_object_mut) {
            member.insert(NAME.to_owned(), json!({ "number": seed }));
        }
    }
    let Some(spec) = object["spec"].as_object_mut() else { return };
    let inner: Vec<_> = spec.values_mut().filter_map(first_object).collect();
    let at = seed % inner.len().max(1);
    if let Some(inner) = inner.into_iter().nth(at) {
        inner.insert(NAME.to_owned(), json!([seed]));
    }
}

/// Returns an object, or that in the first item of a list.
fn first_object(value: &mut Value) -> Option<&mut Map<String, Value>> {
    match value {
        Value::Object(object) => Some(object),
        Value::Array(items) => items.first_mut().and_then(first_object),
        _ => None,
    }
}

#[track_caller]
fn test_of<K: CustomResource + Serialize + DeserializeOwned>() -> RoundtripTest {
    RoundtripTest::of_resource::<K>().documents(DOCUMENTS)
}

/// The objects that the API server stores.
#[track_caller]
fn objects(test: &RoundtripTest) -> Vec<Value> {
    test.cases().into_iter().filter_map(|case| case.stored).collect()
}

fn remove_annotation(object: &mut Value) {
    let Some(metadata) = object["metadata"].as_object_mut() else {
        return;
    };
    if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
        annotations.remove(CONVERSION_DATA_ANNOTATION);
        if annotations.is_empty() {
            metadata.remove("annotations");
        }
    }
}

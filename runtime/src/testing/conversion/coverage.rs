//! How many of the random objects a test of a conversion converts.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::Value;

use crate::convert::{ConvertError, FunctionCall};

/// What to do about values that functions reject.
const ADVICE: &str = "\
An object that does not convert makes each list of the other version fail. If the values of clusters can be like this, let the function \
return another value for them, with `with` instead of `try_with`: the original is kept in an annotation. Otherwise, exclude them by the \
schema of the field, such as with a pattern. If a schema cannot express it, write `#[crd(test = false)]`, and call `ConversionTest` in a \
test of your own, with values that convert (`spoke`, `hub`). The page `crdkit::attributes::convert` has more about it.";

/// The conversion of random objects in one direction.
pub(super) struct Coverage {
    kind: &'static str,
    from: &'static str,
    to: &'static str,
    objects: usize,
    converted: usize,
    /// The functions by the paths of their values.
    functions: BTreeMap<String, Calls>,
    /// The first error of an object whose values no function rejects.
    other_error: Option<ConvertError>,
    /// The number of objects that the type of their version does not decode, and the first error.
    undecodable: (usize, String),
}

/// The calls of one function.
#[derive(Default)]
struct Calls {
    values: usize,
    rejected: usize,
    /// The first value that was rejected, and why.
    example: Option<(Value, String)>,
}

impl Coverage {
    pub(super) fn new(kind: &'static str, from: &'static str, to: &'static str) -> Self {
        Self {
            kind,
            from,
            to,
            objects: 0,
            converted: 0,
            functions: BTreeMap::new(),
            other_error: None,
            undecodable: (0, String::new()),
        }
    }

    /// Counts an object, by the calls of functions and the error, if it does not convert.
    pub(super) fn add(&mut self, calls: Vec<FunctionCall>, error: Option<ConvertError>) {
        let is_rejected = calls.iter().any(|call| call.rejection.is_some());
        for call in calls {
            self.functions.entry(call.pattern.clone()).or_default().add(call);
        }
        self.objects += 1;
        match error {
            None => self.converted += 1,
            // Such as a function that rejects what its inverse has returned.
            Some(error) if !is_rejected => drop(self.other_error.get_or_insert(error)),
            Some(_) => {}
        }
    }

    pub(super) fn add_undecodable(&mut self, error: &serde_json::Error) {
        self.undecodable.0 += 1;
        if self.undecodable.0 == 1 {
            self.undecodable.1 = error.to_string();
        }
    }

    /// Whether less than a percentage of the objects converts or decodes, or a function accepts less of its values.
    pub(super) fn is_too_low(&self, percent: usize) -> bool {
        let is_low = |count: usize, of: usize| count * 100 < of * percent;
        self.objects == 0
            || is_low(self.converted, self.objects)
            || is_low(self.objects - self.undecodable.0, self.objects)
            || self.functions.values().any(|it| is_low(it.values - it.rejected, it.values))
    }

    /// Describes why the conversion is hardly tested.
    pub(super) fn failure(&self, percent: usize) -> String {
        let Self { kind, from, to, objects, converted, .. } = self;
        if *objects == 0 {
            return format!(
                "the conversion of {kind} from {from} to {to} is not tested: no random object of {from} matches its schema; provide \
                 values with `ConversionTest::hub` or `spoke`, and `RoundtripTest::only`"
            );
        }
        format!(
            "the conversion of {kind} from {from} to {to} is hardly tested, with {converted} of {objects} objects that convert and a \
             minimum of {percent} %, also of the values of each function:\n{}{ADVICE}",
            self.left_out()
        )
    }

    /// Describes what the test has left out, if anything.
    pub(super) fn note(&self) -> Option<String> {
        let left_out = self.left_out();
        let Self { kind, from, to, objects, converted, .. } = self;
        (!left_out.is_empty()).then(|| {
            format!("note: {kind}: from {from} to {to}, {converted} of {objects} random objects convert:\n{left_out}")
        })
    }

    fn left_out(&self) -> String {
        let mut text = String::new();
        for (path, function) in &self.functions {
            if let Some((value, message)) = &function.example {
                let Calls { values, rejected, .. } = function;
                let _ = writeln!(
                    text,
                    "  {path}: its function rejects {rejected} of {values} values, such as {value}: {message}"
                );
            }
        }
        if let Some(error) = &self.other_error {
            let _ = writeln!(text, "  {error}");
        }
        let (undecodable, error) = &self.undecodable;
        if *undecodable > 0 {
            let _ = writeln!(text, "  the type of {} does not decode {undecodable} objects: {error}", self.from);
        }
        text
    }
}

impl Calls {
    fn add(&mut self, call: FunctionCall) {
        self.values += 1;
        if let Some(message) = call.rejection {
            self.rejected += 1;
            self.example.get_or_insert((call.value, message));
        }
    }
}

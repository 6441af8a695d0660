//! The fields of the objects and their types, which the API server decodes strictly.

use crdkit_core::{ErrorType, go::quote, rules::admission_registration::H32, suggest};
use serde_json::Value;

use crate::crd::admission_registration::Errors;

/// The type of a value.
enum Shape {
    /// Any value, which other rules check.
    Any,
    Text,
    Bool,
    /// A 32-bit integer.
    Int,
    Texts,
    TextMap,
    List(Fields),
    Object(Fields),
}

use Shape::{Any, Bool, Int, List, Object, Text, TextMap, Texts};

type Fields = &'static [(&'static str, Shape)];

const METADATA: Fields = &[
    ("annotations", TextMap),
    ("creationTimestamp", Text),
    ("deletionGracePeriodSeconds", Any),
    ("deletionTimestamp", Text),
    ("finalizers", Texts),
    ("generateName", Text),
    ("generation", Any),
    ("labels", TextMap),
    ("managedFields", Any),
    ("name", Text),
    ("namespace", Text),
    (
        "ownerReferences",
        List(&[
            ("apiVersion", Text),
            ("blockOwnerDeletion", Bool),
            ("controller", Bool),
            ("kind", Text),
            ("name", Text),
            ("uid", Text),
        ]),
    ),
    ("resourceVersion", Text),
    ("selfLink", Text),
    ("uid", Text),
];

const SELECTOR: Fields =
    &[("matchExpressions", List(&[("key", Text), ("operator", Text), ("values", Texts)])), ("matchLabels", TextMap)];

const CONDITIONS: Shape = List(&[("expression", Text), ("name", Text)]);

const RULE: Fields =
    &[("apiGroups", Texts), ("apiVersions", Texts), ("operations", Texts), ("resources", Texts), ("scope", Text)];

const NAMED_RULE: Fields = &[
    ("apiGroups", Texts),
    ("apiVersions", Texts),
    ("operations", Texts),
    ("resourceNames", Texts),
    ("resources", Texts),
    ("scope", Text),
];

const MATCH_RESOURCES: Fields = &[
    ("excludeResourceRules", List(NAMED_RULE)),
    ("matchPolicy", Text),
    ("namespaceSelector", Object(SELECTOR)),
    ("objectSelector", Object(SELECTOR)),
    ("resourceRules", List(NAMED_RULE)),
];

const SERVICE: Fields = &[("name", Text), ("namespace", Text), ("path", Text), ("port", Int)];

const CLIENT_CONFIG: Fields = &[("caBundle", Text), ("service", Object(SERVICE)), ("url", Text)];

const MUTATING_WEBHOOK: Fields = &[
    ("admissionReviewVersions", Texts),
    ("clientConfig", Object(CLIENT_CONFIG)),
    ("failurePolicy", Text),
    ("matchConditions", CONDITIONS),
    ("matchPolicy", Text),
    ("name", Text),
    ("namespaceSelector", Object(SELECTOR)),
    ("objectSelector", Object(SELECTOR)),
    ("rules", List(RULE)),
    ("sideEffects", Text),
    ("timeoutSeconds", Int),
    // The last one, which webhooks that validate do not have.
    ("reinvocationPolicy", Text),
];

const VALIDATING_WEBHOOK: Fields = match MUTATING_WEBHOOK {
    [shared @ .., _] => shared,
    [] => &[],
};

const PARAM_KIND: Shape = Object(&[("apiVersion", Text), ("kind", Text)]);

const PARAM_REF: Shape =
    Object(&[("name", Text), ("namespace", Text), ("parameterNotFoundAction", Text), ("selector", Object(SELECTOR))]);

const VARIABLES: Shape = List(&[("expression", Text), ("name", Text)]);

const EXPRESSION: Fields = &[("expression", Text)];

const POLICY: Fields = &[
    ("auditAnnotations", List(&[("key", Text), ("valueExpression", Text)])),
    ("failurePolicy", Text),
    ("matchConditions", CONDITIONS),
    ("matchConstraints", Object(MATCH_RESOURCES)),
    ("paramKind", PARAM_KIND),
    ("validations", List(&[("expression", Text), ("message", Text), ("messageExpression", Text), ("reason", Text)])),
    ("variables", VARIABLES),
];

const MUTATING_POLICY: Fields = &[
    ("failurePolicy", Text),
    ("matchConditions", CONDITIONS),
    ("matchConstraints", Object(MATCH_RESOURCES)),
    (
        "mutations",
        List(&[("applyConfiguration", Object(EXPRESSION)), ("jsonPatch", Object(EXPRESSION)), ("patchType", Text)]),
    ),
    ("paramKind", PARAM_KIND),
    ("reinvocationPolicy", Text),
    ("variables", VARIABLES),
];

const BINDING: Fields = &[
    ("matchResources", Object(MATCH_RESOURCES)),
    ("paramRef", PARAM_REF),
    ("policyName", Text),
    ("validationActions", Texts),
];

const MUTATING_BINDING: Fields =
    &[("matchResources", Object(MATCH_RESOURCES)), ("paramRef", PARAM_REF), ("policyName", Text)];

/// Returns the name and the type of the field of a kind besides its metadata.
fn content(kind: &str) -> Option<(&'static str, Shape)> {
    Some(match kind {
        "MutatingAdmissionPolicy" => ("spec", Object(MUTATING_POLICY)),
        "MutatingAdmissionPolicyBinding" => ("spec", Object(MUTATING_BINDING)),
        "MutatingWebhookConfiguration" => ("webhooks", List(MUTATING_WEBHOOK)),
        "ValidatingAdmissionPolicy" => ("spec", Object(POLICY)),
        "ValidatingAdmissionPolicyBinding" => ("spec", Object(BINDING)),
        "ValidatingWebhookConfiguration" => ("webhooks", List(VALIDATING_WEBHOOK)),
        _ => return None,
    })
}

impl Errors<'_> {
    /// Checks the fields of an object of a kind, and their types.
    pub(super) fn fields(&mut self, kind: &str, object: &Value) {
        let Some((name, shape)) = content(kind) else { return };
        for (field, value) in object.as_object().into_iter().flatten() {
            match field.as_str() {
                "apiVersion" | "kind" => {}
                // The server sets the status of a policy.
                "status" if kind == "ValidatingAdmissionPolicy" => {}
                "metadata" => self.below(field).value(&Object(METADATA), value),
                field if field == name => self.below(field).value(&shape, value),
                field => self.unknown(field, &["metadata", name]),
            }
        }
    }

    fn unknown(&mut self, field: &str, known: &[&str]) {
        let detail = match suggest::nearest(field, known) {
            Some(similar) => format!("unknown field, did you mean `{similar}`?"),
            None => "unknown field".to_owned(),
        };
        self.add(&H32, field, ErrorType::Forbidden, None, &detail);
    }

    /// Checks a value; null is that of an absent field.
    fn value(&mut self, shape: &Shape, value: &Value) {
        let expected = match (shape, value) {
            (_, Value::Null) | (Any, _) | (Text, Value::String(_)) | (Bool, Value::Bool(_)) => return,
            (Int, Value::Number(number)) if number.as_i64().is_some_and(|it| i32::try_from(it).is_ok()) => return,
            (Texts, Value::Array(items)) => return self.elements(&Text, items),
            (TextMap, Value::Object(members)) => {
                return members.iter().for_each(|(name, value)| self.below(name).value(&Text, value));
            }
            (List(fields), Value::Array(items)) => return self.elements(&Object(fields), items),
            (Object(fields), Value::Object(members)) => {
                for (name, value) in members {
                    match fields.iter().find(|(field, _)| field == name) {
                        Some((_, shape)) => self.below(name).value(shape, value),
                        None => self.unknown(name, &fields.iter().map(|(name, _)| *name).collect::<Vec<_>>()),
                    }
                }
                return;
            }
            (Text, _) => "a string",
            (Bool, _) => "a boolean",
            (Int, _) => "a 32-bit integer",
            (Texts | List(_), _) => "a list",
            (TextMap | Object(_), _) => "an object",
        };
        self.add(&H32, "", ErrorType::Invalid, Some(quote(type_of(value))), &format!("must be {expected}"));
    }

    fn elements(&mut self, shape: &Shape, items: &[Value]) {
        for (index, item) in items.iter().enumerate() {
            let path = format!("{}[{index}]", self.path);
            Errors { path, errors: self.errors }.value(shape, item);
        }
    }
}

const fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

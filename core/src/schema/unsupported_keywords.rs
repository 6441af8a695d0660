//! Keywords of JSON Schema that CustomResourceDefinitions do not have, and what to write instead.

/// Keywords of JSON Schema that crdkit translates to keywords of CustomResourceDefinitions.
pub const TRANSLATED: &[&str] =
    &["const", "deprecated", "examples", "patternProperties", "prefixItems", "unevaluatedProperties"];

/// Keywords in the API type of schemas that the server rejects.
pub const REFUSED: &[&str] = &["id", "$schema", "$ref", "dependencies", "additionalItems", "definitions"];

/// Returns what to write instead of a keyword of JSON Schema that definitions do not have.
pub(crate) fn instead_of(key: &str) -> Option<&'static str> {
    Some(match key {
        "const" => "write `enum` with one value",
        "examples" => "write `example`",
        "$defs" => "write each schema where it is used",
        "if"
        | "then"
        | "else"
        | "contains"
        | "minContains"
        | "maxContains"
        | "propertyNames"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "dependentRequired"
        | "dependentSchemas" => "write a rule, `x-kubernetes-validations`",
        "prefixItems" => "write one schema for all `items`",
        _ => return None,
    })
}

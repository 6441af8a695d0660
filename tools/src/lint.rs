//! Conventions of the Kubernetes API beyond the rules of the API server.

use std::fmt;

use crdkit::{
    __internal::{
        crd_accessors::{items, schema, values},
        emit::exceptions::Exceptions,
    },
    emit::{Crds, EmitError},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion as Version, JSONSchemaProps as Props,
};
use serde_json::{Value, json};

mod api_conventions;
mod fields;
mod naming_convention;

pub(crate) use self::naming_convention::NamingConvention;
use self::naming_convention::NamingRule;
use crate::kubernetes::KubernetesType;

macro_rules! lints {
    ($($name:ident $text:literal $default:literal $check:path, $reason:literal;)+) => {
        /// A convention. Names are those of [kube-api-linter](https://github.com/kubernetes-sigs/kube-api-linter) where it has
        /// the convention.
        ///
        /// Its linters that are not here concern Go: markers in comments (`conflictingmarkers`, `dependenttags`,
        /// `duplicatemarkers`, `forbiddenmarkers`, `markerscope`, `preferredmarkers`, `uniquemarkers`),
        /// pointers and tags (`nonpointerstructs`, `optionalfields`, `optionalorrequired`, `requiredfields`). `defaults` is
        /// `defaultorrequired` here, and what concerns values of `enums` is `enumcase`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Lint {
            $(#[doc = concat!("`", $text, "`: ", $reason)] $name,)+
        }

        impl Lint {
            /// All lints.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// Returns the name, such as `nofloats`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }

            /// Returns whether the lint is on unless it is disabled.
            pub const fn is_default(self) -> bool {
                match self {
                    $(Self::$name => $default,)+
                }
            }

            /// Returns why the convention exists.
            pub const fn reason(self) -> &'static str {
                match self {
                    $(Self::$name => $reason,)+
                }
            }

            fn check(self, place: &Place<'_>) -> Option<String> {
                match self {
                    $(Self::$name => $check(place),)+
                }
            }
        }
    };
}

lints! {
    ArrayOfStruct "arrayofstruct" true fields::array_of_struct,
        "Items without a required field cannot be distinguished in YAML, and `- {}` is valid.";
    CommentStart "commentstart" false api_conventions::comment_start,
        "Documentation that starts with the name in JSON can be read apart from the type.";
    Conditions "conditions" true fields::conditions,
        "Tools such as `kubectl wait` and server-side apply expect conditions in the standard form.";
    DefaultOrRequired "defaultorrequired" true fields::default_or_required,
        "A required field with a default is never missing, so that clients see it as required and the server does not.";
    Descriptions "descriptions" true api_conventions::descriptions,
        "`kubectl explain` shows the documentation of a field.";
    DiscriminatedUnions "discriminatedunions" false fields::discriminated_unions,
        "Without CEL rules, an object can have members that its discriminator does not select, and each program treats them differently.";
    EnumCase "enumcase" true api_conventions::enum_case,
        "Enum values are constants in CamelCase, with an initial capital letter, in all Kubernetes APIs.";
    Integers "integers" true fields::integers,
        "Clients in all languages have int32 and int64, and the server does not check other formats.";
    JsonTags "jsontags" true api_conventions::json_tags,
        "Names of fields are in camelCase in all Kubernetes APIs.";
    MaxLength "maxlength" false fields::max_length,
        "Values without a maximum size can fill the storage, and make CEL rules too expensive.";
    MinLength "minlength" false fields::min_length,
        "An empty value and an absent one should not have different meanings.";
    NamingConventions "namingconventions" true naming_convention::naming_conventions,
        "Names follow the conventions of the project, which `Project::naming_convention` declares.";
    NoBools "nobools" false fields::no_bools,
        "A boolean cannot get a third value later; an enum can.";
    NoDurations "nodurations" true fields::no_durations,
        "Durations as text have no parser in most languages; an integer with a unit in its name, such as `timeoutSeconds`, has.";
    NoFloats "nofloats" true fields::no_floats,
        "Floating-point numbers change when they are read and written in other languages.";
    NoMaps "nomaps" true fields::no_maps,
        "Keys of maps are not validated or merged like the fields of named items; use a list with `listType: map`.";
    NoNullable "nonullable" true fields::no_nullable,
        "A null value and an absent one should not have different meanings.";
    NoPhase "nophase" true api_conventions::no_phase,
        "A phase cannot get new values without breaking programs; conditions can.";
    NoReferences "noreferences" true api_conventions::no_references,
        "Names of references end in `Ref` or `Refs` in all Kubernetes APIs.";
    NoTimestamp "notimestamp" true api_conventions::no_timestamp,
        "Names of times end in `Time` in all Kubernetes APIs.";
    NumericBounds "numericbounds" false fields::numeric_bounds,
        "Numbers that the program cannot process should be rejected when they are written.";
    SsaTags "ssatags" true fields::ssa_tags,
        "Without a list type, server-side apply replaces a list as a whole, and changing it later is risky.";
    StatusOptional "statusoptional" true fields::status_optional,
        "A controller can only write a part of a status whose fields are optional.";
    StatusSubresource "statussubresource" true fields::status_subresource,
        "Without the subresource, users can write the status, and writing it changes the generation.";
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why definitions cannot be judged.
///
/// `Debug` prints the message, so that `unwrap` and tests that return the error are readable.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum LintError {
    /// The definitions cannot be rendered, or the file of exceptions cannot be read.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// A pattern of [`Project::naming_convention`](crate::Project::naming_convention) is not a regular expression.
    #[error("the pattern `{pattern}` of the naming convention `{name}` is invalid: {error}")]
    NamingConvention {
        /// The name of the convention.
        name: String,
        /// The pattern.
        pattern: String,
        /// The error in Go's wording.
        error: String,
    },
}

impl fmt::Debug for LintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A value in a schema, for lints.
struct Place<'a> {
    /// The path, such as `.spec.disks[*]`.
    path: &'a str,
    /// The name, if it is a field.
    name: Option<&'a str>,
    schema: &'a Props,
    /// The schema of the enclosing object, if it is a field.
    parent: Option<&'a Props>,
    version: &'a Version,
    naming_rules: &'a [NamingRule<'a>],
}

impl Place<'_> {
    fn is_required(&self) -> bool {
        let required = self.parent.and_then(|parent| parent.required.as_ref());
        required.is_some_and(|names| names.iter().any(|name| Some(name.as_str()) == self.name))
    }
}

/// A deviation from a convention.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LintFinding {
    /// The convention.
    pub lint: Lint,
    /// The name of the definition.
    pub definition: String,
    /// The version.
    pub version: String,
    /// The path, such as `.spec.disks[*].size`; empty for the root.
    pub path: String,
    /// What is wrong, and how to follow the convention.
    pub message: String,
    /// The reason of the [exception](Crds::allow) that allows it.
    pub allowed: Option<String>,
}

impl LintFinding {
    pub(crate) fn json(&self) -> Value {
        json!({
            "lint": self.lint.name(),
            "definition": self.definition,
            "version": self.version,
            "path": self.path,
            "message": self.message,
            "reason": self.lint.reason(),
            "allowed": self.allowed,
        })
    }
}

impl fmt::Display for LintFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lint, definition, version, path, message, .. } = self;
        write!(f, "{definition} {version}{path}: {message} [{lint}]")
    }
}

/// Returns the findings in definitions, with the exceptions of a set.
pub(crate) fn lint_definitions(
    crds: &Crds,
    naming_conventions: &[NamingConvention],
    definitions: &[CustomResourceDefinition],
    lints: &[Lint],
) -> Result<Vec<LintFinding>, LintError> {
    let exceptions = Exceptions::of(crds)?;
    let naming_rules = naming_convention::naming_rules(naming_conventions)?;
    Ok(definitions.iter().flat_map(|crd| findings(crd, lints, &exceptions, &naming_rules)).collect())
}

/// Returns the findings in a definition, version by version.
fn findings(
    crd: &CustomResourceDefinition,
    lints: &[Lint],
    exceptions: &Exceptions,
    naming_rules: &[NamingRule<'_>],
) -> Vec<LintFinding> {
    let definition = crd.metadata.name.clone().unwrap_or_default();
    let mut findings = Vec::new();
    for version in crd.spec.versions.iter().filter(|version| version.served) {
        let Some(root) = schema(version) else { continue };
        walk(&Place { path: "", name: None, schema: root, parent: None, version, naming_rules }, &mut |place| {
            for lint in lints {
                let Some(message) = lint.check(place) else { continue };
                let reason = exceptions.reason(lint.name(), &definition, Some(&version.name), place.path);
                findings.push(LintFinding {
                    lint: *lint,
                    definition: definition.clone(),
                    version: version.name.clone(),
                    path: place.path.to_owned(),
                    message,
                    allowed: reason.map(str::to_owned),
                });
            }
        });
    }
    findings
}

/// Calls `visit` with a value and with all values in it, except for the metadata of objects, and for what is in types of
/// Kubernetes.
fn walk(place: &Place<'_>, visit: &mut dyn FnMut(&Place<'_>)) {
    visit(place);
    let Place { path, schema, .. } = *place;
    if !path.is_empty() && KubernetesType::of(schema).is_some() {
        return;
    }
    let is_object = path.is_empty() || schema.x_kubernetes_embedded_resource == Some(true);
    for (name, part) in schema.properties.iter().flatten() {
        if !(is_object && ["apiVersion", "kind", "metadata"].contains(&name.as_str())) {
            let path = format!("{path}.{name}");
            walk(&Place { path: &path, name: Some(name), schema: part, parent: Some(schema), ..*place }, visit);
        }
    }
    for (step, part) in [("[*]", items(schema)), (".*", values(schema))] {
        if let Some(part) = part {
            walk(&Place { path: &format!("{path}{step}"), name: None, schema: part, parent: None, ..*place }, visit);
        }
    }
}

#[cfg(test)]
mod tests;

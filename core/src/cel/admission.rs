//! Expressions of admission: match conditions of webhooks, and policies.

use alloc::{
    borrow::ToOwned,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    CompileError, MINOR, check,
    checker::{Checked, Environment},
    decl_type::{DeclType, Inner},
    evaluate::{
        self,
        admission::{AdmissionProgram, VARIABLES},
    },
    patch_types,
    types::Type,
};

/// The variables of an expression of admission: `object`, `oldObject`, `request`, `namespaceObject` and `authorizer`.
#[derive(Clone, Debug)]
pub struct AdmissionScope {
    variables: DeclType,
    has_patch_types: bool,
}

/// The type that an expression must evaluate to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultType {
    /// `bool`.
    Bool,
    /// `string`.
    String,
    /// `string` or `null`.
    StringOrNull,
    /// `Object`: what is applied.
    Object,
    /// `list(JSONPatch)`.
    JsonPatch,
    /// Any type.
    Any,
}

impl ResultType {
    fn accepts(self, type_: &Type) -> bool {
        match self {
            Self::Bool => *type_ == Type::Bool,
            Self::String => *type_ == Type::String,
            Self::StringOrNull => *type_ == Type::String || *type_ == Type::Null,
            Self::Object => *type_ == patch_types::object(),
            Self::JsonPatch => *type_ == patch_types::json_patch(),
            Self::Any => true,
        }
    }

    /// Returns the server's text about the types.
    const fn expected(self) -> &'static str {
        match self {
            Self::Bool => "must evaluate to bool",
            Self::String => "must evaluate to string",
            Self::StringOrNull => "must evaluate to one of [string null_type]",
            Self::Object => "must evaluate to Object",
            Self::JsonPatch => "must evaluate to list(JSONPatch)",
            Self::Any => "",
        }
    }
}

impl Default for AdmissionScope {
    fn default() -> Self {
        Self::new()
    }
}

impl AdmissionScope {
    /// Creates a scope without parameters and composed variables.
    pub fn new() -> Self {
        let authorizer = |name| simple(Type::Struct(name));
        let variables = fields([
            ("object", simple(Type::Dyn)),
            ("oldObject", simple(Type::Dyn)),
            ("request", request()),
            ("namespaceObject", namespace()),
            ("authorizer", authorizer("kubernetes.authorization.Authorizer")),
            ("authorizer.requestResource", authorizer("kubernetes.authorization.ResourceCheck")),
        ]);
        Self { variables: DeclType::object_with("", variables), has_patch_types: false }
    }

    /// Adds the variable `params`.
    #[must_use]
    pub fn with_params(mut self) -> Self {
        self.push("params", simple(Type::Dyn));
        self
    }

    /// Adds the variable `variables`, to which [`compile_variable`](Self::compile_variable) adds fields.
    #[must_use]
    pub fn with_variables(mut self) -> Self {
        self.push(VARIABLES, DeclType::object_with("kubernetes.variables", Vec::new()));
        self
    }

    /// Removes the variable `authorizer`.
    #[must_use]
    pub fn without_authorizer(mut self) -> Self {
        if let Inner::Fields(variables) = &mut self.variables.inner {
            variables.retain(|(name, _)| !name.starts_with("authorizer"));
        }
        self
    }

    /// Adds the types of patches: `Object`, those of its parts, such as `Object.spec`, and `JSONPatch`.
    #[must_use]
    pub fn with_patch_types(self) -> Self {
        Self { has_patch_types: true, ..self }
    }

    fn push(&mut self, name: &str, declared: DeclType) {
        if let Inner::Fields(variables) = &mut self.variables.inner {
            variables.push((name.to_owned(), declared));
        }
    }

    /// Compiles an expression.
    ///
    /// # Errors
    ///
    /// The server's text: if the expression does not compile, or evaluates to another type.
    pub fn compile(&self, source: &str, result: ResultType) -> Result<(), CompileError> {
        self.result_type(source, result).map(drop)
    }

    /// Compiles the expression of a variable, and adds the variable as `variables.NAME`, also if the expression does not compile.
    ///
    /// # Errors
    ///
    /// As [`compile`](Self::compile).
    pub fn compile_variable(&mut self, name: &str, source: &str) -> Result<(), CompileError> {
        let compiled = self.result_type(source, ResultType::Any);
        let (type_, result) = match compiled {
            Ok(type_) => (type_, Ok(())),
            Err(error) => (Type::Dyn, Err(error)),
        };
        if let Inner::Fields(variables) = &mut self.variables.inner
            && let Some((_, declared)) = variables.iter_mut().find(|(name, _)| name == VARIABLES)
            && let Inner::Fields(fields) = &mut declared.inner
        {
            fields.push((name.to_owned(), simple(type_)));
        }
        result
    }

    /// Compiles an expression to a program.
    ///
    /// # Errors
    ///
    /// As [`compile`](Self::compile).
    pub fn program(&self, source: &str, result: ResultType) -> Result<AdmissionProgram, CompileError> {
        let checked = self.checked(source, result)?;
        let variables = match &self.variables.inner {
            Inner::Fields(variables) => evaluate::admission::names(variables.iter().map(|(name, _)| &**name)),
            _ => Vec::new(),
        };
        AdmissionProgram::new(&checked, variables)
    }

    /// Compiles the expression of a variable to a program, and adds the variable as [`compile_variable`](Self::compile_variable) does.
    ///
    /// # Errors
    ///
    /// As [`compile`](Self::compile).
    pub fn variable_program(&mut self, name: &str, source: &str) -> Result<AdmissionProgram, CompileError> {
        let program = self.program(source, ResultType::Any);
        self.compile_variable(name, source)?;
        program
    }

    fn checked(&self, source: &str, result: ResultType) -> Result<Checked, CompileError> {
        let environment = Environment {
            value: &self.variables,
            is_admission: true,
            has_patch_types: self.has_patch_types,
            is_old_self_optional: false,
            minor: MINOR,
        };
        let checked = check(source, &environment)?;
        let found = &checked.types[checked.expr.id];
        if !result.accepts(found) {
            return Err(CompileError::WrongResultType(found.to_string()));
        }
        Ok(checked)
    }

    fn result_type(&self, source: &str, result: ResultType) -> Result<Type, CompileError> {
        let checked = self.checked(source, result)?;
        evaluate::check_constants(&checked)?;
        Ok(checked.types[checked.expr.id].clone())
    }
}

impl CompileError {
    /// Returns the server's text about an expression of admission.
    pub fn admission_text(&self, source: &str, result: ResultType) -> String {
        match self {
            Self::Invalid(errors) => alloc::format!("compilation failed: {}", super::Display::new(source, errors)),
            Self::WrongResultType(found) => alloc::format!("{} but got {found}", result.expected()),
            Self::ConstantEvaluation(error) | Self::ServerPanic(error) => {
                alloc::format!("program instantiation failed: {}", error.message)
            }
        }
    }
}

const fn simple(type_: Type) -> DeclType {
    DeclType::simple(type_, 2)
}

fn text() -> DeclType {
    simple(Type::String)
}

fn texts() -> DeclType {
    DeclType::list_of(text())
}

fn fields<const N: usize>(fields: [(&str, DeclType); N]) -> Vec<(String, DeclType)> {
    fields.into_iter().map(|(name, declared)| (name.to_owned(), declared)).collect()
}

/// The type of `request`: an AdmissionRequest without its objects and its UID.
fn request() -> DeclType {
    let names =
        |name, last| DeclType::object_with(name, fields([("group", text()), ("version", text()), (last, text())]));
    let kind = || names("kubernetes.GroupVersionKind", "kind");
    let resource = || names("kubernetes.GroupVersionResource", "resource");
    let extra = simple(Type::map(Type::String, Type::list(Type::String)));
    let user = fields([("username", text()), ("uid", text()), ("groups", texts()), ("extra", extra)]);
    let request = fields([
        ("kind", kind()),
        ("resource", resource()),
        ("subResource", text()),
        ("requestKind", kind()),
        ("requestResource", resource()),
        ("requestSubResource", text()),
        ("name", text()),
        ("namespace", text()),
        ("operation", text()),
        ("userInfo", DeclType::object_with("kubernetes.UserInfo", user)),
        ("dryRun", simple(Type::Bool)),
        ("options", simple(Type::Dyn)),
    ]);
    DeclType::object_with("kubernetes.AdmissionRequest", request)
}

/// The type of `namespaceObject`.
fn namespace() -> DeclType {
    let map = || simple(Type::map(Type::String, Type::String));
    let time = || simple(Type::Timestamp);
    let condition = fields([
        ("status", text()),
        ("type", text()),
        ("lastTransitionTime", time()),
        ("message", text()),
        ("reason", text()),
    ]);
    let conditions = DeclType::list_of(DeclType::object_with("kubernetes.NamespaceCondition", condition));
    let metadata = fields([
        ("name", text()),
        ("generateName", text()),
        ("namespace", text()),
        ("labels", map()),
        ("annotations", map()),
        ("UID", text()),
        ("creationTimestamp", time()),
        ("deletionGracePeriodSeconds", simple(Type::Int)),
        ("deletionTimestamp", time()),
        ("generation", simple(Type::Int)),
        ("resourceVersion", text()),
        ("finalizers", texts()),
    ]);
    let parts = fields([
        ("metadata", DeclType::object_with("kubernetes.NamespaceMetadata", metadata)),
        ("spec", DeclType::object_with("kubernetes.NamespaceSpec", fields([("finalizers", texts())]))),
        (
            "status",
            DeclType::object_with(
                "kubernetes.NamespaceStatus",
                fields([("conditions", conditions), ("phase", text())]),
            ),
        ),
    ]);
    DeclType::object_with("kubernetes.Namespace", parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(scope: &AdmissionScope, source: &str) -> String {
        let error = scope.compile(source, ResultType::Bool).expect_err(source);
        error.admission_text(source, ResultType::Bool)
    }

    #[test]
    fn variables_have_their_types() {
        let scope = AdmissionScope::new();
        for source in [
            "object.spec.replicas > oldObject.spec.replicas",
            "request.userInfo.groups.exists(group, group == 'admins') && !request.dryRun",
            "request.kind.group == '' && request.requestResource.resource == 'pods'",
            "!('system:nodes' in request.userInfo.extra['a'])",
            "authorizer.group('apps').resource('deployments').check('create').allowed()",
            "authorizer.requestResource.check('custom').allowed()",
            "namespaceObject.metadata.labels['a'] == 'b'",
            "namespaceObject.status.conditions.all(it, it.type != 'x')",
        ] {
            assert_eq!(scope.compile(source, ResultType::Bool), Ok(()), "{source}");
        }
        assert!(
            error(&scope, "request.verb == 'x'")
                .starts_with("compilation failed: ERROR: <input>:1:8: undefined field 'verb'")
        );
        assert!(error(&scope, "self.x").contains("undeclared reference to 'self' (in container '')"));
        assert!(error(&scope, "params.x").contains("undeclared reference to 'params'"));
        assert_eq!(error(&scope, "request.name"), "must evaluate to bool but got string");
        assert_eq!(error(&scope, "object.x"), "must evaluate to bool but got dyn");
        assert!(
            error(&scope.clone().without_authorizer(), "authorizer.path('/').check('get').allowed()")
                .contains("authorizer")
        );
        assert_eq!(scope.with_params().compile("params.x == 1", ResultType::Bool), Ok(()));
    }

    #[test]
    fn mutations_have_the_types_of_patches() {
        let scope = AdmissionScope::new().with_patch_types();
        let labels = "Object{metadata: Object.metadata{labels: {'a': object.metadata.name}}}";
        let patch = "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: 1}]";
        for (source, result) in [
            ("Object{}", ResultType::Object),
            (labels, ResultType::Object),
            ("object.a ? Object{} : Object{spec: Object.spec{a: [Object.spec.a{b: 1}]}}", ResultType::Object),
            ("Object{spec: Object.spec{a: 1}.a}", ResultType::Object),
            (patch, ResultType::JsonPatch),
            ("object.a ? [] : [JSONPatch{op: 'remove', path: '/a'}]", ResultType::JsonPatch),
        ] {
            assert_eq!(scope.compile(source, result), Ok(()), "{source}");
            assert!(AdmissionScope::new().compile(source, result).is_err(), "{source}");
        }
        let text = |source: &str, result| scope.compile(source, result).unwrap_err().admission_text(source, result);
        for (source, result, expected) in [
            ("Object.spec{}", ResultType::Object, "must evaluate to Object but got Object.spec"),
            ("[]", ResultType::JsonPatch, "must evaluate to list(JSONPatch) but got list(dyn)"),
            ("JSONPatch{}", ResultType::JsonPatch, "must evaluate to list(JSONPatch) but got JSONPatch"),
            ("object", ResultType::Object, "must evaluate to Object but got dyn"),
        ] {
            assert_eq!(text(source, result), expected);
        }
        assert!(text("[JSONPatch{op: 1}]", ResultType::JsonPatch).contains("expected type of field 'op' is 'string'"));
        assert!(text("Objects{}", ResultType::Object).contains("undeclared reference to 'Objects'"));
    }

    #[test]
    fn composed_variables_have_the_types_of_their_expressions() {
        let mut scope = AdmissionScope::new().with_variables();
        assert_eq!(scope.compile_variable("name", "request.name"), Ok(()));
        assert!(scope.compile_variable("broken", "request.x").is_err());
        assert_eq!(scope.compile("variables.name.startsWith('a') && variables.broken.x", ResultType::Bool), Ok(()));
        assert!(error(&scope, "variables.name + 1 == 2").contains("found no matching overload"));
        assert!(error(&scope, "variables.other").contains("undefined field 'other'"));
    }
}

//! The type checker.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

use super::{
    ast::{Comprehension, Element, Entry, Expr, ExprKind, Literal},
    declared::Declared,
    error::Error,
    functions::{self, Overload},
    hints,
    parser::Parsed,
    types::{Found, Type, most_general, signature},
};

/// What an expression can name.
pub(super) struct Environment<'a> {
    /// The value that a rule stands on.
    pub(super) value: &'a Declared,
    /// Whether `oldSelf` may be missing.
    pub(super) is_old_self_optional: bool,
    /// The minor version of Kubernetes whose functions there are.
    pub(super) minor: u32,
}

/// An expression whose types are known.
pub(super) struct Checked {
    pub(super) expr: Expr,
    /// By the numbers of expressions.
    pub(super) types: Vec<Type>,
    /// The overloads that a call may mean.
    pub(super) overloads: Vec<Vec<&'static str>>,
    pub(super) uses_old_self: bool,
    /// Names of types that only the compiler knows, and where they stand.
    pub(super) unknown_types: Vec<(usize, String)>,
}

/// Why there is no checked expression.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    Errors(Vec<Error>),
    /// It uses messages of protobuf, whose fields are not known here.
    Undecided,
}

pub(super) fn check(parsed: Parsed, environment: &Environment<'_>) -> Result<Checked, Failure> {
    let mut expr = parsed.expr;
    let mut checker = Checker {
        environment,
        types: alloc::vec![Type::Error; parsed.ids],
        overloads: alloc::vec![Vec::new(); parsed.ids],
        found: Found::default(),
        locals: Vec::new(),
        errors: Vec::new(),
        uses_old_self: false,
        unknown_types: Vec::new(),
        is_undecided: false,
    };
    checker.check(&mut expr);
    if checker.is_undecided {
        return Err(Failure::Undecided);
    }
    if !checker.errors.is_empty() {
        return Err(Failure::Errors(checker.errors));
    }
    let found = checker.found;
    Ok(Checked {
        expr,
        types: checker.types.iter().map(|it| found.finished(it)).collect(),
        overloads: checker.overloads,
        uses_old_self: checker.uses_old_self,
        unknown_types: checker.unknown_types,
    })
}

struct Checker<'a> {
    environment: &'a Environment<'a>,
    types: Vec<Type>,
    overloads: Vec<Vec<&'static str>>,
    found: Found,
    locals: Vec<(String, Type)>,
    errors: Vec<Error>,
    uses_old_self: bool,
    unknown_types: Vec<(usize, String)>,
    is_undecided: bool,
}

impl Checker<'_> {
    fn error(&mut self, at: usize, message: impl Into<String>) {
        self.errors.push(Error::new(at, message));
    }

    fn mismatch(&mut self, at: usize, expected: &Type, found: &Type) {
        self.error(
            at,
            format!("expected type '{expected}' but found '{found}'"),
        );
    }

    fn undeclared(&mut self, at: usize, name: &str, hint: Option<String>) {
        let mut error = Error::new(
            at,
            format!("undeclared reference to '{name}' (in container '')"),
        );
        error.hint = hint;
        self.errors.push(error);
    }

    /// Finds the type of an expression and of all within it.
    fn check(&mut self, expr: &mut Expr) -> Type {
        let (id, at) = (expr.id, expr.at);
        let type_ = match &mut expr.kind {
            ExprKind::Literal(literal) => literal_type(literal),
            ExprKind::Ident(name) => self.ident(at, name),
            ExprKind::Select { .. } => self.select(expr),
            ExprKind::Call { .. } => self.call(expr),
            ExprKind::List(elements) => self.list(elements),
            ExprKind::Map(entries) => self.map(entries),
            ExprKind::Struct { name, .. } => {
                self.is_undecided |= is_of_protobuf(name);
                let name = name.clone();
                self.undeclared(at, &name, None);
                Type::Error
            }
            ExprKind::Comprehension(comprehension) => self.comprehension(comprehension),
        };
        self.types[id] = type_.clone();
        type_
    }

    fn ident(&mut self, at: usize, name: &str) -> Type {
        match self.resolve(name) {
            Some(type_) => {
                let is_local = self.locals.iter().any(|(local, _)| local == name);
                let name = name.strip_prefix('.').unwrap_or(name);
                if !is_local && matches!(name, "timestamp" | "duration") {
                    self.unknown_types.push((at, name.to_owned()));
                }
                self.uses_old_self |= name.trim_start_matches('.') == "oldSelf";
                type_
            }
            None => {
                let known = ["self", "oldSelf"].into_iter();
                let locals = self.locals.iter().map(|(name, _)| &**name);
                let hint = hints::nearest(name, known.chain(locals));
                self.undeclared(at, name, hint);
                Type::Error
            }
        }
    }

    fn resolve(&self, name: &str) -> Option<Type> {
        let local = self.locals.iter().rev().find(|(local, _)| local == name);
        if let Some((_, type_)) = local {
            return Some(type_.clone());
        }
        self.global(name.strip_prefix('.').unwrap_or(name))
    }

    fn global(&self, name: &str) -> Option<Type> {
        let own = &self.environment.value.type_;
        match name {
            "self" => Some(own.clone()),
            "oldSelf" if self.environment.is_old_self_optional => Some(Type::optional(own.clone())),
            "oldSelf" => Some(own.clone()),
            name => functions::named_type(name).map(|type_| Type::Meta(type_.into())),
        }
    }

    fn select(&mut self, expr: &mut Expr) -> Type {
        if let Some(name) = expr.qualified_name() {
            let first = name
                .split('.')
                .find(|part| !part.is_empty())
                .unwrap_or_default();
            let is_local = !name.starts_with('.') && self.locals.iter().any(|(it, _)| it == first);
            let name = name.strip_prefix('.').unwrap_or(&name);
            if !is_local {
                if let Some(type_) = self.global(name) {
                    expr.kind = ExprKind::Ident(name.to_owned());
                    return type_;
                }
                self.is_undecided |= is_of_protobuf(name);
            }
        }
        let at = expr.at;
        let ExprKind::Select {
            operand,
            field,
            is_test,
        } = &mut expr.kind
        else {
            return Type::Error;
        };
        let type_ = self.field(at, operand, field, false);
        match is_test {
            true => Type::Bool,
            false => self.found.substitute(&type_),
        }
    }

    fn field(&mut self, at: usize, operand: &mut Expr, field: &str, is_optional: bool) -> Type {
        let operand = self.check(operand);
        let operand = self.found.substitute(&operand);
        let (target, was_optional) = match &operand {
            Type::Optional(value) => (&**value, true),
            other => (other, false),
        };
        let result = match target {
            Type::Map(_, values) => (**values).clone(),
            Type::Object(name) => self.object_field(at, name, field),
            Type::Struct(name) => {
                self.error(at, format!("unexpected failed resolution of '{name}'"));
                Type::Error
            }
            Type::Var(_) => {
                self.found.fit(&Type::Dyn, target);
                Type::Dyn
            }
            other => {
                if !other.is_dyn_or_error() {
                    self.error(
                        at,
                        format!("type '{other}' does not support field selection"),
                    );
                }
                Type::Dyn
            }
        };
        match was_optional || is_optional {
            true => Type::optional(result),
            false => result,
        }
    }

    fn object_field(&mut self, at: usize, object: &str, field: &str) -> Type {
        let fields = self
            .environment
            .value
            .object_named(object)
            .unwrap_or_default();
        let reserved = format!("__{field}__");
        let is_reserved = crate::literal::cel::escaped(field).as_ref() == Some(&reserved);
        let found = fields.iter().find(|(name, _)| {
            name == field || (is_reserved && !field.contains("__") && *name == reserved)
        });
        if let Some((_, declared)) = found {
            return declared.type_.clone();
        }
        let mut error = Error::new(at, format!("undefined field '{field}'"));
        error.hint = hints::field(field, fields.iter().map(|(name, _)| &**name));
        self.errors.push(error);
        Type::Error
    }

    fn call(&mut self, expr: &mut Expr) -> Type {
        let (id, at) = (expr.id, expr.at);
        let ExprKind::Call {
            function,
            target,
            args,
        } = &mut expr.kind
        else {
            return Type::Error;
        };
        if function == "_?._" {
            return self.optional_field(id, at, args);
        }
        let mut types: Vec<Type> = args.iter_mut().map(|arg| self.check(arg)).collect();
        if let "_&&_" | "_||_" = function.as_str() {
            return self.logical(id, function, args, &types);
        }
        let Some(receiver) = target else {
            let name = function.strip_prefix('.').unwrap_or(function).to_owned();
            *function = name;
            let known = functions::overloads(function);
            return self.resolve_call(id, at, function, &known, &types, false);
        };
        if let Some(prefix) = receiver.qualified_name() {
            let name = format!("{}.{function}", prefix.trim_start_matches('.'));
            let known = functions::overloads(&name);
            if !self.available(&known).is_empty() {
                *function = name;
                *target = None;
                return self.resolve_call(id, at, function, &known, &types, false);
            }
        }
        types.insert(0, self.check(receiver));
        let known = functions::overloads(function);
        self.resolve_call(id, at, function, &known, &types, true)
    }

    fn available<'o>(&self, overloads: &'o [Overload]) -> Vec<&'o Overload> {
        let minor = self.environment.minor;
        overloads.iter().filter(|it| it.since <= minor).collect()
    }

    fn optional_field(&mut self, id: usize, at: usize, args: &mut [Expr]) -> Type {
        self.overloads[id] = alloc::vec!["select_optional_field"];
        let [operand, name] = args else {
            return Type::Error;
        };
        let ExprKind::Literal(Literal::String(field)) = &name.kind else {
            return Type::Error;
        };
        let type_ = self.field(at, operand, field, true);
        self.found.substitute(&type_)
    }

    fn logical(&mut self, id: usize, function: &str, args: &[Expr], types: &[Type]) -> Type {
        let mut result = Type::Bool;
        for (arg, type_) in args.iter().zip(types) {
            if !self.found.fit(type_, &Type::Bool) {
                self.mismatch(arg.at, &Type::Bool, type_);
                result = Type::Error;
            }
        }
        self.overloads[id] = match function {
            "_&&_" => alloc::vec!["logical_and"],
            _ => alloc::vec!["logical_or"],
        };
        result
    }

    fn resolve_call(
        &mut self,
        id: usize,
        at: usize,
        name: &str,
        known: &[Overload],
        types: &[Type],
        is_member: bool,
    ) -> Type {
        let available = self.available(known);
        if available.is_empty() {
            let hint = hints::function(name, known, self.environment.minor, is_member);
            self.undeclared(at, name, hint);
            return Type::Error;
        }
        let mut result: Option<Type> = None;
        for overload in available {
            if overload.is_member != is_member || overload.args.len() != types.len() {
                continue;
            }
            let mut params = Vec::new();
            let mut fresh = |type_: &Type| instance(type_, &mut params, &mut self.found);
            let asked: Vec<Type> = overload.args.iter().map(&mut fresh).collect();
            let given = fresh(&overload.result);
            if !self.found.fit_all(types.iter(), asked.iter()) {
                continue;
            }
            self.overloads[id].push(overload.id);
            let given = self.found.substitute(&given);
            result = Some(match result {
                None => given,
                Some(Type::Dyn) => Type::Dyn,
                Some(before) if before == given => before,
                Some(_) => Type::Dyn,
            });
        }
        result.unwrap_or_else(|| {
            let types: Vec<_> = types.iter().map(|it| self.found.finished(it)).collect();
            let applied = signature(&types, is_member);
            let message = format!("found no matching overload for '{name}' applied to '{applied}'");
            let mut error = Error::new(at, message);
            error.hint = hints::overload(name, known, &types, is_member);
            self.errors.push(error);
            Type::Error
        })
    }

    fn list(&mut self, elements: &mut [Element]) -> Type {
        let mut joined = None;
        for element in elements {
            let type_ = self.check(&mut element.value);
            let type_ = self.unwrapped(&element.value, type_, element.is_optional);
            joined = Some(self.join(joined, type_));
        }
        Type::list(joined.unwrap_or_else(|| self.found.new_var()))
    }

    /// The type of what an optional item holds.
    fn unwrapped(&mut self, value: &Expr, type_: Type, is_optional: bool) -> Type {
        match type_ {
            Type::Optional(value) if is_optional => (*value).clone(),
            type_ => {
                if is_optional && type_ != Type::Dyn {
                    self.mismatch(value.at, &Type::optional(type_.clone()), &type_);
                }
                type_
            }
        }
    }

    fn map(&mut self, entries: &mut [Entry]) -> Type {
        let (mut keys, mut values) = (None, None);
        for entry in entries {
            let key = self.check(&mut entry.key);
            keys = Some(self.join(keys, key));
            let value = self.check(&mut entry.value);
            let value = self.unwrapped(&entry.value, value, entry.is_optional);
            values = Some(self.join(values, value));
        }
        let keys = keys.unwrap_or_else(|| self.found.new_var());
        let values = values.unwrap_or_else(|| self.found.new_var());
        Type::map(keys, values)
    }

    /// The type of items of both types; that they are of one type is asked afterwards.
    fn join(&mut self, before: Option<Type>, type_: Type) -> Type {
        match before {
            None => type_,
            Some(before) if self.found.fit(&before, &type_) => {
                most_general(&before, &type_).clone()
            }
            Some(_) => Type::Dyn,
        }
    }

    fn comprehension(&mut self, it: &mut Comprehension) -> Type {
        let range = self.check(&mut it.range);
        let accu = self.check(&mut it.init);
        let range = self.found.substitute(&range);
        let outer = self.locals.len();
        self.locals.push((it.accu.clone(), accu.clone()));
        let (var, var2) = match &range {
            Type::List(items) if it.var2.is_some() => (Type::Int, (**items).clone()),
            Type::List(items) => ((**items).clone(), Type::Error),
            Type::Map(keys, values) => ((**keys).clone(), (**values).clone()),
            Type::Dyn | Type::Error | Type::Var(_) => {
                self.found.fit(&Type::Dyn, &range);
                (Type::Dyn, Type::Dyn)
            }
            other => {
                let message = format!(
                    "expression of type '{other}' cannot be range of a comprehension (must be list, \
                     map, or dynamic)"
                );
                self.error(it.range.at, message);
                (Type::Error, Type::Error)
            }
        };
        self.locals.push((it.var.clone(), var));
        if let Some(name) = &it.var2 {
            self.locals.push((name.clone(), var2));
        }
        let condition = self.check(&mut it.condition);
        self.assert(&it.condition, &Type::Bool, &condition);
        let step = self.check(&mut it.step);
        self.assert(&it.step, &accu, &step);
        self.locals.truncate(outer + 1);
        let result = self.check(&mut it.result);
        self.locals.truncate(outer);
        self.found.substitute(&result)
    }

    fn assert(&mut self, expr: &Expr, expected: &Type, found: &Type) {
        if !self.found.fit(expected, found) {
            self.mismatch(expr.at, expected, found);
        }
    }
}

/// Whether the name may be that of a message of protobuf, or of a part of one.
fn is_of_protobuf(name: &str) -> bool {
    let name = name.strip_prefix('.').unwrap_or(name);
    let Some(name) = name.strip_prefix("google.protobuf.") else {
        return false;
    };
    let message = name.split('.').next().unwrap_or_default();
    message.ends_with("Value")
        || matches!(
            message,
            "Any" | "Duration" | "Empty" | "FieldMask" | "Struct" | "Timestamp"
        )
}

pub(super) const fn literal_type(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::String(_) => Type::String,
        Literal::Bytes(_) => Type::Bytes,
    }
}

/// The type, with a type to be found for each parameter.
fn instance(type_: &Type, params: &mut Vec<(char, Type)>, found: &mut Found) -> Type {
    let Type::Param(name) = type_ else {
        return type_.with(&mut |part| instance(part, params, found));
    };
    if let Some((_, var)) = params.iter().find(|(param, _)| param == name) {
        return var.clone();
    }
    let var = found.new_var();
    params.push((*name, var.clone()));
    var
}

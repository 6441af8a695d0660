//! Calls and overload resolution.

use alloc::{borrow::ToOwned, format, vec::Vec};

use super::{
    super::{
        ast::{Expr, ExprKind},
        error::Error,
        functions::{self, Overload},
        hints, patch_types,
        types::{Substitution, Type, signature},
    },
    Checker,
};

impl Checker<'_> {
    pub(super) fn call(&mut self, expr: &mut Expr) -> Type {
        let (id, at) = (expr.id, expr.at);
        let ExprKind::Call { function, target, args } = &mut expr.kind else {
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
            let known = self.overloads_of(&name);
            if !self.available(&known).is_empty() {
                *function = name;
            }
            return self.resolve_call(id, at, function, &known, &types, false);
        };
        if let Some(prefix) = receiver.qualified_name() {
            let name = format!("{}.{function}", prefix.trim_start_matches('.'));
            let known = self.overloads_of(&name);
            if !self.available(&known).is_empty() {
                *function = name;
                *target = None;
                return self.resolve_call(id, at, function, &known, &types, false);
            }
        }
        types.insert(0, self.check(receiver));
        let known = self.overloads_of(function);
        self.resolve_call(id, at, function, &known, &types, true)
    }

    fn overloads_of(&self, function: &str) -> Vec<Overload> {
        let mut overloads = functions::overloads(function);
        if self.environment.has_patch_types {
            overloads.extend(patch_types::overloads(function));
        }
        overloads
    }

    fn available<'o>(&self, overloads: &'o [Overload]) -> Vec<&'o Overload> {
        let minor = self.environment.minor;
        overloads.iter().filter(|it| it.since <= minor).collect()
    }

    fn logical(&mut self, id: usize, function: &str, args: &[Expr], types: &[Type]) -> Type {
        let mut result = Type::Bool;
        for (arg, type_) in args.iter().zip(types) {
            if !self.substitution.fit(type_, &Type::Bool) {
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
        let is_unknown = types.iter().any(|it| self.substitution.substitute(it).is_partly_unknown());
        let other = if is_unknown { Type::Unknown } else { Type::Dyn };
        let mut result: Option<Type> = None;
        for overload in available {
            if overload.is_member != is_member || overload.args.len() != types.len() {
                continue;
            }
            let mut params = Vec::new();
            let mut fresh = |type_: &Type| instance(type_, &mut params, &mut self.substitution);
            let expected: Vec<Type> = overload.args.iter().map(&mut fresh).collect();
            let given = fresh(&overload.result);
            if !self.substitution.fit_all(types.iter(), expected.iter()) {
                continue;
            }
            self.overloads[id].push(overload.id);
            let given = self.substitution.substitute(&given);
            result = Some(match result {
                None => given,
                Some(before) if before.is_dyn() => before,
                Some(before) if before == given => before,
                Some(_) => other.clone(),
            });
        }
        result.unwrap_or_else(|| {
            let types: Vec<_> = types.iter().map(|it| self.substitution.finished(it)).collect();
            let applied = signature(&types, is_member);
            let message = format!("found no matching overload for '{name}' applied to '{applied}'");
            let mut error = Error::new(at, message);
            error.hint = hints::overload(name, known, &types, is_member);
            self.errors.push(error);
            Type::Error
        })
    }
}

/// Replaces each type parameter with a new type variable.
fn instance(type_: &Type, params: &mut Vec<(char, Type)>, found: &mut Substitution) -> Type {
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

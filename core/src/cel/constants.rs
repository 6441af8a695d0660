//! Constant folding, which the server performs when it creates a program: conversions of literals.

use alloc::{format, string::String, vec::Vec};

use super::{
    CompileError,
    ast::{Element, Entry, Expr, ExprKind, Literal},
    checker::{Checked, Named},
    error::Error,
    literals::regex_error,
};

mod conversion;

pub(super) use conversion::{Constant, converted};

/// Returns the first error.
pub(super) fn error(checked: &Checked) -> Option<CompileError> {
    Folder { checked }.fold(&checked.expr).err()
}

struct Folder<'c> {
    checked: &'c Checked,
}

impl Folder<'_> {
    /// Returns the value of a constant expression.
    fn fold(&self, expr: &Expr) -> Result<Option<Constant>, CompileError> {
        match &expr.kind {
            ExprKind::Literal(literal) => Ok(Some(Constant::Literal(literal.clone()))),
            ExprKind::Ident(_) => self.named(expr),
            ExprKind::Call { function, target, args } => {
                let target = match target {
                    Some(target) => Some(self.folded(target)?),
                    None => None,
                };
                let mut folded = Vec::new();
                for arg in args {
                    folded.push(self.folded(arg)?);
                }
                call(function, target, &folded)
            }
            ExprKind::List(items) => self.list(items),
            ExprKind::Map(entries) => self.map(entries),
            ExprKind::Comprehension(it) => {
                for part in [&it.init, &it.range, &it.condition, &it.step, &it.result] {
                    self.fold(part)?;
                }
                Ok(None)
            }
            ExprKind::Select { .. } | ExprKind::Struct { .. } => {
                for child in expr.children() {
                    self.fold(child)?;
                }
                Ok(None)
            }
        }
    }

    fn folded(&self, expr: &Expr) -> Result<Folded, CompileError> {
        Ok((self.fold(expr)?, expr.at))
    }

    fn named(&self, expr: &Expr) -> Result<Option<Constant>, CompileError> {
        match self.checked.constants.get(expr.id) {
            None => Ok(None),
            Some(Named::Type) => Ok(Some(Constant::Type)),
            Some(Named::Number(number)) => Ok(Some(Constant::Literal(Literal::Int(*number)))),
            Some(Named::UnknownType(name)) => {
                let message = format!("reference to undefined type: {name}");
                let mut error = Error::new(expr.at, message);
                error.hint = if name.contains('.') {
                    None
                } else {
                    Some(format!("write `google.protobuf.{}`", capitalized(name)))
                };
                Err(CompileError::ConstantEvaluation(error))
            }
        }
    }

    fn list(&self, items: &[Element]) -> Result<Option<Constant>, CompileError> {
        let mut is_known = true;
        for item in items {
            is_known &= self.fold(&item.value)?.is_some();
        }
        Ok(is_known.then_some(Constant::List))
    }

    fn map(&self, entries: &[Entry]) -> Result<Option<Constant>, CompileError> {
        let mut bytes = None;
        let mut is_known = true;
        for entry in entries {
            let key = self.fold(&entry.key)?;
            let value = self.fold(&entry.value)?;
            is_known &= key.is_some() && value.is_some();
            if let Some(Constant::Literal(Literal::Bytes(_))) = key {
                bytes.get_or_insert(entry.key.at);
            }
        }
        match bytes {
            Some(at) if is_known => {
                let message = "the server panics on bytes as a map key";
                let mut error = Error::new(at, message);
                error.hint = Some("use strings as keys".into());
                Err(CompileError::ServerPanic(error))
            }
            _ => Ok(is_known.then_some(Constant::Map)),
        }
    }
}

/// A value, if it is constant, and its offset.
type Folded = (Option<Constant>, usize);

fn call(function: &str, target: Option<Folded>, args: &[Folded]) -> Result<Option<Constant>, CompileError> {
    match (function, target, args) {
        ("_[_]" | "_[?_]", None, [_, (Some(index), at)]) => match index.unusable_as_index() {
            Some(type_) => Err(wrong(*at, format!("invalid qualifier type: {type_}"))),
            None => Ok(None),
        },
        ("matches", None, [_, (Some(pattern), at)])
        | ("matches" | "find" | "findAll", Some(_), [(Some(pattern), at), ..]) => regex(pattern, *at).map(|()| None),
        (_, None, [(Some(value), at)]) => converted(function, value).map_err(|message| wrong(*at, message)),
        _ => Ok(None),
    }
}

fn wrong(at: usize, message: String) -> CompileError {
    CompileError::ConstantEvaluation(Error::new(at, message))
}

fn regex(pattern: &Constant, at: usize) -> Result<(), CompileError> {
    let Constant::Literal(Literal::String(pattern)) = pattern else {
        return Ok(());
    };
    let Some((message, hint)) = regex_error(pattern) else {
        return Ok(());
    };
    let mut error = Error::new(at, message);
    error.hint = Some(hint);
    Err(CompileError::ConstantEvaluation(error))
}

fn capitalized(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

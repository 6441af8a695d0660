//! The steps of a type check that depend on a schema, for const evaluation.
//!
//! [`RuleScope::type_steps`](super::RuleScope::type_steps) checks an expression without the schema. What is left is a list of
//! steps, in the order of evaluation, in which a step refers to earlier ones by their indices.

use alloc::{string::String, vec::Vec};

use super::{
    ast::{ACCUMULATOR, Comprehension, Element, Entry, Expr, ExprKind, Literal},
    checker::{Checked, Named, literal_type},
    format, functions,
    scalar::Scalar,
};

/// The number of arguments of a function with the most of them, including the receiver.
pub const MAX_ARGS: usize = 4;

/// A step of a type check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeStep<'s> {
    /// The byte offset in the expression that an error is reported for.
    pub at: usize,
    /// What it determines or requires.
    pub kind: TypeStepKind<'s>,
}

/// What a step of a type check determines or requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeStepKind<'s> {
    /// A type that does not depend on the schema.
    Known(Scalar),
    /// A type that is not determined.
    Unknown,
    /// The type of `self`, or of `oldSelf`.
    Itself,
    /// The type of `oldSelf` where it is optional.
    OptionalItself,
    /// The type of a field, of an object or a map.
    Field {
        /// The object.
        of: usize,
        /// The name in CEL.
        name: &'s str,
        /// Whether the field may be absent, as in `self.?name`.
        is_optional: bool,
    },
    /// The result of a function; its possible [overloads](Self::Overload) are the next steps.
    Call {
        /// The name of the function.
        function: &'static str,
        /// The arguments; a receiver is the first. Those behind the last one are zero.
        args: [usize; MAX_ARGS],
        /// The number of arguments.
        arity: usize,
        /// The number of overloads.
        overloads: usize,
    },
    /// An overload of the last call, as the table of functions writes it.
    Overload(&'static str),
    /// Requires a list or a map, over which a macro loops.
    Range(usize),
    /// The type of the variable of a loop: the item of a list or the key of a map; with two variables, the index or the key.
    Variable {
        /// The range of the loop.
        range: usize,
        /// Whether the loop has a second variable.
        is_pair: bool,
    },
    /// The type of the second variable of a loop: the item of a list or the value of a map.
    SecondVariable(usize),
    /// Requires that two items of a list, or of a map, have one type.
    Same(usize, usize),
    /// A list of such items.
    List(usize),
    /// A map of such keys and values.
    Map(usize, usize),
    /// Requires a boolean operand.
    Condition(usize),
    /// Requires the type of the whole expression.
    Result(usize, Scalar),
}

/// Returns the steps of a checked expression; none if nothing depends on the schema.
pub(super) fn steps<'s>(
    source: &'s str,
    checked: &Checked,
    is_old_self_optional: bool,
    result: Scalar,
) -> Vec<TypeStep<'s>> {
    let mut outline =
        Outline { source, checked, is_old_self_optional, steps: Vec::new(), locals: Vec::new(), allows_mixed: false };
    let whole = outline.add(&checked.expr);
    if checked.types[checked.expr.id].is_partly_unknown() {
        outline.push(checked.expr.at, TypeStepKind::Result(whole, result));
    }
    let is_of_schema = |it: &TypeStep<'_>| matches!(it.kind, TypeStepKind::Itself | TypeStepKind::OptionalItself);
    if outline.steps.iter().any(is_of_schema) { outline.steps } else { Vec::new() }
}

struct Outline<'s, 'c> {
    source: &'s str,
    checked: &'c Checked,
    is_old_self_optional: bool,
    steps: Vec<TypeStep<'s>>,
    /// The names of variables, with the steps of their types.
    locals: Vec<(String, usize)>,
    /// Whether lists and maps of mixed types are allowed here.
    allows_mixed: bool,
}

impl<'s> Outline<'s, '_> {
    fn push(&mut self, at: usize, kind: TypeStepKind<'s>) -> usize {
        self.steps.push(TypeStep { at, kind });
        self.steps.len() - 1
    }

    /// Adds the steps of an expression, and returns the index of its type.
    fn add(&mut self, expr: &Expr) -> usize {
        let at = expr.at;
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(at, literal),
            ExprKind::Ident(name) => self.ident(expr, name),
            ExprKind::Select { operand, field, is_test } => {
                let selected = self.field(at, operand, field, false);
                if *is_test { self.push(at, TypeStepKind::Known(Scalar::Bool)) } else { selected }
            }
            ExprKind::Call { function, target, args } => self.call(expr, function, target.as_deref(), args),
            ExprKind::List(items) => self.list(at, items),
            ExprKind::Map(entries) => self.map(at, entries),
            ExprKind::Struct { fields, .. } => {
                for field in fields {
                    self.add(&field.value);
                }
                let kind = self.checked.types[expr.id].scalar().map_or(TypeStepKind::Unknown, TypeStepKind::Known);
                self.push(at, kind)
            }
            ExprKind::Comprehension(comprehension) => self.comprehension(at, comprehension),
        }
    }

    fn literal(&mut self, at: usize, literal: &Literal) -> usize {
        let kind = literal_type(literal).scalar().map_or(TypeStepKind::Unknown, TypeStepKind::Known);
        self.push(at, kind)
    }

    fn ident(&mut self, expr: &Expr, name: &str) -> usize {
        if let Some((_, step)) = self.locals.iter().rev().find(|(local, _)| local == name) {
            return *step;
        }
        let kind = match (self.checked.constants.get(expr.id), name.trim_start_matches('.')) {
            (Some(Named::Number(_)), _) => TypeStepKind::Known(Scalar::Int),
            (Some(_), _) => TypeStepKind::Unknown,
            (None, "oldSelf") if self.is_old_self_optional => TypeStepKind::OptionalItself,
            (None, "self" | "oldSelf") => TypeStepKind::Itself,
            (None, _) => TypeStepKind::Unknown,
        };
        self.push(expr.at, kind)
    }

    fn field(&mut self, at: usize, operand: &Expr, field: &str, is_optional: bool) -> usize {
        let of = self.add(operand);
        match self.written(at, field) {
            Some(name) => self.push(at, TypeStepKind::Field { of, name, is_optional }),
            None => self.push(at, TypeStepKind::Unknown),
        }
    }

    /// Returns a name as the source has it.
    fn written(&self, at: usize, name: &str) -> Option<&'s str> {
        let rest = self.source.get(at..)?;
        let start = rest.find(name)?;
        rest.get(start..start + name.len())
    }

    fn call(&mut self, expr: &Expr, function: &str, target: Option<&Expr>, args: &[Expr]) -> usize {
        if let ("_?._", [operand, name]) = (function, args)
            && let ExprKind::Literal(Literal::String(field)) = &name.kind
        {
            return self.field(expr.at, operand, field, true);
        }
        if let "_&&_" | "_||_" = function {
            return self.logical(expr.at, args);
        }
        let outer = self.allows_mixed;
        self.allows_mixed |= format::is_exempt(expr);
        let given: Vec<usize> = target.into_iter().chain(args).map(|it| self.add(it)).collect();
        self.allows_mixed = outer;
        let ids = &self.checked.overloads[expr.id];
        let signatures: Vec<_> = ids.iter().filter_map(|id| functions::signature(function, id)).collect();
        let Some((function, _)) = signatures.first().filter(|_| given.len() <= MAX_ARGS) else {
            return self.push(expr.at, TypeStepKind::Unknown);
        };
        let mut args = [0; MAX_ARGS];
        args[..given.len()].copy_from_slice(&given);
        let call = TypeStepKind::Call { function, args, arity: given.len(), overloads: signatures.len() };
        let call = self.push(expr.at, call);
        for (_, signature) in &signatures {
            self.push(expr.at, TypeStepKind::Overload(signature));
        }
        call
    }

    fn logical(&mut self, at: usize, args: &[Expr]) -> usize {
        for arg in args.iter().filter(|arg| !is_accumulator(arg)) {
            let of = self.add(arg);
            if !matches!(self.steps[of].kind, TypeStepKind::Known(Scalar::Bool)) {
                self.push(arg.at, TypeStepKind::Condition(of));
            }
        }
        self.push(at, TypeStepKind::Known(Scalar::Bool))
    }

    fn list(&mut self, at: usize, items: &[Element]) -> usize {
        let items: Vec<_> = items.iter().map(|it| (&it.value, it.is_optional)).collect();
        let item = self.common(at, &items);
        self.push(at, TypeStepKind::List(item))
    }

    fn map(&mut self, at: usize, entries: &[Entry]) -> usize {
        let keys: Vec<_> = entries.iter().map(|it| (&it.key, false)).collect();
        let values: Vec<_> = entries.iter().map(|it| (&it.value, it.is_optional)).collect();
        let (key, value) = (self.common(at, &keys), self.common(at, &values));
        self.push(at, TypeStepKind::Map(key, value))
    }

    /// Adds values that must have one type, and returns that type.
    fn common(&mut self, at: usize, values: &[(&Expr, bool)]) -> usize {
        let mut first = None;
        for (value, is_optional) in values {
            let added = self.add(value);
            if *is_optional || self.allows_mixed {
                continue;
            }
            match first {
                None => first = Some(added),
                Some(first) if self.steps[first].kind == self.steps[added].kind => {}
                Some(first) => {
                    self.push(value.at, TypeStepKind::Same(first, added));
                }
            }
        }
        let is_certain = values.iter().all(|(_, is_optional)| !is_optional);
        first.filter(|_| is_certain).unwrap_or_else(|| self.push(at, TypeStepKind::Unknown))
    }

    fn comprehension(&mut self, at: usize, it: &Comprehension) -> usize {
        let range = self.add(&it.range);
        let range = self.push(it.range.at, TypeStepKind::Range(range));
        let init = self.add(&it.init);
        let outer = self.locals.len();
        self.locals.push((it.accu.clone(), init));
        let variable = self.push(at, TypeStepKind::Variable { range, is_pair: it.var2.is_some() });
        self.locals.push((it.var.clone(), variable));
        if let Some(name) = &it.var2 {
            let variable = self.push(at, TypeStepKind::SecondVariable(range));
            self.locals.push((name.clone(), variable));
        }
        // Only macros have loops: their conditions use nothing of the schema.
        let collected = self.iteration(&it.step);
        self.locals.truncate(outer);
        self.locals.push((it.accu.clone(), collected.unwrap_or(init)));
        let result = self.add(&it.result);
        self.locals.truncate(outer);
        result
    }
}

impl Outline<'_, '_> {
    /// Adds the steps of one iteration. Returns the type of the list or the map that the loop collects, if it does: that of what
    /// is added to it.
    fn iteration(&mut self, step: &Expr) -> Option<usize> {
        let ExprKind::Call { function, args, target: None } = &step.kind else {
            self.add(step);
            return None;
        };
        match (function.as_str(), args.as_slice()) {
            ("_?_:_", [filter, added, rest]) if is_accumulator(rest) && is_addition(added) => {
                let of = self.add(filter);
                self.push(filter.at, TypeStepKind::Condition(of));
                self.iteration(added)
            }
            ("_+_" | "cel.@mapInsert", [accumulator, added]) if is_accumulator(accumulator) && is_addition(step) => {
                Some(self.add(added))
            }
            ("cel.@mapInsert", [accumulator, key, value]) if is_accumulator(accumulator) => {
                let (key, value) = (self.add(key), self.add(value));
                Some(self.push(step.at, TypeStepKind::Map(key, value)))
            }
            _ => {
                self.add(step);
                None
            }
        }
    }
}

/// Whether the expression adds an item to the list, or an entry to the map, that a macro collects.
fn is_addition(expr: &Expr) -> bool {
    let ExprKind::Call { function, args, .. } = &expr.kind else {
        return false;
    };
    match (function.as_str(), args.as_slice()) {
        ("_+_", [accumulator, added]) => is_accumulator(accumulator) && matches!(added.kind, ExprKind::List(_)),
        ("cel.@mapInsert", [accumulator, ..]) => is_accumulator(accumulator),
        _ => false,
    }
}

fn is_accumulator(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Ident(name) if name == ACCUMULATOR)
}

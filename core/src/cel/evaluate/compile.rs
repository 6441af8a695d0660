//! Compiles checked expressions to programs, as cel-go's planner does it with its optimizations.

use alloc::{borrow::ToOwned, boxed::Box, collections::BTreeSet, string::String, sync::Arc, vec::Vec};

use super::{
    Run,
    cost::CallCost,
    functions,
    json::FieldName,
    key::Key,
    program::{
        Attribute, Base, Call, EqualityKind, Fold, Item, MapEntry, MessageInit, Node, OrElse, Selection, Selector,
    },
    value::Value,
};
use crate::{
    cel::{
        CompileError,
        ast::{ACCUMULATOR, Comprehension, Expr, ExprKind},
        checker::{Checked, Named},
        error::Error,
        literals::regex_error,
        types::Type,
    },
    literal::regex::{self, Matcher},
};

/// Compiles an expression. The variables of its environment are numbered by `globals`. Returns the program and the number of its
/// slots.
pub(super) fn compile(checked: &Checked, globals: &[String]) -> Result<(Node, usize), CompileError> {
    let mut compiler = Compiler { checked, globals, scope: Vec::new(), slots: 0 };
    let node = compiler.node(&checked.expr)?;
    Ok((node, compiler.slots))
}

struct Compiler<'c> {
    checked: &'c Checked,
    globals: &'c [String],
    /// The variables of the loops around the expression, with their slots.
    scope: Vec<(&'c str, usize)>,
    slots: usize,
}

type Compiled<T = Node> = Result<T, CompileError>;

impl<'c> Compiler<'c> {
    fn node(&mut self, expr: &'c Expr) -> Compiled {
        Ok(match &expr.kind {
            ExprKind::Literal(literal) => Node::Constant(Value::of_literal(literal)),
            ExprKind::Ident(name) => self.name(expr, name)?,
            ExprKind::Select { operand, field, is_test } => {
                let mut attribute = self.attribute(operand)?;
                let selector = Selector::Field(FieldName::of(field).into_owned());
                attribute.select(&Arc::new(Selection { selector, is_optional: false }));
                if *is_test { Node::Presence(attribute) } else { Node::Attribute(attribute) }
            }
            ExprKind::Call { function, target, args } => self.call(expr, function, target.as_deref(), args)?,
            ExprKind::List(elements) => {
                let mut items = Vec::new();
                for element in elements {
                    items.push(Item { value: self.node(&element.value)?, is_optional: element.is_optional });
                }
                let is_constant = items.iter().all(|item| item.value.is_constant());
                folded(Node::List(items), is_constant, expr)?
            }
            ExprKind::Map(entries) => self.map(expr, entries)?,
            ExprKind::Struct { name, fields } => {
                let mut inits = Vec::new();
                for field in fields {
                    let value = self.node(&field.value)?;
                    inits.push((field.name.clone(), Item { value, is_optional: field.is_optional }));
                }
                Node::Message(Box::new(MessageInit { name: name.clone(), fields: inits }))
            }
            ExprKind::Comprehension(it) => Node::Fold(Box::new(self.fold(it)?)),
        })
    }

    fn name(&self, expr: &Expr, name: &str) -> Compiled {
        match self.checked.constants.get(expr.id) {
            Some(Named::Type) => {
                return Ok(Node::Constant(Value::Type(name.trim_start_matches('.').into())));
            }
            Some(Named::Number(number)) => return Ok(Node::Constant(Value::Int(*number))),
            Some(Named::UnknownType(name)) => return Err(unknown_type(expr, name)),
            // The server takes a variable whose value is a type for the name of one.
            None if matches!(self.checked.types[expr.id], Type::Meta(_)) => return Err(unknown_type(expr, name)),
            None => {}
        }
        if let Some((_, slot)) = self.scope.iter().rev().find(|(local, _)| *local == name) {
            return Ok(Node::Attribute(Attribute::new(Base::Local(*slot))));
        }
        let name = name.strip_prefix('.').unwrap_or(name);
        let index = self.globals.iter().position(|global| global == name);
        Ok(Node::Attribute(Attribute::new(Base::Global(index.unwrap_or(usize::MAX)))))
    }

    /// Compiles an expression from which a part is selected.
    fn attribute(&mut self, expr: &'c Expr) -> Compiled<Attribute> {
        Ok(self.node(expr)?.into_attribute())
    }

    fn call(&mut self, expr: &'c Expr, function: &'c str, target: Option<&'c Expr>, args: &'c [Expr]) -> Compiled {
        match (function, target, args) {
            ("_&&_", None, terms) => return Ok(Node::And(self.nodes(terms)?)),
            ("_||_", None, terms) => return Ok(Node::Or(self.nodes(terms)?)),
            ("_?_:_", None, [condition, then, otherwise]) => {
                let condition = self.node(condition)?;
                let branches = [self.attribute(then)?, self.attribute(otherwise)?];
                let base = Base::Conditional(Box::new(condition), Box::new(branches));
                return Ok(Node::Attribute(Attribute::new(base)));
            }
            ("_[_]" | "_[?_]" | "_?._", None, [operand, index]) => return self.index(function, operand, index),
            ("or" | "orValue", Some(optional), [otherwise]) => {
                let (optional, otherwise) = (self.node(optional)?, self.node(otherwise)?);
                return Ok(Node::OrElse(Box::new(OrElse { optional, otherwise, unwraps: function == "orValue" })));
            }
            ("_==_" | "_!=_", None, [left, right]) => {
                let kind = if function == "_==_" { EqualityKind::Equal } else { EqualityKind::NotEqual };
                return Ok(Node::Equal(Box::new([self.node(left)?, self.node(right)?]), kind));
            }
            ("@not_strictly_false", None, [arg]) => return Ok(Node::NotStrictlyFalse(Box::new(self.node(arg)?))),
            _ => {}
        }
        let mut nodes = Vec::new();
        for arg in target.into_iter().chain(args) {
            nodes.push(self.node(arg)?);
        }
        let overload = match self.checked.overloads[expr.id].as_slice() {
            [overload] => *overload,
            _ => "",
        };
        if overload == "in_list" {
            nodes = match in_constant_list(nodes) {
                Ok(node) => return Ok(node),
                Err(nodes) => nodes,
            };
        }
        let is_folded = is_conversion(function) && nodes.len() == 1 && nodes[0].is_constant();
        let at = args.first().or(target).map_or(expr.at, |arg| arg.at);
        let matcher = constant_matcher(function, target, args, &nodes)?;
        let call = Call {
            name: function.to_owned(),
            overload,
            function: functions::named(function),
            cost: CallCost::of(function, overload),
            accumulator: self.accumulator(function, target.into_iter().chain(args).next()),
            has_any_arguments: matcher.is_some() || overload.is_empty() && is_dispatched(function),
            matcher,
            args: nodes,
        };
        let call = Node::Call(Box::new(call));
        if is_folded { constant(call, at) } else { Ok(call) }
    }

    /// Returns the slot of the accumulator that is the first argument, if the result of the call replaces it.
    fn accumulator(&self, function: &str, first: Option<&Expr>) -> Option<usize> {
        match &first?.kind {
            ExprKind::Ident(name) if name == ACCUMULATOR && matches!(function, "_+_" | "cel.@mapInsert") => {
                let (_, slot) = self.scope.iter().rev().find(|(local, _)| local == name)?;
                Some(*slot)
            }
            _ => None,
        }
    }

    fn nodes(&mut self, exprs: &'c [Expr]) -> Compiled<Vec<Node>> {
        exprs.iter().map(|expr| self.node(expr)).collect()
    }

    fn index(&mut self, function: &str, operand: &'c Expr, index: &'c Expr) -> Compiled {
        let mut attribute = self.attribute(operand)?;
        let selector = match self.node(index)? {
            Node::Constant(Value::Text(field)) => Selector::Field(FieldName::of(&field).into_owned()),
            Node::Constant(value) if !Key::is_of(&value) => {
                return Err(wrong(index.at, alloc::format!("invalid qualifier type: {}", value.go_type())));
            }
            Node::Constant(value) => Selector::Constant(value),
            node => Selector::Attribute(node.into_attribute()),
        };
        attribute.select(&Arc::new(Selection { selector, is_optional: function != "_[_]" }));
        Ok(Node::Attribute(attribute))
    }

    fn map(&mut self, expr: &'c Expr, entries: &'c [crate::cel::ast::Entry]) -> Compiled {
        let mut nodes = Vec::new();
        for entry in entries {
            let (key, value) = (self.node(&entry.key)?, self.node(&entry.value)?);
            nodes.push(MapEntry { key, value, is_optional: entry.is_optional });
        }
        let is_constant = nodes.iter().all(|entry| entry.key.is_constant() && entry.value.is_constant());
        let bytes = nodes.iter().position(|entry| matches!(entry.key, Node::Constant(Value::Bytes(_))));
        if let Some(at) = bytes.filter(|_| is_constant) {
            let mut error = Error::new(entries[at].key.at, "the server panics on bytes as a map key");
            error.hint = Some("use strings as keys".into());
            return Err(CompileError::ServerPanic(error));
        }
        folded(Node::Map(nodes), is_constant, expr)
    }

    fn fold(&mut self, it: &'c Comprehension) -> Compiled<Fold> {
        let init = self.node(&it.init)?;
        let range = self.node(&it.range)?;
        let outer = self.scope.len();
        let accumulator = self.declare(&it.accu);
        let variable = self.declare(&it.var);
        let variable2 = it.var2.as_deref().map(|name| self.declare(name));
        let condition = self.node(&it.condition)?;
        let step = self.node(&it.step)?;
        self.scope.truncate(outer + 1);
        let result = self.node(&it.result)?;
        self.scope.truncate(outer);
        Ok(Fold { range, accumulator, variable, variable2, init, condition, step, result })
    }

    fn declare(&mut self, name: &'c str) -> usize {
        self.scope.push((name, self.slots));
        self.slots += 1;
        self.slots - 1
    }
}

impl Node {
    pub(super) const fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(_))
    }

    /// Returns the attribute that the node is, or one whose base is the node.
    fn into_attribute(self) -> Attribute {
        match self {
            Self::Attribute(attribute) => attribute,
            node => Attribute::new(Base::Value(Box::new(node))),
        }
    }
}

impl Attribute {
    const fn new(base: Base) -> Self {
        Self { base, selections: Vec::new() }
    }

    fn select(&mut self, selection: &Arc<Selection>) {
        if let Base::Conditional(_, branches) = &mut self.base {
            branches.iter_mut().for_each(|branch| branch.select(selection));
        } else {
            self.selections.push(Arc::clone(selection));
        }
    }
}

/// Evaluates a list or a map whose parts are constant.
fn folded(node: Node, is_constant: bool, expr: &Expr) -> Compiled {
    if is_constant { constant(node, expr.at) } else { Ok(node) }
}

/// Evaluates a node that uses no variables.
fn constant(node: Node, at: usize) -> Compiled {
    match Run::constant(&node) {
        Ok(value) => Ok(Node::Constant(value)),
        Err(stop) => match stop.text() {
            Some(message) => Err(wrong(at, message.to_owned())),
            None => Ok(node),
        },
    }
}

/// Whether the overloads of a function with two arguments have functions of their own. If the types do not decide for one of them,
/// the server's planner has a step of any number of arguments (`FunctionDecl.Bindings` of cel-go).
fn is_dispatched(function: &str) -> bool {
    matches!(
        function,
        "add"
            | "compareTo"
            | "containsCIDR"
            | "containsIP"
            | "indexOf"
            | "isGreaterThan"
            | "isLessThan"
            | "join"
            | "lastIndexOf"
            | "sub"
    )
}

fn is_conversion(function: &str) -> bool {
    matches!(
        function,
        "bool" | "bytes" | "double" | "duration" | "dyn" | "int" | "string" | "timestamp" | "type" | "uint"
    )
}

/// Compiles `in` of a constant list: the server looks for scalars in a set, which costs nothing.
fn in_constant_list(mut nodes: Vec<Node>) -> Result<Node, Vec<Node>> {
    let [_, Node::Constant(Value::List(list))] = nodes.as_slice() else {
        return Err(nodes);
    };
    if list.items.is_empty() {
        return Ok(Node::Constant(Value::Bool(false)));
    }
    let keys: Option<BTreeSet<Key<'static>>> = list.items.iter().map(Key::of).collect();
    match keys {
        Some(keys) => Ok(Node::InSet(Box::new(nodes.swap_remove(0)), keys)),
        None => Err(nodes),
    }
}

/// Compiles the regular expression of a call, if it is constant.
fn constant_matcher(function: &str, target: Option<&Expr>, args: &[Expr], nodes: &[Node]) -> Compiled<Option<Matcher>> {
    let (("matches", None, [_, pattern]) | ("matches" | "find" | "findAll", Some(_), [pattern, ..])) =
        (function, target, args)
    else {
        return Ok(None);
    };
    let Some(Node::Constant(Value::Text(text))) = nodes.get(1) else {
        return Ok(None);
    };
    match regex::parse(text) {
        Ok(parsed) => Ok(Some(parsed.matcher())),
        Err(_) => Err(wrong_regex(pattern.at, text)),
    }
}

fn wrong_regex(at: usize, pattern: &str) -> CompileError {
    let (message, hint) = regex_error(pattern).unwrap_or_default();
    let mut error = Error::new(at, message);
    error.hint = Some(hint);
    CompileError::ConstantEvaluation(error)
}

fn wrong(at: usize, message: String) -> CompileError {
    CompileError::ConstantEvaluation(Error::new(at, message))
}

fn unknown_type(expr: &Expr, name: &str) -> CompileError {
    let mut error = Error::new(expr.at, alloc::format!("reference to undefined type: {name}"));
    if !name.contains('.') {
        let (first, rest) = name.split_at(1);
        error.hint = Some(alloc::format!("write `google.protobuf.{}{rest}`", first.to_uppercase()));
    }
    CompileError::ConstantEvaluation(error)
}

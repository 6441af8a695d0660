//! The server's estimate of the maximum cost of an expression.
//!
//! As in cel-go and the API server, each step costs one, each character that is read costs one tenth, and a loop costs its body
//! times the maximum number of elements. Only the upper end of a cost range is tracked. Sizes also have a lower end, because the
//! size of some results depends on it.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use super::{
    ast::{ACCUMULATOR, Comprehension, Expr, ExprKind, Literal},
    checker::Checked,
    decl_type::{DeclType, Inner},
    types::Type,
};
use crate::id_map::IdMap;

mod calls;
mod libraries;
mod locals;
mod size;

pub(super) use calls::{CHARACTER, REGEX};
pub(super) use libraries::{AUTHORIZATION, LIST, REQUIREMENT};
pub(super) use size::scaled;

use locals::Local;
use size::{Entries, Size};

/// The estimate for an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Estimate {
    /// The maximum cost.
    pub(super) cost: u64,
    /// The unbounded values that affect the cost, sorted.
    pub(super) unbounded: Vec<Unbounded>,
}

/// A list, a map or a string without a bound in the schema.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unbounded {
    /// The keyword that bounds it.
    pub keyword: &'static str,
    /// The path from `self`, such as `.a[].b`.
    pub path: String,
}

/// Estimates the cost of an expression on a value.
pub(super) fn estimate(checked: &Checked, value: &DeclType) -> Estimate {
    let mut estimator = Estimator {
        checked,
        value,
        paths: IdMap::new(),
        locals: Vec::new(),
        sizes: IdMap::new(),
        entries: IdMap::new(),
        unbounded: Vec::new(),
    };
    let cost = estimator.cost(&checked.expr);
    Estimate { cost, unbounded: estimator.unbounded }
}

/// The path from a variable to a value: names of fields, `@items`, `@keys`, `@values`.
type ValuePath = Vec<String>;

struct Estimator<'a> {
    checked: &'a Checked,
    value: &'a DeclType,
    paths: IdMap<ValuePath>,
    locals: Vec<Local>,
    sizes: IdMap<Size>,
    entries: IdMap<Entries>,
    unbounded: Vec<Unbounded>,
}

impl Estimator<'_> {
    fn cost(&mut self, expr: &Expr) -> u64 {
        match &expr.kind {
            ExprKind::Literal(_) => 0,
            ExprKind::Ident(name) => {
                let path = match self.local(name) {
                    Some(local) => local.path.clone(),
                    None => alloc::vec![name.clone()],
                };
                self.paths.insert(expr.id, path);
                1
            }
            ExprKind::Select { operand, field, is_test } => {
                let cost = self.cost(operand);
                if *is_test {
                    return cost;
                }
                let mut path = self.path(operand);
                path.push(field.clone());
                self.paths.insert(expr.id, path);
                let is_step =
                    matches!(self.type_of(operand), Type::Map(..) | Type::Object(_) | Type::Struct(_) | Type::Var(_));
                cost.saturating_add(u64::from(is_step))
            }
            ExprKind::Call { .. } => self.call(expr),
            ExprKind::List(elements) => {
                let mut cost: u64 = 10;
                let mut items = Size::none(elements.is_empty());
                for element in elements {
                    cost = cost.saturating_add(self.cost(&element.value));
                    items = items.union(self.size_or_unknown(&element.value));
                }
                self.entries.insert(expr.id, Entries::list(items));
                cost
            }
            ExprKind::Map(entries) => {
                let mut cost: u64 = 30;
                let mut keys = Size::none(entries.is_empty());
                let mut values = keys;
                for entry in entries {
                    cost = cost.saturating_add(self.cost(&entry.key));
                    cost = cost.saturating_add(self.cost(&entry.value));
                    keys = keys.union(self.size_or_unknown(&entry.key));
                    values = values.union(self.size_or_unknown(&entry.value));
                }
                self.entries.insert(expr.id, Entries::map(keys, values));
                cost
            }
            ExprKind::Struct { fields, .. } => {
                fields.iter().fold(40, |cost: u64, field| cost.saturating_add(self.cost(&field.value)))
            }
            ExprKind::Comprehension(it) if is_bind(it) => self.bind(expr, it),
            ExprKind::Comprehension(it) => self.comprehension(expr, it),
        }
    }

    fn bind(&mut self, expr: &Expr, it: &Comprehension) -> u64 {
        let cost = self.cost(&it.range).saturating_add(self.cost(&it.init));
        self.push_value(&it.accu, &it.init);
        let cost = cost.saturating_add(self.cost(&it.result));
        self.locals.pop();
        self.copy_sizes(expr, &it.result);
        cost
    }

    fn comprehension(&mut self, expr: &Expr, it: &Comprehension) -> u64 {
        let cost = self.cost(&it.range).saturating_add(self.cost(&it.init));
        self.push_value(&it.accu, &it.init);
        let outer = self.locals.len();
        match &it.var2 {
            Some(value) => {
                self.push_key(&it.var, &it.range, false);
                self.push_element(value, &it.range);
            }
            None => self.push_single(&it.var, &it.range),
        }
        let condition = self.cost(&it.condition);
        let body = self.cost(&it.step).saturating_add(condition);
        self.locals.truncate(outer);
        let cost = cost.saturating_add(self.cost(&it.result));
        self.locals.pop();
        let count = self.size_or_unknown(&it.range);
        match &it.init.kind {
            ExprKind::Literal(_) => {
                let size = self.size(&it.init);
                self.set_size(expr, size);
            }
            ExprKind::List(_) | ExprKind::Map(_) => {
                self.sizes.insert(expr.id, count);
                if let Some(entries) = self.entries_of(&it.step) {
                    self.entries.insert(expr.id, entries);
                }
            }
            _ => {}
        }
        cost.saturating_add(count.max.saturating_mul(body))
    }

    fn type_of(&self, expr: &Expr) -> &Type {
        self.checked.types[expr.id].unwrapped()
    }

    fn path(&self, expr: &Expr) -> ValuePath {
        if let ExprKind::Ident(name) = &expr.kind
            && let Some(local) = self.local(name)
        {
            return local.path.clone();
        }
        self.paths.get(expr.id).cloned().unwrap_or_default()
    }

    fn set_size(&mut self, expr: &Expr, size: Option<Size>) {
        if let Some(size) = size {
            self.sizes.insert(expr.id, size);
        }
    }

    fn copy_sizes(&mut self, to: &Expr, from: &Expr) {
        let size = self.size(from);
        self.set_size(to, size);
        if let Some(entries) = self.entries_of(from) {
            self.entries.insert(to.id, entries);
        }
    }

    fn entries_of(&self, expr: &Expr) -> Option<Entries> {
        if let Some(entries) = self.entries.get(expr.id) {
            return Some(*entries);
        }
        match &expr.kind {
            ExprKind::Ident(name) => self.local(name)?.entries,
            _ => None,
        }
    }

    fn size_or_unknown(&mut self, expr: &Expr) -> Size {
        self.size(expr).unwrap_or(Size::UNKNOWN)
    }

    fn size(&mut self, expr: &Expr) -> Option<Size> {
        if let Some(size) = self.sizes.get(expr.id) {
            return Some(*size);
        }
        if let Some(size) = written_size(expr) {
            return Some(size);
        }
        let path = self.path(expr);
        if let Some(size) = self.size_at(&path) {
            self.sizes.insert(expr.id, size);
            return Some(size);
        }
        if self.type_of(expr).is_scalar() {
            return Some(Size::of(1));
        }
        match &expr.kind {
            ExprKind::Ident(name) => self.local(name)?.size,
            _ => None,
        }
    }

    /// Returns the size that the schema allows. The first step of the path is the variable.
    fn size_at(&mut self, path: &[String]) -> Option<Size> {
        let (_, steps) = path.split_first()?;
        let mut at = self.value;
        for (count, step) in steps.iter().enumerate() {
            at = match (step.as_str(), &at.inner) {
                ("@items" | "@values", Inner::Items(inner) | Inner::Values(inner)) => inner,
                // Keys have no bounds.
                ("@keys", Inner::Values(_)) if count + 1 == steps.len() => {
                    return Some(Size { min: 0, max: 0 });
                }
                (name, Inner::Fields(fields)) => &fields.iter().find(|(it, _)| it == name)?.1,
                _ => return None,
            };
        }
        if !at.is_bounded {
            let path = steps.iter().map(|step| part(step)).collect();
            let unbounded = Unbounded { keyword: keyword(&at.inner), path };
            if let Err(at) = self.unbounded.binary_search(&unbounded) {
                self.unbounded.insert(at, unbounded);
            }
        }
        Some(Size { min: 0, max: at.max_elements })
    }

    /// Returns the type and size of the items, if the expression is a list.
    fn items(&mut self, list: &Expr) -> Option<(Type, Size)> {
        let first = self.type_of(list).params().first().map(|it| (*it).clone())?;
        let mut path = self.path(list);
        if path.first().is_some_and(|name| name == ACCUMULATOR) {
            path.clear();
        }
        let mut size = None;
        if !path.is_empty() {
            path.push("@items".to_owned());
            size = self.size_at(&path);
        }
        Some((first, size.unwrap_or(Size::UNKNOWN)))
    }
}

const fn keyword(inner: &Inner) -> &'static str {
    match inner {
        Inner::Items(_) => "maxItems",
        Inner::Values(_) => "maxProperties",
        Inner::Nothing | Inner::Fields(_) => "maxLength",
    }
}

fn part(step: &str) -> String {
    match step {
        "@items" => "[]".to_owned(),
        "@values" => "[*]".to_owned(),
        name => alloc::format!(".{name}"),
    }
}

fn is_bind(it: &Comprehension) -> bool {
    let is_empty = matches!(&it.range.kind, ExprKind::List(items) if items.is_empty());
    let is_never = matches!(it.condition.kind, ExprKind::Literal(Literal::Bool(false)));
    is_empty && is_never
}

/// Returns the size of a literal.
fn written_size(expr: &Expr) -> Option<Size> {
    let count = match &expr.kind {
        ExprKind::Literal(Literal::String(text)) => text.chars().count(),
        ExprKind::Literal(Literal::Bytes(bytes)) => bytes.len(),
        ExprKind::Literal(_) => 1,
        ExprKind::List(elements) => elements.len(),
        ExprKind::Map(entries) => entries.len(),
        _ => return None,
    };
    Some(Size::of(count as u64))
}

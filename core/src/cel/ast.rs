//! Expressions after macro expansion.

use alloc::{boxed::Box, string::String, vec::Vec};

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expr {
    /// The unique id.
    pub(super) id: usize,
    /// The byte offset that the server reports.
    pub(super) at: usize,
    pub(super) kind: ExprKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ExprKind {
    Literal(Literal),
    Ident(String),
    Select {
        operand: Box<Expr>,
        field: String,
        /// Whether this only tests for the presence of the field.
        is_test: bool,
    },
    Call {
        function: String,
        target: Option<Box<Expr>>,
        args: Vec<Expr>,
    },
    List(Vec<Element>),
    Map(Vec<Entry>),
    Struct {
        name: String,
        fields: Vec<FieldInit>,
    },
    Comprehension(Box<Comprehension>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(String),
    Bytes(Vec<u8>),
}

/// An item of a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Element {
    pub(super) value: Expr,
    pub(super) is_optional: bool,
}

/// An entry of a map.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) key: Expr,
    pub(super) value: Expr,
    pub(super) is_optional: bool,
}

/// A field of a message.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FieldInit {
    /// The byte of the colon.
    pub(super) at: usize,
    pub(super) name: String,
    pub(super) value: Expr,
    pub(super) is_optional: bool,
}

/// A loop over a list or a map, to which most macros expand.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Comprehension {
    pub(super) range: Expr,
    pub(super) var: String,
    pub(super) var2: Option<String>,
    pub(super) accu: String,
    pub(super) init: Expr,
    pub(super) condition: Expr,
    pub(super) step: Expr,
    pub(super) result: Expr,
}

/// The accumulator variable of a loop.
pub(super) const ACCUMULATOR: &str = "@result";

impl Expr {
    /// Returns the direct subexpressions.
    pub(super) fn children(&self) -> Vec<&Self> {
        match &self.kind {
            ExprKind::Literal(_) | ExprKind::Ident(_) => Vec::new(),
            ExprKind::Select { operand, .. } => alloc::vec![&**operand],
            ExprKind::Call { target, args, .. } => target.as_deref().into_iter().chain(args).collect(),
            ExprKind::List(elements) => elements.iter().map(|it| &it.value).collect(),
            ExprKind::Map(entries) => entries.iter().flat_map(|it| [&it.key, &it.value]).collect(),
            ExprKind::Struct { fields, .. } => fields.iter().map(|it| &it.value).collect(),
            ExprKind::Comprehension(it) => {
                alloc::vec![&it.range, &it.init, &it.condition, &it.step, &it.result]
            }
        }
    }

    /// Returns the direct subexpressions mutably.
    pub(super) fn children_mut(&mut self) -> Vec<&mut Self> {
        match &mut self.kind {
            ExprKind::Literal(_) | ExprKind::Ident(_) => Vec::new(),
            ExprKind::Select { operand, .. } => alloc::vec![&mut **operand],
            ExprKind::Call { target, args, .. } => target.as_deref_mut().into_iter().chain(args).collect(),
            ExprKind::List(elements) => elements.iter_mut().map(|it| &mut it.value).collect(),
            ExprKind::Map(entries) => {
                let parts = entries.iter_mut();
                parts.flat_map(|it| [&mut it.key, &mut it.value]).collect()
            }
            ExprKind::Struct { fields, .. } => fields.iter_mut().map(|it| &mut it.value).collect(),
            ExprKind::Comprehension(it) => {
                let it = &mut **it;
                alloc::vec![&mut it.range, &mut it.init, &mut it.condition, &mut it.step, &mut it.result,]
            }
        }
    }

    /// Calls `visit` for the expression and all nested ones.
    pub(super) fn walk<'e>(&'e self, visit: &mut dyn FnMut(&'e Self)) {
        visit(self);
        for child in self.children() {
            child.walk(visit);
        }
    }

    /// Returns the qualified name, such as `a.b.c`, if the expression is one.
    pub(super) fn qualified_name(&self) -> Option<String> {
        match &self.kind {
            ExprKind::Ident(name) => Some(name.clone()),
            ExprKind::Select { operand, field, is_test: false } => {
                Some(alloc::format!("{}.{field}", operand.qualified_name()?))
            }
            _ => None,
        }
    }
}

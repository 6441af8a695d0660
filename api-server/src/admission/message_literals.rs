//! Message literals, such as `Foo{size: 1}`, which the evaluator does not have.

use kube::core::cel::cel::{
    IdedExpr,
    common::ast::{EntryExpr, Expr, IdedEntryExpr},
};

/// Returns the type of the first message literal in an expression.
pub(super) fn message_type(expression: &IdedExpr) -> Option<&str> {
    match &expression.expr {
        Expr::Struct(message) => Some(&message.type_name),
        other => children(other).into_iter().find_map(message_type),
    }
}

fn children(expression: &Expr) -> Vec<&IdedExpr> {
    match expression {
        Expr::Call(call) => call.target.as_deref().into_iter().chain(&call.args).collect(),
        Expr::Comprehension(it) => vec![&it.iter_range, &it.accu_init, &it.loop_cond, &it.loop_step, &it.result],
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Map(map) => map.entries.iter().flat_map(values).collect(),
        Expr::Select(select) => vec![&select.operand],
        Expr::Ident(_) | Expr::Literal(_) | Expr::Struct(_) | Expr::Unspecified => Vec::new(),
    }
}

fn values(entry: &IdedEntryExpr) -> Vec<&IdedExpr> {
    match &entry.expr {
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
        EntryExpr::StructField(field) => vec![&field.value],
    }
}

#[cfg(test)]
mod tests {
    use kube::core::cel::cel::Program;

    use super::*;

    #[test]
    fn message_literals_are_found_at_any_depth() {
        for (expression, expected) in [
            ("Foo{a: 1} == null", Some("Foo")),
            ("{'a': [x.map(y, a.Foo{b: y})]}.size() > 1", Some("a.Foo")),
            ("has(Foo{}.a)", Some("Foo")),
            ("x in {'a': 1} && 'Foo{}' == y", None),
        ] {
            let program = Program::compile(expression).unwrap();
            assert_eq!(message_type(program.expression()), expected, "{expression}");
        }
    }
}

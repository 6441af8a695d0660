//! Macro expansion.

use alloc::{borrow::ToOwned, boxed::Box, format, string::String, vec, vec::Vec};

use super::{
    ast::{ACCUMULATOR, Comprehension, Element, Expr, ExprKind, Literal},
    error::Error,
    parser::Parser,
};

/// Expands a function call, if it is a macro.
pub(super) fn expand(parser: &mut Parser<'_>, at: usize, name: &str, args: &[Expr]) -> Result<Option<Expr>, Error> {
    let ("has", [arg]) = (name, args) else {
        return Ok(None);
    };
    let ExprKind::Select { operand, field, .. } = &arg.kind else {
        return Err(Error::new(arg.at, "invalid argument to has() macro"));
    };
    let kind = ExprKind::Select { operand: operand.clone(), field: field.clone(), is_test: true };
    Ok(Some(parser.new_expr(at, kind)))
}

/// Expands a method call, if it is a macro.
pub(super) fn expand_member(
    parser: &mut Parser<'_>,
    at: usize,
    name: &str,
    target: &Expr,
    args: &[Expr],
) -> Result<Option<Expr>, Error> {
    let mut maker = ExprBuilder { parser, at };
    let expanded = match (name, args) {
        ("all" | "exists" | "exists_one", [var, body]) => {
            let vars = Vars::one(var, QUANTIFIER)?;
            maker.quantifier(name, vars, target, body)
        }
        ("all" | "exists" | "exists_one" | "existsOne", [var, var2, body]) => {
            let vars = Vars::two(var, var2)?;
            maker.quantifier(name, vars, target, body)
        }
        ("map", [var, body]) => maker.list(Vars::one(var, LIST)?, target, None, body),
        ("map", [var, filter, body]) => maker.list(Vars::one(var, LIST)?, target, Some(filter), body),
        ("filter", [var, filter]) => maker.list(Vars::one(var, LIST)?, target, Some(filter), var),
        ("transformList", [var, var2, body]) => maker.list(Vars::two(var, var2)?, target, None, body),
        ("transformList", [var, var2, filter, body]) => maker.list(Vars::two(var, var2)?, target, Some(filter), body),
        ("transformMap" | "transformMapEntry", [var, var2, body]) => {
            maker.map(name, Vars::two(var, var2)?, target, None, body)
        }
        ("transformMap" | "transformMapEntry", [var, var2, filter, body]) => {
            maker.map(name, Vars::two(var, var2)?, target, Some(filter), body)
        }
        ("optMap" | "optFlatMap", [var, body]) => maker.optional(name, target, var, body)?,
        ("sortBy", [var, key]) => maker.sorted(target, var, key)?,
        _ => return Ok(None),
    };
    Ok(Some(expanded))
}

const QUANTIFIER: &str = "argument must be a simple name";
const LIST: &str = "argument is not an identifier";

/// The variables of a loop.
struct Vars {
    first: String,
    second: Option<String>,
}

impl Vars {
    fn one(var: &Expr, otherwise: &str) -> Result<Self, Error> {
        Ok(Self { first: variable(var, otherwise)?, second: None })
    }

    fn two(var: &Expr, var2: &Expr) -> Result<Self, Error> {
        let first = simple_name(var, QUANTIFIER)?;
        let second = simple_name(var2, QUANTIFIER)?;
        if first == second {
            let message = format!("duplicate variable name: {first}");
            return Err(Error::new(var2.at, message));
        }
        variable(var, QUANTIFIER)?;
        Ok(Self { first, second: Some(variable(var2, QUANTIFIER)?) })
    }
}

fn simple_name(var: &Expr, otherwise: &str) -> Result<String, Error> {
    match &var.kind {
        ExprKind::Ident(name) => Ok(name.clone()),
        _ => Err(Error::new(var.at, otherwise)),
    }
}

fn variable(var: &Expr, otherwise: &str) -> Result<String, Error> {
    let name = simple_name(var, otherwise)?;
    if name == "__result__" {
        let message = "iteration variable overwrites accumulator variable";
        return Err(Error::new(var.at, message));
    }
    Ok(name)
}

/// Creates expressions at the position of the macro call.
struct ExprBuilder<'m, 'p> {
    parser: &'m mut Parser<'p>,
    at: usize,
}

impl ExprBuilder<'_, '_> {
    fn literal(&mut self, literal: Literal) -> Expr {
        self.parser.new_expr(self.at, ExprKind::Literal(literal))
    }

    fn ident(&mut self, name: &str) -> Expr {
        self.parser.new_expr(self.at, ExprKind::Ident(name.to_owned()))
    }

    fn accu(&mut self) -> Expr {
        self.ident(ACCUMULATOR)
    }

    fn call(&mut self, function: &str, args: Vec<Expr>) -> Expr {
        self.parser.call(self.at, function, None, args)
    }

    fn member_call(&mut self, function: &str, target: Expr, args: Vec<Expr>) -> Expr {
        self.parser.call(self.at, function, Some(target), args)
    }

    fn list_of(&mut self, items: Vec<Expr>) -> Expr {
        let element = |value| Element { value, is_optional: false };
        let elements = items.into_iter().map(element).collect();
        self.parser.new_expr(self.at, ExprKind::List(elements))
    }

    /// Creates a loop that computes its result in the accumulator.
    fn fold(&mut self, vars: Vars, target: &Expr, [init, condition, step, result]: [Expr; 4]) -> Expr {
        let comprehension = Comprehension {
            range: target.clone(),
            var: vars.first,
            var2: vars.second,
            accu: ACCUMULATOR.to_owned(),
            init,
            condition,
            step,
            result,
        };
        let kind = ExprKind::Comprehension(Box::new(comprehension));
        self.parser.new_expr(self.at, kind)
    }

    fn quantifier(&mut self, name: &str, vars: Vars, target: &Expr, body: &Expr) -> Expr {
        let body = body.clone();
        let accu = self.accu();
        let parts = match name {
            "all" => {
                let condition = self.accu();
                [
                    self.literal(Literal::Bool(true)),
                    self.call("@not_strictly_false", vec![condition]),
                    self.call("_&&_", vec![accu, body]),
                    self.accu(),
                ]
            }
            "exists" => {
                let inner = self.accu();
                let not = self.call("!_", vec![inner]);
                [
                    self.literal(Literal::Bool(false)),
                    self.call("@not_strictly_false", vec![not]),
                    self.call("_||_", vec![accu, body]),
                    self.accu(),
                ]
            }
            _ => {
                let [one, other_one] = [(); 2].map(|()| self.literal(Literal::Int(1)));
                let [same, result] = [(); 2].map(|()| self.accu());
                let more = self.call("_+_", vec![accu, one]);
                [
                    self.literal(Literal::Int(0)),
                    self.literal(Literal::Bool(true)),
                    self.call("_?_:_", vec![body, more, same]),
                    self.call("_==_", vec![result, other_one]),
                ]
            }
        };
        self.fold(vars, target, parts)
    }

    fn list(&mut self, vars: Vars, target: &Expr, filter: Option<&Expr>, item: &Expr) -> Expr {
        let init = self.list_of(Vec::new());
        let item = self.list_of(vec![item.clone()]);
        let accu = self.accu();
        let step = self.call("_+_", vec![accu, item]);
        self.collected(vars, target, filter, init, step)
    }

    fn map(&mut self, name: &str, vars: Vars, target: &Expr, filter: Option<&Expr>, value: &Expr) -> Expr {
        let init = self.parser.new_expr(self.at, ExprKind::Map(Vec::new()));
        let mut args = vec![self.accu()];
        if name == "transformMap" {
            args.push(self.ident(&vars.first));
        }
        args.push(value.clone());
        let step = self.call("cel.@mapInsert", args);
        self.collected(vars, target, filter, init, step)
    }

    fn collected(&mut self, vars: Vars, target: &Expr, filter: Option<&Expr>, init: Expr, mut step: Expr) -> Expr {
        if let Some(filter) = filter {
            let same = self.accu();
            step = self.call("_?_:_", vec![filter.clone(), step, same]);
        }
        let condition = self.literal(Literal::Bool(true));
        let result = self.accu();
        self.fold(vars, target, [init, condition, step, result])
    }

    /// Binds a name to a value: a loop without iterations.
    fn bind(&mut self, name: &str, value: Expr, body: Expr) -> Expr {
        let comprehension = Comprehension {
            range: self.list_of(Vec::new()),
            var: "#unused".to_owned(),
            var2: None,
            accu: name.to_owned(),
            init: value,
            condition: self.literal(Literal::Bool(false)),
            step: self.ident(name),
            result: body,
        };
        let kind = ExprKind::Comprehension(Box::new(comprehension));
        self.parser.new_expr(self.at, kind)
    }

    fn optional(&mut self, name: &str, target: &Expr, var: &Expr, body: &Expr) -> Result<Expr, Error> {
        let message = format!("{name}() variable name must be a simple identifier");
        let var = simple_name(var, &message)?;
        let is_there = self.member_call("hasValue", target.clone(), Vec::new());
        let copy = self.parser.copy(target)?;
        let value = self.member_call("value", copy, Vec::new());
        let mut mapped = self.bind(&var, value, body.clone());
        if name == "optMap" {
            mapped = self.call("optional.of", vec![mapped]);
        }
        let none = self.call("optional.none", Vec::new());
        Ok(self.call("_?_:_", vec![is_there, mapped, none]))
    }

    fn sorted(&mut self, target: &Expr, var: &Expr, key: &Expr) -> Result<Expr, Error> {
        const INPUT: &str = "@__sortBy_input__";
        if let ExprKind::Literal(_) | ExprKind::Map(_) | ExprKind::Struct { .. } = target.kind {
            let message = "sortBy can only be applied to a list, identifier, comprehension, call or \
                           select expression";
            return Err(Error::new(target.at, message));
        }
        let vars = Vars::one(var, LIST)?;
        let range = self.ident(INPUT);
        let keys = self.list(vars, &range, None, key);
        let input = self.ident(INPUT);
        let sorted = self.member_call("@sortByAssociatedKeys", input, vec![keys]);
        Ok(self.bind(INPUT, target.clone(), sorted))
    }
}

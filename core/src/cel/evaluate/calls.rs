//! Calls, and the construction of lists, maps and messages.

use alloc::{collections::BTreeMap, format, string::String, vec::Vec};

use super::{
    Run, Slot,
    cost::{self, CallCost},
    equality::equal,
    error::{Evaluated, Stop, is_final},
    functions::messages,
    key::Key,
    program::{Call, EqualityKind, Item, MapEntry, MessageInit, Node},
    value::{Map, Value},
};
use crate::cel::cost::LIST;

impl<'v> Run<'v, '_> {
    pub(super) fn call(&mut self, call: &'v Call) -> Evaluated<'v> {
        match call.args.as_slice() {
            [arg] => match self.eval(arg) {
                Ok(arg) => self.invoke(call, &mut [arg]),
                Err(error) => self.failed(call, &[Err(error.clone())], error),
            },
            [first, second] if !call.has_any_arguments => {
                let first = match self.eval(first) {
                    Ok(first) => first,
                    Err(error) if error.is_final() => return Err(error),
                    Err(error) => {
                        let second = self.operand(second)?;
                        return self.failed(call, &[Err(error.clone()), second], error);
                    }
                };
                match self.eval(second) {
                    Ok(second) => self.invoke(call, &mut [first, second]),
                    Err(error) => self.failed(call, &[Ok(first), Err(error.clone())], error),
                }
            }
            args => {
                // Such a call ends at the first error, and then costs nothing, unless that is the last of them.
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    let is_last = values.len() + 1 == args.len();
                    match self.eval(arg) {
                        Ok(value) => values.push(value),
                        Err(error) if is_last => {
                            let mut values: Vec<_> = values.into_iter().map(Ok).collect();
                            values.push(Err(error.clone()));
                            return self.failed(call, &values, error);
                        }
                        Err(error) => return Err(error),
                    }
                }
                self.invoke(call, &mut values)
            }
        }
    }

    /// Evaluates an operand whose error does not end the step. Only an exceeded limit does.
    pub(super) fn operand(&mut self, node: &'v Node) -> Result<Evaluated<'v>, Stop> {
        match self.eval(node) {
            value if is_final(&value) => value.map(Ok),
            value => Ok(value),
        }
    }

    /// Counts the cost of a call with an argument that is an error, which has the size of null.
    fn failed(&mut self, call: &Call, args: &[Evaluated<'v>], error: Stop) -> Evaluated<'v> {
        if error.is_final() {
            return Err(error);
        }
        if let Some(unchecked) = call.cost.unchecked().and_then(|at| args.get(at)) {
            self.check(call.cost, unchecked.as_ref().ok())?;
        }
        let values: Vec<_> = args.iter().map(|arg| arg.clone().unwrap_or_default()).collect();
        self.spend(call.cost.amount(&values, &Value::Null))?;
        Err(error)
    }

    fn invoke(&mut self, call: &'v Call, values: &mut [Value<'v>]) -> Evaluated<'v> {
        if call.cost == CallCost::One {
            self.spend(1)?;
            return self.result(call, values);
        }
        if let Some(unchecked) = call.cost.unchecked().and_then(|at| values.get(at)) {
            self.check(call.cost, Some(unchecked))?;
        }
        if !call.cost.depends_on_result() {
            self.spend(call.cost.amount(values, &Value::Null))?;
            return self.result(call, values);
        }
        let result = self.result(call, values);
        if !is_final(&result) {
            self.spend(call.cost.amount(&[], result.as_ref().unwrap_or(&Value::Null)))?;
        }
        result
    }

    fn result(&mut self, call: &'v Call, values: &mut [Value<'v>]) -> Evaluated<'v> {
        if let Some(slot) = call.accumulator
            && let Slot::Value(Ok(accumulator)) = &mut self.slots[slot]
        {
            // Without the other reference, the list or map can be extended in its place.
            values[0] = core::mem::take(accumulator);
        }
        (call.function)(self, values, call)
    }

    /// Ends the evaluation if the server panics on an argument; `None` is an error.
    fn check(&mut self, cost: CallCost, arg: Option<&Value<'v>>) -> Result<(), Stop> {
        match cost.panic(arg) {
            Some(panicked) => {
                self.has_panicked = true;
                Err(panicked)
            }
            None => Ok(()),
        }
    }

    pub(super) fn equality(&mut self, operands: &'v [Node; 2], kind: EqualityKind) -> Evaluated<'v> {
        let [left, right] = operands;
        let operands = [self.operand(left)?, self.operand(right)?];
        let cost = match kind {
            EqualityKind::Equal => CallCost::Equality,
            EqualityKind::NotEqual => CallCost::Comparison,
        };
        let (error, operands) = match operands {
            [Ok(left), Ok(right)] => (None, [left, right]),
            [Err(error), right] => (Some(error), [Value::Null, right.unwrap_or_default()]),
            [left, Err(error)] => (Some(error), [left.unwrap_or_default(), Value::Null]),
        };
        self.spend(cost.amount(&operands, &Value::Null))?;
        if let Some(error) = error {
            return Err(error);
        }
        let is_equal = equal(&operands[0], &operands[1]);
        match kind {
            EqualityKind::Equal => is_equal.map(Value::Bool),
            // What the server cannot compare is not equal.
            EqualityKind::NotEqual => Ok(Value::Bool(is_equal != Ok(true))),
        }
    }

    pub(super) fn list(&mut self, items: &'v [Item]) -> Evaluated<'v> {
        let list = self.items(items);
        self.spend(LIST)?;
        list.map(Value::list)
    }

    fn items(&mut self, items: &'v [Item]) -> Result<Vec<Value<'v>>, Stop> {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            let value = self.eval(&item.value)?;
            values.extend(present(value, item.is_optional, || "list element".into())?);
        }
        Ok(values)
    }

    pub(super) fn map(&mut self, entries: &'v [MapEntry]) -> Evaluated<'v> {
        let map = self.entries(entries);
        self.has_panicked |= matches!(map, Err(Stop::Panicked(_)));
        self.spend(cost::MAP)?;
        map.map(|map| Value::Map(map.into()))
    }

    fn entries(&mut self, entries: &'v [MapEntry]) -> Result<Map<'v>, Stop> {
        let mut map = Map::new();
        for entry in entries {
            let key = self.eval(&entry.key)?;
            let value = self.eval(&entry.value)?;
            insert(&mut map, &key, value, entry.is_optional)?;
        }
        Ok(map)
    }

    pub(super) fn message(&mut self, init: &'v MessageInit) -> Evaluated<'v> {
        let fields = self.fields(&init.fields);
        self.spend(cost::MESSAGE)?;
        messages::new(&init.name, fields?)
    }

    fn fields(&mut self, inits: &'v [(String, Item)]) -> Result<BTreeMap<String, Value<'v>>, Stop> {
        let mut fields = BTreeMap::new();
        for (name, init) in inits {
            let value = self.eval(&init.value)?;
            match present(value, init.is_optional, || format!("entry '{name}'"))? {
                Some(value) => drop(fields.insert(name.clone(), value)),
                None => drop(fields.remove(name)),
            }
        }
        Ok(fields)
    }
}

fn insert<'v>(map: &mut Map<'v>, key: &Value<'v>, value: Value<'v>, is_optional: bool) -> Result<(), Stop> {
    let key = Key::of_entry(key).ok_or_else(|| Stop::unhashable(key))?;
    match present(value, is_optional, || format!("entry '{}'", key.value()))? {
        Some(value) => drop(map.insert(key, value)),
        None => drop(map.remove(&key)),
    }
    Ok(())
}

/// Returns the value of an item, an entry or a field, if an optional one is present.
fn present(value: Value<'_>, is_optional: bool, described: impl FnOnce() -> String) -> Result<Option<Value<'_>>, Stop> {
    match value {
        value if !is_optional => Ok(Some(value)),
        Value::Optional(value) => Ok(value.as_deref().cloned()),
        value => Err(format!("cannot initialize optional {} from non-optional value {value}", described()).into()),
    }
}

/// Evaluates a node whose parts are constant.
pub(super) fn constant(node: &Node) -> Evaluated<'static> {
    let of = |node: &Node| match node {
        Node::Constant(value) => value.clone(),
        _ => Value::Null,
    };
    match node {
        Node::List(items) => {
            let mut values = Vec::new();
            for item in items {
                values.extend(present(of(&item.value), item.is_optional, || "list element".into())?);
            }
            Ok(Value::list(values))
        }
        Node::Map(entries) => {
            let mut map = Map::new();
            for entry in entries {
                insert(&mut map, &of(&entry.key), of(&entry.value), entry.is_optional)?;
            }
            Ok(Value::Map(map.into()))
        }
        Node::Call(call) => {
            let mut args: Vec<Value<'static>> = call.args.iter().map(of).collect();
            let variables = |_| Ok(Value::Null);
            (call.function)(&mut Run::new(0, &variables, u64::MAX), &mut args, call)
        }
        node => Ok(of(node)),
    }
}

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
            [arg] => {
                let arg = self.operand(arg)?;
                self.apply(call, [arg])
            }
            [first, second] if !call.has_any_arguments => {
                let first = self.operand(first)?;
                let second = self.operand(second)?;
                self.apply(call, [first, second])
            }
            args => {
                // Such a call ends at the first error, and then costs nothing, unless that is the last of them.
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    let value = self.operand(arg)?;
                    let is_last = values.len() + 1 == args.len();
                    match value {
                        Err(error) if is_last => {
                            values.push(Err(error.clone()));
                            return self.failed(call, &values, error);
                        }
                        value => values.push(Ok(value?)),
                    }
                }
                self.spend_before(call.cost, &values)?;
                let mut values: Vec<_> = values.into_iter().flatten().collect();
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

    fn apply<const N: usize>(&mut self, call: &'v Call, args: [Evaluated<'v>; N]) -> Evaluated<'v> {
        if let Some(error) = args.iter().find_map(|arg| arg.as_ref().err()) {
            return self.failed(call, &args, error.clone());
        }
        self.spend_before(call.cost, &args)?;
        let mut values = args.map(Result::unwrap_or_default);
        self.invoke(call, &mut values)
    }

    /// Counts the cost of a call with an argument that is an error.
    fn failed(&mut self, call: &Call, args: &[Evaluated<'v>], error: Stop) -> Evaluated<'v> {
        self.spend_before(call.cost, args)?;
        let failed = Err(error);
        self.spend_after(call.cost, args, &failed)?;
        failed
    }

    fn invoke(&mut self, call: &'v Call, values: &mut [Value<'v>]) -> Evaluated<'v> {
        if let Some(slot) = call.accumulator
            && let Slot::Value(Ok(accumulator)) = &mut self.slots[slot]
        {
            // Without the other reference, the list or map can be extended in its place.
            values[0] = core::mem::take(accumulator);
        }
        let result = (call.function)(self, values, call);
        self.spend_after(call.cost, &[], &result)?;
        result
    }

    fn spend_before(&mut self, cost: CallCost, args: &[Evaluated<'v>]) -> Result<(), Stop> {
        if cost.depends_on_result() {
            return Ok(());
        }
        if let Some(panicked) = cost.panic(args) {
            self.has_panicked = true;
            return Err(panicked);
        }
        self.spend(cost.amount(args, None))
    }

    fn spend_after(&mut self, cost: CallCost, args: &[Evaluated<'v>], result: &Evaluated<'v>) -> Result<(), Stop> {
        if !cost.depends_on_result() || is_final(result) {
            return Ok(());
        }
        self.spend(cost.amount(args, Some(result)))
    }

    pub(super) fn equality(&mut self, operands: &'v [Node; 2], kind: EqualityKind) -> Evaluated<'v> {
        let [left, right] = operands;
        let operands = [self.operand(left)?, self.operand(right)?];
        let cost = match kind {
            EqualityKind::Equal => CallCost::Equality,
            EqualityKind::NotEqual => CallCost::Comparison,
        };
        self.spend(cost.amount(&operands, None))?;
        let [left, right] = operands;
        let is_equal = equal(&left?, &right?);
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

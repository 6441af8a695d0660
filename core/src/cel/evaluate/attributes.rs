//! Variables, with the fields and elements that are selected from them.

use alloc::{borrow::ToOwned, sync::Arc};

use super::{
    ComposedVariables, Run, Slot,
    error::{Evaluated, Stop, is_final},
    json,
    key::Key,
    program::{Attribute, Base, Selection, Selector},
    value::Value,
};
use crate::{cel::decl_type::DeclType, json::Json};

impl<'v> Run<'v, '_> {
    /// Evaluates an attribute as a step.
    pub(super) fn attribute(&mut self, attribute: &'v Attribute) -> Evaluated<'v> {
        if self.is_simple(attribute) {
            // The order of the costs does not matter, and nothing holds the value in between.
            self.spend(1)?;
            return self.resolve(attribute);
        }
        let value = self.resolve(attribute);
        if !attribute.is_conditional() {
            self.spend(1)?;
        }
        value
    }

    /// Whether an attribute is a variable with parts that are selected without an evaluation.
    fn is_simple(&self, attribute: &Attribute) -> bool {
        let is_known = match &attribute.base {
            Base::Global(_) => true,
            Base::Local(slot) => matches!(self.slots[*slot], Slot::Value(_)),
            Base::Value(_) | Base::Conditional(..) => false,
        };
        let is_evaluated = |selection: &Arc<Selection>| matches!(selection.selector, Selector::Attribute(_));
        is_known && !attribute.selections.iter().any(is_evaluated)
    }

    /// Evaluates the test for the presence of the last selection, which costs one.
    pub(super) fn presence(&mut self, attribute: &'v Attribute) -> Evaluated<'v> {
        let presence = self.resolve_presence(attribute);
        if attribute.is_conditional() {
            // The server subtracts the cost of a step that it has not added.
            self.cost = self.cost.saturating_sub(1);
        }
        presence.map(Value::Bool)
    }

    fn resolve_presence(&mut self, attribute: &'v Attribute) -> Result<bool, Stop> {
        let attribute = match &attribute.base {
            Base::Conditional(condition, branches) => {
                let is_true = self.condition(condition)?;
                return self.resolve_presence(if is_true { &branches[0] } else { &branches[1] });
            }
            _ => attribute,
        };
        let Some((last, selections)) = attribute.selections.split_last() else {
            return Ok(true);
        };
        if let (Base::Global(index), [], Selector::Field(name)) = (&attribute.base, selections, &last.selector)
            && let Some((variable, composed)) = self.composed
            && variable == *index
        {
            let found = composed(&name.escaped);
            self.spend(1)?;
            return found.transpose().map(|found| found.is_some());
        }
        if let (Base::Global(index), [], Selector::Field(name)) = (&attribute.base, selections, &last.selector)
            && let Some(Some((Json::Object(members), declared))) = self.data.get(*index)
        {
            let found = json::member(members, declared, name);
            self.spend(1)?;
            return found.map(|(part, declared)| json::part(part, declared)).transpose().map(|found| found.is_some());
        }
        let (value, is_optional) = self.selected(attribute, selections)?;
        let value = match value {
            Value::Optional(None) => return Ok(false),
            Value::Optional(Some(value)) => Value::clone(&value),
            value => value,
        };
        let present = match &last.selector {
            Selector::Field(name) => value.field_if_present(name),
            _ => Ok(None),
        };
        let is_observed = !is_optional || matches!(present, Ok(Some(_)));
        if is_observed {
            self.spend(1)?;
        }
        present.map(|present| present.is_some())
    }

    fn condition(&mut self, condition: &'v super::program::Node) -> Result<bool, Stop> {
        match self.eval(condition)? {
            Value::Bool(is_true) => Ok(is_true),
            _ => Err(Stop::NO_OVERLOAD),
        }
    }

    fn resolve(&mut self, attribute: &'v Attribute) -> Evaluated<'v> {
        let base = match &attribute.base {
            Base::Local(slot) => match &self.slots[*slot] {
                Slot::Value(Ok(Value::Data(json, declared))) => {
                    return self.path(json, declared, &attribute.selections);
                }
                Slot::Value(Ok(value)) if attribute.selections.is_empty() => return Ok(value.copied()),
                _ => self.local(*slot)?,
            },
            Base::Global(index) => match self.data.get(*index) {
                Some(Some((json, declared))) => return self.path(json, declared, &attribute.selections),
                _ if self.composed.is_none() => self.global(*index)?,
                _ => return self.selected(attribute, &attribute.selections).map(wrapped),
            },
            Base::Conditional(condition, branches) => {
                let is_true = self.condition(condition)?;
                return self.resolve(if is_true { &branches[0] } else { &branches[1] });
            }
            Base::Value(node) => self.eval(node)?,
        };
        if attribute.selections.is_empty() {
            return Ok(base);
        }
        self.of_base(base, &attribute.selections).map(wrapped)
    }

    /// Selects parts of data: fields without copies of what is between, and then the rest.
    fn path(
        &mut self,
        mut json: &'v Json<'v>,
        mut declared: &'v DeclType,
        mut selections: &'v [Arc<Selection>],
    ) -> Evaluated<'v> {
        while let Some((selection, rest)) = selections.split_first() {
            let (Selector::Field(name), Json::Object(members), false) =
                (&selection.selector, json, selection.is_optional)
            else {
                return self.parts(Value::Data(json, declared), false, selections).map(wrapped);
            };
            let found = json::member(members, declared, name);
            self.spend(1)?;
            let Some((inner, of_inner)) = found else {
                return Err(Stop::no_such_key(&name.escaped));
            };
            if rest.is_empty() {
                return json::part(inner, of_inner);
            }
            match of_inner.and_then(|declared| json::type_of_data(inner, declared)) {
                Some(of_inner) => (json, declared, selections) = (inner, of_inner, rest),
                None => return self.parts(json::part(inner, of_inner)?, false, rest).map(wrapped),
            }
        }
        Ok(Value::Data(json, declared))
    }

    /// Returns the value of an attribute with these selections, and whether it is optional. A missing value is `none`.
    fn selected(
        &mut self,
        attribute: &'v Attribute,
        selections: &'v [Arc<Selection>],
    ) -> Result<(Value<'v>, bool), Stop> {
        if let Base::Global(index) = &attribute.base
            && let Some((variable, composed)) = self.composed
            && variable == *index
        {
            return self.selected_of_composed(composed, selections);
        }
        let base = match &attribute.base {
            Base::Global(index) => self.global(*index)?,
            Base::Local(slot) => self.local(*slot)?,
            Base::Value(node) => self.eval(node)?,
            Base::Conditional(..) => self.resolve(attribute)?,
        };
        self.of_base(base, selections)
    }

    /// Selects parts of the value of a base, which may be optional.
    fn of_base(&mut self, base: Value<'v>, selections: &'v [Arc<Selection>]) -> Result<(Value<'v>, bool), Stop> {
        match base {
            Value::Optional(Some(value)) if !selections.is_empty() => {
                self.parts(Value::clone(&value), true, selections)
            }
            none @ Value::Optional(None) if !selections.is_empty() => Ok((none, true)),
            value => self.parts(value, false, selections),
        }
    }

    /// Returns a composed variable with the parts that are selected from it.
    fn selected_of_composed(
        &mut self,
        composed: ComposedVariables<'_, 'v>,
        selections: &'v [Arc<Selection>],
    ) -> Result<(Value<'v>, bool), Stop> {
        let Some((first, rest)) = selections.split_first() else {
            return Ok((Value::Null, false));
        };
        let name = match &first.selector {
            Selector::Field(name) => (*name.escaped).to_owned(),
            Selector::Constant(index) => return Err(Stop::no_such_key(index)),
            Selector::Attribute(index) => match self.resolve(index)? {
                Value::Text(name) => (*name).to_owned(),
                index => return Err(Stop::no_such_key(index)),
            },
        };
        match composed(&name) {
            None if first.is_optional => Ok((Value::Optional(None), true)),
            found => {
                self.spend(1)?;
                let value = found.unwrap_or_else(|| Err(Stop::no_such_key(&name)))?;
                self.parts(value, first.is_optional, rest)
            }
        }
    }

    /// Selects parts, one after the other.
    fn parts(
        &mut self,
        mut value: Value<'v>,
        mut is_optional: bool,
        selections: &'v [Arc<Selection>],
    ) -> Result<(Value<'v>, bool), Stop> {
        for selection in selections {
            is_optional |= selection.is_optional;
            let selected = match &selection.selector {
                Selector::Field(name) => self.part(&value, &Value::text(&*name.escaped), is_optional),
                Selector::Constant(index) => self.part(&value, index, is_optional),
                Selector::Attribute(index) => match self.resolve(index) {
                    Ok(index) => self.part(&value, &index, is_optional),
                    Err(error) => {
                        if !is_optional && !error.is_final() {
                            self.spend(1)?;
                        }
                        return Err(error);
                    }
                },
            };
            match selected? {
                Some(selected) => value = selected,
                None => return Ok((Value::Optional(None), true)),
            }
        }
        Ok((value, is_optional))
    }

    /// Selects a part, which costs one. An optional part that is not there costs nothing.
    fn part(&mut self, value: &Value<'v>, index: &Value<'v>, is_optional: bool) -> Result<Option<Value<'v>>, Stop> {
        if !Key::is_of(index) {
            if !is_optional {
                self.spend(1)?;
            }
            return Err(Stop::wrong_index(index));
        }
        if is_optional {
            let part = value.select_if_present(index);
            // An item that does not fit its schema is there, and its value is the error.
            let is_wrong = part.is_err() && value.is_list() && matches!(index, Value::Int(_));
            if is_wrong || matches!(part, Ok(Some(_))) {
                self.spend(1)?;
            }
            return part;
        }
        let part = value.select(index);
        self.spend(1)?;
        part.map(Some)
    }

    fn local(&mut self, slot: usize) -> Evaluated<'v> {
        let init = match &self.slots[slot] {
            Slot::Value(value) => return value.clone(),
            Slot::Pending(init) => *init,
        };
        let value = self.eval(init);
        if !is_final(&value) {
            self.slots[slot] = Slot::Value(value.clone());
        }
        value
    }
}

/// Returns the value of an attribute, as an optional value if it is one.
fn wrapped((value, is_optional): (Value<'_>, bool)) -> Value<'_> {
    match value {
        none @ Value::Optional(None) if is_optional => none,
        value if is_optional => Value::some(value),
        value => value,
    }
}

impl Attribute {
    /// Whether the step costs nothing.
    pub(super) const fn is_conditional(&self) -> bool {
        matches!(self.base, Base::Conditional(..))
    }
}

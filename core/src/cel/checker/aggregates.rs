//! List, map and message literals.

use alloc::{borrow::ToOwned, format, string::String};

use super::{
    super::{
        ast::{Element, Entry, Expr, FieldInit},
        types::{Type, most_general},
    },
    Checker,
};

impl Checker<'_> {
    pub(super) fn list(&mut self, elements: &mut [Element]) -> Type {
        let mut joined = None;
        for element in elements {
            let type_ = self.check(&mut element.value);
            let type_ = self.unwrapped(&element.value, type_, element.is_optional);
            joined = Some(self.join(joined, type_));
        }
        Type::list(joined.unwrap_or_else(|| self.substitution.new_var()))
    }

    /// Returns the type of the value in an optional item.
    fn unwrapped(&mut self, value: &Expr, type_: Type, is_optional: bool) -> Type {
        match type_ {
            Type::Optional(value) if is_optional => (*value).clone(),
            type_ => {
                if is_optional && !type_.is_dyn() && !type_.is_partly_unknown() {
                    self.mismatch(value.at, &Type::optional(type_.clone()), &type_);
                }
                type_
            }
        }
    }

    pub(super) fn map(&mut self, entries: &mut [Entry]) -> Type {
        let (mut keys, mut values) = (None, None);
        for entry in entries {
            let key = self.check(&mut entry.key);
            keys = Some(self.join(keys, key));
            let value = self.check(&mut entry.value);
            let value = self.unwrapped(&entry.value, value, entry.is_optional);
            values = Some(self.join(values, value));
        }
        let keys = keys.unwrap_or_else(|| self.substitution.new_var());
        let values = values.unwrap_or_else(|| self.substitution.new_var());
        Type::map(keys, values)
    }

    /// Returns the common type of items. A later check requires that it is one type.
    fn join(&mut self, before: Option<Type>, type_: Type) -> Type {
        match before {
            None => type_,
            Some(before) if self.substitution.fit(&before, &type_) => most_general(&before, &type_).clone(),
            Some(_) => Type::Dyn,
        }
    }

    /// Determines the type of a message literal, and replaces its name with the full one.
    pub(super) fn message(&mut self, at: usize, name: &mut String, fields: &mut [FieldInit]) -> Type {
        let global = name.strip_prefix('.').unwrap_or(name).to_owned();
        let Some(type_) = self.type_named(&global) else {
            self.undeclared(at, name, None);
            return Type::Error;
        };
        name.clone_from(&global);
        let (type_, message) = match made(&global, &type_) {
            Some(message) => (type_, message.to_owned()),
            None => {
                let shown = match &type_ {
                    Type::Optional(_) => "optional_type".to_owned(),
                    Type::Meta(_) => "type".to_owned(),
                    Type::Map(..) => "map".to_owned(),
                    other => format!("{other}"),
                };
                self.error(at, format!("'{shown}' is not a message type"));
                (Type::Error, global)
            }
        };
        for field in fields {
            self.initialized(&message, field);
        }
        type_
    }

    fn initialized(&mut self, message: &str, field: &mut FieldInit) {
        let value = self.check(&mut field.value);
        let expected = self.message_field(field.at, message, &field.name);
        let value = self.unwrapped(&field.value, value, field.is_optional);
        if !self.substitution.fit(&expected, &value) {
            let name = &field.name;
            self.error(
                field.at,
                format!("expected type of field '{name}' is '{expected}' but provided type is '{value}'"),
            );
        }
    }
}

/// Returns the message that constructs values of the type, if there is one.
fn made<'a>(name: &'a str, type_: &Type) -> Option<&'a str> {
    let string_map = || Type::map(Type::String, Type::Dyn);
    Some(match type_ {
        Type::Any => "google.protobuf.Any",
        Type::Timestamp => "google.protobuf.Timestamp",
        Type::Duration => "google.protobuf.Duration",
        Type::Dyn => "google.protobuf.Value",
        Type::Null => "google.protobuf.NullValue",
        Type::List(items) if **items == Type::Dyn => "google.protobuf.ListValue",
        map if *map == string_map() => "google.protobuf.Struct",
        Type::Wrapper(_) | Type::Struct(_) | Type::Object(_) => name,
        _ => return None,
    })
}

//! What the items of a tuple cannot all be.

use super::{
    super::{
        Message, Step,
        rules::{self, Value},
        walk::{Kind, Place, equal, field, has_mistakes, kind, peel, step},
    },
    Decides, Member, advised, member,
};
use crate::schema::{Schema, Shape};

/// All in a type has a structural form, as far as that is known, but for the types that report by themselves what has none.
pub const fn has_form(type_: Option<&'static Schema>) -> Result<(), Message> {
    match type_ {
        Some(schema) => all_have_form(schema),
        None => Ok(()),
    }
}

const fn all_have_form(schema: &'static Schema) -> Result<(), Message> {
    if !schema.marks.formless {
        return Ok(());
    }
    match schema.shape {
        Shape::Newtype(inner) | Shape::List(inner) | Shape::Map(inner) => all_have_form(inner),
        Shape::Tuple(items) => {
            let mut result = tuple_of(items);
            let mut at = 0;
            while result.is_ok() && at < items.len() {
                result = all_have_form(items[at]);
                at += 1;
            }
            result
        }
        Shape::Object(fields) => {
            let mut result = Ok(());
            let mut at = 0;
            while result.is_ok() && at < fields.len() {
                result = all_have_form(fields[at].schema);
                at += 1;
            }
            result
        }
        Shape::OneOf(_, alternatives) => {
            let mut result = Ok(());
            let mut at = 0;
            while result.is_ok() && at < alternatives.len() {
                if let Some(content) = alternatives[at].content {
                    result = all_have_form(content);
                }
                at += 1;
            }
            result
        }
        _ => Err(is_null(schema.name)),
    }
}

const fn is_null(name: &str) -> Message {
    let advice = match equal(name, "PhantomData") {
        true => "leave the field out with `#[serde(skip)]`",
        false => "use a struct, or write `#[schemars(with = \"Type\")]` on the field",
    };
    Message::of(&[
        "`",
        name,
        "` is `null` in JSON, which no structural schema can say: ",
        advice,
    ])
}

/// The items of a tuple can be told in one structural schema.
pub const fn tuple(schema: &'static Schema) -> Result<(), Message> {
    match peel(schema).shape {
        Shape::Tuple(items) => tuple_of(items),
        _ => Ok(()),
    }
}

/// The same of a tuple of these items.
pub(crate) const fn tuple_of(items: &'static [&'static Schema]) -> Result<(), Message> {
    let mut at = 1;
    while at < items.len() {
        let are_known = !has_mistakes(items[0]) && !has_mistakes(items[at]);
        if are_known && !are_alike(items[0], items[at]) {
            let (one, other) = (kind(items[0]), kind(items[at]));
            let message = match one as u8 == other as u8 {
                true => Message::of(&[
                    "each item of the tuple is ",
                    one.name(),
                    ", and they differ",
                ]),
                false => Message::of(&["the tuple holds ", one.name(), " and ", other.name()]),
            };
            let what = "use a struct, or write";
            return Err(advised(message, what, Decides::Any));
        }
        at += 1;
    }
    Ok(())
}

/// Whether one schema says both: that of scalars of one kind, or of values that have the same parts.
const fn are_alike(a: &'static Schema, b: &'static Schema) -> bool {
    if rules::difference(Value::of(a), Value::of(b)).is_some() {
        return false;
    }
    let (one, other) = (kind(a), kind(b));
    match (one, other) {
        (Kind::Opaque, Kind::Opaque) => true,
        (Kind::Integer, Kind::Number) | (Kind::Number, Kind::Integer) => true,
        (Kind::List, Kind::List) => match (items(a), items(b)) {
            (Place::Value(a, _), Place::Value(b, _)) => are_alike(a, b),
            _ => true,
        },
        (Kind::Map, Kind::Map) => match (peel(a).shape, peel(b).shape) {
            (Shape::Map(a), Shape::Map(b)) => are_alike(a, b),
            _ => true,
        },
        (Kind::Object, Kind::Object) => has_all(a, b) && has_all(b, a),
        _ => one as u8 == other as u8,
    }
}

/// Whether `b` has the fields of `a`, and they are alike.
const fn has_all(a: &'static Schema, b: &'static Schema) -> bool {
    let mut at = 0;
    while let Some(member) = member(peel(a), at) {
        let is_there = match member {
            Member::Named(name) => match (field(a, &[], name), field(b, &[], name)) {
                (Place::Value(a, _), Place::Value(b, _)) => are_alike(a, b),
                (_, Place::Missing(_)) => false,
                _ => true,
            },
            Member::In(a) => has_all(a, b),
            Member::Nothing => true,
        };
        if !is_there {
            return false;
        }
        at += 1;
    }
    true
}

const fn items(list: &'static Schema) -> Place {
    step(list, &[], Step::Items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        render::render_schema,
        schema::{Field, Keyword, KubeSchema, Rule},
    };

    const SMALL: Schema = Schema::object(&[Field::new("size", u8::PLACE)]);
    const BIG: Schema = Schema::object(&[Field::new("size", u32::PLACE).optional()]);
    const RULED: Schema = SMALL.with(&[Keyword::Rule(Rule::new("self.size > 1"))]);
    const NAMED: Schema = Schema::object(&[Field::new("name", String::PLACE)]);

    #[track_caller]
    fn check(items: &'static [&'static Schema], has_form: bool) {
        assert_eq!(tuple_of(items).is_ok(), has_form);
        let schema = Schema::tuple(items);
        assert_eq!(schema.marks.formless, !has_form);
        let rendered = render_schema(&schema);
        assert_eq!(rendered.is_ok(), has_form, "{rendered:?}");
    }

    #[test]
    fn what_compiles_can_be_rendered() {
        check(&[u8::PLACE, i64::PLACE], true);
        check(&[<Vec<u8>>::PLACE, <Vec<u32>>::PLACE], true);
        check(&[&SMALL, &BIG], true);
        check(&[&RULED, &RULED], true);
        check(&[u8::PLACE, String::PLACE], false);
        check(&[<Vec<u8>>::PLACE, <Vec<bool>>::PLACE], false);
        check(&[&SMALL, &NAMED], false);
        check(&[&SMALL, &RULED], false);
        check(&[<Option<(u8,)>>::PLACE, u8::PLACE], false);
    }

    #[test]
    fn what_has_no_form_is_found_at_any_depth() {
        const BOTH: Schema = Schema::tuple(&[u8::PLACE, String::PLACE]);
        const LIST: Schema = Schema::list(&Schema::newtype(&BOTH));
        const OUTER: Schema = Schema::object(&[Field::new("list", &LIST)]);
        const NOTHING: Schema = Schema::object(&[Field::new("nothing", <Option<()>>::PLACE)]);
        let message = |schema| has_form(Some(schema)).unwrap_err();
        assert!(
            message(&OUTER)
                .as_str()
                .starts_with("the tuple holds an integer and a string")
        );
        assert!(message(&NOTHING).as_str().starts_with("`()` is `null`"));
        const REPORTED: Schema = OUTER.reported();
        assert!(has_form(Some(&REPORTED)).is_ok());
        assert!(has_form(None).is_ok());
    }
}

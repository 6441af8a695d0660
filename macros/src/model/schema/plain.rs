//! What the spelling of a type shows, so that const evaluation need not look.

use super::{About, Asked, CheckKind, Inside, Source};
use crate::attrs::{default::Constant, keywords::Literal, scale::ScaleRole, validation::Demand};

/// What a type that everybody knows is in JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plain {
    Boolean,
    Integer,
    Number,
    Text,
    List,
    Map,
}

/// Whether the type of a field is plainly what an attribute asks for. Whoever gives a type of his own the name of a
/// standard one learns it from the generated test.
pub(super) fn fits(source: &Source, kind: &CheckKind) -> bool {
    let inside = match kind {
        CheckKind::Keyword(check) => check.inside.as_slice(),
        _ => &[],
    };
    let Some(plain) = inner(source, inside).and_then(plain) else {
        return false;
    };
    match kind {
        CheckKind::Keyword(check) => answers(&check.asked, plain),
        CheckKind::Column => !matches!(plain, Plain::List | Plain::Map),
        CheckKind::Selectable => matches!(plain, Plain::Boolean | Plain::Integer | Plain::Text),
        CheckKind::Scale(ScaleRole::LabelSelector) => plain == Plain::Text,
        CheckKind::Scale(_) => plain == Plain::Integer,
        CheckKind::Validation { demand, .. } => meets(*demand, plain),
        CheckKind::FieldIsSeen => !matches!(plain, Plain::List | Plain::Map),
        CheckKind::CanBeUnset(_)
        | CheckKind::TypeIsSeen
        | CheckKind::Fits
        | CheckKind::Tuple
        | CheckKind::Flattens => false,
    }
}

fn meets(demand: Demand, plain: Plain) -> bool {
    match demand {
        Demand::Size => matches!(plain, Plain::Text | Plain::List | Plain::Map),
        Demand::Number => matches!(plain, Plain::Integer | Plain::Number),
        Demand::Text => plain == Plain::Text,
        Demand::List => plain == Plain::List,
    }
}

fn answers(asked: &Asked, plain: Plain) -> bool {
    match asked {
        Asked::Fits(_, about) => concerns(*about, plain),
        Asked::Variant(_) => true,
        Asked::Default(Constant::Boolean(_)) => plain == Plain::Boolean,
        Asked::Default(_) | Asked::FieldPath(_) | Asked::Followed => false,
        Asked::ListAtomic => plain == Plain::List,
        Asked::ListSet | Asked::ListMap | Asked::ListMapKey(_) => false,
        Asked::MapMerge => plain == Plain::Map,
        Asked::Satisfiable { alone } => {
            let bounds_itself = matches!(plain, Plain::Boolean | Plain::Integer);
            *alone && !bounds_itself
        }
    }
}

fn concerns(about: About, plain: Plain) -> bool {
    match about {
        About::Number(_) => matches!(plain, Plain::Integer | Plain::Number),
        About::Integer => plain == Plain::Integer,
        About::Fraction => plain == Plain::Number,
        About::Text | About::Length(_) => plain == Plain::Text,
        About::Items(_) | About::EachItem => plain == Plain::List,
        About::Properties(_) | About::EachValue => plain == Plain::Map,
        About::Null => true,
        About::Resource => false,
    }
}

/// What is inside of a list or a map.
fn inner<'a>(source: &'a Source, inside: &[Inside]) -> Option<&'a Source> {
    match (source, inside) {
        (source, []) => Some(source),
        (Source::Optional(value), _) => inner(value, inside),
        (Source::List(items), [Inside::Items, rest @ ..]) => inner(items, rest),
        (Source::Map(_, values), [Inside::Values, rest @ ..]) => inner(values, rest),
        _ => None,
    }
}

/// The value that the type of a source has by default, if its spelling tells.
pub(super) fn default(source: &Source) -> Option<Constant> {
    if source.is_optional() {
        return None;
    }
    Some(match plain(source)? {
        Plain::Boolean => Constant::Boolean(false),
        Plain::Integer => Constant::Scalar(Literal::Integer(0)),
        Plain::Text => Constant::Scalar(Literal::Text(String::new())),
        Plain::List => Constant::List(Vec::new()),
        Plain::Map => Constant::Object,
        Plain::Number => return None,
    })
}

fn plain(source: &Source) -> Option<Plain> {
    match source {
        Source::Type(syn::Type::Path(ty)) if ty.qself.is_none() => {
            named(&ty.path.get_ident()?.to_string())
        }
        Source::Optional(inner) => plain(inner),
        Source::List(_) => Some(Plain::List),
        Source::Map(..) => Some(Plain::Map),
        _ => None,
    }
}

fn named(name: &str) -> Option<Plain> {
    Some(match name {
        "bool" => Plain::Boolean,
        "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" => {
            Plain::Integer
        }
        "f32" | "f64" => Plain::Number,
        "String" => Plain::Text,
        _ => return None,
    })
}

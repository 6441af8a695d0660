//! What the spelling of a type shows, so that const evaluation need not look.

use crdkit_core::{join::Kind, path::ElementStep};

use super::{Asked, CheckKind, Source};
use crate::attrs::{default::Constant, keywords::Literal, scale::ScaleRole, validation::Demand};

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
        CheckKind::Column => !matches!(plain, Kind::List | Kind::Map),
        CheckKind::Selectable => matches!(plain, Kind::Boolean | Kind::Integer | Kind::String),
        CheckKind::Scale(ScaleRole::LabelSelector) => plain == Kind::String,
        CheckKind::Scale(_) => plain == Kind::Integer,
        CheckKind::Validation { demand, .. } => meets(*demand, plain),
        CheckKind::FieldIsSeen => !matches!(plain, Kind::List | Kind::Map),
        CheckKind::CanBeUnset(_) | CheckKind::TypeIsSeen | CheckKind::Fits | CheckKind::Tuple | CheckKind::Flattens => {
            false
        }
    }
}

fn meets(demand: Demand, plain: Kind) -> bool {
    match demand {
        Demand::Size => matches!(plain, Kind::String | Kind::List | Kind::Map),
        Demand::Number => matches!(plain, Kind::Integer | Kind::Number),
        Demand::Text => plain == Kind::String,
        Demand::List => plain == Kind::List,
    }
}

fn answers(asked: &Asked, plain: Kind) -> bool {
    match asked {
        Asked::Fits(_, about) => about.includes(plain),
        Asked::Variant(_) => true,
        Asked::Default(Constant::Boolean(_)) => plain == Kind::Boolean,
        Asked::Default(_) | Asked::FieldPath(_) | Asked::Followed => false,
        Asked::ListAtomic => plain == Kind::List,
        Asked::ListSet | Asked::ListMap | Asked::ListMapKey(_) => false,
        Asked::MapMerge => plain == Kind::Map,
        Asked::Satisfiable { alone } => {
            let bounds_itself = matches!(plain, Kind::Boolean | Kind::Integer);
            *alone && !bounds_itself
        }
    }
}

/// What is inside of a list or a map.
fn inner<'a>(source: &'a Source, inside: &[ElementStep]) -> Option<&'a Source> {
    match (source, inside) {
        (source, []) => Some(source),
        (Source::Optional(value), _) => inner(value, inside),
        (Source::List(items), [ElementStep::Items, rest @ ..]) => inner(items, rest),
        (Source::Map(_, values), [ElementStep::Values, rest @ ..]) => inner(values, rest),
        _ => None,
    }
}

/// The value that the type of a source has by default, if its spelling tells.
pub(super) fn default(source: &Source) -> Option<Constant> {
    if source.is_optional() {
        return None;
    }
    Some(match plain(source)? {
        Kind::Boolean => Constant::Boolean(false),
        Kind::Integer => Constant::Scalar(Literal::Integer(0)),
        Kind::String => Constant::Scalar(Literal::Text(String::new())),
        Kind::List => Constant::List(Vec::new()),
        Kind::Map => Constant::Object,
        _ => return None,
    })
}

fn plain(source: &Source) -> Option<Kind> {
    match source {
        Source::Type(syn::Type::Path(ty)) if ty.qself.is_none() => named(&ty.path.get_ident()?.to_string()),
        Source::Optional(inner) => plain(inner),
        Source::List(_) => Some(Kind::List),
        Source::Map(..) => Some(Kind::Map),
        _ => None,
    }
}

fn named(name: &str) -> Option<Kind> {
    Some(match name {
        "bool" => Kind::Boolean,
        "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" => Kind::Integer,
        "f32" | "f64" => Kind::Number,
        "String" => Kind::String,
        _ => return None,
    })
}

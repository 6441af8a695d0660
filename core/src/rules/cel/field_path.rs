//! `fieldPath` of a rule.

use alloc::{
    borrow::Cow,
    string::{String, ToString},
};

use crate::{
    Arg, ErrorType, ServerError, Text, Violation,
    literal::field_path::{self, FieldPathError},
    schema::{AdditionalProperties, SchemaProps},
    suggest,
};

use super::C8;

/// [`C8`]: `.a.b`, `.map['key']` or `['a-b']`, and not through a list.
pub fn check_field_path(schema: &SchemaProps<'_>, path: &str, report: &mut dyn FnMut(&Violation<'_>)) {
    let Err(wrong) = resolve(schema, path) else {
        return;
    };
    let path = Arg::Text(path);
    let text = match &wrong {
        ResolveError::Form(error) => Text::new(
            "`{}` is not a path to a field below the rule ({}): write `.field`, `.field.below`, or `.map['key']`",
            &[path, Arg::Display(error)],
        ),
        ResolveError::Leaf => {
            Text::new("the field path `{}` continues into a value that has no fields: shorten it", &[path])
        }
        ResolveError::Field(name, Some(meant)) => Text::new(
            "the field path `{}` does not exist, as there is no field `{}`: did you mean `{}`?",
            &[path, Arg::Text(name), Arg::Text(meant)],
        ),
        ResolveError::Field(name, None) => Text::new(
            "the field path `{}` does not exist, as there is no field `{}`: use the names of fields in JSON",
            &[path, Arg::Text(name)],
        ),
    };
    let mut server_error = ServerError::new(ErrorType::Invalid, ".fieldPath", "must be a valid path");
    if let Arg::Text(path) = path {
        server_error = server_error.with_value(Arg::Quoted(path));
    }
    report(&Violation::new(&C8, text).with_server_error(server_error));
}

/// Why a path does not resolve to a field.
enum ResolveError<'a> {
    /// The server cannot parse the path.
    Form(FieldPathError<'a>),
    /// A value on the path has neither fields nor entries.
    Leaf,
    /// An object on the path has no field with this name; the similar name, if any.
    Field(Cow<'a, str>, Option<String>),
}

fn resolve<'a>(schema: &SchemaProps<'_>, path: &'a str) -> Result<(), ResolveError<'a>> {
    let mut at = Some(schema);
    for name in field_path::steps(path, true).map_err(ResolveError::Form)? {
        at = step(at.ok_or(ResolveError::Leaf)?, name)?;
    }
    Ok(())
}

/// Returns the schema of a member; `None` if the member can be any value.
fn step<'s, 'a, 'n>(
    schema: &'s SchemaProps<'n>,
    name: Cow<'a, str>,
) -> Result<Option<&'s SchemaProps<'n>>, ResolveError<'a>> {
    let properties = schema.properties.as_deref().unwrap_or_default();
    match &schema.additional_properties {
        _ if !properties.is_empty() => schema.property(&name).map(Some).ok_or_else(|| {
            let meant = suggest::nearest_by(&name, properties, |(known, _)| known).map(|(known, _)| known.to_string());
            ResolveError::Field(name, meant)
        }),
        Some(AdditionalProperties::Schema(values)) => Ok(Some(values)),
        Some(AdditionalProperties::Bool(_)) => Ok(None),
        None => Err(ResolveError::Leaf),
    }
}

#[cfg(test)]
mod tests {
    use alloc::{boxed::Box, vec};

    use super::*;
    use crate::schema::Items;

    #[test]
    fn paths() {
        let typed = |name: &'static str| SchemaProps { type_: Some(name.into()), ..SchemaProps::default() };
        let object = |properties| SchemaProps { properties: Some(properties), ..typed("object") };
        let leaf = || typed("string");
        let map = SchemaProps {
            additional_properties: Some(AdditionalProperties::Schema(Box::new(object(vec![("x".into(), leaf())])))),
            ..typed("object")
        };
        let list =
            SchemaProps { items: Some(Items::Schema(Box::new(object(vec![("x".into(), leaf())])))), ..typed("array") };
        let schema = object(vec![
            ("a".into(), object(vec![("b".into(), leaf())])),
            ("d-e".into(), leaf()),
            ("f.g".into(), leaf()),
            ("it's".into(), leaf()),
            ("m".into(), map),
            ("l".into(), list),
        ]);
        let is_wrong = |path: &str| {
            let mut is_wrong = false;
            check_field_path(&schema, path, &mut |_| is_wrong = true);
            is_wrong
        };
        for path in [
            ".a",
            ".a.b",
            "['a']",
            "['a'].b",
            ".d-e",
            "['d-e']",
            "['f.g']",
            ".m.key",
            ".m['key'].x",
            ".m.key.x",
            ".l",
            r"['it\'s']",
            ".it's",
        ] {
            assert!(!is_wrong(path), "{path}");
        }
        for path in [
            "a", ".", ".A", ".a.", ".a.c", ".a.b.c", ".f.g", ".l.x", ".l[0]", ".l[0].x", ".a[b]", "['a'", "['a", "..a",
            ".a]", ".m.key.y", r"['\x']", ".self.a", " .a",
        ] {
            assert!(is_wrong(path), "{path}");
        }
    }
}

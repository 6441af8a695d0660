//! The values that rules in CEL see.

use super::{Keyword, Schema, Shape, any_keyword};

/// Whether rules may see a value of the schema.
pub(crate) const fn may_be_seen(schema: &Schema, keywords: &[Keyword]) -> bool {
    if have_a_say(keywords) || have_a_say(schema.keywords) {
        return true;
    }
    match schema.shape {
        Shape::Any => false,
        Shape::Newtype(inner)
        | Shape::List(inner)
        | Shape::Map(inner)
        | Shape::Tuple(&[inner, ..]) => may_be_seen(inner, &[]),
        _ => true,
    }
}

/// Whether keywords may give a value a type that its shape does not have.
const fn have_a_say(keywords: &[Keyword]) -> bool {
    any_keyword!(
        keywords,
        Keyword::EmbeddedResource | Keyword::Extend(_) | Keyword::Patch(_) | Keyword::Transform(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_known_while_compiling() {
        const ANY: Schema = Schema::any();
        const RESOURCE: Schema = Schema::any().with(&[Keyword::EmbeddedResource]);
        const LIST: Schema = Schema::list(&ANY);
        assert!(!may_be_seen(&ANY, &[]) && !may_be_seen(&LIST, &[]));
        assert!(!may_be_seen(&Schema::newtype(&LIST), &[]));
        assert!(may_be_seen(&RESOURCE, &[]) && may_be_seen(&ANY, &[Keyword::EmbeddedResource]));
        assert!(may_be_seen(&Schema::string(), &[]));
    }
}

//! The checks that a comparison consists of.

use std::fmt;

macro_rules! checks {
    ($($name:ident $text:literal [$($keyword:literal)?] $doc:literal;)+) => {
        /// What a change concerns. Names are those of [crdify](https://github.com/kubernetes-sigs/crdify) where it has the
        /// check; the others follow its style.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Check {
            $(#[doc = concat!("`", $text, "`: ", $doc)] $name,)+
        }

        impl Check {
            /// All checks.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// Returns the name, such as `existingFieldRemoval`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }

            /// Returns the keyword of schemas that it concerns.
            pub const fn keyword(self) -> Option<&'static str> {
                match self {
                    $(Self::$name => checks!(@keyword $($keyword)?),)+
                }
            }

            /// Returns one sentence about what it compares.
            pub const fn description(self) -> &'static str {
                match self {
                    $(Self::$name => $doc,)+
                }
            }

            /// Returns the check of a keyword; `None` for one that schemas of definitions cannot have.
            pub(crate) fn of_keyword(keyword: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|check| check.keyword() == Some(keyword))
            }
        }
    };
    (@keyword) => { None };
    (@keyword $keyword:literal) => { Some($keyword) };
}

checks! {
    Definition "definition" [] "Whether the kind has a definition.";
    Scope "scope" [] "Whether objects have a namespace.";
    Kind "kind" [] "The kind.";
    Names "names" [] "The other names: singular, list kind, short names and categories.";
    Conversion "conversion" [] "How objects are converted between versions.";
    PreserveUnknownFields "preserveUnknownFields" ["x-kubernetes-preserve-unknown-fields"] "Whether unknown fields are kept.";
    StoredVersionRemoval "storedVersionRemoval" [] "The versions in which objects may be stored.";
    ServedVersionRemoval "servedVersionRemoval" [] "The versions that are served.";
    StorageVersion "storageVersion" [] "The version in which objects are written.";
    ServedVersions "servedVersions" [] "Whether versions without a conversion accept the same objects.";
    Deprecation "deprecation" [] "Whether a version is deprecated.";
    Status "status" [] "The status subresource.";
    Scale "scale" [] "The scale subresource.";
    Columns "columns" [] "The columns of `kubectl get`.";
    SelectableFields "selectableFields" [] "The fields that field selectors can use.";
    ExistingFieldRemoval "existingFieldRemoval" [] "The fields that are kept.";
    NewField "newField" [] "New fields.";
    Required "required" ["required"] "The fields that every object has.";
    Type "type" ["type"] "The types of a value.";
    IntOrString "intOrString" ["x-kubernetes-int-or-string"] "Whether a value is an integer or a string.";
    Nullable "nullable" ["nullable"] "Whether a value can be null.";
    Enum "enum" ["enum"] "The allowed values.";
    Format "format" ["format"] "The format of a string or number.";
    Default "default" ["default"] "The value of an absent field.";
    Minimum "minimum" ["minimum"] "The minimum of a number.";
    ExclusiveMinimum "exclusiveMinimum" ["exclusiveMinimum"] "Whether the minimum itself is excluded.";
    Maximum "maximum" ["maximum"] "The maximum of a number.";
    ExclusiveMaximum "exclusiveMaximum" ["exclusiveMaximum"] "Whether the maximum itself is excluded.";
    MultipleOf "multipleOf" ["multipleOf"] "A number that divides the value.";
    MinLength "minLength" ["minLength"] "The minimum number of characters.";
    MaxLength "maxLength" ["maxLength"] "The maximum number of characters.";
    Pattern "pattern" ["pattern"] "A regular expression that a string matches.";
    MinItems "minItems" ["minItems"] "The minimum number of items.";
    MaxItems "maxItems" ["maxItems"] "The maximum number of items.";
    UniqueItems "uniqueItems" ["uniqueItems"] "Whether items are unique.";
    MinProperties "minProperties" ["minProperties"] "The minimum number of fields.";
    MaxProperties "maxProperties" ["maxProperties"] "The maximum number of fields.";
    EmbeddedResource "embeddedResource" ["x-kubernetes-embedded-resource"] "Whether a value is a complete resource.";
    ListType "listType" ["x-kubernetes-list-type"] "How server-side apply merges a list.";
    ListMapKeys "listMapKeys" ["x-kubernetes-list-map-keys"] "The fields that identify the items of a list.";
    MapType "mapType" ["x-kubernetes-map-type"] "How server-side apply merges an object.";
    Rules "xvalidations" ["x-kubernetes-validations"] "CEL rules.";
    AllOf "allOf" ["allOf"] "Schemas of which all accept the value.";
    AnyOf "anyOf" ["anyOf"] "Schemas of which at least one accepts the value.";
    OneOf "oneOf" ["oneOf"] "Schemas of which exactly one accepts the value.";
    Not "not" ["not"] "A schema that does not accept the value.";
    Properties "properties" ["properties"] "The declared fields.";
    AdditionalProperties "additionalProperties" ["additionalProperties"] "The entries of maps.";
    Items "items" ["items"] "The items of lists.";
    Description "description" ["description"] "Descriptions.";
    Title "title" ["title"] "Titles.";
    Example "example" ["example"] "Examples.";
    ExternalDocs "externalDocs" ["externalDocs"] "Links to documentation.";
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! keywords {
        (keywords { $($field:ident $source:tt $name:literal $form:ident $doc:literal;)+ } $($rest:tt)*) => {
            const KEYWORDS: &[&str] = &[$($name),+];
        };
    }
    crdkit_core::for_each_keyword!(keywords);

    #[test]
    fn every_keyword_has_a_check() {
        for keyword in KEYWORDS {
            assert!(Check::of_keyword(keyword).is_some(), "{keyword}");
        }
    }

    #[test]
    fn names_are_unique() {
        for (at, check) in Check::ALL.iter().enumerate() {
            assert!(Check::ALL[..at].iter().all(|other| other.name() != check.name()), "{check}");
        }
    }
}

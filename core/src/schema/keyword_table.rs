//! The table of schema keywords.

/// Calls a macro with the keywords of schemas in CustomResourceDefinitions, in the order in which they are written.
///
/// A line has the field of [`SchemaProps`](crate::schema::SchemaProps), which is also the key of the attribute, the field of
/// `k8s-openapi` if its name differs, the keyword, the form of the value, in brackets what the keyword bounds, and a
/// description.
///
/// The macro receives the lines in sections of one form each, and reads those that it needs:
///
/// | section | a line |
/// |---|---|
/// | `keywords` | the field, in brackets the field with that of `k8s-openapi`, the keyword, the form, the description |
/// | `numbers` | the field, the keyword, the [`NumberBound`](crate::schema::NumberBound), its side, the description |
/// | `counts` | the field, the keyword, the [`CountBound`](crate::schema::CountBound), the values, its side, the description |
/// | `others` | the keyword, and the values that it applies to |
///
/// | in brackets | meaning |
/// |---|---|
/// | `of Text` | applies to [`AppliesTo::Text`](crate::schema::AppliesTo) |
/// | `number Minimum Min` | is the [`NumberBound`](crate::schema::NumberBound) with this name, at this [`Side`](crate::schema::Side) |
/// | `count MinLength Text Min` | is the [`CountBound`](crate::schema::CountBound) with this name, applies to these values, at this side |
#[macro_export]
macro_rules! for_each_keyword {
    // The only place that matches a line of the table.
    (lines $callback:ident $(
        $field:ident $(as $k8s:ident)? $name:literal $form:ident
        [$(of $about:ident)? $(number $number:ident $end:ident)? $(count $count:ident $counted:ident $side:ident)?] $doc:literal;
    )+) => {
        $callback! {
            keywords { $($field [$field $($k8s)?] $name $form $doc;)+ }
            numbers { $($($field $name $number $end $doc;)?)+ }
            counts { $($($field $name $count $counted $side $doc;)?)+ }
            others { $($($name $about;)?)+ }
        }
    };
    ($callback:ident) => {
        $crate::for_each_keyword! { lines $callback
            title "title" text [] "A short title.";
            description "description" text [] "The description.";
            external_docs "externalDocs" docs [] "A link to further documentation.";
            type_ "type" text [] "The type of the value.";
            format "format" text [] "The format of the string or number.";
            nullable "nullable" flag [] "Whether the value can be null.";
            enum_ "enum" values [] "The allowed values.";
            default "default" value [] "The value of an absent field.";
            example "example" value [] "An example.";
            minimum "minimum" number [number Minimum Min] "The minimum.";
            exclusive_minimum "exclusiveMinimum" flag [number ExclusiveMinimum Min] "Whether the minimum itself is excluded.";
            maximum "maximum" number [number Maximum Max] "The maximum.";
            exclusive_maximum "exclusiveMaximum" flag [number ExclusiveMaximum Max] "Whether the maximum itself is excluded.";
            multiple_of "multipleOf" number [number MultipleOf Neither] "A number that divides the value.";
            min_length "minLength" count [count MinLength Text Min] "The minimum number of characters.";
            max_length "maxLength" count [count MaxLength Text Max] "The maximum number of characters.";
            pattern "pattern" text [of Text] "A regular expression that the string matches.";
            min_items "minItems" count [count MinItems Lists Min] "The minimum number of items.";
            max_items "maxItems" count [count MaxItems Lists Max] "The maximum number of items.";
            unique_items "uniqueItems" flag [] "Whether the items are unique.";
            min_properties "minProperties" count [count MinProperties Objects Min] "The minimum number of fields.";
            max_properties "maxProperties" count [count MaxProperties Objects Max] "The maximum number of fields.";
            int_or_string as x_kubernetes_int_or_string "x-kubernetes-int-or-string" flag [] "Whether the value is an integer or a string.";
            embedded_resource as x_kubernetes_embedded_resource "x-kubernetes-embedded-resource" flag [] "Whether the value is a complete resource.";
            preserve_unknown_fields as x_kubernetes_preserve_unknown_fields "x-kubernetes-preserve-unknown-fields" choice [] "Whether the server preserves fields that are not in the schema.";
            list_type as x_kubernetes_list_type "x-kubernetes-list-type" word [] "How the list is merged: `atomic`, `set` or `map`.";
            list_map_keys as x_kubernetes_list_map_keys "x-kubernetes-list-map-keys" texts [] "The fields that identify an item of a list with the list type `map`.";
            map_type as x_kubernetes_map_type "x-kubernetes-map-type" word [] "How the object is merged: `granular` or `atomic`.";
            validations as x_kubernetes_validations "x-kubernetes-validations" rules [] "The CEL rules that the value satisfies.";
            required "required" texts [of Objects] "The names of required fields.";
            all_of "allOf" branches [] "Schemas of which all accept the value.";
            any_of "anyOf" branches [] "Schemas of which at least one accepts the value.";
            one_of "oneOf" branches [] "Schemas of which exactly one accepts the value.";
            not "not" branch [] "A schema that does not accept the value.";
            properties "properties" properties [] "The fields.";
            additional_properties "additionalProperties" additional [] "The fields that are not in `properties`: their schema, or whether there can be any.";
            items "items" items [] "The items of the list: one schema, or several.";
        }
    };
}

//! The table of the keywords of schemas.

/// Calls a macro with the keywords that a schema of a CustomResourceDefinition may have, in the order in which they are written.
///
/// A line has the field of [`SchemaProps`](crate::schema::SchemaProps), which is the key of the attribute too, the field of
/// `k8s-openapi` if it has another name, the name, the form of the value, in brackets what it bounds, and what it says.
///
/// | in brackets | is |
/// |---|---|
/// | `of Text` | about values of [`AppliesTo::Text`](crate::schema::AppliesTo) |
/// | `number Minimum Min` | the [`NumberBound`](crate::schema::NumberBound) of this name, at this [`Side`](crate::schema::Side) |
/// | `count MinLength Text Min` | the [`CountBound`](crate::schema::CountBound) of this name, and what it counts in |
#[macro_export]
macro_rules! for_each_keyword {
    ($callback:ident) => {
        $callback! {
            title "title" text [] "A short name of the value.";
            description "description" text [] "What the value is.";
            external_docs "externalDocs" docs [] "Where more is written about the value.";
            type_ "type" text [] "The kind of value.";
            format "format" text [] "The format of the text or number.";
            nullable "nullable" flag [] "Whether the value may be null.";
            enum_ "enum" values [] "All values that there are.";
            default "default" value [] "The value of a field that is left out.";
            example "example" value [] "A value.";
            minimum "minimum" number [number Minimum Min] "The smallest number.";
            exclusive_minimum "exclusiveMinimum" flag [number ExclusiveMinimum Min] "Whether the value is above the minimum, and not at it.";
            maximum "maximum" number [number Maximum Max] "The largest number.";
            exclusive_maximum "exclusiveMaximum" flag [number ExclusiveMaximum Max] "Whether the value is below the maximum, and not at it.";
            multiple_of "multipleOf" number [number MultipleOf Neither] "A number that the value is a multiple of.";
            min_length "minLength" count [count MinLength Text Min] "How many characters there are at least.";
            max_length "maxLength" count [count MaxLength Text Max] "How many characters there are at most.";
            pattern "pattern" text [of Text] "A regular expression that the text matches.";
            min_items "minItems" count [count MinItems Lists Min] "How many items there are at least.";
            max_items "maxItems" count [count MaxItems Lists Max] "How many items there are at most.";
            unique_items "uniqueItems" flag [] "Whether no item stands twice in the list.";
            min_properties "minProperties" count [count MinProperties Objects Min] "How many fields there are at least.";
            max_properties "maxProperties" count [count MaxProperties Objects Max] "How many fields there are at most.";
            int_or_string as x_kubernetes_int_or_string "x-kubernetes-int-or-string" flag [] "Whether the value is an integer or text.";
            embedded_resource as x_kubernetes_embedded_resource "x-kubernetes-embedded-resource" flag [] "Whether the value is a whole resource.";
            preserve_unknown_fields as x_kubernetes_preserve_unknown_fields "x-kubernetes-preserve-unknown-fields" choice [] "Whether fields without a schema are kept.";
            list_type as x_kubernetes_list_type "x-kubernetes-list-type" word [] "How the list is merged: `atomic`, `set` or `map`.";
            list_map_keys as x_kubernetes_list_map_keys "x-kubernetes-list-map-keys" texts [] "The fields that tell apart the items of a list of the type `map`.";
            map_type as x_kubernetes_map_type "x-kubernetes-map-type" word [] "How the object is merged: `granular` or `atomic`.";
            validations as x_kubernetes_validations "x-kubernetes-validations" rules [] "Rules that the value satisfies.";
            required "required" texts [of Objects] "The names of fields that must be there.";
            all_of "allOf" branches [] "Schemas that all accept the value.";
            any_of "anyOf" branches [] "Schemas of which one at least accepts the value.";
            one_of "oneOf" branches [] "Schemas of which exactly one accepts the value.";
            not "not" branch [] "A schema that does not accept the value.";
            properties "properties" properties [] "The fields.";
            additional_properties "additionalProperties" additional [] "The fields besides those that have a schema of their own: a schema, or whether there may be any.";
            items "items" items [] "The items of the list: one schema, or several.";
        }
    };
}

//! The attributes of fields.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{Case, resources_of_fields};

pub(crate) fn all() -> Vec<&'static [Case]> {
    vec![patches::CASES, CASES, bounds::CASES, lists::CASES, values::CASES, rules::CASES, resources::CASES]
}

#[derive(crdkit::KubeSchema)]
struct Nothing;

#[derive(crdkit::KubeSchema)]
struct Sized<T> {
    size: i32,
    #[serde(flatten)]
    more: T,
}

resources_of_fields! {
    Accepted {
        boolean: bool;
        character: char;
        small: i8;
        large: i64;
        unsigned: u64;
        huge: u128;
        float: f32;
        double: f64;
        text: String;
        optional: Option<String>;
        boxed: Box<str>;
        list: Vec<String>;
        set: BTreeSet<String>;
        map: BTreeMap<String, i32>;
        hash_map: HashMap<String, Vec<bool>>;
        any: serde_json::Value;
        any_object: serde_json::Map<String, serde_json::Value>;
        list_of_any: Vec<serde_json::Value>;
        map_of_any: BTreeMap<String, serde_json::Value>;
        pair: (i32, i32);
        array: [u8; 4];
        address: std::net::IpAddr;
        address_v4: std::net::Ipv4Addr;
        socket: std::net::SocketAddr;
        duration: std::time::Duration;
        not_zero: std::num::NonZeroU16;
        path: std::path::PathBuf;
        quantity: k8s_openapi::apimachinery::pkg::api::resource::Quantity;
        int_or_string: k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
        time: k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
        condition: Vec<k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition>;
        selector: k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
        pod_template: k8s_openapi::api::core::v1::PodTemplateSpec;
        lean_pod: #[crd(embed = "lean")] k8s_openapi::api::core::v1::PodSpec;
        opaque_pod: #[crd(embed = "opaque")] k8s_openapi::api::core::v1::PodSpec;
        owners: Vec<k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference>;
        reference: k8s_openapi::api::core::v1::ObjectReference;
        env: Vec<k8s_openapi::api::core::v1::EnvVar>;
        preserved: #[crd(preserve_unknown_fields)] String;
        either: #[crd(int_or_string)] String;
        constant: #[crd(schema = crdkit::schema::Schema::integer())] String;
        renamed: #[serde(rename = "a-b")] String;
        slashed: #[serde(rename = "a/b.c")] String;
        reserved: #[serde(rename = "namespace")] String;
        described: #[crd(title = "Title", description = "Words.")] String;
        documented: #[crd(external_docs(url = "https://example.com", description = "More."))] String;
        exemplary: #[crd(example = "a")] String;
        nullable: #[crd(nullable)] String;
        not_nullable: #[crd(nullable = false)] Option<String>;
        flattened_nothing: Sized<Nothing>;
    }
}

mod bounds {
    use crate::resources_of_fields;

    const FIVE: i64 = 5;
    const WORD: &str = "^[a-z]+$";

    resources_of_fields! {
        Accepted {
            minimum: #[crd(minimum = 1)] i32;
            minimum_constant: #[crd(minimum = FIVE)] i32;
            maximum: #[crd(maximum = 1.5)] f64;
            exclusive: #[crd(exclusive_minimum = 0, exclusive_maximum = 10)] f64;
            range: #[schemars(range(min = 1, max = 5))] i32;
            validated: #[validate(range(min = 1, max = 5))] i32;
            garde: #[garde(range(min = 1, max = 5))] i32;
            multiple: #[crd(multiple_of = 2)] f64;
            length: #[crd(min_length = 1, max_length = FIVE)] String;
            schemars_length: #[schemars(length(min = 1, max = 5))] String;
            length_of_a_list: #[schemars(length(equal = 2))] Vec<i32>;
            items: #[crd(min_items = 1, max_items = 3)] Vec<i32>;
            properties: #[crd(min_properties = 1, max_properties = 3)] std::collections::BTreeMap<String, i32>;
            pattern: #[crd(pattern = "^[a-z]([-a-z0-9]*[a-z0-9])?$")] String;
            pattern_constant: #[crd(pattern = WORD)] String;
            pattern_of_schemars: #[schemars(regex(pattern = r"^\d{3}$"))] String;
            pattern_of_schemars_constant: #[schemars(regex(pattern = WORD))] String;
            pattern_of_validate: #[validate(regex(path = WORD))] String;
            pattern_of_garde: #[garde(pattern("^a$"))] String;
            pattern_octal: #[crd(pattern = r"\101")] String;
            pattern_of_items: #[crd(items(pattern = "^a$"))] Vec<String>;
            pattern_with_flags: #[crd(pattern = "(?i)^a$")] String;
            pattern_named: #[crd(pattern = "(?P<n>a)(?<m>b)")] String;
            pattern_posix: #[crd(pattern = "[[:alpha:]]")] String;
            pattern_unicode: #[crd(pattern = r"\p{Greek}\pL\x{41}")] String;
            contains: #[schemars(contains(pattern = "a.b"))] String;
            email: #[schemars(email)] String;
            url: #[schemars(url)] String;
            ip: #[schemars(ip)] String;
            inner: #[schemars(inner(length(max = 3)))] Vec<String>;
            values: #[crd(values(max_length = 3))] std::collections::BTreeMap<String, String>;
            format: #[crd(format = "uuid")] String;
            format_int32: #[crd(format = "int32")] u8;
            format_double: #[crd(format = "double")] f32;
            format_date: #[crd(format = "date")] String;
            enumeration: #[crd(enum_values = ["a", "b"])] String;
            enumeration_of_integers: #[crd(enum_values = [1, 2])] i32;
        }
        O10 {
            pattern_constant_refused: #[crd(pattern = BAD)] String;
            pattern_of_schemars_constant_refused: #[schemars(regex(pattern = BAD))] String;
            pattern_extended: #[schemars(extend("pattern" = "(a"))] String;
            pattern_patched: #[crd(schema_patch({"pattern": "a++"}))] String;
            pattern_keyword: #[crd(schema = crdkit::schema::Schema::string().with(&[crdkit::schema::Keyword::Pattern("[z-a]")]))] String;
            pattern_look_ahead: #[schemars(extend("pattern" = "(?=a)"))] String;
            pattern_possessive: #[schemars(extend("pattern" = "a{1001}"))] String;
            pattern_nested: #[schemars(extend("pattern" = "(a{100}){100}"))] String;
            pattern_verbose: #[schemars(extend("pattern" = "(?x) a"))] String;
            pattern_escape: #[schemars(extend("pattern" = r"\h"))] String;
            pattern_property: #[schemars(extend("pattern" = r"\p{Foo}"))] String;
            pattern_posix_refused: #[schemars(extend("pattern" = "[[:foo:]]"))] String;
        }
    }

    const BAD: &str = "(a";
}

mod lists {
    use std::collections::BTreeMap;

    use crate::resources_of_fields;

    #[derive(crdkit::KubeSchema)]
    struct Item {
        name: String,
        #[serde(default)]
        #[crd(default = "a")]
        zone: String,
        size: Option<i32>,
    }

    #[derive(crdkit::KubeSchema)]
    #[crd(map_type = "atomic")]
    struct Atomic {
        name: String,
    }

    resources_of_fields! {
        Accepted {
            atomic: #[crd(list_type = "atomic")] Vec<Item>;
            set: #[crd(list_type = "set")] Vec<String>;
            set_of_atomics: #[crd(list_type = "set")] Vec<Atomic>;
            set_of_lists: #[crd(list_type = "set")] Vec<Vec<String>>;
            set_of_integers: #[crd(list_type = "set")] Vec<u8>;
            map: #[crd(list_type = "map", list_map_keys = ["name"])] Vec<Item>;
            map_by_two: #[crd(list_type = "map", list_map_keys = ["name", "zone"])] Vec<Item>;
            inside: #[crd(values(list_type = "map", list_map_keys = ["name"]))] BTreeMap<String, Vec<Item>>;
            atomic_map: #[crd(map_type = "atomic")] BTreeMap<String, i32>;
            granular_map: #[crd(map_type = "granular")] BTreeMap<String, i32>;
            atomic_struct: #[crd(map_type = "atomic")] Item;
        }
        L2 {
            list_type_extended: #[schemars(extend("x-kubernetes-list-type" = "foo"))] Vec<String>;
        }
        L4 {
            list_type_patched: #[crd(schema_patch({"x-kubernetes-list-type": "map"}))] Vec<Item>;
        }
        L3 {
            keys_without_a_type: #[crd(schema_patch({"x-kubernetes-list-map-keys": ["name"]}))] Vec<Item>;
        }
        L8 {
            key_twice: #[crd(schema_patch({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "name"]}))] Vec<Item>;
        }
        L6 {
            key_missing: #[crd(schema_patch({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["nam"]}))] Vec<Item>;
        }
        L9 {
            key_optional: #[crd(schema_patch({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["size"]}))] Vec<Item>;
        }
        L5 {
            map_of_texts: #[crd(schema_patch({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"]}))] Vec<String>;
        }
        L12 {
            set_of_objects: #[crd(schema_patch({"x-kubernetes-list-type": "set"}))] Vec<Item>;
        }
        L11 {
            set_of_nulls: #[crd(schema_patch({"x-kubernetes-list-type": "set"}))] Vec<Option<String>>;
        }
        L13 {
            set_of_sets: #[crd(schema_patch({"x-kubernetes-list-type": "set", "items": {"x-kubernetes-list-type": "set"}}))] Vec<Vec<String>>;
        }
        L14 {
            map_type: #[schemars(extend("x-kubernetes-map-type" = "foo"))] Item;
            map_type_of_text: #[schemars(extend("x-kubernetes-map-type" = "atomic"))] String;
        }
        L1 {
            list_type_of_text: #[schemars(extend("x-kubernetes-list-type" = "atomic"))] String;
        }
    }
}

mod values {
    use crate::resources_of_fields;

    #[derive(crdkit::KubeSchema, serde::Serialize)]
    struct Part {
        #[serde(default)]
        size: i32,
        #[serde(default)]
        text: String,
    }

    #[derive(crdkit::KubeSchema)]
    #[crd(items(default = 5, maximum = 5))]
    struct Numbers(Vec<i32>);

    fn five() -> i32 {
        5
    }

    fn a_number() -> i32 {
        5
    }

    resources_of_fields! {
        Accepted {
            boolean: #[crd(default = true)] bool;
            integer: #[crd(default = 5)] i32;
            negative: #[crd(default = -5)] i32;
            number: #[crd(default = 0.5)] f64;
            text: #[crd(default = "a")] String;
            text_of_an_option: #[crd(default = "a")] Option<String>;
            of_serde: #[serde(default)] i32;
            of_a_function: #[serde(default = "five")] i32;
            bounded: #[crd(default = 5, minimum = 1, maximum = 5)] i32;
            matching: #[crd(default = "abc", pattern = "^[a-c]+$")] String;
            matching_class: #[crd(default = "abc", pattern = r"^\w{3}\z")] String;
            multiple: #[crd(default = 6, multiple_of = 3)] i32;
            uuid: #[crd(default = "123e4567-e89b-12d3-a456-426614174000", format = "uuid")] String;
            date: #[crd(default = "2020-01-31", format = "date")] String;
            duration: #[crd(default = "5m", format = "duration")] String;
            ipv4: #[crd(default = "10.0.0.1", format = "ipv4")] String;
            cidr: #[crd(default = "10.0.0.0/8", format = "cidr")] String;
            enumeration: #[crd(default = "a", enum_values = ["a", "b"])] String;
            list: #[crd(default = Vec::<String>::new())] Vec<String>;
            object: #[crd(default = Part { size: 1, text: String::new() })] Part;
            zero: #[crd(default = 0.0, minimum = 0)] f64;
            of_items: #[crd(items(default = "a", pattern = "^a$"))] Vec<String>;
            of_items_of_items: #[crd(items(items(default = 5)))] Vec<Vec<i32>>;
            of_items_by_a_function: #[crd(items(default = five()))] Vec<i32>;
            of_items_that_may_be_null: #[crd(items(default = 5))] Vec<Option<i32>>;
            of_items_of_values: #[crd(values(items(default = false)))] std::collections::BTreeMap<String, Vec<bool>>;
            of_items_of_a_type: Numbers;
            of_values: #[crd(values(default = "a"))] std::collections::BTreeMap<String, String>;
        }
        E9 {
            of_values_of_another_type: #[crd(values(default = a_number()))] std::collections::BTreeMap<String, String>;
        }
        E5 {
            of_items_of_another_type: #[crd(items(default = a_number()))] Vec<String>;
            uuid_refused: #[crd(schema_patch({"format": "uuid", "default": "a"}))] String;
            hostname: #[crd(schema_patch({"format": "hostname", "default": ""}))] String;
            cidr_refused: #[crd(schema_patch({"format": "cidr", "default": ""}))] String;
            mac: #[crd(schema_patch({"format": "mac", "default": ""}))] String;
            duration_refused: #[crd(schema_patch({"format": "duration", "default": ""}))] String;
            date_refused: #[crd(schema_patch({"format": "date", "default": "2020-02-31"}))] String;
            pattern: #[crd(schema_patch({"pattern": "^a$", "default": "b"}))] String;
            pattern_flags: #[crd(schema_patch({"pattern": "(?i)^a$", "default": "b"}))] String;
            pattern_ends: #[crd(schema_patch({"pattern": r"\Aa\z", "default": "b"}))] String;
            pattern_class: #[crd(schema_patch({"pattern": "^[[:alpha:]]$", "default": "1"}))] String;
            pattern_property: #[crd(schema_patch({"pattern": r"^\p{Lu}$", "default": "a"}))] String;
            minimum: #[crd(schema_patch({"minimum": 2, "default": 1}))] i32;
            minimum_fraction: #[crd(schema_patch({"minimum": -0.5, "default": -1.0}))] f64;
            multiple_refused: #[crd(schema_patch({"multipleOf": 3, "default": 4}))] i32;
            length: #[crd(schema_patch({"maxLength": 1, "default": "ab"}))] String;
            of_another_type: #[crd(schema_patch({"default": 1}))] String;
            not_in_the_enum: #[crd(schema_patch({"enum": ["a"], "default": "b"}))] String;
            items: #[crd(schema_patch({"default": [1]}))] Vec<String>;
        }
        E4 {
            unknown_member: #[crd(schema_patch({"default": {"siz": 1}}))] Part;
        }
        E7 {
            rule: #[crd(validation = "self > 3", schema_patch({"default": 1}))] i32;
            old_self: #[crd(validation = "self != oldSelf", default = 5)] i32;
        }
        E6 {
            kind_of_a_resource: #[crd(schema_patch({"x-kubernetes-embedded-resource": true, "type": "object",
                "default": {"apiVersion": "v1", "kind": "A_B", "metadata": {"name": "a"}}}))] serde_json::Value;
            labels_of_a_resource: #[crd(schema_patch({"x-kubernetes-embedded-resource": true, "type": "object",
                "default": {"apiVersion": "v1", "kind": "A", "metadata": {"name": "a", "labels": {"a b": "c"}}}}))] serde_json::Value;
        }
    }
}

mod rules {
    use std::collections::BTreeMap;

    use crdkit::kube::core::Rule;

    use crate::resources_of_fields;

    #[derive(crdkit::KubeSchema)]
    struct Part {
        min: i32,
        max: Option<i32>,
        #[serde(rename = "a-b")]
        dashed: String,
        list: Vec<String>,
        map: BTreeMap<String, String>,
        any: serde_json::Value,
        #[crd(max_items = 10)]
        parts: Vec<Inner>,
    }

    #[derive(crdkit::KubeSchema)]
    struct Inner {
        size: i32,
    }

    fn no_boolean() -> Rule {
        Rule::new("self.min + 1")
    }

    fn unknown_field() -> Rule {
        Rule::new("self.mni > 0")
    }

    fn path_to_nothing() -> Rule {
        Rule::new("self.min > 0").field_path(".mni")
    }

    fn good() -> Rule {
        Rule::new("self.min > 0").field_path(".min")
    }

    fn blank() -> Rule {
        Rule::new(" ")
    }

    fn optional_without_old_self() -> Rule {
        Rule::new("self.min > 0 && 'oldSelf' != ''").optional_old_self(true)
    }

    resources_of_fields! {
        Accepted {
            plain: #[crd(validation = "self > 0")] i32;
            with_a_message: #[crd(validation = ("self > 0", "positive"))] i32;
            field_path: #[crd(validation = Rule::new("self.min > 0").field_path(".min"))] Part;
            field_path_quoted: #[crd(validation = Rule::new("self.min > 0").field_path("['a-b']"))] Part;
            field_path_dashed: #[crd(validation = Rule::new("self.min > 0").field_path(".a-b"))] Part;
            field_path_of_a_map: #[crd(validation = Rule::new("self.min > 0").field_path(".map.x"))] Part;
            field_path_of_a_key: #[crd(validation = Rule::new("self.min > 0").field_path(".map['x.y']"))] Part;
            field_path_of_a_list: #[crd(validation = Rule::new("self.min > 0").field_path(".list"))] Part;
            field_path_of_any: #[crd(validation = Rule::new("self.min > 0").field_path(".any"))] Part;
            of_a_function: #[crd(validation = good())] Part;
            transition: #[crd(validation = "self >= oldSelf")] i32;
            optional_old_self: #[crd(validation = Rule::new("!oldSelf.hasValue() || self >= oldSelf.value()").optional_old_self(true))] i32;
            of_items: #[crd(max_items = 5, items(validation = "self != ''"))] Vec<String>;
            of_values: #[crd(max_properties = 5, values(validation = "self != ''"))] BTreeMap<String, String>;
            immutable: #[crd(immutable)] String;
            address: #[schemars(ip)] String;
        }
        C10 {
            unknown_field_of_a_function: #[crd(validation = unknown_field())] Part;
        }
        C11 {
            no_boolean_of_a_function: #[crd(validation = no_boolean())] Part;
        }
        C8 {
            field_path_of_a_function: #[crd(validation = path_to_nothing())] Part;
            patched_path: #[crd(schema_patch({"x-kubernetes-validations": [{"rule": "self.min > 0", "fieldPath": "min"}]}))] Part;
            patched_path_index: #[crd(schema_patch({"x-kubernetes-validations": [{"rule": "self.min > 0", "fieldPath": ".list[0]"}]}))] Part;
            patched_path_of_any: #[crd(schema_patch({"x-kubernetes-validations": [{"rule": "self.min > 0", "fieldPath": ".any.x"}]}))] Part;
        }
        C1 {
            blank_of_a_function: #[crd(validation = blank())] Part;
            patched_blank: #[crd(schema_patch({"x-kubernetes-validations": [{"rule": ""}]}))] i32;
        }
        C18 {
            optional_of_a_function: #[crd(validation = optional_without_old_self())] Part;
            patched_optional: #[crd(schema_patch({"x-kubernetes-validations": [{"rule": "self > 0", "optionalOldSelf": true}]}))] i32;
        }
        C2 {
            patched_message: #[crd(schema_patch({"x-kubernetes-validations": [{"rule": "self > 0", "message": " "}]}))] i32;
        }
        C3 {
            patched_lines: #[crd(schema_patch({"x-kubernetes-validations": [{"rule": "self > 0", "message": "a\nb"}]}))] i32;
        }
        C4 {
            patched_rule_lines: #[crd(schema_patch({"x-kubernetes-validations": [{"rule": "self > 0 ||\rself < 0"}]}))] i32;
        }
        C6 {
            patched_reason: #[crd(schema_patch({"x-kubernetes-validations": [{"rule": "self > 0", "reason": "Foo"}]}))] i32;
        }
        C13 {
            on_any_value: #[crd(validation = "true")] serde_json::Value;
        }
        C14 {
            immutable_dear: #[crd(items(schema_patch({"x-kubernetes-validations": [{"rule": "self.contains('abc') && self.matches('a')"}]})))] Vec<String>;
            ip_dear: #[schemars(inner(ip))] Vec<String>;
        }
    }
}

mod resources {
    use crate::resources_of_fields;

    #[derive(crdkit::KubeSchema)]
    struct Resource {
        #[serde(rename = "apiVersion")]
        api_version: String,
        kind: String,
        metadata: std::collections::BTreeMap<String, String>,
        size: i32,
    }

    resources_of_fields! {
        Accepted {
            any: #[crd(embedded_resource)] serde_json::Value;
            list: #[crd(items(embedded_resource))] Vec<serde_json::Value>;
            pod: #[crd(embedded_resource)] k8s_openapi::api::core::v1::Pod;
            object: #[crd(embedded_resource)] serde_json::Map<String, serde_json::Value>;
            map_of_any: #[crd(embedded_resource)] std::collections::BTreeMap<String, serde_json::Value>;
            map_of_options: #[crd(embedded_resource)] std::collections::BTreeMap<String, Option<serde_json::Value>>;
            list_of_objects: #[crd(items(embedded_resource))] Vec<serde_json::Map<String, serde_json::Value>>;
            with_a_size: #[crd(embedded_resource, max_properties = 5)] serde_json::Map<String, serde_json::Value>;
            foreign: #[crd(embedded_resource)] ForeignObject;
            newtype: Opaque;
        }
        S5 {
            on_text: #[crd(schema_patch({"x-kubernetes-embedded-resource": true}))] String;
        }
        S6 {
            map: #[crd(schema_patch({"x-kubernetes-embedded-resource": true}))] std::collections::BTreeMap<String, String>;
        }
        S7 {
            without_fields: #[schemars(extend("x-kubernetes-embedded-resource" = true, "type" = "object"))] Empty;
        }
        S8 {
            kind_of_number: #[crd(schema_patch({"x-kubernetes-embedded-resource": true, "properties": {"kind": {"type": "integer"}}}))] Resource;
        }
        O9 {
            nested: #[crd(schema_patch({"x-kubernetes-embedded-resource": true, "properties": {"metadata": {"x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true, "additionalProperties": null}}}))] Resource;
        }
    }

    #[derive(crdkit::KubeSchema)]
    struct Empty {}

    #[derive(schemars::JsonSchema)]
    struct ForeignObject(serde_json::Map<String, serde_json::Value>);

    #[derive(crdkit::KubeSchema)]
    #[crd(embedded_resource)]
    struct Opaque(serde_json::Map<String, serde_json::Value>);
}

mod patches {
    use serde_json::{Value, json};

    use crate::resources_of_fields;

    fn typo() -> Value {
        json!({ "maxlength": 3 })
    }

    fn rules() -> Value {
        json!([{ "rule": "true", "fieldpath": ".a" }])
    }

    resources_of_fields! {
        Accepted {
            of_an_expression: #[crd(schema_patch({ "items": json!({ "maxLength": 3 }) }))] Vec<String>;
            const_of_a_patch: #[crd(schema_patch({ "const": "a" }))] String;
            examples_of_a_patch: #[crd(schema_patch({ "examples": ["a"] }))] String;
            taken_away: #[crd(schema_patch({ "maximum": null }))] u8;
            extended: #[schemars(extend("maxLength" = 3))] String;
        }
        CrdkitOnly {
            typo_of_an_expression: #[crd(schema_patch({ "items": typo() }))] Vec<String>;
            typo_in_a_rule: #[crd(schema_patch({ "x-kubernetes-validations": rules() }))] String;
            typo_of_extend: #[schemars(extend("items" = typo()))] Vec<String>;
        }
    }
}

//! Random schemas and values.

use crdkit_core::{
    json::Json,
    schema::{AdditionalProperties, Items, SchemaProps},
};

use crdkit_oracles::Random;

type Schema = SchemaProps<'static>;
type Value = Json<'static>;

const NAMES: &[&str] = &["a", "b", "c", "kind", "metadata"];
const TEXTS: &[&str] = &["a", "b", "ab", "", "ß\"", "\u{1}", "1", "10.0.0.1", "a@b", "<é>"];
const FLOATS: &[f64] = &[
    0.5,
    -0.5,
    1.0,
    0.0,
    1e19,
    -9_223_372_036_854_775_808.0,
    9_007_199_254_740_993.0,
    1e300,
    1e-7,
    4.0,
    2.000_000_000_1,
    3e-5,
];
const INTEGERS: &[i64] = &[0, 1, -1, 2, 3, 65, 97, 2_147_483_648, i64::MAX, i64::MIN, 9_007_199_254_740_993];

fn number(random: &mut Random) -> Value {
    match random.below(3) {
        0 => Json::Float(*random.choose(FLOATS)),
        1 if random.once_in(8) => Json::Unsigned(u64::MAX),
        _ => Json::Integer(*random.choose(INTEGERS)),
    }
}

/// Any value.
pub(crate) fn anything(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 6 } else { 9 }) {
        0 => Json::Null,
        1 => Json::Bool(random.once_in(2)),
        2 | 3 => number(random),
        4 | 5 => Json::String((*random.choose(TEXTS)).into()),
        6 => Json::Array((0..random.below(4)).map(|_| anything(random, depth - 1)).collect()),
        _ => object(random, |_, random| anything(random, depth - 1)),
    }
}

fn object(random: &mut Random, value: impl Fn(&str, &mut Random) -> Value) -> Value {
    let names = NAMES.iter().chain(&["x", "y z"]);
    let there: Vec<_> = names.filter(|_| random.once_in(2)).collect();
    let members = there.into_iter().map(|name| ((*name).into(), value(name, random)));
    Json::Object(members.collect())
}

/// A value that a schema may accept.
pub(crate) fn value(schema: &Schema, random: &mut Random, depth: usize) -> Value {
    if depth == 0 || random.once_in(8) {
        return anything(random, depth);
    }
    if let Some(allowed) = schema.enum_.as_deref().filter(|it| !it.is_empty())
        && !random.once_in(3)
    {
        return random.choose(allowed).clone();
    }
    match schema.type_.as_deref() {
        _ if schema.embedded_resource && !random.once_in(4) => resource(schema, random, depth),
        Some("boolean") => Json::Bool(random.once_in(2)),
        Some("integer" | "number") => number(random),
        Some("string") => Json::String((*random.choose(TEXTS)).into()),
        Some("array") => {
            let item = |random: &mut Random| match schema.items() {
                Some(items) => value(items, random, depth - 1),
                None => anything(random, depth - 1),
            };
            Json::Array((0..random.below(4)).map(|_| item(random)).collect())
        }
        Some("object") => object(random, |name, random| match schema.property(name).or(schema.values()) {
            Some(member) => value(member, random, depth - 1),
            None => anything(random, depth - 1),
        }),
        _ => anything(random, depth),
    }
}

fn resource(schema: &Schema, random: &mut Random, depth: usize) -> Value {
    let Json::Object(mut members) = object(random, |name, random| match schema.property(name) {
        Some(member) => value(member, random, depth - 1),
        None => anything(random, depth - 1),
    }) else {
        return Json::Null;
    };
    members.retain(|(name, _)| !matches!(&**name, "kind" | "metadata"));
    let text = |text: &'static str| Json::String(text.into());
    let metadata = metadata(random);
    for (name, value) in [
        ("apiVersion", text(random.choose::<&str>(&["v1", "a/v1", "a/b/c", ""]))),
        ("kind", text(random.choose::<&str>(&["Pod", "a_b", "\u{212a}ind", "", "-a"]))),
        ("metadata", metadata),
    ] {
        if !random.once_in(8) {
            let value = if random.once_in(8) { anything(random, 1) } else { value };
            members.push((name.into(), value));
        }
    }
    Json::Object(members)
}

fn metadata(random: &mut Random) -> Value {
    const LONG: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_";
    const WORDS: &[&str] = &[
        "a",
        "a b",
        "a/b",
        "",
        "A.b/c",
        "..",
        "a%",
        "orphan",
        "foregroundDeletion",
        "2030-01-31T12:00:00Z",
        "2030-02-31T12:00:00.5+01:00",
        "2030-13-01T00:00:00Z",
        "x",
        "v1",
        "Event",
        LONG,
        "/",
        "a/b/c",
        "-",
        "Apply",
        "FieldsV1",
    ];
    let text = |random: &mut Random| Json::String((*random.choose(WORDS)).into());
    let texts = |random: &mut Random, names: &[&'static str]| {
        let there: Vec<_> = names.iter().filter(|_| random.once_in(2)).collect();
        let members = there.into_iter().map(|name| ((*name).into(), text(random)));
        Json::Object(members.collect())
    };
    let list = |random: &mut Random, names: &[&'static str]| {
        let mut items = Vec::new();
        for _ in 0..random.below(3) {
            let mut item = texts(random, names);
            if let Json::Object(members) = &mut item
                && random.once_in(2)
            {
                members.push(("controller".into(), Json::Bool(random.once_in(2))));
            }
            items.push(item);
        }
        Json::Array(items)
    };
    const FIELDS: &[&str] = &[
        "name",
        "generateName",
        "namespace",
        "selfLink",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "labels",
        "annotations",
        "ownerReferences",
        "finalizers",
        "managedFields",
        "other",
    ];
    let mut members = Vec::new();
    for name in FIELDS {
        if !random.once_in(4) {
            continue;
        }
        let value = match *name {
            _ if random.once_in(30) => anything(random, 2),
            "generation" | "deletionGracePeriodSeconds" => Json::Integer(*random.choose(INTEGERS)),
            "labels" | "annotations" => texts(random, WORDS),
            "ownerReferences" => list(random, &["apiVersion", "kind", "name", "uid", "other"]),
            "managedFields" => {
                list(random, &["manager", "operation", "fieldsType", "fieldsV1", "subresource", "apiVersion"])
            }
            "finalizers" => Json::Array((0..random.below(4)).map(|_| text(random)).collect()),
            _ => text(random),
        };
        members.push(((*name).into(), value));
    }
    Json::Object(members)
}

/// A schema of objects, or of anything.
pub(crate) fn schema(random: &mut Random, depth: usize) -> Schema {
    let mut schema = rules(random, depth);
    let types = ["array", "boolean", "integer", "number", "object", "string", "object", "array"];
    schema.type_ = (!random.once_in(12)).then(|| (*random.choose(&types)).into());
    schema.nullable = random.once_in(6);
    schema.int_or_string = random.once_in(12);
    schema.preserve_unknown_fields = random.once_in(8).then_some(true);
    schema.embedded_resource = random.once_in(8);
    if random.once_in(4) {
        schema.list_type = Some((*random.choose(&["set", "map", "atomic"])).into());
        schema.list_map_keys = [["a"].as_slice(), &["a", "b"]][random.below(2)].iter().map(|it| (*it).into()).collect();
    }
    if depth > 0 {
        schema.additional_properties = match random.below(12) {
            0 => Some(AdditionalProperties::Bool(true)),
            1 => Some(AdditionalProperties::Bool(false)),
            2 | 3 => Some(AdditionalProperties::Schema(Box::new(self::schema(random, depth - 1)))),
            _ => None,
        };
    }
    if random.once_in(4) {
        let value = value(&schema, random, depth + 1);
        schema.default = (!value.is_null()).then_some(value);
    }
    schema
}

/// Adds keywords that a schema within a branch may have.
fn rules(random: &mut Random, depth: usize) -> Schema {
    let bound = |random: &mut Random| {
        let float = *random.choose(FLOATS);
        random.once_in(6).then(|| if random.once_in(2) { float } else { float.trunc() })
    };
    let size = |random: &mut Random| random.once_in(6).then(|| *random.choose(&[0, 1, 2, 3, -1]));
    let formats =
        ["email", "ipv4", "int32", "int64", "float", "double", "date-time", "uint8", "k8s-short-name", "password", ""];
    let mut schema = Schema {
        format: random.once_in(4).then(|| (*random.choose(&formats)).into()),
        enum_: random.once_in(8).then(|| (0..random.below(4)).map(|_| anything(random, 1)).collect()),
        minimum: bound(random),
        exclusive_minimum: random.once_in(3),
        maximum: bound(random),
        exclusive_maximum: random.once_in(3),
        multiple_of: bound(random),
        pattern: random.once_in(6).then(|| {
            let patterns = ["^a", "[[:alpha:]]+$", r"\A\z", r"(?i)^B", r"\p{L}\b", "(", "^.{2}$", ""];
            (*random.choose(&patterns)).into()
        }),
        min_length: size(random),
        max_length: size(random),
        min_items: size(random),
        max_items: size(random),
        unique_items: random.once_in(8),
        min_properties: size(random),
        max_properties: size(random),
        required: NAMES.iter().filter(|_| random.once_in(10)).map(|it| (*it).into()).collect(),
        ..Schema::default()
    };
    if depth == 0 {
        return schema;
    }
    let is_branch = |random: &mut Random| random.once_in(6);
    if random.once_in(2) {
        let names: Vec<_> = NAMES.iter().filter(|_| random.once_in(2)).collect();
        let inner = |random: &mut Random| self::schema(random, depth - 1);
        schema.properties = Some(names.into_iter().map(|name| ((*name).into(), inner(random))).collect());
    }
    if random.once_in(2) {
        schema.items = Some(Items::Schema(Box::new(self::schema(random, depth - 1))));
    }
    let branches = |random: &mut Random| (0..=random.below(3)).map(|_| branch(random, depth - 1)).collect();
    if is_branch(random) {
        schema.all_of = branches(random);
    }
    if is_branch(random) {
        schema.any_of = branches(random);
    }
    if is_branch(random) {
        schema.one_of = branches(random);
    }
    if is_branch(random) {
        schema.not = Some(Box::new(branch(random, depth - 1)));
    }
    schema
}

/// A schema within `allOf` and others, without types.
fn branch(random: &mut Random, depth: usize) -> Schema {
    let mut schema = rules(random, depth);
    let strip = |schema: Schema| Schema {
        type_: None,
        nullable: false,
        int_or_string: false,
        preserve_unknown_fields: None,
        embedded_resource: false,
        list_type: None,
        list_map_keys: Vec::new(),
        additional_properties: None,
        default: None,
        ..schema
    };
    schema.properties =
        schema.properties.map(|all| all.into_iter().map(|(name, property)| (name, strip(property))).collect());
    schema.items = match schema.items {
        Some(Items::Schema(items)) => Some(Items::Schema(Box::new(strip(*items)))),
        other => other,
    };
    if depth == 0 && random.once_in(6) {
        schema.additional_properties = Some(AdditionalProperties::Bool(false));
    }
    schema
}

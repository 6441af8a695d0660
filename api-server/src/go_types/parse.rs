//! The lines of `go_types.txt`.

use super::{Field, Fields, Member, Merging, Scalar, Shape, Type, named};

/// The name of a field whose own fields are in its place.
const INLINE: &str = ".";

impl Fields {
    pub(super) fn parse(lines: &'static str) -> Self {
        let all: Vec<_> = lines.lines().map(Field::parse).collect();
        let mut members = Vec::new();
        for (index, field) in all.iter().enumerate() {
            let start = members.len();
            if let (true, Shape::Struct(inner)) = (field.is_inline, &field.type_.shape) {
                let inner = *inner;
                members.extend(inner.members().map(|(member, _)| Member {
                    inline: [inner].into_iter().chain(member.inline.iter().copied()).collect(),
                    position: start + member.position,
                    ..*member
                }));
            } else {
                members.push(Member { name: field.name, position: start, inline: Vec::new(), index });
            }
        }
        members.sort_unstable_by_key(|member| member.name);
        Self { all, members }
    }
}

impl Field {
    fn parse(line: &'static str) -> Self {
        let mut words = line.split_ascii_whitespace();
        let mut word = || words.next().expect("a line has three words");
        let (name, number, type_) = (word(), word(), word());
        let options: Vec<_> = words.collect();
        let pointed = type_.strip_prefix('*');
        let default = options.iter().find_map(|option| option.strip_prefix("default="));
        Self {
            name,
            is_inline: name == INLINE,
            number: number.parse().ok(),
            is_pointer: pointed.is_some(),
            omits_empty: options.contains(&"omitempty"),
            omits_zero: options.contains(&"omitzero"),
            merging: options.iter().find_map(|option| Merging::parse(option)).unwrap_or(Merging::Usual),
            default: default.map(|text| serde_json::from_str(text).expect("defaults are JSON")),
            type_: Type::parse(pointed.unwrap_or(type_)),
        }
    }
}

impl Merging {
    pub(super) fn parse(word: &'static str) -> Option<Self> {
        Some(match word {
            "granular" => Self::Granular,
            "atomic" => Self::Atomic,
            "set" => Self::Set,
            word => Self::Keys(word.strip_prefix("map:")?),
        })
    }
}

impl Type {
    fn parse(text: &'static str) -> Self {
        if let Some(shape) = Shape::container(text) {
            return Self { name: None, shape };
        }
        match text.split_once('=') {
            Some((name, type_)) => Self { name: Some(name), ..Self::parse(type_) },
            None => Self {
                name: Scalar::named(text).map(|_| text.rsplit('/').next().unwrap_or(text)),
                shape: Shape::parse(text),
            },
        }
    }
}

impl Shape {
    fn container(text: &'static str) -> Option<Self> {
        type Container = fn(Box<Type>) -> Shape;
        const CONTAINERS: [(&str, Container); 3] =
            [("[]", Shape::List), ("items[]", Shape::Items), ("map[string]", Shape::Map)];
        CONTAINERS.iter().find_map(|(prefix, container)| {
            let element = text.strip_prefix(prefix)?;
            Some(container(Box::new(Type::parse(element))))
        })
    }

    fn parse(text: &'static str) -> Self {
        match text {
            "bool" => Self::Bool,
            "int32" => Self::Int32,
            "int64" => Self::Int64,
            "float64" => Self::Double,
            "string" => Self::Text,
            "bytes" => Self::Bytes,
            "any" => Self::Any,
            name => Scalar::named(name).map_or_else(|| Self::Struct(named(name)), Self::Scalar),
        }
    }
}

impl Scalar {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "meta/v1.Time" => Self::Time,
            "meta/v1.MicroTime" => Self::MicroTime,
            "resource.Quantity" => Self::Quantity,
            "intstr.IntOrString" => Self::IntOrString,
            "runtime.RawExtension" | "meta/v1.FieldsV1" | "apiextensions/v1.JSON" => Self::Json,
            "apiextensions/v1.JSONSchemaPropsOrBool" => Self::SchemaOrBool,
            "apiextensions/v1.JSONSchemaPropsOrArray" => Self::SchemaOrArray,
            "apiextensions/v1.JSONSchemaPropsOrStringArray" => Self::SchemaOrStringArray,
            _ => return None,
        })
    }
}

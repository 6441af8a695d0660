//! Fields with markers for their resource (columns, selectable, immutable), in each wrapper.

use std::borrow::Cow;

use crdkit::{
    KubeSchema,
    definition::{Definition, DerivedRoot},
    schema::{Column, Field, Marker, Schema},
};
use schemars::{JsonSchema, SchemaGenerator, json_schema};

use crate::{Case, Expected, with_root, wrappers};

/// Types with a marked field, each in all wrappers.
macro_rules! marked {
    ($($expected:ident { $($name:ident: $(#[$($attribute:tt)*])* $type:ty;)* })*) => {
        $($(
            #[derive(KubeSchema)]
            struct $name { $(#[$($attribute)*])* v: $type }
        )*)*

        fn marked() -> Vec<Case> {
            let mut all = Vec::new();
            $($({
                let expected = Expected::of(stringify!($expected));
                let entry_point = stringify!(struct X { $(#[$($attribute)*])* v: $type });
                all.extend(wrapped::<$name>(stringify!($name), entry_point, expected));
            })*)*
            all
        }
    };
}

pub(crate) fn all() -> Vec<Case> {
    [marked(), hand_written()].concat()
}

const fn definition(spec: &'static Schema) -> Definition {
    with_root(DerivedRoot::new(spec))
}

/// Where a field has one path.
fn wrapped<T: KubeSchema>(name: &str, entry_point: &'static str, expected: Expected) -> Vec<Case> {
    macro_rules! cases {
        ($($wrapper:ident)*) => {
            [$((stringify!($wrapper), definition(<wrappers::$wrapper::Spec<T> as KubeSchema>::SCHEMA_REF))),*]
        };
    }
    let direct = cases!(
        field option nested newtype flattened flattened_option external internal adjacent untagged flattened_enum
    );
    // Of what is in lists and maps, `CustomResource` lets no field be marked, and what changes may be.
    let (uncorrelated, correlated) = if name.starts_with("immutable") {
        (cases!(list tuple).to_vec(), cases!(map keyed_list flattened_map).to_vec())
    } else {
        (Vec::new(), Vec::new())
    };
    let place = <wrappers::field::Spec<T> as KubeSchema>::SCHEMA_REF;
    let roots = [("status", wrappers::status(place)), ("no_spec", wrappers::no_spec(place))];
    let case = |expected| {
        move |(placement, definition): (&str, Definition)| Case {
            name: format!("markers::{name}::{placement}").into(),
            entry_point,
            expected,
            definition,
        }
    };
    let direct = direct.into_iter().chain(roots).chain(correlated).map(case(expected));
    let uncorrelated = uncorrelated.into_iter().map(case(Expected::Breaks("C17")));
    direct.chain(uncorrelated).collect()
}

fn number(_: &mut SchemaGenerator) -> schemars::Schema {
    json_schema!({ "type": "number" })
}

struct Foreign;

impl JsonSchema for Foreign {
    fn schema_name() -> Cow<'static, str> {
        "Foreign".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> schemars::Schema {
        number(generator)
    }
}

#[derive(KubeSchema)]
enum Word {
    A,
    B,
}

marked! {
    Accepted {
        column: #[crd(column)] String;
        column_of_an_option: #[crd(column)] Option<String>;
        column_of_a_flag: #[crd(column(name = "Flag", priority = 1))] bool;
        column_of_an_integer: #[crd(column(format = "int32"))] i32;
        column_of_a_number: #[crd(column)] f64;
        column_of_a_time: #[crd(column)] k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
        column_of_a_quantity: #[crd(column)] k8s_openapi::apimachinery::pkg::api::resource::Quantity;
        column_of_words: #[crd(column)] Word;
        selectable: #[crd(selectable)] String;
        selectable_option: #[crd(selectable)] Option<String>;
        selectable_flag: #[crd(selectable)] bool;
        selectable_integer: #[crd(selectable)] i64;
        selectable_time: #[crd(selectable)] k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
        selectable_words: #[crd(selectable)] Word;
        selectable_and_column: #[crd(selectable, column)] String;
        immutable: #[crd(immutable, max_length = 5)] String;
        immutable_option: #[crd(immutable, max_length = 5)] Option<String>;
    }
    F5 {
        selectable_patched: #[crd(selectable, schema_patch({ "type": "number" }))] String;
        selectable_extended: #[crd(selectable)] #[schemars(extend("type" = "number"))] String;
        selectable_foreign: #[crd(selectable)] Foreign;
        selectable_by_function: #[crd(selectable)] #[schemars(schema_with = "number")] String;
        selectable_by_another_type: #[crd(selectable)] #[schemars(with = "Foreign")] String;
    }
}

/// The compiler checks derived fields; those in hand-written schemas it does not.
macro_rules! hand_written {
    ($($expected:ident { $($name:ident: $schema:expr, $marker:expr;)* })*) => {
        $($(
            struct $name;

            impl KubeSchema for $name {
                const SCHEMA: Schema = Schema::object(&[Field::new("v", &$schema).marked(&[$marker])]);
            }
        )*)*

        fn hand_written() -> Vec<Case> {
            let mut all = Vec::new();
            $($({
                let expected = Expected::of(stringify!($expected));
                all.extend(wrapped::<$name>(stringify!($name), stringify!($marker), expected));
            })*)*
            all
        }
    };
}

hand_written! {
    Accepted {
        column_by_hand: Schema::string(), COLUMN;
        selectable_by_hand: Schema::string(), Marker::Selectable;
    }
    CrdkitOnly {
        column_by_hand_of_a_list: LIST, COLUMN;
    }
    F5 {
        selectable_number_by_hand: Schema::number(), Marker::Selectable;
        selectable_object_by_hand: PART, Marker::Selectable;
        selectable_list_by_hand: LIST, Marker::Selectable;
        selectable_map_by_hand: Schema::map(&TEXT), Marker::Selectable;
        selectable_either_by_hand: Schema::int_or_string(), Marker::Selectable;
        selectable_any_by_hand: Schema::any(), Marker::Selectable;
    }
    P1 {
        column_without_a_name: Schema::string(), Marker::Column(Column::new(""));
    }
    P3 {
        column_of_a_format_by_hand: Schema::string(), Marker::Column(Column::new("A").format("foo"));
    }
}

const TEXT: Schema = Schema::string();
const LIST: Schema = Schema::list(&TEXT);
const PART: Schema = Schema::object(&[Field::new("a", &TEXT)]);
const COLUMN: Marker = Marker::Column(Column::new("A"));

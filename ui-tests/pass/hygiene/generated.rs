//! Resources that a `macro_rules!` writes.

use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

macro_rules! resource {
    (
        $group:literal / $version:literal $kind:literal as $spec:ident,
        column $column:literal of $path:literal with $priority:literal,
        flag $flag:literal, rule $rule:expr, label $key:literal $value:literal,
        $($field:ident: $type:ty = $init:expr),*
    ) => {
        #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
        #[crd(
            group = $group,
            version = $version,
            kind = $kind,
            namespaced = $flag,
            deprecated = $rule,
            label($key, $value),
            validation = $rule,
            printcolumn(name = $column, type_ = "string", json_path = $path, priority = $priority),
            selectable = $path,
        )]
        pub struct $spec {
            $(
                #[schemars(title = $column)]
                #[x_kube(validation = $rule)]
                pub $field: $type
            ),*
        }

        impl $spec {
            fn sample() -> Self {
                Self { $($field: $init),* }
            }
        }
    };
}

resource! {
    "example.com" / "v1" "Foo" as FooSpec,
    column "Name" of ".spec.name" with 1,
    flag true, rule "true", label "app" "foo",
    name: String = String::new(),
    parts: Option<Vec<Part>> = None
}

macro_rules! part {
    ($name:ident { $($field:ident $marker:ident $type:ty),* } $($variant:ident)|*) => {
        #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
        pub struct $name {
            $(#[crd(preserve_unknown_fields)] #[$marker(default)] pub $field: $type,)*
            pub mode: Mode,
        }

        #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
        pub enum Mode {
            $($variant),*
        }
    };
}

part!(Part { size serde i32, path serde Option<String> } On | Off);

pub(super) fn main() {
    use_object(&Foo::new("foo", FooSpec::sample()));
    println!("{:?} {:?}", Foo::crd(), [Mode::On, Mode::Off]);
}

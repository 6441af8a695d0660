use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub enum Expression {
    Name(String),
    Not(Box<Expression>),
    And { all: Vec<Self> },
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub expression: Expression,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    let expression = Expression::Not(Box::new(Expression::Name("a".to_owned())));
    store(&Foo::new("foo", FooSpec { expression }));
    println!("{:?}", Foo::crd());
}

use crdkit::CustomResource;

#[derive(CustomResource, Clone, Copy)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub union FooSpec {
    size: i32,
    share: f32,
}

fn main() {
    println!("{:?}", Foo::new("foo", FooSpec { size: 1 }));
}

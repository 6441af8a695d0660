use crdkit::KubeSchema;

#[derive(KubeSchema)]
#[crd(decode = "all")]
struct Foo {
    size: u8,
}

fn main() {}

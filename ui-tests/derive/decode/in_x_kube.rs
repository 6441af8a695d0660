use crdkit::KubeSchema;

#[derive(KubeSchema)]
#[x_kube(decode)]
struct Foo {
    size: u8,
}

fn main() {}

use std::{marker::PhantomData, sync::Arc};

use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;

#[derive(KubeSchema)]
pub struct Part<T> {
    pub size: u8,
    pub of: PhantomData<T>,
    pub marks: Vec<Option<std::marker::PhantomData<T>>>,
}

#[derive(KubeSchema)]
pub struct Pair(u8, PhantomData<u8>);

#[derive(KubeSchema)]
pub struct Shared {
    pub nothing: Arc<()>,
}

fn main() {
    use_schema::<Part<i32>>();
    use_schema::<Pair>();
    use_schema::<Shared>();
}

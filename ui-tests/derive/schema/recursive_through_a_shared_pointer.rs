use std::{rc::Rc, sync::Arc};

use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;

#[derive(KubeSchema)]
pub struct Part {
    pub left: Option<Arc<Part>>,
    pub right: Rc<Self>,
}

fn main() {
    use_schema::<Part>();
}

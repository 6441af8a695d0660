//! Types of fields that can be named within the type only.

use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;

trait Sizes {
    type Size;
}

#[derive(KubeSchema)]
#[allow(dead_code)]
struct Part {
    size: <Self as Sizes>::Size,
    others: Vec<<Self as Sizes>::Size>,
}

impl Sizes for Part {
    type Size = u8;
}

pub(super) fn main() {
    use_schema::<Part>();
}

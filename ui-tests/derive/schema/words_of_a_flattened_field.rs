use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;
use serde::{Deserialize, Serialize};

fn nothing(_: &mut schemars::Schema) {}

#[derive(KubeSchema, Serialize, Deserialize, Default)]
pub struct Size {
    pub length: i32,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub struct Part {
    /// Documentation is for readers of the code.
    #[serde(flatten)]
    #[schemars(title = "Size", description = "How big it is.", example = Size::default())]
    #[schemars(extend("maxLength" = 3), transform = nothing)]
    pub size: Size,
    /// Likewise.
    #[serde(skip)]
    #[schemars(title = "Cache", example = 1)]
    pub cache: i32,
}

fn main() {
    use_schema::<Part>();
}

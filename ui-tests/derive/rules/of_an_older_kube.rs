use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;

#[derive(KubeSchema)]
#[validate(rule = "self.size > 0")]
pub struct Part {
    #[validate(rule = "self == oldSelf", message = "cannot change")]
    pub size: u8,
    #[validate(range(max = 3), custom(function = "check"), must_match(other = "size"))]
    pub other: u8,
}

fn main() {
    use_schema::<Part>();
}

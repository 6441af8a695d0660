use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;

#[derive(KubeSchema)]
pub enum Container {
    Main,
}

#[derive(KubeSchema, Default)]
pub struct Logging<T> {
    pub of: T,
}

#[derive(KubeSchema)]
pub struct Role<T> {
    #[serde(default)]
    pub logging: Logging<T>,
}

#[derive(KubeSchema)]
pub struct Cluster {
    pub role: Role<Container>,
}

fn main() {
    use_schema::<Cluster>();
}

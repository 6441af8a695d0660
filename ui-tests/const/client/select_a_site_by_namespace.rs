use crdkit::{CustomResource, KubeSchema, selector};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Site")]
pub struct SiteSpec {}

fn main() {
    selector!(Site, metadata.namespace == "prod");
}

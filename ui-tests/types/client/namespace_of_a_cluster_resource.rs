use crdkit::{Client, CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Site")]
pub struct SiteSpec {}

fn site(client: &Client) {
    let _ = client.resources::<Site>().namespace("prod");
}

fn main() {}

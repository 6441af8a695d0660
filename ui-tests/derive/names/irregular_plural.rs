use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "RootCauseAnalysis")]
pub struct AnalysisFields {
    pub size: i32,
}

fn main() {
    println!("{:?}", RootCauseAnalysis::new("a", AnalysisFields { size: 1 }));
}

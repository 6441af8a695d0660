//! `#[derive(Resource)]`: a type that stands for another resource.

use crdkit::Resource;
use k8s_openapi::{api::core::v1::ConfigMap, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use serde::{Deserialize, Serialize};

#[derive(Resource, Serialize, Deserialize, Clone, Debug, Default)]
#[resource(inherit = "ConfigMap")]
struct Settings {
    metadata: ObjectMeta,
    data: Colours,
}

#[derive(Serialize, Deserialize, Clone, Debug, Default)]
struct Colours {
    front: String,
}

#[test]
fn it_is_the_other_resource() {
    assert_eq!(Settings::kind(&()), "ConfigMap");
    assert_eq!(Settings::group(&()), "");
    assert_eq!(Settings::version(&()), "v1");
    assert_eq!(Settings::api_version(&()), "v1");
    assert_eq!(Settings::plural(&()), "configmaps");
    let path = "/api/v1/namespaces/a/configmaps";
    assert_eq!(Settings::url_path(&(), Some("a")), path);
    assert_eq!(Settings::url_path(&(), Some("a")), ConfigMap::url_path(&(), Some("a")));
}

#[test]
fn its_metadata_is_its_own() {
    let mut settings = Settings::default();
    settings.meta_mut().name = Some("a".to_owned());
    assert_eq!(settings.metadata.name.as_deref(), Some("a"));
}

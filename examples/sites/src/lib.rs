//! Web sites as custom resources.

use std::collections::BTreeMap;

use crdkit::{
    CustomResource, KubeSchema,
    serde::{Deserialize, Serialize},
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

/// A web site, whose pages a ConfigMap of its name has.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "web.example.com", version = "v1", kind = "Site", namespaced)]
#[crd(shortname = "st", status = "SiteStatus", printcolumn(age))]
#[serde(rename_all = "camelCase")]
pub struct SiteSpec {
    /// What stands above each page.
    #[crd(column, min_length = 1, max_length = 80)]
    pub title: String,
    /// The text of each page, by its name.
    #[serde(default)]
    pub pages: BTreeMap<String, String>,
    /// Who may read the pages.
    #[serde(default)]
    pub visibility: Visibility,
}

/// Who may read the pages of a site.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// No one: the site is not served.
    #[default]
    Private,
    /// Everyone.
    Public,
}

/// What is served of a site.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct SiteStatus {
    /// How many pages are served.
    #[crd(column)]
    pub pages: u32,
    /// `Ready`, once the pages are served.
    #[serde(default)]
    pub conditions: Vec<Condition>,
}

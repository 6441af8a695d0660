use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use crate::{render::RenderError, schema::Foreign};
use serde_json::Value;
pub(crate) fn foreign(foreign: &Foreign) -> Result<JSONSchemaProps, RenderError> {
    let mut generator = crate::mark::settings().into_generator();
    let mut v = (foreign.schema)(&mut generator).to_value();
    crate::mark::take(&mut v)?;
    structural(v)
}
pub(crate) fn structural(schema: Value) -> Result<JSONSchemaProps, RenderError> {
    serde_json::from_value(schema).map_err(|e| RenderError::new(e.to_string()))
}
pub(crate) fn to_schemars(props: JSONSchemaProps) -> schemars::Schema {
    serde_json::to_value(props).unwrap().try_into().unwrap()
}
pub(crate) fn describe_variants<'a>(d: Option<&str>, _v: impl Iterator<Item=(&'a str,&'a str)>) -> Option<String> { d.map(Into::into) }
pub(crate) fn variants_of(_d: String) -> Option<String> { None }

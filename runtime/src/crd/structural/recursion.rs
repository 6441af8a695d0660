//! Foreign types that contain themselves through a derived type.
//!
//! schemars detects recursion within one generated schema, but a derived type starts a new one for each foreign type in
//! it.

use std::cell::RefCell;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;

use crate::schema::ForeignSchema;

thread_local! {
    /// The types whose schemas are being generated.
    static ENTERED: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

/// A guard while the schema of a type is being generated.
pub(super) struct Entered;

impl Entered {
    pub(super) fn enter(foreign: &ForeignSchema) -> Self {
        ENTERED.with_borrow_mut(|entered| entered.push((foreign.type_name)()));
        Self
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        ENTERED.with_borrow_mut(Vec::pop);
    }
}

/// Returns a reference, as schemars does, if the schema of the type is already being generated.
pub(super) fn reference(foreign: &ForeignSchema) -> Option<JSONSchemaProps> {
    let name = (foreign.type_name)();
    let is_entered = ENTERED.with_borrow(|entered| entered.contains(&name));
    is_entered.then(|| JSONSchemaProps { ref_path: Some(name.to_owned()), ..JSONSchemaProps::default() })
}

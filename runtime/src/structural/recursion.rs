//! Types of others that contain themselves through a type of ours.
//!
//! schemars notices a type that contains itself while it makes one schema. A type of ours begins another one for each type
//! of others in it.

use std::cell::RefCell;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;

use crate::schema::ForeignSchema;

thread_local! {
    /// The types whose schema is being made.
    static ENTERED: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

/// That the schema of a type is being made.
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

/// What stands within the schema of a type in place of the same, as schemars has it.
pub(super) fn reference(foreign: &ForeignSchema) -> Option<JSONSchemaProps> {
    let name = (foreign.type_name)();
    let is_entered = ENTERED.with_borrow(|entered| entered.contains(&name));
    is_entered.then(|| JSONSchemaProps { ref_path: Some(name.to_owned()), ..JSONSchemaProps::default() })
}

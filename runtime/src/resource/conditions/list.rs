//! The field types of `#[crd(conditions)]`.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

/// A field type that `#[crd(conditions)]` supports.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of conditions",
    label = "not a list of conditions",
    note = "`#[crd(conditions)]` supports `Vec<Condition>` and `Option<Vec<Condition>>`, with the \
            `Condition` of `k8s_openapi::apimachinery::pkg::apis::meta::v1`"
)]
pub trait ConditionList {
    /// Returns the list for modification.
    fn list_mut(&mut self) -> &mut Vec<Condition>;
}

impl ConditionList for Vec<Condition> {
    fn list_mut(&mut self) -> &mut Vec<Condition> {
        self
    }
}

/// Access replaces `None` with an empty list, which serde then serializes as `[]`.
impl ConditionList for Option<Vec<Condition>> {
    fn list_mut(&mut self) -> &mut Vec<Condition> {
        self.get_or_insert_default()
    }
}

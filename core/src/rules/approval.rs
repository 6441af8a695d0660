//! Approval of reserved groups: `api-approved.kubernetes.io`.

use crate::{
    definition::Definition,
    literal::url,
    rules::{Report, report_at_path},
    violation::{Arg, ErrorType, ServerError, Text, Violation},
};

rules! {
    A1 Error [Derive, Validate] "A definition in a group that is reserved by Kubernetes has an approval.";
    A2 Error [Derive, Validate] "An approval is a URL, or starts with `unapproved`.";
}

/// The annotation with the approval.
pub const ANNOTATION: &str = "api-approved.kubernetes.io";

const FIELD: &str = "metadata.annotations[api-approved.kubernetes.io]";

/// Checks the family.
pub(super) fn check(definition: &Definition<'_>, report: &mut Report<'_>) {
    let mut annotations = definition.metadata.annotations.iter();
    let found = annotations.find(|(key, _)| key == ANNOTATION);
    let approval = found.map(|(_, value)| value.as_ref());
    let group = definition.group.as_ref();
    let mut check = |result| report_at_path("metadata.annotations", FIELD, result, report);
    check(reserved_group_has_approval(group, approval));
    check(approval_is_url_or_unapproved(group, approval.unwrap_or_default()));
}

/// Whether the group is reserved by Kubernetes, so that its definitions need an approval.
pub const fn is_reserved(group: &str) -> bool {
    is_domain(group.as_bytes(), b"k8s.io") || is_domain(group.as_bytes(), b"kubernetes.io")
}

const fn is_domain(group: &[u8], domain: &[u8]) -> bool {
    let Some(before) = group.len().checked_sub(domain.len()) else {
        return false;
    };
    let (start, end) = group.split_at(before);
    crate::text::equal_bytes(end, domain) && (before == 0 || start[before - 1] == b'.')
}

/// [`A1`].
pub const fn reserved_group_has_approval<'a>(group: &'a str, approval: Option<&str>) -> Result<(), Violation<'a>> {
    if !is_reserved(group) || matches!(approval, Some(text) if !text.is_empty()) {
        return Ok(());
    }
    let message = Text::new(
        "the group `{}` is reserved by Kubernetes: add the annotation `api-approved.kubernetes.io` with the URL of the \
         approval, `https://github.com/kubernetes/...`, or with `unapproved, ...` and a reason",
        &[Arg::Text(group)],
    );
    let detail = "protected groups must have approval annotation \"api-approved.kubernetes.io\", see \
                  https://github.com/kubernetes/enhancements/pull/1111";
    Err(Violation::new(&A1, message).with_server_error(ServerError::new(ErrorType::Required, "", detail)))
}

/// [`A2`].
pub fn approval_is_url_or_unapproved<'a>(group: &'a str, approval: &'a str) -> Result<(), Violation<'a>> {
    if !is_reserved(group) || approval.is_empty() || approval.starts_with("unapproved") {
        return Ok(());
    }
    let url = url::parse_request(approval);
    if url.is_ok_and(|it| !it.host.is_empty() && !it.scheme.is_empty()) {
        return Ok(());
    }
    let message = Text::new(
        "the group `{}` is reserved by Kubernetes, and `{}` is not an approval: write a URL, \
         `https://github.com/kubernetes/...`, or `unapproved, ...` and a reason",
        &[Arg::Text(group), Arg::Text(approval)],
    );
    let detail = "protected groups must have approval annotation \"api-approved.kubernetes.io\" with either a URL or a reason \
                  starting with \"unapproved\", see https://github.com/kubernetes/enhancements/pull/1111";
    let server_error = ServerError::new(ErrorType::Invalid, "", detail).with_value(Arg::Quoted(approval));
    Err(Violation::new(&A2, message).with_server_error(server_error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_kubernetes_need_an_approval() {
        for group in ["snapshot.storage.k8s.io", "k8s.io", "kubernetes.io", "a.kubernetes.io"] {
            assert!(reserved_group_has_approval(group, None).is_err(), "{group}");
            assert!(reserved_group_has_approval(group, Some("")).is_err(), "{group}");
            for bad in ["yes", "https:///pull/1", "a:b", "https://a b", "https://a:b/c", "//host/a"] {
                assert!(reserved_group_has_approval(group, Some(bad)).is_ok(), "{bad}");
                assert!(approval_is_url_or_unapproved(group, bad).is_err(), "{bad}");
            }
            for good in ["https://github.com/kubernetes/enhancements/pull/1111", "unapproved", "a://b"] {
                assert!(approval_is_url_or_unapproved(group, good).is_ok(), "{good}");
            }
        }
        for group in ["example.com", "example.x-k8s.io", "ak8s.io", "io"] {
            assert!(reserved_group_has_approval(group, None).is_ok(), "{group}");
            assert!(approval_is_url_or_unapproved(group, "yes").is_ok(), "{group}");
        }
    }
}

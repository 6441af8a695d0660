//! Reviews whether the user of a client has permissions.

use futures_util::{FutureExt, StreamExt, stream};
use k8s_openapi::api::{
    authentication::v1::SelfSubjectReview,
    authorization::v1::{ResourceAttributes, SelfSubjectAccessReview},
    rbac::v1::Subject,
};
use tokio::time::{Instant, timeout_at};

use crate::{
    Client,
    client::Error,
    controller::{
        Rbac,
        permissions::{Permission, Permissions},
    },
};

/// Maximum number of reviews at the same time.
const CONCURRENCY: usize = 16;

/// Returns roles that grant the missing permissions of the manager's; `None` if none is missing.
pub(super) async fn missing(client: &Client, rbac: &Rbac, deadline: Instant) -> Option<Rbac> {
    let permissions = rbac.permissions();
    let reviews: Vec<_> = permissions.iter().map(|permission| review(client, permission, deadline).boxed()).collect();
    let reviews: Vec<_> = stream::iter(reviews).buffered(CONCURRENCY).collect().await;
    if let Some(failure) = reviews.iter().find_map(|(_, result)| describe_failure(result)) {
        tracing::warn!(failure, "it was not checked whether the program has all permissions");
    }
    let missing: Permissions = reviews
        .into_iter()
        .filter(|(_, result)| matches!(result, Ok(Ok(false))))
        .map(|(permission, _)| permission.clone())
        .collect();
    if missing.is_empty() {
        return None;
    }
    let subject = timeout_at(deadline, subject(client)).await.ok().flatten();
    // Roles of the manager's own name may exist, with other rules.
    Some(rbac.clone().with_only(missing, subject))
}

/// Whether a permission is granted, unless that cannot be reviewed in time.
type Reviewed = Result<Result<bool, Error>, tokio::time::error::Elapsed>;

async fn review<'a>(client: &Client, permission: &'a Permission, deadline: Instant) -> (&'a Permission, Reviewed) {
    (permission, timeout_at(deadline, is_allowed(client, permission)).await)
}

fn describe_failure(result: &Reviewed) -> Option<String> {
    match result {
        Ok(Ok(_)) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some("the API server did not respond in time".to_owned()),
    }
}

async fn is_allowed(client: &Client, permission: &Permission) -> Result<bool, Error> {
    let (resource, subresource) = match permission.resource.split_once('/') {
        Some((resource, subresource)) => (resource, Some(subresource)),
        None => (&*permission.resource, None),
    };
    let mut review = SelfSubjectAccessReview::default();
    review.spec.resource_attributes = Some(ResourceAttributes {
        group: Some(permission.group.clone()),
        resource: Some(resource.to_owned()),
        subresource: subresource.map(str::to_owned),
        verb: Some(permission.verb.to_owned()),
        name: permission.name.clone(),
        namespace: permission.place.namespace().map(str::to_owned),
        ..ResourceAttributes::default()
    });
    let reviewed = client.resources().create(&review).await?;
    Ok(reviewed.status.is_some_and(|status| status.allowed))
}

/// Returns the user of a client.
async fn subject(client: &Client) -> Option<Subject> {
    let review = client.resources().create(&SelfSubjectReview::default()).await.ok()?;
    let name = review.status?.user_info?.username?;
    Some(subject_of(name))
}

fn subject_of(name: String) -> Subject {
    let account = name.strip_prefix("system:serviceaccount:").and_then(|account| account.split_once(':'));
    match account {
        Some((namespace, name)) => Subject {
            kind: "ServiceAccount".to_owned(),
            name: name.to_owned(),
            namespace: Some(namespace.to_owned()),
            api_group: None,
        },
        None => Subject {
            kind: "User".to_owned(),
            name,
            namespace: None,
            api_group: Some("rbac.authorization.k8s.io".to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn service_accounts_are_users_with_a_prefix() {
        let account = subject_of("system:serviceaccount:vm-system:vm-operator".into());
        assert_eq!(
            (&*account.kind, &*account.name, account.namespace.as_deref()),
            ("ServiceAccount", "vm-operator", Some("vm-system"))
        );
        let jane = subject_of("jane".into());
        assert_eq!((&*jane.kind, &*jane.name, jane.namespace), ("User", "jane", None));
    }
}

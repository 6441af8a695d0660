//! Which resource a request is for.

use std::sync::Arc;

use http::Method;

use super::{
    builtin,
    failure::Failure,
    request::{Call, Request},
    resources::Resources,
    response::Reply,
    route::Target,
    user::User,
};

/// Returns the call of a request for a resource, or the response that there is none.
pub(super) fn resolve(
    resources: &Resources,
    mut target: Target,
    request: Request,
    user: Arc<User>,
) -> Result<Call, Result<Reply, Failure>> {
    let Some((resource, version)) = resources.resolve(&target) else {
        // A path below a group that is not built in is refused before its resource is looked up.
        let is_known = builtin::groups().contains(&target.group);
        return Err(if is_known { Err(Failure::no_such_path()) } else { Ok(Reply::no_such_path()) });
    };
    if resource.is_custom {
        // The server ignores what follows a subresource.
        target.subresource = target.subresource.map(|it| it.split('/').next().unwrap_or_default().to_owned());
        // Only lists and watches are of all namespaces.
        if resource.is_namespaced && target.namespace.is_none() && request.method != Method::GET {
            return Err(Ok(Reply::no_such_path()));
        }
    }
    Ok(Call::new(resource, version, target, request, user))
}

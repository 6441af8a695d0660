//! Which resource a request is for.

use std::sync::Arc;

use http::Method;

use super::{
    builtin,
    failure::Failure,
    request::{Request, ResourceRequest},
    resources::Resources,
    route::Target,
    user::User,
};

/// Returns the call of a request for a resource; `None` if there is no such path.
pub(super) fn resolve(
    resources: &Resources,
    mut target: Target,
    request: Request,
    user: Arc<User>,
) -> Result<Option<ResourceRequest>, Failure> {
    let Some((resource, version)) = resources.resolve(&target) else {
        // A path below a group that is not built in is refused before its resource is looked up.
        let is_known = builtin::groups().contains(&target.group);
        return if is_known { Err(Failure::no_such_path()) } else { Ok(None) };
    };
    if resource.is_custom {
        // The server ignores what follows a subresource.
        target.subresource = target.subresource.map(|it| it.split('/').next().unwrap_or_default().to_owned());
        // Only lists and watches are of all namespaces.
        if resource.is_namespaced && target.namespace.is_none() && request.method != Method::GET {
            return Ok(None);
        }
    }
    Ok(Some(ResourceRequest::new(resource, version, target, request, user)))
}

//! Who may approve and sign requests of certificates: the server's plugins `CertificateApproval` and `CertificateSigning`.

use serde_json::Value;

use super::{Attributes, Authorization, ResourceTarget, Target};
use crate::{failure::Failure, request::ResourceRequest, store::Store, value::text};

impl Authorization {
    /// Checks that a user may act for the signer of a request.
    pub(super) fn check_signer(
        &mut self,
        store: &Store,
        call: &ResourceRequest,
        old: Option<&Value>,
        new: &Value,
    ) -> Result<(), Failure> {
        let Some(old) = old.filter(|_| call.resource.is_signing_request()) else { return Ok(()) };
        let is_same = ["certificate", "conditions"].iter().all(|name| old["status"][*name] == new["status"][*name]);
        let verb = match call.target.subresource.as_deref() {
            Some("approval") => "approve",
            Some("status") if !is_same => "sign",
            _ => return Ok(()),
        };
        let signer = text(&old["spec"], "signerName");
        let domain = signer.split('/').next().unwrap_or_default();
        if [signer, &format!("{domain}/*")].into_iter().any(|name| self.may_act_for(store, call, verb, name)) {
            return Ok(());
        }
        let problem =
            format!("user not permitted to {verb} requests with signerName {}", crdkit_core::go::quote(signer));
        Err(call.resource.forbidden(call.name(), &problem))
    }

    fn may_act_for(&mut self, store: &Store, call: &ResourceRequest, verb: &str, signer: &str) -> bool {
        let target = ResourceTarget {
            group: call.resource.group.clone(),
            resource: "signers".to_owned(),
            subresource: String::new(),
            namespace: String::new(),
            name: signer.to_owned(),
        };
        let attributes = Attributes { verb: verb.to_owned(), target: Target::Resource(target) };
        self.decide(store, &call.user, &attributes).is_allowed
    }
}

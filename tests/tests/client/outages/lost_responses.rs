//! Outages between a change and its response.

use crdkit::client::{DeleteError, Deleted, Error};
use http::{Method, Request};
use kube::client::Body;

use super::{Moment, Plane, lost, machines};
use crate::{
    request_hook::client_with_hook,
    served::{Machine, Sample},
};

#[tokio::test(flavor = "multi_thread")]
async fn an_update_whose_response_is_lost_is_made_once() {
    let Some((plane, _alone)) = Plane::alone().await else {
        return;
    };
    let direct = machines(&plane.client(), "lost-update", 1).await;
    let is_patch = |request: &Request<Body>| request.method() == Method::PATCH;
    let losing = plane.failing(Moment::BeforeAnswer, is_patch).resources::<Machine>().namespace("lost-update");
    let mut edits = 0;
    let update = losing.update("m00", |machine| {
        edits += 1;
        machine.spec.size += 1;
    });
    let error = Error::from(update.await.unwrap_err());
    assert!(matches!(error, Error::Transport { .. }), "{error}");
    assert_eq!(edits, 1);
    assert_eq!(direct.get("m00").await.unwrap().spec.size, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_creation_whose_response_is_lost_may_have_been_made() {
    let Some((plane, _alone)) = Plane::alone().await else {
        return;
    };
    let direct = machines(&plane.client(), "lost-creation", 0).await;
    let is_post = |request: &Request<Body>| request.method() == Method::POST;
    let losing = plane.failing(Moment::BeforeAnswer, is_post).resources::<Machine>().namespace("lost-creation");
    let error = losing.create(&Machine::named("a", 1)).await.unwrap_err();
    assert!(matches!(error, Error::Transport { .. }), "{error}");
    assert_eq!(direct.get("a").await.unwrap().spec.size, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_whose_response_is_lost_deletes_no_other_object() {
    let Some((plane, _alone)) = Plane::alone().await else {
        return;
    };
    let direct = machines(&plane.client(), "lost-deletion", 1).await;
    let (kube, others) = (plane.0.lock().unwrap().client(), direct.clone());
    let failing = plane.clone();
    let client = client_with_hook(move |request| {
        let (kube, plane, others) = (kube.clone(), failing.clone(), others.clone());
        async move {
            let answer = kube.send(request).await?;
            if others.get_opt("m00").await?.is_some() {
                return Ok(answer);
            }
            plane.fail().await;
            others.create(&Machine::named("m00", 7)).await?;
            Err(lost().into())
        }
    });
    let losing = client.max_retries(5).resources::<Machine>().namespace("lost-deletion");
    let error = losing.delete("m00").await.unwrap_err();
    let expected = matches!(error, DeleteError::Request(Error::Transport { .. }));
    assert!(expected, "{error}");
    assert_eq!(direct.get("m00").await.unwrap().spec.size, 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_of_one_uid_is_sent_again() {
    let Some((plane, _alone)) = Plane::alone().await else {
        return;
    };
    let direct = machines(&plane.client(), "lost-uid", 1).await;
    let uid = direct.get("m00").await.unwrap().metadata.uid.unwrap();
    let is_delete = |request: &Request<Body>| request.method() == Method::DELETE;
    let losing = plane.failing(Moment::BeforeAnswer, is_delete).resources::<Machine>().namespace("lost-uid");
    let deleted = losing.delete("m00").uid(&uid).await.unwrap();
    assert_eq!(deleted, Deleted::Gone);
    assert!(direct.get_opt("m00").await.unwrap().is_none());
}

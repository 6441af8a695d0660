//! axum, with what else a program needs written by hand: kube's types of admission, and types of its own for conversion.

use std::{net::SocketAddr, path::Path, sync::Arc};

use anyhow::{Context, Result};
use axum::{Json, Router, extract::DefaultBodyLimit, routing::post};
use crdkit_benches::objects::{VirtualMachine, old, problems, set_defaults};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
    service::TowerToHyperService,
};
use kube::core::{
    DynamicObject,
    admission::{AdmissionRequest, AdmissionResponse, AdmissionReview},
};
use serde::{Deserialize, Serialize};
use serde_json::{
    Value, json,
    value::{RawValue, to_raw_value},
};
use tokio::net::TcpListener;
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
};

use crate::reviews::{CONVERT_PATH, MUTATE_PATH, VALIDATE_PATH};

type Reviewed = Json<AdmissionReview<DynamicObject>>;

/// Serves until the end of the program.
pub(super) async fn serve(folder: &Path) -> Result<SocketAddr> {
    const BODY_LIMIT: usize = 128 << 20;
    let app = Router::new()
        .route(VALIDATE_PATH, post(validate))
        .route(MUTATE_PATH, post(mutate))
        .route(CONVERT_PATH, post(convert))
        .layer(DefaultBodyLimit::max(BODY_LIMIT));
    let acceptor = TlsAcceptor::from(Arc::new(tls_config(folder)?));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // Only delays small responses if it fails.
            let _ = stream.set_nodelay(true);
            let (acceptor, service) = (acceptor.clone(), TowerToHyperService::new(app.clone()));
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(stream).await else { return };
                // An error means that the client is gone.
                let _ = Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    Ok(address)
}

/// Without `apiVersion` and `kind`: kube's type flattens them, which costs as much as everything else.
#[derive(Deserialize)]
struct Review<R> {
    request: R,
}

#[derive(Deserialize)]
struct ConversionRequest {
    uid: String,
    #[serde(rename = "desiredAPIVersion")]
    desired_api_version: String,
    objects: Vec<Box<RawValue>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConversionReview {
    api_version: &'static str,
    kind: &'static str,
    response: ConversionResponse,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConversionResponse {
    uid: String,
    converted_objects: Vec<Box<RawValue>>,
    result: Value,
}

async fn validate(Json(review): Json<Review<AdmissionRequest<VirtualMachine>>>) -> Reviewed {
    let request = review.request;
    let mut response = AdmissionResponse::from(&request);
    if let Some(machine) = &request.object {
        if machine.is_paused() {
            response.warnings = Some(vec!["the machine is paused".to_owned()]);
        }
        let problems = problems(machine, request.old_object.as_ref());
        if !problems.is_empty() {
            response = response.deny(problems);
        }
    }
    Json(response.into_review())
}

async fn mutate(Json(review): Json<Review<AdmissionRequest<VirtualMachine>>>) -> Reviewed {
    Json(match defaulted(&review.request) {
        Ok(response) => response.into_review(),
        Err(error) => AdmissionResponse::invalid(error).into_review(),
    })
}

fn defaulted(request: &AdmissionRequest<VirtualMachine>) -> Result<AdmissionResponse> {
    let mut machine = request.object.clone().context("no object")?;
    let before = serde_json::to_value(&machine)?;
    set_defaults(&mut machine);
    let patch = json_patch::diff(&before, &serde_json::to_value(&machine)?);
    Ok(AdmissionResponse::from(request).with_patch(patch)?)
}

async fn convert(Json(review): Json<Review<ConversionRequest>>) -> Json<ConversionReview> {
    let request = review.request;
    let to_hub = request.desired_api_version.ends_with("/v1");
    let converted = request.objects.iter().map(|object| converted(object, to_hub)).collect::<Result<_>>();
    let (converted_objects, result) = match converted {
        Ok(objects) => (objects, json!({ "status": "Success" })),
        Err(error) => (Vec::new(), json!({ "status": "Failure", "message": error.to_string() })),
    };
    let response = ConversionResponse { uid: request.uid, converted_objects, result };
    Json(ConversionReview { api_version: "apiextensions.k8s.io/v1", kind: "ConversionReview", response })
}

fn converted(object: &RawValue, to_hub: bool) -> Result<Box<RawValue>> {
    let object = object.get();
    Ok(if to_hub {
        to_raw_value(&serde_json::from_str::<old::VirtualMachine>(object)?.into_hub())?
    } else {
        to_raw_value(&old::VirtualMachine::from_hub(serde_json::from_str(object)?)?)?
    })
}

fn tls_config(folder: &Path) -> Result<ServerConfig> {
    let chain = CertificateDer::pem_file_iter(folder.join("tls.crt"))?.collect::<Result<_, _>>()?;
    let key = PrivateKeyDer::from_pem_file(folder.join("tls.key"))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

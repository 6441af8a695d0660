//! The command `uninstall`.

use std::{ffi::OsString, io};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

use super::{
    ALLOW, DEFINITION, DRY_RUN, FORMAT, Failure, HINT, OPERATOR, Options, Program, Step, TIMEOUT, block_on, kind_of,
    served_kind, text,
};
use crate::{Client, client::dynamic::Dynamic, emit::Crds};

const USAGE: &str = "\
Removes the definitions from the cluster of the current context, and waits until they are gone.

Usage: <program> uninstall [OPTIONS]

If there are objects, which are removed with their definition, nothing is changed, and the exit code is 1.

Options:
  --operator         then remove the objects of the operator too, but its namespace, which may contain others
  --allow-data-loss  remove the objects of the definitions too
  --dry-run          change nothing
  --timeout SECONDS  the longest wait for each definition (default: 300)
  --format FORMAT    text (default), or json: a line for each object

Examples:
  <program> uninstall --dry-run
  <program> uninstall --operator
";

impl Program<'_> {
    pub(in super::super) fn uninstall(&mut self, crds: &Crds, arguments: Vec<OsString>) -> io::Result<u8> {
        let known = [OPERATOR, ALLOW, DRY_RUN, TIMEOUT, FORMAT];
        self.cluster("uninstall", USAGE, &known, arguments, |program, options| {
            block_on(async { program.remove_all(crds, &options, &options.client().await?).await })
        })
    }

    pub(super) async fn remove_all(&mut self, crds: &Crds, options: &Options, client: &Client) -> Result<(), Failure> {
        if options.has_operator && crds.operator.is_none() {
            return Err("there is no operator to remove: `--operator` requires `Crds::operator`".into());
        }
        self.remove_definitions(crds, options, client).await?;
        if options.has_operator {
            return self.remove_operator(crds, options, client).await;
        }
        if crds.operator.is_some() && !options.is_json {
            writeln!(self.out, "objects of the operator are left; `--operator` removes them too")?;
        }
        Ok(())
    }

    async fn remove_definitions(&mut self, crds: &Crds, options: &Options, client: &Client) -> Result<(), Failure> {
        let definitions = client.resources::<CustomResourceDefinition>();
        let mut existing = Vec::new();
        for crd in crds.render()?.crds {
            existing.extend(definitions.get_opt(&crd.metadata.name.unwrap_or_default()).await?);
        }
        if !options.allows_data_loss {
            for crd in &existing {
                refuse_objects(client, crd).await?;
            }
        }
        for name in existing.iter().filter_map(|crd| crd.metadata.name.as_deref()) {
            if options.is_dry_run {
                drop(definitions.delete(name).await?);
            } else {
                drop(definitions.delete(name).and_wait(options.timeout).await?);
            }
            self.report(options, &Step { action: "removed", kind: DEFINITION, name, ..Step::default() })?;
        }
        if existing.is_empty() && !options.is_json {
            writeln!(self.out, "the cluster has none of the definitions")?;
        }
        Ok(())
    }

    /// Removes the objects that `deploy` applies, in the opposite order.
    async fn remove_operator(&mut self, crds: &Crds, options: &Options, client: &Client) -> Result<(), Failure> {
        let cluster = client.dynamic();
        for object in crds.to_objects()?.iter().rev().filter(|object| object["kind"] != DEFINITION) {
            let (kind, name) = (text(&object["kind"]), text(&object["metadata"]["name"]));
            if kind == "Namespace" {
                if !options.is_json {
                    writeln!(self.out, "Namespace {name} is left; `kubectl delete namespace {name}` removes it")?;
                }
                continue;
            }
            if remove(&cluster, object).await.map_err(|error| format!("{kind} {name}: {error}"))? {
                let namespace = object["metadata"]["namespace"].as_str();
                self.report(options, &Step { action: "removed", kind, namespace, name, ..Step::default() })?;
            }
        }
        Ok(())
    }
}

/// Removes an object, and returns whether it was there.
async fn remove(cluster: &Dynamic, object: &Value) -> Result<bool, Failure> {
    let resources = match cluster.resources(kind_of(object)).await {
        Err(error) if error.is_unknown() => return Ok(false),
        resources => resources?,
    };
    let name = text(&object["metadata"]["name"]);
    let removed = match object["metadata"]["namespace"].as_str() {
        Some(namespace) => resources.namespace(namespace)?.delete(name).await.map(drop),
        None => resources.cluster()?.delete(name).await.map(drop),
    };
    match removed {
        Err(error) if error.is_not_found() => Ok(false),
        removed => Ok(removed.map(|()| true)?),
    }
}

/// Fails if the kind of a definition has objects, or if that is unknown.
async fn refuse_objects(client: &Client, crd: &CustomResourceDefinition) -> Result<(), Failure> {
    let kind = &crd.spec.names.kind;
    let Some(resource) = served_kind(crd) else {
        return Err(format!(
            "nothing was removed, because no version of the kind {kind} is served, so that it is unknown whether it has \
             objects: serve one with `install`\n{HINT}"
        )
        .into());
    };
    let first = client.dynamic().resources(resource).await?.all_namespaces().list().limit(1).await?;
    if first.items.is_empty() {
        Ok(())
    } else {
        Err(format!("nothing was removed, because there are objects of the kind {kind}\n{HINT}").into())
    }
}

//! The command `uninstall`.

use std::{ffi::OsString, io};

use crdkit::{Client, client::dynamic::Dynamic};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

use super::{
    ALLOW, DEFINITION, DRY_RUN, FORMAT, Failure, HINT, OPERATOR, ObjectOutcome, Options, Program, TIMEOUT, block_on,
    cluster, kind_of, report, served_kind, text,
};
use crate::project::Project;

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

pub(in super::super) fn uninstall(
    program: &mut Program<'_>,
    project: &Project,
    arguments: Vec<OsString>,
) -> io::Result<u8> {
    let known = [OPERATOR, ALLOW, DRY_RUN, TIMEOUT, FORMAT];
    cluster(program, "uninstall", USAGE, &known, arguments, |program, options| {
        block_on(async { remove_all(program, project, &options, &options.client().await?).await })
    })
}

pub(super) async fn remove_all(
    program: &mut Program<'_>,
    project: &Project,
    options: &Options,
    client: &Client,
) -> Result<(), Failure> {
    if options.has_operator && !project.has_operator() {
        return Err("there is no operator to remove: `--operator` requires `Project::operator`".into());
    }
    remove_definitions(program, project, options, client).await?;
    if options.has_operator {
        return remove_operator(program, project, options, client).await;
    }
    if project.has_operator() && !options.is_json {
        writeln!(program.out, "objects of the operator are left; `--operator` removes them too")?;
    }
    Ok(())
}

async fn remove_definitions(
    program: &mut Program<'_>,
    project: &Project,
    options: &Options,
    client: &Client,
) -> Result<(), Failure> {
    let definitions = client.resources::<CustomResourceDefinition>();
    let mut existing = Vec::new();
    for crd in project.crds().render()?.crds {
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
        report(
            program,
            options,
            &ObjectOutcome { action: "removed", kind: DEFINITION, name, ..ObjectOutcome::default() },
        )?;
    }
    if existing.is_empty() && !options.is_json {
        writeln!(program.out, "the cluster has none of the definitions")?;
    }
    Ok(())
}

/// Removes the objects that `deploy` applies, in the opposite order.
async fn remove_operator(
    program: &mut Program<'_>,
    project: &Project,
    options: &Options,
    client: &Client,
) -> Result<(), Failure> {
    let cluster = client.dynamic();
    for object in project.to_objects()?.iter().rev().filter(|object| object["kind"] != DEFINITION) {
        let (kind, name) = (text(&object["kind"]), text(&object["metadata"]["name"]));
        if kind == "Namespace" {
            if !options.is_json {
                writeln!(program.out, "Namespace {name} is left; `kubectl delete namespace {name}` removes it")?;
            }
            continue;
        }
        if remove(&cluster, object).await.map_err(|error| format!("{kind} {name}: {error}"))? {
            let namespace = object["metadata"]["namespace"].as_str();
            report(
                program,
                options,
                &ObjectOutcome { action: "removed", kind, namespace, name, ..ObjectOutcome::default() },
            )?;
        }
    }
    Ok(())
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

//! 100,000 objects refer to 1,000 Secrets, and one Secret changes: how long until the objects that refer to it are reconciled.
//!
//! Each contestant works in a process of its own with an API server in it, one after the other.

use std::{convert::Infallible, env, future::pending, sync::Arc, time::Duration};

use anyhow::{Context as _, Result};
use crdkit::{
    Client, CustomResource, KubeSchema,
    controller::{Action, Context, Controller, Error, Manager},
    informer::{CacheObject, ObjectKey},
};
use crdkit_api_server::ApiServer;
use crdkit_benches::{
    Figures, Measured, Results, Samples, Table, contest, gauges::Meter, in_conditions, in_rounds, itself,
};
use futures_util::StreamExt;
use k8s_openapi::{ByteString, api::core::v1::Secret};
use kube::{
    Api,
    runtime::{
        Controller as KubeController,
        controller::{Action as KubeAction, Config},
        reflector::ObjectRef,
        watcher,
    },
};
use serde::{Deserialize, Serialize};
use tokio::{sync::Semaphore, time::timeout};

const OBJECTS: u32 = 100_000;
const SECRETS: u32 = 1_000;
const REFERRING: u32 = OBJECTS / SECRETS;
const CHANGES: u32 = 50;
const ROUNDS: usize = 5;
/// How long nothing is reconciled before the next change.
const QUIET: Duration = Duration::from_millis(300);

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "App", namespaced)]
struct AppSpec {
    secret: String,
}

#[derive(Clone, Copy)]
enum Contestant {
    /// kube-runtime's controller, whose mapping looks through its store.
    Kube,
    /// crdkit's controller, whose mapping looks through its cache.
    Mapped,
    /// `refers` of crdkit's controller.
    Refers,
}

impl Contestant {
    const ALL: [Self; 3] = [Self::Kube, Self::Mapped, Self::Refers];

    fn name(self) -> &'static str {
        match self {
            Self::Kube => "kube",
            Self::Mapped => "mapped",
            Self::Refers => "refers",
        }
    }

    /// Starts the controller, which adds a permit for each reconciliation.
    fn start(self, server: &ApiServer, reconciled: Arc<Semaphore>) {
        let builder = || Controller::of::<App>().state(reconciled.clone()).concurrency(8);
        let controller = match self {
            Self::Kube => return start_kube(server.kube_client(), reconciled),
            Self::Mapped => builder().watches_with_lister::<Secret>(|secret, apps| {
                let apps = apps.list();
                let refers = |app: &Arc<App>| secret.name() == app.spec.secret;
                apps.iter().filter(|app| refers(app)).map(|app| ObjectKey::of(&**app)).collect()
            }),
            Self::Refers => builder().refers::<Secret>(|app| vec![app.spec.secret.clone()]),
        };
        let manager = Manager::new(server.client().field_manager("bench")).add(controller.reconcile(reconcile));
        tokio::spawn(manager.until(pending::<()>()).run());
    }
}

async fn reconcile(_: Arc<App>, cx: Context<App, Arc<Semaphore>>) -> Result<Action, Error> {
    cx.state().add_permits(1);
    Ok(Action::Done)
}

fn start_kube(client: kube::Client, reconciled: Arc<Semaphore>) {
    let controller = KubeController::new(Api::<App>::all(client.clone()), watcher::Config::default())
        .with_config(Config::default().concurrency(8));
    let apps = controller.store();
    let controller = controller.watches(Api::<Secret>::all(client), watcher::Config::default(), move |secret| {
        let refers = |app: &Arc<App>| secret.metadata.name.as_ref() == Some(&app.spec.secret);
        apps.state().iter().filter(|app| refers(app)).map(|app| ObjectRef::from_obj(&**app)).collect::<Vec<_>>()
    });
    let reconcile = |_: Arc<App>, reconciled: Arc<Semaphore>| async move {
        reconciled.add_permits(1);
        Ok::<_, Infallible>(KubeAction::await_change())
    };
    let results = controller.run(reconcile, |_, error, _| match *error {}, reconciled);
    tokio::spawn(results.for_each(async |_| {}));
}

/// A server with all objects.
async fn server() -> Result<ApiServer> {
    let server = ApiServer::new().with::<App>();
    let client: Client = server.client();
    let (apps, secrets) = (client.resources::<App>().namespace("default"), secrets(&client));
    for number in 0..SECRETS {
        secrets.create(&secret(number, 0)).await?;
    }
    for number in 0..OBJECTS {
        let spec = AppSpec { secret: secret_name(number % SECRETS) };
        apps.create(&App::new(&format!("app-{number}"), spec)).await?;
    }
    Ok(server)
}

fn secrets(client: &Client) -> crdkit::client::Resources<Secret, crdkit::client::scope::InNamespace> {
    client.resources::<Secret>().namespace("default")
}

fn secret_name(number: u32) -> String {
    format!("secret-{number}")
}

fn secret(number: u32, version: u8) -> Secret {
    let mut secret = Secret { data: Some([("key".to_owned(), ByteString(vec![version]))].into()), ..Secret::default() };
    secret.metadata.name = Some(secret_name(number));
    secret
}

/// Waits until nothing has been reconciled for a while, and forgets what was.
async fn settle(reconciled: &Semaphore) -> Result<()> {
    while let Ok(permit) = timeout(QUIET, reconciled.acquire()).await {
        permit?.forget();
    }
    Ok(())
}

#[tokio::main]
async fn measure(contestant: Contestant) -> Result<Figures> {
    let server = server().await?;
    let reconciled = Arc::new(Semaphore::new(0));
    contestant.start(&server, reconciled.clone());
    reconciled.acquire_many(OBJECTS).await?.forget();
    settle(&reconciled).await?;
    let secrets = secrets(&server.client());
    let [mut wall, mut cpu] = [Samples::default(), Samples::default()];
    for change in 0..CHANGES {
        let meter = Meter::start()?;
        secrets.replace(&secret(change * 7, 1)).await?;
        reconciled.acquire_many(REFERRING).await?.forget();
        let lapse = meter.stop()?;
        wall.push(lapse.wall * 1e6);
        cpu.push(lapse.cpu * 1e6);
        settle(&reconciled).await?;
    }
    let mut figures = Figures::default();
    figures.add("latency_us", wall.median());
    figures.add("slowest_us", wall.max());
    figures.add("cpu_us", cpu.median());
    Ok(figures)
}

fn main() -> Result<()> {
    if let Some(name) = env::args().nth(1) {
        let contestant = Contestant::ALL.into_iter().find(|it| it.name() == name).context("which contestant?")?;
        println!("{}", serde_json::to_string(&measure(contestant)?)?);
        return Ok(());
    }
    let measured = in_conditions(ROUNDS, || {
        let mut measured = Measured::default();
        for (round, contestant) in in_rounds(ROUNDS, Contestant::ALL, Contestant::name, &[]) {
            eprintln!("round {round} of {ROUNDS}: {}", contestant.name());
            measured.add(contestant.name(), contest(itself()?.arg(contestant.name()), &()));
        }
        Ok(measured)
    })?;
    println!("{OBJECTS} objects refer to {SECRETS} Secrets; {CHANGES} changes of one Secret\n\n{}", table(&measured));
    let mut results = Results::default();
    measured.state(&mut results);
    if let (Some(ours), Some(kubes)) = (measured.of("refers", "latency_us"), measured.of("kube", "latency_us")) {
        results.figure("refers_latency_vs_kube", ours.over(kubes).median());
    }
    results.write("references")?;
    measured.ensure_complete()
}

fn table(measured: &Measured) -> Table {
    let mut table = Table::new(["run", "latency, µs (all rounds)", "slowest, µs", "CPU, µs"]);
    for contestant in Contestant::ALL.map(Contestant::name) {
        let figures = ["latency_us", "slowest_us", "cpu_us"].map(|name| measured.of(contestant, name));
        let [Some(latency), Some(slowest), Some(cpu)] = figures else { continue };
        table.row([
            contestant.to_owned(),
            latency.with_range(|it| format!("{it:.0}")),
            format!("{:.0}", slowest.max()),
            format!("{:.0}", cpu.median()),
        ]);
    }
    table
}

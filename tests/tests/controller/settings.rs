//! What a manager checks of its settings, before it sends a request.

use std::{convert::Infallible, sync::Arc};

use crdkit::{
    controller::{Action, Context, Controller, ControllerBuilder, LeaderElection, Manager, ManagerError},
    webhook::{Webhook, Webhooks, certificates::CertRotator},
};
use crdkit_api_server::ApiServer;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret},
};

use crate::cluster::Fleet;

fn idle(builder: ControllerBuilder<Fleet>) -> Controller {
    builder.reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Infallible>(Action::Done))
}

fn fleets() -> ControllerBuilder<Fleet> {
    Controller::of::<Fleet>()
}

async fn refused(server: &ApiServer, manager: Manager) -> Vec<String> {
    let handle = manager.handle();
    let error = manager.run().await.unwrap_err();
    assert!(server.journal().is_empty(), "requests were sent");
    assert_eq!(error.exit_code(), 17);
    assert!(handle.addresses().await.health.is_none());
    match error {
        ManagerError::Settings(error) => error.problems,
        other => panic!("{other}"),
    }
}

#[tokio::test(start_paused = true)]
async fn all_problems_are_in_one_error() {
    let server = ApiServer::new().with::<Fleet>();
    let deployments = Controller::of::<Deployment>()
        .name("fleet")
        .reconcile(async |_: Arc<Deployment>, _: Context<Deployment>| Ok::<_, Infallible>(Action::Done));
    let done = async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Infallible>(Action::Done);
    let broken = fleets()
        .name("my controller")
        .finalizer("no finalizer", done)
        .finalizer("sea.example.com/a", done)
        .finalizer("sea.example.com/a", done);
    let election = LeaderElection::new("Bad_Name").namespace("Not A Namespace").identity("");
    let manager = Manager::new(server.client())
        .leader_election(election)
        .add(idle(fleets().owns::<ConfigMap>().owns::<Secret>()))
        .add(deployments)
        .add(idle(broken));
    let problems = refused(&server, manager).await;
    let expected = [
        "the controllers of `Fleet`, `Deployment` have the same name `fleet`",
        "the controller `fleet` owns `ConfigMap`, `Secret`, and the client has no field manager",
        "`my controller` is not the name of a controller",
        "`no finalizer` of the controller `my controller` is not the name of a finalizer",
        "the controller `my controller` has the finalizer `sea.example.com/a` twice",
        "`Bad_Name` is not the name of a lease",
        "`Not A Namespace` is not the namespace of a lease",
        "the identity of a candidate for the lease `Bad_Name` is empty",
    ];
    assert_eq!(problems.len(), expected.len(), "{problems:#?}");
    assert!(problems.iter().zip(expected).all(|(problem, start)| problem.starts_with(start)), "{problems:#?}");
}

#[tokio::test(start_paused = true)]
async fn equal_names_of_two_controllers_of_a_kind_are_refused() {
    let server = ApiServer::new().with::<Fleet>();
    let manager = Manager::new(server.client()).add(idle(fleets())).add(idle(fleets()));
    let problems = refused(&server, manager).await;
    assert_eq!(
        problems,
        [
            "the controllers of `Fleet`, `Fleet` have the same name `fleet`: set another one with `ControllerBuilder::name`"
        ]
    );
}

async fn clean_up(_: Arc<Fleet>, _: Context<Fleet>) -> Result<Action, Infallible> {
    Ok(Action::Done)
}

#[tokio::test(start_paused = true)]
async fn controllers_of_the_same_objects_do_not_disturb_each_other() {
    let server = ApiServer::new().with::<Fleet>();
    let client = || server.client().field_manager("fleets");
    let with_finalizer = |name| fleets().name(name).finalizer("sea.example.com/a", clean_up);
    let in_namespace = |name, namespace: &'static str| {
        with_finalizer(name).formerly_named("first").select(move |fleets| fleets.namespaces([namespace]))
    };
    let labelled = |name, label: &'static str| with_finalizer(name).select(move |fleets| fleets.labels(label));
    for controllers in [
        [with_finalizer("first"), with_finalizer("second")],
        [with_finalizer("first"), in_namespace("second", "a").finalizer("sea.example.com/b", clean_up)],
        [with_finalizer("first"), labelled("second", "a=b")],
    ] {
        let manager = controllers.into_iter().fold(Manager::new(client()), |manager, it| manager.add(idle(it)));
        let problems = refused(&server, manager).await;
        let expected = "the controllers `first` and `second` of `Fleet` have the same finalizer `sea.example.com/a`: ";
        assert!(problems[0].starts_with(expected), "{problems:?}");
    }
    for former in ["first", "fleets/first"] {
        let renamed = fleets().name("second").formerly_named(former);
        let manager = Manager::new(client()).add(idle(renamed)).add(idle(fleets().name("first")));
        let problems = refused(&server, manager).await;
        let expected = "`first` is a former name of the controller `second` of `Fleet`, and the name of another one";
        assert!(problems.len() == 1 && problems[0].starts_with(expected), "{problems:?}");
    }
    // Of other objects, or perhaps so.
    for controllers in [
        [in_namespace("first", "a"), in_namespace("second", "b")],
        [labelled("first", "a=b"), labelled("second", "a!=b")],
    ] {
        let manager = controllers.into_iter().fold(Manager::new(client()), |manager, it| manager.add(idle(it)));
        manager.until(tokio::time::sleep(std::time::Duration::from_secs(10))).run().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn what_dry_runs_do_not_store_is_refused() {
    let server = ApiServer::new().with::<Fleet>();
    let client = || server.client().field_manager("fleets").dry_run();
    let cleaning = fleets().finalizer("sea.example.com/a", clean_up);
    for manager in [
        Manager::new(client()).add(idle(cleaning)),
        Manager::new(client()).leader_election("fleets").add(idle(fleets())),
        Manager::new(client()).shards("fleets", 2).add(idle(fleets())),
    ] {
        let problems = refused(&server, manager).await;
        assert!(problems.len() == 1 && problems[0].contains("are dry runs"), "{problems:?}");
    }
    let idle = Manager::new(client()).add(idle(fleets().owns::<ConfigMap>()));
    idle.until(tokio::time::sleep(std::time::Duration::from_secs(10))).run().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn names_of_certificates_are_checked() {
    let server = ApiServer::new().with::<Fleet>();
    let client = server.client();
    let webhooks = Webhooks::new("Bad_Name").add(Webhook::of::<Fleet>().mutate(|_, _| {}));
    let rotator = CertRotator::for_service(&client, "Not A Namespace", "web").secret("Bad_Secret");
    let manager = Manager::new(client).certificates(rotator.inject_webhooks(&webhooks)).add(idle(fleets()));
    let problems = refused(&server, manager).await;
    let expected = [
        "`Bad_Secret` is not the name of one of the secrets for the certificates of webhooks",
        "`Bad_Name` is not the name of one of the mutatingwebhookconfigurations for the certificates of webhooks",
        "`Not A Namespace` is not the namespace of the certificates of webhooks",
    ];
    assert_eq!(problems, expected);
}

#[tokio::test(start_paused = true)]
async fn field_managers_that_the_api_server_rejects_are_refused() {
    let server = ApiServer::new().with::<Fleet>();
    for name in ["", "a\nb", &"x".repeat(129)] {
        let manager = Manager::new(server.client().field_manager(name)).add(idle(fleets()));
        let problems = refused(&server, manager).await;
        assert!(problems[0].contains("is not the name of a field manager"), "{problems:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn identities_and_groups_of_shards_are_checked_too() {
    let server = ApiServer::new().with::<Fleet>();
    let manager =
        Manager::new(server.client()).shards(LeaderElection::new("fleets").identity(""), 2).add(idle(fleets()));
    assert_eq!(refused(&server, manager).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_works_is_not_refused() {
    let server = ApiServer::new().with::<Fleet>();
    let manager = Manager::new(server.client().field_manager("sea.example.com/operator 1"))
        .leader_election("sea.fleets")
        .add(idle(
            fleets().owns::<ConfigMap>().finalizer("sea.example.com/a", async |_: Arc<Fleet>, _: Context<Fleet>| {
                Ok::<_, Infallible>(Action::Done)
            }),
        ))
        .add(idle(fleets().name("sea.example.com/Other_fleets.2")))
        .until(tokio::time::sleep(std::time::Duration::from_secs(10)));
    manager.run().await.unwrap();
}

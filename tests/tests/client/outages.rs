//! Outages of the server during operations of several requests.

mod lost_responses;
mod several;

use std::{
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use crdkit::{
    Client, CustomResourceExt,
    client::{Resources, scope::InNamespace},
};
use crdkit_tests::ControlPlane;
use http::Request;
use kube::client::Body;
use tokio::{
    sync::{MutexGuard, OnceCell},
    task::spawn_blocking,
};

use crate::{
    request_hook::client_with_hook,
    served::{Machine, Sample, client_of, namespace},
};

const DOWN: Duration = Duration::from_millis(500);

type Machines = Resources<Machine, InNamespace>;

/// A control plane that one test at a time uses and stops.
#[derive(Clone)]
struct Plane(Arc<Mutex<ControlPlane>>);

impl Plane {
    /// Returns the control plane of these tests, for the caller only.
    async fn alone() -> Option<(Self, MutexGuard<'static, ()>)> {
        static PLANE: OnceCell<Option<Plane>> = OnceCell::const_new();
        static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
        let alone = ALONE.lock().await;
        let plane = PLANE.get_or_init(Self::start).await.clone()?;
        Some((plane, alone))
    }

    async fn start() -> Option<Self> {
        let plane = ControlPlane::start()?;
        let crd = serde_json::to_value(Machine::crd()).unwrap();
        plane.install(&crd).await.expect_accepted();
        Some(Self(Arc::new(Mutex::new(plane))))
    }

    fn client(&self) -> Client {
        client_of(&self.0.lock().unwrap())
    }

    /// Stops the server, and returns when it is ready again.
    async fn fail(&self) {
        let plane = self.clone();
        spawn_blocking(move || plane.fail_now()).await.unwrap();
    }

    fn fail_now(&self) {
        self.halt();
        thread::sleep(DOWN);
        self.resume();
    }

    fn halt(&self) {
        self.0.lock().unwrap().halt();
    }

    fn resume(&self) {
        self.0.lock().unwrap().resume();
    }

    /// Returns a client during whose first matching request the server fails.
    fn failing(&self, moment: Moment, matches: fn(&Request<Body>) -> bool) -> Client {
        let (plane, kube) = (self.clone(), self.0.lock().unwrap().client());
        let first = Arc::new(AtomicBool::new(true));
        let client = client_with_hook(move |request| {
            let fails = matches(&request) && first.swap(false, Ordering::SeqCst);
            let (plane, kube) = (plane.clone(), kube.clone());
            async move {
                if fails && moment == Moment::BeforeRequest {
                    plane.fail().await;
                }
                let answer = kube.send(request).await?;
                if fails && moment == Moment::BeforeAnswer {
                    plane.fail().await;
                    return Err(lost().into());
                }
                Ok(answer)
            }
        });
        client.max_retries(5)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Moment {
    BeforeRequest,
    /// The request is processed, but its response is lost.
    BeforeAnswer,
}

fn lost() -> io::Error {
    io::ErrorKind::ConnectionReset.into()
}

/// Creates machines with the sizes from 0.
async fn machines(client: &Client, test: &str, count: i32) -> Machines {
    let machines = client.resources::<Machine>().namespace(&namespace(client, test).await);
    for size in 0..count {
        let machine = Machine::named(&format!("m{size:02}"), size);
        machines.create(&machine).await.unwrap();
    }
    machines
}

fn sizes(machines: &[Machine]) -> Vec<i32> {
    machines.iter().map(Sample::size).collect()
}

use crdkit::{
    Client,
    controller::{Controller, Manager},
};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};

fn manager(client: Client) -> Manager {
    Manager::new(client).add(Controller::of::<Pod>().owns::<ConfigMap>())
}

fn main() {
    let _ = manager;
}

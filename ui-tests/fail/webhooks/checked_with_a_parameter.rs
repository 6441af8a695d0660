use crdkit::{
    Client,
    webhook::{Webhooks, checked},
};

#[checked]
fn webhooks(_client: Client) -> Webhooks {
    Webhooks::new("pods")
}

fn main() {
    let _ = webhooks(Client::offline());
}

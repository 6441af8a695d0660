use crdkit::webhook::WebhookName;

const NAME: WebhookName = WebhookName::new("Machines.infra.example.com");

fn main() {
    println!("{NAME}");
}

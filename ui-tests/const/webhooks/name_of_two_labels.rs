use crdkit::webhook::WebhookName;

const NAME: WebhookName = WebhookName::new("machines.local");

fn main() {
    println!("{NAME}");
}

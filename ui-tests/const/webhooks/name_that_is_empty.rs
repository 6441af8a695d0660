use crdkit::webhook::WebhookName;

const NAME: WebhookName = WebhookName::new("");

fn main() {
    println!("{NAME}");
}

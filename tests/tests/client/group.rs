//! Clients of one group version.

use crate::served::{Machine, Sample, Site, client, namespace};

crdkit::group_client! {
    /// The kinds of these tests.
    pub(crate) struct ClientV1("client.example.com/v1");

    Machine => machines(namespace);
    Site => sites();
}

#[tokio::test]
async fn both_scopes_have_their_methods() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "group").await;
    let group = ClientV1::new(&client);
    let machines = group.machines(&namespace);
    machines.create(&Machine::named("a", 1)).await.unwrap();
    group.sites().create(&Site::named("of-a-group", 2)).await.unwrap();
    assert_eq!(machines.get("a").await.unwrap().size(), 1);
    assert_eq!(group.sites().get("of-a-group").await.unwrap().size(), 2);
}

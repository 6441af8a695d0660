async fn pages_are_stored() -> Result<(), Box<dyn std::error::Error>> {
    use crdkit_api_server::ControlPlane;
    use k8s_openapi::api::core::v1::ConfigMap;

    let client = ControlPlane::shared()?.client();
    let pages = client.resources::<ConfigMap>().namespace("default");
    let mut page = ConfigMap::default();
    page.metadata.name = Some("home".into());
    page.data = Some([("title".to_owned(), "Hello".to_owned())].into());
    pages.create(&page).await?;

    let stored = pages.get("home").await?;
    assert_eq!(stored.data, page.data);
    assert!(stored.metadata.uid.is_some());
    Ok(())
}

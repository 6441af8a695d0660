use ::kube::{Client, Config};

use super::*;

#[tokio::test]
async fn broken_connections_are_described() {
    let mut config = Config::new("http://127.0.0.1:1".parse().unwrap());
    config.default_retry = false;
    let client = Client::try_from(config).unwrap();
    let error = client.apiserver_version().await.unwrap_err();
    let text = KubeError::from(error).to_string();
    let expected = "client error (Connect): tcp connect error: Connection refused (os error 111)";
    assert_eq!(text, expected);
}

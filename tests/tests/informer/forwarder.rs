//! A way to a server that can be cut.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use crdkit::Client;
use kube::Config;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
};

pub(crate) struct Forwarder {
    port: u16,
    open: Arc<watch::Sender<bool>>,
    connections: Arc<AtomicUsize>,
    live: Arc<AtomicUsize>,
}

impl Forwarder {
    /// Forwards what comes to a port of its own to that of the configuration.
    pub(crate) async fn to(config: &Config) -> Self {
        let port = config.cluster_url.port_u16().unwrap();
        let server = SocketAddr::from(([127, 0, 0, 1], port));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let forwarder = Self {
            port: listener.local_addr().unwrap().port(),
            open: Arc::new(watch::Sender::new(true)),
            connections: Arc::default(),
            live: Arc::default(),
        };
        let (open, connections) = (forwarder.open.clone(), forwarder.connections.clone());
        let live = forwarder.live.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                let (open, live) = (open.subscribe(), live.clone());
                tokio::spawn(async move {
                    live.fetch_add(1, Ordering::SeqCst);
                    forward(client, server, open).await;
                    live.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        forwarder
    }

    /// A client whose connections go through here.
    pub(crate) fn client(&self, mut config: Config) -> Client {
        let url = config.cluster_url.to_string();
        let port = config.cluster_url.port_u16().unwrap().to_string();
        config.cluster_url = url.replace(&port, &self.port.to_string()).parse().unwrap();
        Client::try_from(config).unwrap()
    }

    /// Cuts all connections, and refuses new ones.
    pub(crate) fn close(&self) {
        self.open.send_replace(false);
    }

    /// Cuts all connections, but takes new ones.
    pub(crate) fn cut(&self) {
        self.close();
        self.open();
    }

    pub(crate) fn open(&self) {
        self.open.send_replace(true);
    }

    /// How many connections there are.
    pub(crate) fn live(&self) -> usize {
        self.live.load(Ordering::SeqCst)
    }

    /// How many connections have been made.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn forward(mut client: TcpStream, server: SocketAddr, mut open: watch::Receiver<bool>) {
    if !*open.borrow_and_update() {
        return;
    }
    let Ok(mut server) = TcpStream::connect(server).await else {
        return;
    };
    tokio::select! {
        _ = copy_bidirectional(&mut client, &mut server) => {}
        _ = open.changed() => {}
    }
}

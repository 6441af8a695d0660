//! Clients without credentials that try to keep a server from others: webhooks, health checks, metrics, and the API server for tests.
//!
//! The servers are a process of their own, so that its memory and its open files can be read. The bounds are generous, because the
//! machine may be busy; `CRDKIT_ATTACK_CONNECTIONS=5000 CRDKIT_ATTACK_SECONDS=10` with `--release --nocapture` prints what it measures.

mod clients;
mod honest;
mod process;

use std::{
    env,
    time::{Duration, Instant},
};

use tokio::{runtime::Builder, task::spawn_blocking, time::sleep};

use self::{clients::Attack, process::Attacked};

/// How long a bad connection may stay at most: the time for a response, and that of a busy machine.
const GONE: Duration = Duration::from_secs(60);
/// The longest time for an honest client on a busy machine.
const SLOWEST: Duration = Duration::from_secs(10);
/// Half of Kubernetes' default grace. What is unfinished has a second, and a large conversion, which is answered, takes some on a busy
/// machine.
const STOPPED: Duration = Duration::from_secs(15);
/// `SECURITY.md` states it.
const MEMORY: u64 = 256 << 20;

fn number(variable: &str, default: usize) -> usize {
    env::var(variable).map_or(default, |number| number.parse().expect("a number"))
}

/// Runs an attack, and measures honest clients meanwhile.
async fn measure(attacked: &Attacked, attack: Attack, connections: usize, seconds: u64) {
    let mut attackers = attack.start(attacked.addresses, connections);
    let addresses = attacked.addresses;
    // On a thread of its own: the clients that attack have those of this runtime.
    let (webhooks, health) = spawn_blocking(move || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(honest::measure(addresses, Duration::from_secs(seconds)))
    })
    .await
    .unwrap();
    attackers.abort_all();
    while attackers.join_next().await.is_some() {}
    let usage = attacked.usage();
    println!(
        "{attack:?}: reviews {webhooks}; health {health}; {} MB, at most {} MB, {} files",
        usage.memory >> 20,
        usage.most_memory >> 20,
        usage.files
    );
    webhooks.check(attack, SLOWEST);
    health.check(attack, SLOWEST);
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attacks_do_not_keep_others_away() {
    let connections = number("CRDKIT_ATTACK_CONNECTIONS", 300);
    let seconds = number("CRDKIT_ATTACK_SECONDS", 2) as u64;
    let attacked = Attacked::start().await;
    let before = attacked.usage();
    println!("before: {} MB, {} files", before.memory >> 20, before.files);
    for attack in Attack::ALL {
        measure(&attacked, attack, connections, seconds).await;
    }
    // Bad connections end by themselves.
    let held = clients::hold(attacked.addresses).await;
    let start = Instant::now();
    while attacked.usage().files > before.files + 4 {
        assert!(start.elapsed() < GONE, "{} files are open", attacked.usage().files);
        sleep(Duration::from_millis(200)).await;
    }
    println!(
        "bad connections were gone after {:.1} s; {} MB",
        start.elapsed().as_secs_f64(),
        attacked.usage().memory >> 20
    );
    drop(held);
    let usage = attacked.usage();
    assert!(usage.most_memory < MEMORY, "{} MB", usage.most_memory >> 20);
    // The allocator keeps some of it.
    assert!(usage.memory < MEMORY / 4 * 3, "{} MB", usage.memory >> 20);

    // What clients left unfinished does not delay the end.
    let held = clients::hold(attacked.addresses).await;
    let stopped = attacked.terminate().await;
    println!("stopped after {:.1} s", stopped.as_secs_f64());
    assert!(stopped < STOPPED, "{stopped:?}");
    drop(held);
}

/// The other process; nothing in this one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn program() {
    if env::var(process::PROGRAM).is_ok() {
        process::run().await;
    }
}

#[derive(Clone, Copy, Debug)]
struct Usage {
    memory: u64,
    most_memory: u64,
    files: usize,
}

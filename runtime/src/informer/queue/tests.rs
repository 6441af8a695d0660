use std::{
    collections::HashMap,
    sync::atomic::{AtomicUsize, Ordering},
};

use futures_util::FutureExt;
use tokio::time::sleep;

use super::*;

mod feeding;
mod running;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A back-off with equal bounds, so that only the jitter of one half is random.
fn steady() -> Backoff {
    Backoff::new(seconds(2), seconds(20))
}

#[tokio::test(start_paused = true)]
async fn a_key_is_handed_out_when_it_is_added() {
    let queue = Queue::new();
    let started = Instant::now();
    let waiting = tokio::spawn({
        let queue = queue.clone();
        async move { queue.get().await.map(|claim| *claim) }
    });
    sleep(seconds(1)).await;
    queue.add("a");
    assert_eq!(waiting.await.unwrap(), Some("a"));
    assert_eq!(started.elapsed(), seconds(1));
}

#[tokio::test(start_paused = true)]
async fn a_key_is_handed_out_after_its_delay() {
    let queue = Queue::new();
    let started = Instant::now();
    queue.add_after("late", seconds(5));
    queue.add_after("early", seconds(7));
    let waiting = queue.get();
    queue.add_after("early", seconds(3));
    assert_eq!(*waiting.await.unwrap(), "early");
    assert_eq!(started.elapsed().as_secs(), 3);
    assert_eq!(*queue.get().await.unwrap(), "late");
    assert_eq!(started.elapsed().as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn an_earlier_time_wakes_waiters_and_survives_cancellation() {
    let queue = Queue::new();
    queue.add_after("late", seconds(60));
    let get = |queue: &Queue<&'static str>| {
        let queue = queue.clone();
        tokio::spawn(async move { *queue.get().await.unwrap() })
    };
    let (first, second) = (get(&queue), get(&queue));
    sleep(seconds(1)).await;
    queue.add_after("early", seconds(5));
    sleep(seconds(1)).await;
    first.abort();
    let started = Instant::now();
    assert_eq!(second.await.unwrap(), "early");
    assert_eq!(started.elapsed().as_secs(), 4);
}

#[tokio::test]
async fn a_claimed_key_is_handed_out_again_when_its_item_is_dropped() {
    let queue = Queue::new();
    queue.add("a");
    let claim = queue.get().await.unwrap();
    queue.add("a");
    assert!(queue.get().now_or_never().is_none());
    drop(claim);
    assert_eq!(*queue.get().await.unwrap(), "a");
}

#[tokio::test(start_paused = true)]
async fn delays_grow_for_each_key_until_it_is_forgotten() {
    let queue = Queue::new().with_backoff(steady());
    for longest in [2, 4, 8, 16, 20, 20] {
        let delay = queue.add_with_backoff("a");
        assert!((seconds(longest) / 2..=seconds(longest)).contains(&delay), "{delay:?}");
        drop(queue.get().await);
    }
    assert_eq!((queue.retries(&"a"), queue.retries(&"b")), (6, 0));
    assert!(queue.add_with_backoff("b") <= seconds(2));
    queue.forget(&"a");
    assert_eq!(queue.retries(&"a"), 0);
    assert!(queue.add_with_backoff("a") <= seconds(2));
    assert_eq!(queue.metrics().retries, 8);
}

#[tokio::test(start_paused = true)]
async fn shutdown_wakes_waiters() {
    let queue = Queue::<u8>::new();
    queue.add_after(1, seconds(60));
    let waiting = tokio::spawn({
        let queue = queue.clone();
        async move { queue.get().await.is_none() }
    });
    sleep(seconds(1)).await;
    let started = Instant::now();
    queue.shut_down();
    assert!(waiting.await.unwrap());
    assert!(queue.get().await.is_none());
    assert_eq!(started.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn an_infinite_delay_is_accepted() {
    let queue = Queue::new();
    queue.add_after("never", Duration::MAX);
    queue.add_after("a", seconds(1));
    assert_eq!(*queue.get().await.unwrap(), "a");
    assert!(queue.get().now_or_never().is_none());
}

#[tokio::test(start_paused = true)]
async fn any_duration_is_accepted() {
    let almost = |less: u64| Duration::MAX - Duration::from_secs(less);
    let seconds_of_i64 = Duration::from_secs(i64::MAX as u64);
    let longest = [0, 1, 5, 1 << 40].map(almost);
    for long in longest.into_iter().chain([seconds_of_i64, seconds_of_i64 - seconds(2)]) {
        sleep(seconds(3)).await;
        let backoff = Backoff::new(long, long);
        let queue = Queue::new().with_backoff(backoff).with_drain_timeout(long);
        queue.add_after("never", long);
        for _ in 0..3 {
            queue.add_with_backoff("neither");
        }
        queue.add_after("a", seconds(1));
        assert_eq!(*queue.get().await.unwrap(), "a");
        assert!(queue.get().now_or_never().is_none());
        queue.add("b");
        let done = queue.clone();
        let reconcile = move |_| {
            done.shut_down();
            async { Ok::<_, &str>(Action::Requeue(Duration::MAX)) }
        };
        queue.run(usize::MAX, reconcile).await.unwrap();
    }
}

#[tokio::test]
async fn a_work_item_can_be_put_back() {
    let queue = Queue::new();
    [1, 2].into_iter().for_each(|key| queue.add(key));
    let claim = queue.get().await.unwrap();
    claim.put_back();
    assert_eq!(*queue.get().await.unwrap(), 1);
    assert_eq!(queue.retries(&1), 0);
}

#[test]
fn threads_never_share_a_key_and_lose_none() {
    const KEYS: usize = 20;
    let queue = Queue::<usize>::new();
    let looked_at: Vec<_> = (0..KEYS).map(|_| AtomicUsize::new(0)).collect();
    let busy: Vec<_> = (0..KEYS).map(|_| AtomicUsize::new(0)).collect();
    let state: Vec<_> = (0..KEYS).map(|_| AtomicUsize::new(0)).collect();
    let work = || {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_time().build().unwrap();
        runtime.block_on(async {
            while let Some(key) = queue.get().await {
                assert_eq!(busy[*key].fetch_add(1, Ordering::SeqCst), 0);
                looked_at[*key].store(state[*key].load(Ordering::SeqCst), Ordering::SeqCst);
                busy[*key].fetch_sub(1, Ordering::SeqCst);
            }
        });
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(work);
        }
        for change in 1..=20_000 {
            let key = change % KEYS;
            state[key].store(change, Ordering::SeqCst);
            queue.add(key);
        }
        while queue.metrics().depth + queue.metrics().claimed > 0 {
            std::thread::yield_now();
        }
        queue.shut_down();
    });
    for key in 0..KEYS {
        let (seen, is) = (&looked_at[key], &state[key]);
        assert_eq!(seen.load(Ordering::SeqCst), is.load(Ordering::SeqCst));
    }
}

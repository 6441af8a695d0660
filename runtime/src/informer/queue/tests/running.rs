use super::*;

/// Shuts down when the queue is idle, or after a timeout.
async fn until_idle(queue: &Queue<u8>) {
    for _ in 0..20 {
        sleep(seconds(100)).await;
        let metrics = queue.metrics();
        if metrics.depth + metrics.delayed + metrics.claimed == 0 {
            break;
        }
    }
    queue.shut_down();
}

#[tokio::test(start_paused = true)]
async fn concurrency_is_limited() {
    let queue = Queue::new();
    (0..10).for_each(|key| queue.add(key));
    let counts = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
    let started = Instant::now();
    let reconcile = {
        let (queue, counts) = (queue.clone(), counts.clone());
        move |_| {
            let (queue, counts) = (queue.clone(), counts.clone());
            async move {
                let (now, most) = &*counts;
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                sleep(seconds(1)).await;
                now.fetch_sub(1, Ordering::SeqCst);
                if queue.metrics().work.count == 9 {
                    queue.shut_down();
                }
                Ok::<_, &str>(Action::Done)
            }
        }
    };
    queue.run(3, reconcile).await.unwrap();
    assert_eq!(counts.1.load(Ordering::SeqCst), 3);
    assert_eq!(started.elapsed().as_secs(), 4);
}

#[tokio::test(start_paused = true)]
async fn failures_and_panics_are_retried_until_success() {
    let queue = Queue::new().with_backoff(steady());
    [1, 2, 3].into_iter().for_each(|key| queue.add(key));
    let tries = Arc::new(Mutex::new(HashMap::<u8, Vec<Instant>>::new()));
    let reconcile = {
        let tries = tries.clone();
        move |key| {
            let mut all = tries.lock().unwrap();
            let tries = all.entry(key).or_default();
            tries.push(Instant::now());
            let try_number = tries.len();
            drop(all);
            assert!(key != 3 || try_number > 1, "panics before the future is created");
            async move {
                match (key, try_number) {
                    (1, 1..4) => Err("not yet"),
                    (2, 1..3) => panic!("oh {key}"),
                    _ => Ok(Action::Done),
                }
            }
        }
    };
    let (ended, ()) = tokio::join!(queue.run(2, reconcile), until_idle(&queue));
    ended.unwrap();
    let tries = tries.lock().unwrap();
    assert_eq!([1, 2, 3].map(|key| tries[&key].len()), [4, 3, 2]);
    let delays = tries[&1].windows(2).map(|pair| pair[1] - pair[0]);
    for (delay, longest) in delays.zip([2, 4, 8]) {
        assert!(delay >= seconds(longest) / 2 && delay <= seconds(longest) + seconds(1));
    }
    assert_eq!([1, 2, 3].map(|key| queue.retries(&key)), [0, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn a_requeued_object_is_reconciled_again() {
    let queue = Queue::new();
    queue.add(1);
    let times = Arc::new(Mutex::new(Vec::new()));
    let reconcile = {
        let times = times.clone();
        move |_| {
            let mut times = times.lock().unwrap();
            times.push(Instant::now());
            let again = times.len() < 3;
            async move { Ok::<_, &str>(if again { Action::Requeue(seconds(30)) } else { Action::Done }) }
        }
    };
    let (ended, ()) = tokio::join!(queue.run(0, reconcile), until_idle(&queue));
    ended.unwrap();
    let times = times.lock().unwrap();
    let delays: Vec<_> = times.windows(2).map(|pair| (pair[1] - pair[0]).as_secs()).collect();
    assert_eq!(delays, [30, 30]);
}

#[tokio::test(start_paused = true)]
async fn shutdown_waits_for_running_reconciliations() {
    let queue = Queue::new();
    [1, 2].into_iter().for_each(|key| queue.add(key));
    let done = Arc::new(AtomicUsize::new(0));
    let reconcile = {
        let done = done.clone();
        move |_: u8| {
            let done = done.clone();
            async move {
                sleep(seconds(10)).await;
                done.fetch_add(1, Ordering::SeqCst);
                Err::<Action, _>("too late for a retry")
            }
        }
    };
    let stop = async {
        sleep(seconds(1)).await;
        queue.shut_down();
    };
    let started = Instant::now();
    let (ended, ()) = tokio::join!(queue.run(1, reconcile), stop);
    ended.unwrap();
    assert_eq!((done.load(Ordering::SeqCst), started.elapsed().as_secs()), (1, 10));
    assert_eq!(queue.metrics().claimed, 0);
}

#[tokio::test(start_paused = true)]
async fn shutdown_cancels_reconciliations_that_hang() {
    let queue = Queue::new().with_drain_timeout(seconds(5));
    [1, 2, 3].into_iter().for_each(|key| queue.add(key));
    let dropped = Arc::new(AtomicUsize::new(0));
    let reconcile = {
        let dropped = dropped.clone();
        move |key: u8| {
            let drop_counts = CountsDrop(dropped.clone());
            async move {
                sleep(seconds(if key == 2 { 3 } else { 1_000_000 })).await;
                drop(drop_counts);
                Ok::<_, &str>(Action::Done)
            }
        }
    };
    let stop = async {
        sleep(seconds(1)).await;
        queue.shut_down();
    };
    let started = Instant::now();
    let (ended, ()) = tokio::join!(queue.run(3, reconcile), stop);
    let mut drain_timed_out = ended.unwrap_err();
    drain_timed_out.keys.sort_unstable();
    assert_eq!((drain_timed_out.keys, drain_timed_out.after), (vec![1, 3], seconds(5)));
    assert_eq!(started.elapsed().as_secs(), 6);
    tokio::task::yield_now().await;
    assert_eq!(dropped.load(Ordering::SeqCst), 3);
    assert_eq!(queue.metrics().claimed, 0);
}

struct CountsDrop(Arc<AtomicUsize>);

impl Drop for CountsDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn an_error_names_at_most_ten_keys() {
    let drain_timed_out = |keys| {
        let after = seconds(30);
        DrainTimedOut { keys, after }.to_string()
    };
    let message = "reconciliations did not complete within 30s after shutdown and were cancelled: 1, 2";
    assert_eq!(drain_timed_out(vec![1, 2]), message);
    assert!(drain_timed_out((0..1_000).collect()).ends_with(": 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 990 more"));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_run_loses_no_key() {
    let queue = Queue::new();
    (0..8).for_each(|key| queue.add(key));
    let hangs = |key: u8| async move {
        if key > 1 {
            std::future::pending::<()>().await;
        }
        Ok::<_, &str>(Action::Done)
    };
    let ended = tokio::time::timeout(seconds(1), queue.run(4, hangs)).await;
    assert!(ended.is_err());
    tokio::task::yield_now().await;
    let metrics = queue.metrics();
    assert_eq!((metrics.depth, metrics.claimed, metrics.work.count), (6, 0, 2));
    let done = Arc::new(Mutex::new(Vec::new()));
    let reconcile = {
        let done = done.clone();
        move |key| {
            done.lock().unwrap().push(key);
            async { Ok::<_, &str>(Action::Done) }
        }
    };
    let (ended, ()) = tokio::join!(queue.run(1, reconcile), until_idle(&queue));
    ended.unwrap();
    done.lock().unwrap().sort_unstable();
    assert_eq!(*done.lock().unwrap(), [2, 3, 4, 5, 6, 7]);
}

#[tokio::test(start_paused = true)]
async fn retries_of_many_keys_are_rate_limited() {
    let tries = async |keys: u32, backoff: Backoff| {
        let queue = Queue::new().with_backoff(backoff);
        (0..keys).for_each(|key| queue.add(key));
        let tries = Arc::new(AtomicUsize::new(0));
        let fails = {
            let tries = tries.clone();
            move |_| {
                tries.fetch_add(1, Ordering::SeqCst);
                async { Err::<Action, _>("down") }
            }
        };
        let _ = tokio::time::timeout(seconds(20), queue.run(8, fails)).await;
        tries.load(Ordering::SeqCst)
    };
    let first = Backoff::new(Duration::from_millis(100), seconds(300));
    let limited = tries(1_000, first).await;
    assert!((1_250..=1_300).contains(&limited), "{limited}");
    let more = tries(1_000, first.overall(20, 500)).await;
    assert!((1_850..=1_900).contains(&more), "{more}");
    let all = tries(1_000, first.without_overall()).await;
    assert!(all > 5 * 1_000, "{all}");
    // 10,000 in 300 s, so that none waits longer: half of them are the oldest.
    let many = tries(5_000, first).await;
    assert!((5_700..=5_800).contains(&many), "{many}");
}

use super::*;

/// Shuts down when nothing waits any more, or after too long.
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
async fn so_many_run_at_once_and_no_more() {
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
    queue.run(3, reconcile).await;
    assert_eq!(counts.1.load(Ordering::SeqCst), 3);
    assert_eq!(started.elapsed().as_secs(), 4);
}

#[tokio::test(start_paused = true)]
async fn failures_and_panics_are_tried_again_until_they_succeed() {
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
            assert!(key != 3 || try_number > 1, "before the future is made");
            async move {
                match (key, try_number) {
                    (1, 1..4) => Err("not yet"),
                    (2, 1..3) => panic!("oh {key}"),
                    _ => Ok(Action::Done),
                }
            }
        }
    };
    tokio::join!(queue.run(2, reconcile), until_idle(&queue));
    let tries = tries.lock().unwrap();
    assert_eq!([1, 2, 3].map(|key| tries[&key].len()), [4, 3, 2]);
    let delays = tries[&1].windows(2).map(|pair| pair[1] - pair[0]);
    for (delay, longest) in delays.zip([2, 4, 8]) {
        assert!(delay >= seconds(longest) / 2 && delay <= seconds(longest) + seconds(1));
    }
    assert_eq!([1, 2, 3].map(|key| queue.retries(&key)), [0, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn an_object_is_looked_at_again_if_it_is_wanted() {
    let queue = Queue::new();
    queue.add(1);
    let times = Arc::new(Mutex::new(Vec::new()));
    let reconcile = {
        let times = times.clone();
        move |_| {
            let mut times = times.lock().unwrap();
            times.push(Instant::now());
            let again = times.len() < 3;
            async move {
                Ok::<_, &str>(if again {
                    Action::Requeue(seconds(30))
                } else {
                    Action::Done
                })
            }
        }
    };
    tokio::join!(queue.run(0, reconcile), until_idle(&queue));
    let times = times.lock().unwrap();
    let delays: Vec<_> = times
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).as_secs())
        .collect();
    assert_eq!(delays, [30, 30]);
}

#[tokio::test(start_paused = true)]
async fn the_end_waits_for_those_that_run() {
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
                Err::<Action, _>("too late to be tried again")
            }
        }
    };
    let stop = async {
        sleep(seconds(1)).await;
        queue.shut_down();
    };
    let started = Instant::now();
    tokio::join!(queue.run(1, reconcile), stop);
    assert_eq!(
        (done.load(Ordering::SeqCst), started.elapsed().as_secs()),
        (1, 10)
    );
    assert_eq!(queue.metrics().claimed, 0);
}

use std::{fmt::Debug, time::Duration};

use tokio::time::{sleep, timeout};

const INTERVAL: Duration = Duration::from_millis(50);

/// Observes until the result is as expected, and returns it.
///
/// # Panics
///
/// If it is not as expected within the limit. The message has the last result.
pub async fn observed<T: Debug>(limit: Duration, observe: impl AsyncFn() -> T, is_expected: impl Fn(&T) -> bool) -> T {
    let mut last = None;
    let observations = async {
        loop {
            let result = observe().await;
            if is_expected(&result) {
                return result;
            }
            last = Some(result);
            sleep(INTERVAL).await;
        }
    };
    let expected = timeout(limit, observations).await;
    expected.unwrap_or_else(|_| panic!("it takes more than {limit:?}: {last:#?}"))
}

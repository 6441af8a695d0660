//! The clock of a client.

use std::{fmt, future::poll_fn, sync::Arc};

use futures_util::future::{BoxFuture, FutureExt};
use k8s_openapi::jiff::Timestamp;

use super::NOW;

/// The clock of a client, by default that of the machine.
#[derive(Clone, Default)]
pub(crate) struct Clock(Option<Arc<dyn Fn() -> Timestamp + Send + Sync>>);

impl Clock {
    pub(crate) fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(now)))
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.as_ref().map_or_else(Timestamp::now, |now| now())
    }

    /// Calls a function, in which [`now`](super::now) is the time of this clock.
    pub(crate) fn run<T>(&self, function: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(now) => {
                let _before = Before(NOW.replace(Some(now())));
                function()
            }
            None => function(),
        }
    }

    /// Returns a future in which [`now`](super::now) is the time of this clock.
    pub(crate) fn drive<'a, T: 'a>(&self, mut future: BoxFuture<'a, T>) -> BoxFuture<'a, T> {
        if self.0.is_none() {
            return future;
        }
        let clock = self.clone();
        poll_fn(move |context| clock.run(|| future.as_mut().poll(context))).boxed()
    }
}

/// The time outside, which applies again at the end, also after a panic.
struct Before(Option<Timestamp>);

impl Drop for Before {
    fn drop(&mut self) {
        NOW.set(self.0);
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "of a test" } else { "of the machine" })
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;
    use crate::clock::now;

    fn at(second: i64) -> Clock {
        Clock::new(move || Timestamp::from_second(second).unwrap())
    }

    #[test]
    fn the_inner_clock_applies_until_its_end() {
        at(7).run(|| {
            at(8).run(|| assert_eq!(now().as_second(), 8));
            assert_eq!(now().as_second(), 7);
            assert!(catch_unwind(|| at(9).run(|| panic!("as the test wants"))).is_err());
            assert_eq!(now().as_second(), 7);
            // The clock of the machine is the default, and leaves the one outside.
            Clock::default().run(|| assert_eq!(now().as_second(), 7));
        });
        assert!(now().as_second() > 1_000_000_000);
    }

    #[tokio::test]
    async fn futures_have_the_clock_while_they_are_polled() {
        let driven = at(7).drive(
            async {
                let first = now();
                tokio::task::yield_now().await;
                (first, now())
            }
            .boxed(),
        );
        let (driven, outside) = tokio::join!(driven, async { now() });
        assert_eq!((driven.0.as_second(), driven.1.as_second()), (7, 7));
        assert!(outside.as_second() > 7);
    }
}

//! The delays between attempts.

use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

/// Doubles the delay with each attempt, up to a maximum.
pub(crate) fn exponential(first: Duration, max: Duration, retries: u32) -> Duration {
    first.saturating_mul(2_u32.saturating_pow(retries)).min(max)
}

/// Returns between half and all of a delay, so that clients that failed together do not retry at the same time.
pub(crate) fn jittered(delay: Duration, random: f64) -> Duration {
    let half = delay / 2;
    half.saturating_add(half.mul_f64(random)).min(delay)
}

/// Returns a random number from 0 to 1, from the keys with which std seeds its hash maps.
pub(crate) fn random() -> f64 {
    let bits = RandomState::new().hash_one(0) >> 11;
    bits as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_to_a_bound() {
        let first = Duration::from_millis(100);
        let delays: Vec<_> = (0..4)
            .map(|retries| exponential(first, Duration::from_millis(350), retries))
            .map(|delay| delay.as_millis())
            .collect();
        assert_eq!(delays, [100, 200, 350, 350]);
        assert_eq!(exponential(first, Duration::from_secs(10), u32::MAX), Duration::from_secs(10));
    }

    #[test]
    fn jitter_subtracts_up_to_a_half() {
        let second = Duration::from_secs(1);
        assert_eq!(jittered(second, 0.0), second / 2);
        assert!(jittered(second, 0.999) < second);
        for random in [0.0, 0.5, 1.0 - f64::EPSILON / 2.0, 1.0] {
            assert!(jittered(Duration::MAX, random) >= Duration::MAX / 2);
        }
        assert_ne!(random(), random());
        assert!((0.0..1.0).contains(&random()));
    }
}

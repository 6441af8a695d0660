//! Which shards a member acquires and gives away.

use std::cmp::Reverse;

/// A member of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share<'a> {
    pub(super) identity: &'a str,
    /// Whether it shuts down, and gives all its shards away.
    pub(super) is_leaving: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) acquire: Vec<u16>,
    pub(super) release: Vec<u16>,
}

/// Plans the changes of one member, so that all have the same number of shards, but for one.
///
/// `holders` has the holder of each shard: `None` if it is free, which it is also if its holder is no member any more. Members
/// that see the same state acquire different shards. Those with the most shards keep the remainder, so that a fair
/// distribution stays as it is.
pub(super) fn plan(members: &[Share<'_>], holders: &[Option<&str>], me: &str) -> Plan {
    let held = |identity: &str| holders.iter().filter(|holder| **holder == Some(identity)).count();
    let mut shares: Vec<_> = members.iter().filter(|member| !member.is_leaving).collect();
    shares.sort_by_key(|member| (Reverse(held(member.identity)), member.identity));
    let mut free = shards_of(holders, None).into_iter();
    let mut plan = Plan::default();
    let mut is_staying = false;
    for (rank, member) in shares.iter().enumerate() {
        let quota = holders.len() / shares.len() + usize::from(rank < holders.len() % shares.len());
        let held = held(member.identity);
        let acquired: Vec<_> = free.by_ref().take(quota.saturating_sub(held)).collect();
        if member.identity == me {
            is_staying = true;
            plan.acquire = acquired;
            plan.release = shards_of(holders, Some(me)).split_off(quota.min(held));
        }
    }
    if !is_staying {
        plan.release = shards_of(holders, Some(me));
    }
    plan
}

fn shards_of(holders: &[Option<&str>], holder: Option<&str>) -> Vec<u16> {
    (0..).zip(holders).filter(|(_, other)| **other == holder).map(|(shard, _)| shard).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members<'a>(identities: &[&'a str]) -> Vec<Share<'a>> {
        identities.iter().map(|identity| Share { identity, is_leaving: false }).collect()
    }

    fn of(plan: (&[u16], &[u16])) -> Plan {
        Plan { acquire: plan.0.to_vec(), release: plan.1.to_vec() }
    }

    #[test]
    fn members_that_see_the_same_state_acquire_different_shards() {
        let all = members(&["a", "b", "c"]);
        let free = [None; 8];
        assert_eq!(plan(&all, &free, "a"), of((&[0, 1, 2], &[])));
        assert_eq!(plan(&all, &free, "b"), of((&[3, 4, 5], &[])));
        assert_eq!(plan(&all, &free, "c"), of((&[6, 7], &[])));
        assert_eq!(plan(&members(&["a"]), &free, "a"), of((&[0, 1, 2, 3, 4, 5, 6, 7], &[])));
        assert_eq!(plan(&members(&[]), &free, "a"), Plan::default());
    }

    #[test]
    fn a_member_gives_its_surplus_to_one_that_joins() {
        let holders = [Some("a"), Some("a"), Some("a"), Some("a"), Some("a")];
        assert_eq!(plan(&members(&["a", "b"]), &holders, "a"), of((&[], &[3, 4])));
        assert_eq!(plan(&members(&["a", "b"]), &holders, "b"), Plan::default());
        let released = [Some("a"), Some("a"), Some("a"), None, Some("a")];
        assert_eq!(plan(&members(&["a", "b"]), &released, "a"), of((&[], &[4])));
        assert_eq!(plan(&members(&["a", "b"]), &released, "b"), of((&[3], &[])));
    }

    #[test]
    fn a_fair_distribution_stays_as_it_is() {
        let holders = [Some("b"), Some("b"), Some("c"), Some("c"), Some("c"), Some("a"), Some("a")];
        for me in ["a", "b", "c"] {
            assert_eq!(plan(&members(&["a", "b", "c"]), &holders, me), Plan::default(), "{me}");
        }
    }

    #[test]
    fn a_member_that_leaves_gives_everything_away() {
        let leaving = Share { identity: "a", is_leaving: true };
        let all = [leaving, Share { identity: "b", is_leaving: false }];
        let holders = [Some("a"), Some("b"), None];
        assert_eq!(plan(&all, &holders, "a"), of((&[], &[0])));
        assert_eq!(plan(&all, &holders, "b"), of((&[2], &[])));
        assert_eq!(plan(&[leaving], &holders, "a"), of((&[], &[0])));
    }

    #[test]
    fn there_may_be_more_members_than_shards() {
        let all = members(&["a", "b", "c"]);
        assert_eq!(plan(&all, &[None, None], "c"), Plan::default());
        assert_eq!(plan(&all, &[Some("c"), None], "a"), of((&[1], &[])));
        assert_eq!(plan(&all, &[Some("c"), None], "b"), Plan::default());
    }

    /// From every state, members that act one after the other reach a fair distribution, and stay there.
    #[test]
    fn every_distribution_becomes_fair() {
        let all = members(&["a", "b", "c"]);
        let names = [None, Some("a"), Some("b"), Some("c")];
        for state in 0..4_usize.pow(5) {
            let mut holders: Vec<_> = (0..5).map(|shard| names[state / 4_usize.pow(shard) % 4]).collect();
            let mut changes = 0;
            for _ in 0..5 {
                changes = 0;
                for me in ["a", "b", "c"] {
                    let Plan { acquire, release } = plan(&all, &holders, me);
                    changes += acquire.len() + release.len();
                    acquire.iter().for_each(|shard| holders[usize::from(*shard)] = Some(me));
                    release.iter().for_each(|shard| holders[usize::from(*shard)] = None);
                }
            }
            assert_eq!(changes, 0, "{holders:?}");
            let mut counts = ["a", "b", "c"].map(|me| holders.iter().filter(|it| **it == Some(me)).count());
            counts.sort_unstable();
            assert_eq!(counts, [1, 2, 2], "{holders:?}");
        }
    }
}

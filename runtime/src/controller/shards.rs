//! Divides the objects of all controllers between replicas.
//!
//! A replica is a *member*: it has a Lease of its own that it renews. Each shard has a Lease too, whose holder is a member. It is
//! written only when the shard changes hands, with the resourceVersion that was read, so that one of several candidates gets
//! it. A member is gone once its Lease is: when it leaves, or when another member deletes the Lease because it was not renewed
//! for its duration. The deletion has the resourceVersion as a precondition, so a member that renews its Lease still holds all its
//! shards. One that cannot renew it stops writing earlier, by its own clock. The member that deletes it also releases its shards.
//!
//! Other programs may delete and change Leases, and restore older ones. Then a holder writes on until it sees that, or until it has
//! not seen its Leases for the renew deadline. So a shard that was not released is acquired only after the lease duration.

mod balance;
mod holders;
mod keys;
mod leases;
mod membership;
mod session;
mod table;

pub(super) use keys::ShardKeys;
pub(super) use membership::Membership;
pub(super) use table::{ShardPermit, ShardTable};

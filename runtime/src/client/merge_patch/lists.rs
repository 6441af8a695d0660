//! Pairs the items of two lists.

use serde_json::Value;

use super::rebase;

/// Rebases lists like [`rebase`]: items of `after` retain the fields that only `stored` has.
///
/// Each item corresponds to at most one of `before`: to an equal one, to one with the same `name`, to the only one with
/// a common member, or to the one at the same index.
pub(super) fn rebase_lists(stored: &[Value], before: &[Value], after: &[Value]) -> Vec<Value> {
    let sources = pair(stored, before, &[is_part_in_place, is_part, is_known, is_in_place]);
    let origins = pair(before, after, &[is_same_in_place, is_same, is_known, is_in_place]);
    let mut items: Vec<_> = after
        .iter()
        .zip(origins)
        .map(|(item, origin)| {
            let origin = origin.and_then(|origin| Some((sources[origin]?, origin)));
            match origin {
                Some((source, origin)) => rebase(&stored[source], &before[origin], item),
                None => item.clone(),
            }
        })
        .collect();
    for unknown in left_out(stored.len(), &sources) {
        items.insert(unknown.min(items.len()), stored[unknown].clone());
    }
    items
}

/// Returns the indices of items that the type omits, which are known only if all items of the type are found.
fn left_out(stored: usize, sources: &[Option<usize>]) -> Vec<usize> {
    if sources.contains(&None) {
        return Vec::new();
    }
    let is_left_out = |place: &usize| !sources.contains(&Some(*place));
    (0..stored).filter(is_left_out).collect()
}

/// Two lists, and the index of an item in each.
struct Pair<'a> {
    from: (&'a [Value], usize),
    to: (&'a [Value], usize),
}

/// Returns the index of each item in another list; earlier rules take precedence.
fn pair(from: &[Value], to: &[Value], rules: &[fn(&Pair<'_>) -> bool]) -> Vec<Option<usize>> {
    let mut places = vec![None; to.len()];
    let mut is_claimed = vec![false; from.len()];
    for rule in rules {
        for (index, place) in places.iter_mut().enumerate() {
            let is_same_object = |other: &usize| {
                let pair = Pair { from: (from, *other), to: (to, index) };
                !is_claimed[*other] && rule(&pair)
            };
            if place.is_none()
                && let Some(found) = (0..from.len()).find(is_same_object)
            {
                *place = Some(found);
                is_claimed[found] = true;
            }
        }
    }
    places
}

impl<'a> Pair<'a> {
    fn items(&self) -> (&'a Value, &'a Value) {
        (&self.from.0[self.from.1], &self.to.0[self.to.1])
    }

    fn has_same_place(&self) -> bool {
        self.from.1 == self.to.1
    }

    /// Returns whether both items have a common member that no other item of either list has.
    fn has_in_common(&self, key: &str) -> bool {
        let value = self.items().0.get(key);
        let has_it = |item: &&Value| item.get(key) == value;
        value.is_some_and(|value| value.is_string() || value.is_number())
            && self.items().1.get(key) == value
            && self.from.0.iter().filter(has_it).count() == 1
            && self.to.0.iter().filter(has_it).count() == 1
    }
}

fn is_same_in_place(pair: &Pair<'_>) -> bool {
    pair.has_same_place() && is_same(pair)
}

fn is_same(pair: &Pair<'_>) -> bool {
    let (from, to) = pair.items();
    from == to
}

fn is_part_in_place(pair: &Pair<'_>) -> bool {
    pair.has_same_place() && is_part(pair)
}

/// Returns whether one item may be the part of the other that a type declares.
fn is_part(pair: &Pair<'_>) -> bool {
    let (whole, part) = pair.items();
    contains(whole, part)
}

fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part.iter().all(|(key, part)| {
            // A missing value is a default.
            whole.get(key).is_none_or(|whole| contains(whole, part))
        }),
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() != part.len() || whole.iter().zip(part).all(|(a, b)| contains(a, b))
        }
        (whole, part) => whole == part,
    }
}

fn is_known(pair: &Pair<'_>) -> bool {
    match pair.items() {
        (from, to) if is_named(from) || is_named(to) => pair.has_in_common("name"),
        (Value::Object(from), _) => from.keys().any(|key| pair.has_in_common(key)),
        _ => false,
    }
}

/// An item with another name is another item, wherever it is.
fn is_in_place(pair: &Pair<'_>) -> bool {
    let (from, to) = pair.items();
    pair.has_same_place() && from.get("name") == to.get("name")
}

fn is_named(item: &Value) -> bool {
    item.get("name").is_some_and(Value::is_string)
}

#[cfg(test)]
mod tests {
    use proptest::{collection, prelude::*};
    use serde_json::json;

    use super::*;

    /// Serializes the items as a type that declares the key and the size.
    fn known(key: &str, items: &[(u8, u8)]) -> Vec<Value> {
        let items = items.iter();
        items.map(|(id, size)| json!({ key: id.to_string(), "size": size })).collect()
    }

    /// The same items with undeclared fields.
    fn stored(key: &str, items: &[(u8, u8)]) -> Vec<Value> {
        let mut stored = known(key, items);
        for (item, (id, _)) in stored.iter_mut().zip(items) {
            item["new"] = json!(id);
        }
        stored
    }

    /// The items, of which some have the `new` field of the item with the given id.
    fn marked(key: &str, items: &[(u8, u8, Option<u8>)]) -> Vec<Value> {
        let pairs: Vec<_> = items.iter().map(|(id, size, _)| (*id, *size)).collect();
        let mut marked = known(key, &pairs);
        for (item, (.., new)) in marked.iter_mut().zip(items) {
            if let Some(new) = new {
                item["new"] = json!(new);
            }
        }
        marked
    }

    type Items = Vec<(u8, u8)>;

    fn items() -> impl Strategy<Value = Items> {
        collection::btree_map(0..8_u8, 0..3_u8, 0..6)
            .prop_map(|items| items.into_iter().collect::<Items>())
            .prop_shuffle()
    }

    proptest! {
        #[test]
        fn named_items_retain_their_fields(before in items(), after in items()) {
            let rebased = rebase_lists(&stored("name", &before), &known("name", &before), &known("name", &after));
            let is_old = |id: u8| before.iter().any(|(other, _)| *other == id);
            let expected = after.iter().map(|(id, size)| (*id, *size, is_old(*id).then_some(*id)));
            prop_assert_eq!(rebased, marked("name", &expected.collect::<Vec<_>>()));
        }

        #[test]
        fn remaining_items_retain_their_fields_exclusively(before in items(), after in items()) {
            let rebased = rebase_lists(&stored("id", &before), &known("id", &before), &known("id", &after));
            for (item, pair) in rebased.iter().zip(&after).filter(|(_, pair)| before.contains(pair)) {
                prop_assert_eq!(&item["new"], &json!(pair.0));
            }
            for (id, _) in &before {
                let holders = rebased.iter().filter(|item| item["new"] == json!(id));
                prop_assert!(holders.count() <= 1);
            }
        }

        #[test]
        fn items_that_the_type_omits_or_sorts_remain(all in items(), after in items()) {
            let mut before: Items = all.iter().copied().filter(|(id, _)| *id < 4).collect();
            before.sort_unstable();
            let rebased = rebase_lists(&stored("name", &all), &known("name", &before), &known("name", &after));
            for (id, size) in all.iter().filter(|(id, _)| *id >= 4) {
                let item = json!({ "name": id.to_string(), "size": size, "new": id });
                prop_assert!(rebased.contains(&item));
            }
            for (id, size) in after.iter().filter(|(id, _)| before.iter().any(|(old, _)| old == id)) {
                let item = json!({ "name": id.to_string(), "size": size, "new": id });
                prop_assert!(rebased.contains(&item));
            }
        }
    }

    #[test]
    fn removed_items_do_not_pass_on_fields() {
        let before = [(1, 1), (2, 1), (3, 1)];
        let after = [(2, 5), (3, 1), (4, 1)];
        for key in ["name", "id"] {
            let rebased = rebase_lists(&stored(key, &before), &known(key, &before), &known(key, &after));
            let expected = [(2, 5, Some(2)), (3, 1, Some(3)), (4, 1, None)];
            assert_eq!(rebased, marked(key, &expected));
        }
    }

    #[test]
    fn items_of_the_same_name_are_paired_by_index() {
        let before = [(1, 1), (1, 2)];
        let after = [(1, 3), (1, 2)];
        let mut stored = stored("name", &before);
        stored[1]["new"] = json!(2);
        let rebased = rebase_lists(&stored, &known("name", &before), &known("name", &after));
        let expected = [(1, 3, Some(1)), (1, 2, Some(2))];
        assert_eq!(rebased, marked("name", &expected));
    }
}

//! Detects lists that would never end.

use kube_core::Resource;

use super::response_kind::Mismatch;

/// Maximum number of pages of a list: 500 million objects in pages of 500.
const MAX_PAGES: u32 = 1_000_000;

/// Maximum number of consecutive empty pages. Kubernetes fills its pages, but not all implementations of its API do.
const MAX_EMPTY_PAGES: u32 = 10_000;

/// The parts of a page that show the progress of a list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page<'a> {
    /// The `continue` token of the request; `None` for the first page.
    pub(crate) sent: Option<&'a str>,
    /// The `continue` token of the next page; `None` for the last page.
    pub(crate) next: Option<&'a str>,
    pub(crate) items: usize,
    /// The first object, if it is known.
    pub(crate) first: Option<ObjectId>,
}

/// The identity of an object, which no two pages may share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ObjectId {
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
    pub(crate) uid: Option<String>,
}

impl ObjectId {
    /// Returns `None` if the object has no name.
    pub(crate) fn of(object: &impl Resource) -> Option<Self> {
        let metadata = object.meta();
        Some(Self { namespace: metadata.namespace.clone(), name: metadata.name.clone()?, uid: metadata.uid.clone() })
    }
}

/// The progress of a list.
///
/// To detect a cycle of any length without storing all tokens, each page is compared with one earlier page. That one is
/// replaced by the newest page whenever the number of pages has doubled (Brent's algorithm).
#[derive(Clone, Debug, Default)]
pub(crate) struct Paging {
    pages: u32,
    /// The number of empty pages since the last one with items.
    empty: u32,
    earlier_next: Option<String>,
    earlier_first: Option<ObjectId>,
}

impl Paging {
    /// Records a page.
    ///
    /// # Errors
    ///
    /// If the list repeats itself or has too many pages.
    pub(crate) fn check(&mut self, page: Page<'_>) -> Result<(), Mismatch> {
        let Some(next) = page.next else {
            return Ok(());
        };
        if page.sent == Some(next) {
            return Err(endless("repeats: its `continue` token is the one that was sent"));
        }
        if self.earlier_next.as_deref() == Some(next) {
            return Err(endless("repeats: its `continue` token is that of an earlier page"));
        }
        if page.first.is_some() && page.first == self.earlier_first {
            return Err(endless("starts with an object of an earlier page, as if the `continue` token was ignored"));
        }
        self.count(page.items)?;
        if self.pages.is_power_of_two() {
            self.earlier_next = Some(next.to_owned());
            self.earlier_first = page.first;
        }
        Ok(())
    }

    fn count(&mut self, items: usize) -> Result<(), Mismatch> {
        self.pages += 1;
        self.empty = match items {
            0 => self.empty + 1,
            _ => 0,
        };
        if self.empty > MAX_EMPTY_PAGES {
            return Err(endless("is empty, like too many pages before it, and is not the last"));
        }
        if self.pages > MAX_PAGES {
            return Err(endless("exceeds the maximum number of pages and is not the last"));
        }
        Ok(())
    }
}

fn endless(page: &str) -> Mismatch {
    Mismatch::new("the next page of the list", format!("a page that {page}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(name: impl ToString) -> Option<ObjectId> {
        Some(ObjectId { namespace: None, name: name.to_string(), uid: None })
    }

    /// Returns the number of pages after which the list fails, for the tokens and first objects of its pages.
    fn pages_until_error(pages: impl IntoIterator<Item = (String, usize, Option<ObjectId>)>) -> Option<usize> {
        let (mut paging, mut sent) = (Paging::default(), None::<String>);
        let mut pages = pages.into_iter().take(MAX_PAGES as usize + 2);
        let failed = pages.position(|(next, items, first)| {
            let page = Page { sent: sent.as_deref(), next: Some(&next), items, first };
            let checked = paging.check(page);
            sent = Some(next);
            checked.is_err()
        });
        failed.map(|before| before + 1)
    }

    #[test]
    fn ten_million_objects_are_allowed() {
        let pages = (0..20_000).map(|page| (format!("after-{page}"), 500, object(page)));
        assert_eq!(pages_until_error(pages), None);
    }

    #[test]
    fn last_page_may_have_any_content() {
        let mut paging = Paging::default();
        for _ in 0..3 {
            let first = object("a");
            paging.check(Page { first, ..Page::default() }).unwrap();
        }
    }

    #[test]
    fn repeated_tokens_are_an_error() {
        for length in [1, 2, 3, 7, 1000] {
            for before in [0, 5] {
                let tokens = (0..before + length).chain((0..).map(|page| before + page % length));
                let pages = tokens.map(|token| (token.to_string(), 1, None));
                let after = pages_until_error(pages).unwrap();
                assert!(after <= 4 * (before + length), "{length}: {after}");
            }
        }
        let stuck = ["x", "x"].map(|token| (token.to_owned(), 1, None));
        assert_eq!(pages_until_error(stuck), Some(2));
    }

    #[test]
    fn server_that_ignores_tokens_repeats_the_first_page() {
        let pages = (0..).map(|page: u32| (page.to_string(), 500, object("a")));
        assert_eq!(pages_until_error(pages), Some(2));
    }

    #[test]
    fn endless_new_tokens_are_an_error() {
        let empty = (0..).map(|page: u32| (page.to_string(), 0, None));
        assert_eq!(pages_until_error(empty), Some(MAX_EMPTY_PAGES as usize + 1));
        let sparse = (0..).map(|page: u32| (page.to_string(), page.is_multiple_of(9000).into(), None));
        assert_eq!(pages_until_error(sparse), Some(MAX_PAGES as usize + 1));
    }
}

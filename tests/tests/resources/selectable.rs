//! `selectable` on the resource and on fields.

use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

use crate::served::served;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "selectable.example.com",
    version = "v1",
    kind = "Book",
    selectable = ".spec.title",
    selectable = ".spec.print.pages"
)]
pub(crate) struct BookSpec {
    pub(crate) title: String,
    pub(crate) print: Print,
    #[crd(selectable)]
    pub(crate) lent: bool,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Print {
    pub(crate) pages: u16,
    #[crd(selectable)]
    pub(crate) cover_kind: Option<Cover>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug)]
pub(crate) enum Cover {
    Hard,
    Soft,
}

#[tokio::test]
async fn fields_select() {
    let Some(served) = served::<Book>().await else {
        return;
    };
    for (name, lent, pages, cover_kind) in
        [("a", true, 100, Some(Cover::Hard)), ("b", false, 200, None), ("c", false, 200, Some(Cover::Soft))]
    {
        let title = name.to_owned();
        let print = Print { pages, cover_kind };
        let book = Book::new(name, BookSpec { title, print, lent });
        served.create(book).await.expect_accepted();
    }
    for (selector, selected) in [
        ("spec.title=a", &["a"][..]),
        ("spec.title!=a", &["b", "c"]),
        ("spec.lent=true", &["a"]),
        ("spec.print.pages=200", &["b", "c"]),
        ("spec.print.coverKind=Soft", &["c"]),
        ("spec.print.coverKind=", &["b"]),
        ("spec.print.pages=200,spec.print.coverKind=Hard", &[]),
    ] {
        assert_eq!(served.select(selector).await, selected, "{selector}");
    }
}

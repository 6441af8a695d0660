use serde_json::json;

use super::*;

fn crd() -> CustomResourceDefinition {
    let disk = json!({
        "type": "object", "required": ["name"],
        "properties": { "name": { "type": "string" }, "size": { "type": "integer", "minimum": 1, "default": 8 } },
    });
    let schema = json!({
        "type": "object", "description": "A machine.\n\nIt has <disks>.",
        "properties": { "spec": {
            "type": "object",
            "x-kubernetes-validations": [{ "rule": "self.size > 1 || true", "message": "size is small" }],
            "properties": {
                "disks": { "type": "array", "items": disk, "maxItems": 3, "description": "Its disks | all." },
                "labels": { "type": "object", "additionalProperties": { "type": "string", "maxLength": 8 } },
                "phase": { "type": "string", "enum": ["A", "B"], "example": "A", "description": "How far:\n\n- `A`: Not\n- `B`: Now" },
            },
        } },
    });
    serde_json::from_value(json!({
        "metadata": { "name": "vms.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": { "plural": "vms", "kind": "Vm", "shortNames": ["v"] },
            "versions": [
                { "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema },
                  "additionalPrinterColumns": [{ "name": "Phase", "type": "string", "jsonPath": ".spec.phase" }] },
                { "name": "v0", "served": false, "storage": false },
            ],
        },
    }))
    .unwrap()
}

#[test]
fn the_markdown_has_all_fields() {
    let page = reference_markdown(&[crd()]);
    for part in [
        "## Vm `example.com/v1`\n\nA machine.\n\nIt has &lt;disks>.\n",
        "- Namespaced scope.\n- `kubectl get vms`.\n- Short names: `v`.\n- Storage version.\n",
        "| <a id=\"vms-example-com-v1-spec-field\"></a>`spec` | [object](#vms-example-com-v1-spec) |  | Size is small (`self.size > 1 \\|\\| true`). |\n",
        "| <a id=\"vms-example-com-v1-spec-disks-field\"></a>`disks` | [list of object](#vms-example-com-v1-spec-disks-items) |  | Its disks \\| all. At most 3 items. |\n",
        "| <a id=\"vms-example-com-v1-spec-labels-field\"></a>`labels` | map of string |  | Each value: at most 8 characters. |\n",
        "| <a id=\"vms-example-com-v1-spec-phase-field\"></a>`phase` | string |  | How far:<ul><li>`A`: Not</li><li>`B`: Now</li></ul> One of `A`, `B`. Example: `\"A\"`. |\n",
        "### `.spec.disks[]`\n",
        "| <a id=\"vms-example-com-v1-spec-disks-items-name-field\"></a>`name` | string | yes |  |\n",
        "| <a id=\"vms-example-com-v1-spec-disks-items-size-field\"></a>`size` | integer |  | At least 1. Default: `8`. |\n",
        "| Phase | string | `.spec.phase` |  |\n",
        "### Example: all fields\n\n```yaml\napiVersion: example.com/v1\n",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(!page.contains("v0"), "{page}");
}

#[test]
fn every_link_of_the_page_has_a_target() {
    for page in [reference_html(&[crd()]), reference_markdown(&[crd(), crd()])] {
        let starts = ["href=\"#", "](#"].iter().flat_map(|start| page.split(start).skip(1));
        let links: Vec<_> = starts.filter_map(|rest| rest.split(['"', ')']).next()).collect();
        assert!(links.len() > 2, "{page}");
        for link in links {
            assert!(page.contains(&format!("id=\"{link}\"")), "{link}\n{page}");
        }
    }
}

#[test]
fn the_page_needs_nothing_else() {
    let page = reference_html(&[crd()]);
    for other in ["src=", "http:", "https:", "@import", "url("] {
        assert!(!page.contains(other), "{other}\n{page}");
    }
    assert!(page.contains("It has &lt;disks&gt;."), "{page}");
    let list = "<p>How far:</p>\n<ul><li><code>A</code>: Not</li>\n<li><code>B</code>: Now</li>\n</ul>";
    assert!(page.contains(list), "{page}");
    assert!(page.contains("<code>self.size &gt; 1 || true</code>"), "{page}");
}

/// Returns the cells of a line of a table, as GitHub splits them: at each `|` that no odd number of backslashes precedes.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let cell = cells.last_mut().unwrap();
        match letter {
            '\\' => cell.extend(std::iter::once(letter).chain(letters.next())),
            '|' => cells.push(String::new()),
            letter => cell.push(letter),
        }
    }
    cells
}

#[test]
fn no_text_breaks_a_table() {
    const TEXTS: &[&str] = &[
        "a|b",
        "a\\|b",
        "a\\",
        "`",
        "``",
        "`a",
        "a`b`c",
        "```\na | b\n```",
        "~~~\n|\n~~~\n",
        "```",
        "<b>",
        "<!--",
        "</table>",
        "<script>x</script>",
        "a\nb",
        "a\n\nb",
        "\r\n",
        "- a\n- b|c",
        "| a | b |\n|---|---|",
        "# a",
        "    code | x",
        "\u{7}",
        " ",
        "&lt;",
        "[a](b",
        "*",
        "_a_",
    ];
    for text in TEXTS {
        let field = json!({
            "type": "string", "description": text, "pattern": text, "enum": [text, "b"], "default": text, "example": text,
            "format": text, "x-kubernetes-validations": [{ "rule": format!("self != {text:?}"), "message": text }],
        });
        let mut crd = crd();
        let version = &mut crd.spec.versions[0];
        version.additional_printer_columns = serde_json::from_value(json!([
            { "name": text, "type": "string", "jsonPath": ".spec.a", "description": text },
        ]))
        .unwrap();
        version.deprecated = Some(true);
        version.deprecation_warning = Some((*text).to_owned());
        let schema = version.schema.as_mut().and_then(|it| it.open_api_v3_schema.as_mut()).unwrap();
        schema.description = Some((*text).to_owned());
        let fields = schema.properties.as_mut().unwrap().get_mut("spec").unwrap().properties.as_mut().unwrap();
        fields.insert((*text).to_owned(), serde_json::from_value(field.clone()).unwrap());
        fields.insert("zz".to_owned(), serde_json::from_value(field).unwrap());
        let page = markdown::page(&[Kind { versions: vec![kind_version(&crd.spec.versions[0])], ..kind(&crd) }]);
        check_page(&page, text);
    }
}

/// Checks that all tables of a page have complete rows, and that no text is HTML or opens code without an end.
fn check_page(page: &str, text: &str) {
    let (mut rows, mut fence) = (0, None::<&str>);
    for line in page.lines() {
        let marks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(open) if marks.len() >= open.len() => fence = None,
            Some(_) => continue,
            None if marks.len() >= 3 => fence = Some(marks),
            None => {}
        }
        if line.starts_with("| ") {
            rows += 1;
            let cells = cells(line);
            assert_eq!(cells.len(), 6, "{text:?}: {line}");
            assert!(cells.iter().all(|cell| cell.matches('`').count() % 2 == 0), "{text:?}: {line}");
        }
        let tags = ["<a id=", "</a>", "<br>", "<ul>", "</ul>", "<li>", "</li>", "<pre>", "</pre>", "<code>", "</code>"];
        let rest = tags.iter().fold(line.to_owned(), |rest, tag| rest.replace(tag, ""));
        let is_code = |at: usize| rest[..at].matches('`').count() % 2 == 1;
        let mut open = rest.match_indices('<').filter(|(at, _)| !is_code(*at));
        assert!(open.next().is_none(), "{text:?}: {line}");
    }
    assert!(fence.is_none(), "{text:?}\n{page}");
    assert!(rows > 4, "{text:?}\n{page}");
    assert!(page.contains("`zz`") && page.contains("### `.spec.disks[]`"), "{text:?}\n{page}");
}

#[test]
fn types_of_kubernetes_are_links() {
    let mut crd = crd();
    let schema = crd.spec.versions[0].schema.as_mut().and_then(|it| it.open_api_v3_schema.as_mut()).unwrap();
    let fields = schema.properties.as_mut().unwrap().get_mut("spec").unwrap().properties.as_mut().unwrap();
    let job = crate::tests::job_template();
    fields.insert("job".to_owned(), serde_json::from_value(job).unwrap());
    let page = reference_markdown(&[crd.clone()]);
    assert!(page.contains("/#jobtemplatespec-v1-batch) |"), "{page}");
    assert!(page.len() < 20_000, "{}", page.len());
    assert!(reference_html(&[crd]).contains("/#jobtemplatespec-v1-batch\">JobTemplateSpec</a>"));
}

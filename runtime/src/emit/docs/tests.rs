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

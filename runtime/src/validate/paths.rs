//! Rules about the paths of columns, selectable fields and the scale subresource.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceColumnDefinition, CustomResourceDefinitionVersion, JSONSchemaProps,
};

use super::{Violations, is, items, values};
use crate::definition::MAX_SELECTABLE;

pub(super) fn check(
    version: &CustomResourceDefinitionVersion,
    schema: &JSONSchemaProps,
    violations: &mut Violations,
) {
    let paths = Paths {
        version: &version.name,
        schema,
    };
    for column in version.additional_printer_columns.iter().flatten() {
        paths.column(column, violations);
    }
    for field in version.selectable_fields.iter().flatten() {
        paths.expect(
            &field.json_path,
            &["boolean", "integer", "string"],
            violations,
        );
    }
    paths.count_selectable(version, violations);
    let scale = version
        .subresources
        .as_ref()
        .and_then(|subresources| subresources.scale.as_ref());
    if let Some(scale) = scale {
        paths.scale(&scale.spec_replicas_path, &["integer"], violations);
        paths.scale(&scale.status_replicas_path, &["integer"], violations);
        if let Some(selector) = &scale.label_selector_path {
            paths.scale(selector, &["string"], violations);
        }
    }
}

struct Paths<'a> {
    version: &'a str,
    schema: &'a JSONSchemaProps,
}

/// Where a path leads.
enum Target<'a> {
    Schema(&'a JSONSchemaProps),
    /// Beyond what the schema says.
    Open,
    Nowhere,
}

impl Paths<'_> {
    fn place(&self, path: &str) -> String {
        format!("{}{path}", self.version)
    }

    fn column(&self, column: &CustomResourceColumnDefinition, violations: &mut Violations) {
        if let Target::Nowhere = self.follow(&column.json_path) {
            let message = format!(
                "the column `{}` shows a field that does not exist",
                column.name
            );
            violations.add(&self.place(&column.json_path), message);
        }
    }

    fn scale(&self, path: &str, types: &[&str], violations: &mut Violations) {
        let has_status = self
            .schema
            .properties
            .as_ref()
            .is_some_and(|properties| properties.contains_key("status"));
        if has_status || !path.starts_with(".status.") {
            self.expect(path, types, violations);
        }
    }

    /// A path to a value of one of these types, in which nothing is escaped.
    fn expect(&self, path: &str, types: &[&str], violations: &mut Violations) {
        if path.contains('\\') {
            violations.add(
                &self.place(path),
                "the server finds no field with a dot or the like in its name, or in that of a parent",
            );
            return;
        }
        match self.follow(path) {
            Target::Open => {}
            Target::Nowhere => violations.add(&self.place(path), "there is no such field"),
            Target::Schema(schema) => {
                let type_ = schema.type_.as_deref().unwrap_or("any value");
                if !types.contains(&type_) && !is(schema.x_kubernetes_preserve_unknown_fields) {
                    let message = format!("the field is {type_}, expected {}", types.join(" or "));
                    violations.add(&self.place(path), message);
                }
            }
        }
    }

    fn count_selectable(
        &self,
        version: &CustomResourceDefinitionVersion,
        violations: &mut Violations,
    ) {
        let fields = version.selectable_fields.as_deref().unwrap_or_default();
        if fields.len() > MAX_SELECTABLE {
            violations.add(
                self.version,
                format!("a version has at most {MAX_SELECTABLE} selectable fields"),
            );
        }
        for (at, field) in fields.iter().enumerate() {
            if fields[..at]
                .iter()
                .any(|other| other.json_path == field.json_path)
            {
                violations.add(
                    &self.place(&field.json_path),
                    "the path is selectable twice",
                );
            }
        }
    }

    fn follow(&self, path: &str) -> Target<'_> {
        let mut at = self.schema;
        for (step, name) in names(path).into_iter().enumerate() {
            let is_implicit = step == 0 && ["metadata", "apiVersion", "kind"].contains(&&*name);
            if is_implicit || name.is_empty() {
                return Target::Open;
            }
            match child(at, &name) {
                Target::Schema(schema) => at = schema,
                end => return end,
            }
        }
        Target::Schema(at)
    }
}

fn child<'a>(schema: &'a JSONSchemaProps, name: &str) -> Target<'a> {
    let property = schema
        .properties
        .as_ref()
        .and_then(|properties| properties.get(name));
    match property.or(values(schema)) {
        Some(schema) => Target::Schema(schema),
        None if items(schema).is_some() => Target::Open,
        None if is(schema.x_kubernetes_preserve_unknown_fields) => Target::Open,
        None => Target::Nowhere,
    }
}

/// The names of a path up to its first bracket; an empty one stands for what follows.
fn names(path: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut characters = path.trim_start_matches('.').chars();
    while let Some(c) = characters.next() {
        match c {
            '.' => names.push(String::new()),
            '[' | '*' => {
                names.push(String::new());
                break;
            }
            _ => {
                let unescaped = if c == '\\' {
                    characters.next()
                } else {
                    Some(c)
                };
                names.last_mut().expect("never empty").extend(unescaped);
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::validate::tests::of_version;

    #[test]
    fn paths() {
        let found = of_version(json!({
            "name": "v1", "served": true, "storage": true,
            "schema": { "openAPIV3Schema": { "type": "object", "properties": {
                "spec": { "type": "object", "properties": {
                    "size": { "type": "string" }, "list": { "type": "array", "items": { "type": "string" } },
                    "map": { "type": "object", "additionalProperties": { "type": "string" } },
                } },
            } } },
            "additionalPrinterColumns": [
                { "name": "Size", "type": "string", "jsonPath": ".spec.size" },
                { "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp" },
                { "name": "First", "type": "string", "jsonPath": ".spec.list[0]" },
                { "name": "Key", "type": "string", "jsonPath": r".spec.map.a\.b" },
                { "name": "None", "type": "string", "jsonPath": ".spec.none" },
            ],
            "selectableFields": [
                { "jsonPath": ".spec.size" }, { "jsonPath": ".spec.map" }, { "jsonPath": ".spec.size" },
                { "jsonPath": r".spec.dotted\.name" },
            ],
            "subresources": { "scale": { "specReplicasPath": ".spec.size", "statusReplicasPath": ".status.x" } },
        }));
        assert_eq!(
            found,
            [
                "v1.spec.none: the column `None` shows a field that does not exist",
                "v1.spec.map: the field is object, expected boolean or integer or string",
                r"v1.spec.dotted\.name: the server finds no field with a dot or the like in its name, or in that of a parent",
                "v1.spec.size: the path is selectable twice",
                "v1.spec.size: the field is string, expected integer",
            ]
        );
    }
}

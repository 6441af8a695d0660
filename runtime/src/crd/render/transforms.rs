//! Transforms of enums, which receive the schemas of the variants as schemars generates them.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSONSchemaProps, ValidationRule};
use serde_json::{Value, json};

use crate::{
    crd::{
        render::{RenderError, keywords, options::RenderOptions, variants},
        structural::{structural, to_schemars},
    },
    schema::{Keyword, Schema, Shape, Tagging, UnitVariant},
};

/// Renders an enum whose transforms change the schemas of its variants, with all keywords except [`others`].
///
/// Returns `None` if there are no transforms, or if they do not change the variants and therefore apply to the finished
/// schema.
pub(super) fn of_variants(schema: &Schema, options: RenderOptions) -> Result<Option<JSONSchemaProps>, RenderError> {
    if !schema.keywords.iter().any(is_transform) {
        return Ok(None);
    }
    let Some(variants) = Variants::of(schema, options)? else {
        return Ok(None);
    };
    let mut form = to_schemars(annotated(schema, options)?);
    form.insert(variants.keyword.to_owned(), variants.schemas.clone());
    for keyword in schema.keywords {
        match keyword {
            Keyword::Extend(members) => extend(&mut form, members()),
            Keyword::Transform(transform) => transform(&mut form),
            _ => {}
        }
    }
    if form.get(variants.keyword) == Some(&variants.schemas) {
        return Ok(None);
    }
    let mut props = structural(form.to_value())?;
    for rule in variants.rules {
        keywords::join_rule(props.x_kubernetes_validations.get_or_insert_default(), rule);
    }
    Ok(Some(props))
}

/// Renders the documentation keywords of the enum.
fn annotated(schema: &Schema, options: RenderOptions) -> Result<JSONSchemaProps, RenderError> {
    let mut props = JSONSchemaProps::default();
    let words = pick(schema, is_text);
    keywords::describe_as(&mut props, schema.description, options.descriptions);
    keywords::apply(&mut props, &words, options.descriptions)?;
    Ok(props)
}

fn extend(form: &mut schemars::Schema, members: Value) {
    if let Value::Object(members) = members {
        for (name, member) in members {
            form.insert(name, member);
        }
    }
}

/// Returns the keywords that do not exist in schemars.
pub(super) fn others(schema: &Schema) -> Vec<Keyword> {
    pick(schema, |it| !is_text(it) && !changes_the_schema(it))
}

fn pick(schema: &Schema, wanted: impl Fn(&Keyword) -> bool) -> Vec<Keyword> {
    schema.keywords.iter().copied().filter(wanted).collect()
}

fn is_transform(keyword: &Keyword) -> bool {
    matches!(keyword, Keyword::Transform(_))
}

fn changes_the_schema(keyword: &Keyword) -> bool {
    matches!(keyword, Keyword::Extend(_) | Keyword::Transform(_))
}

fn is_text(keyword: &Keyword) -> bool {
    matches!(keyword, Keyword::Title(_) | Keyword::Description(_) | Keyword::Example(_))
}

/// The variants of an enum in the form of schemars.
struct Variants {
    /// The keyword that contains them.
    keyword: &'static str,
    schemas: Value,
    rules: Vec<ValidationRule>,
}

impl Variants {
    /// Returns `None` if schemars generates no variants, as for an enum of undocumented names.
    fn of(schema: &Schema, options: RenderOptions) -> Result<Option<Self>, RenderError> {
        let (keyword, schemas, rules) = match schema.shape {
            Shape::OneOf(tagging, all) => {
                let options = options.of_members();
                let (schemas, rules) = variants::each(tagging, all, schema.closed, options)?;
                let keyword = match tagging {
                    Tagging::Untagged => "anyOf",
                    _ => "oneOf",
                };
                (keyword, schemas, rules)
            }
            Shape::Enum(names) if names.iter().any(is_documented) => ("oneOf", documented(names), Vec::new()),
            _ => return Ok(None),
        };
        Ok(Some(Self { keyword, schemas: Value::Array(schemas), rules }))
    }
}

fn is_documented(variant: &UnitVariant) -> bool {
    !variant.description.is_empty()
}

/// Returns the undocumented names together, followed by the documented ones.
fn documented(variants: &[UnitVariant]) -> Vec<Value> {
    let (documented, others): (Vec<&UnitVariant>, Vec<&UnitVariant>) =
        variants.iter().partition(|it| is_documented(it));
    let names: Vec<_> = others.iter().map(|variant| variant.name).collect();
    let others = (!names.is_empty()).then(|| json!({ "type": "string", "enum": names }));
    let describe = |variant: &&UnitVariant| {
        let (name, text) = (variant.name, variant.description);
        json!({ "type": "string", "const": name, "description": text })
    };
    others.into_iter().chain(documented.iter().map(describe)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        crd::render::render_schema,
        schema::{Field, Rule, Variant},
    };

    const DISK: Schema =
        Schema::object(&[Field::new("size", &Schema::integer())]).with(&[Keyword::Rule(Rule::new("self.size > 0"))]);
    const VARIANTS: Shape = Shape::OneOf(
        Tagging::Internal("type"),
        &[Variant::new("disk").with(&DISK), Variant::new("none").describe("Nothing is kept.")],
    );

    fn rendered(keywords: &'static [Keyword], optional: bool) -> Value {
        let schema = Schema { shape: VARIANTS, keywords, optional, ..Schema::string() };
        json!(render_schema(&schema).unwrap())
    }

    fn without_none(schema: &mut schemars::Schema) {
        let variants = schema.get_mut("oneOf").and_then(Value::as_array_mut);
        let none = variants.unwrap().pop().unwrap();
        let tag = json!({ "type": "string", "const": "none" });
        assert_eq!(none["properties"]["type"], tag);
        assert_eq!(none["description"], "Nothing is kept.");
    }

    #[test]
    fn what_a_transform_makes_of_the_variants_keeps_all_other_keywords() {
        const KEYWORDS: &[Keyword] = &[
            Keyword::Description("Where data are kept."),
            Keyword::Rule(Rule::new("self.type != ''")),
            Keyword::Extend(|| json!({ "x-kubernetes-map-type": "atomic" })),
            Keyword::Transform(without_none),
            Keyword::Patch(|| json!({ "required": ["type"] })),
        ];
        assert_eq!(
            rendered(KEYWORDS, true),
            json!({
                "type": "object",
                "description": "Where data are kept.",
                "properties": {
                    "type": { "type": "string", "enum": ["disk"] },
                    "size": { "type": "integer" },
                },
                "required": ["type"],
                "nullable": true,
                "x-kubernetes-map-type": "atomic",
                "x-kubernetes-validations": [
                    { "rule": "self.type != \"disk\" || (self.size > 0)" },
                    { "rule": "self.type != ''" },
                ],
            })
        );
    }

    /// The compiler does not check enums with a transform; the generated test does.
    #[test]
    fn variants_that_do_not_fit_are_refused_unless_the_transform_changes_them() {
        const MIXED: Schema =
            Schema::one_of(Tagging::External, &[Variant::new("Unit"), Variant::new("Data").with(&Schema::integer())]);
        const ATOMIC: Schema = MIXED.with(&[Keyword::Transform(|schema| {
            schema.insert("x-kubernetes-map-type".to_owned(), json!("atomic"));
        })]);
        const REPLACED: Schema = MIXED.with(&[Keyword::Transform(|schema| {
            *schema = schemars::json_schema!({ "type": "object" });
        })]);
        let refused = render_schema(&ATOMIC).unwrap_err().to_string();
        assert!(refused.contains("string"), "{refused}");
        let replaced = render_schema(&REPLACED).unwrap();
        assert_eq!(json!(replaced), json!({ "type": "object" }));
    }

    #[test]
    fn a_transform_that_leaves_the_variants_sees_the_finished_schema() {
        const KEYWORDS: &[Keyword] = &[Keyword::Transform(|schema| {
            if let Some(Value::Object(properties)) = schema.get_mut("properties") {
                properties.remove("size");
            }
        })];
        let properties = rendered(KEYWORDS, false)["properties"].clone();
        let names: Vec<_> = properties.as_object().unwrap().keys().collect();
        assert_eq!(names, ["type"]);
    }
}

//! Checks in const evaluation. A failure is reported on the token that causes it.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Type, spanned::Spanned};

use crate::{
    attrs::{
        json_path::{JsonPath, JsonPathStep},
        printer_column::{PathColumn, PrintColumn},
        resource::SchemaMode,
        scale::{Scale, ScaleRole},
        schema_size::EmbedMode,
    },
    model::{
        resource::Resource,
        schema::{CheckKind, Embedded, SchemaType},
    },
};

mod rule;
mod value;

/// The checks of a type.
pub(super) fn type_checks(schema: &SchemaType) -> TokenStream {
    let private = &schema.crates.private;
    let ident = &schema.ident;
    let of_fields = schema.checks.attr_checks.iter().filter_map(|check| {
        let field = check.field;
        let on_type = quote!(__Probe::<#ident>::LOOKUP.schema());
        let subject = match check.variant {
            Some(variant) => quote!(#private::check::variants::content(#on_type, #variant)),
            None => on_type,
        };
        let check_of = quote!(#private::check);
        let on_field = |function: &str| {
            let function = ident_of(function);
            quote!(#check_of::field::#function(#subject, #field))
        };
        let call = match &check.kind {
            CheckKind::Column => on_field("column"),
            CheckKind::Selectable => on_field("selectable"),
            CheckKind::Scale(ScaleRole::LabelSelector) => on_field("scale_selector"),
            CheckKind::Scale(_) => on_field("scale_replicas"),
            CheckKind::Validation { target, on_type } => {
                value::validation_check(*target, *on_type, &subject, field, private)
            }
            CheckKind::CompatibleVariant => quote!(#check_of::variants::fits(#subject, #field, __INDEX)),
            CheckKind::Flattenable => quote!(#check_of::flatten::fits(#subject, #field)),
            CheckKind::MayBeLeftOut(key) => quote!(#check_of::field::may_be_left_out(#subject, #field, #key)),
            CheckKind::ReplacedFlattened(ty) => {
                quote!(#check_of::flatten::replaced(#subject, #field, __Probe::<#ty>::LOOKUP.known()))
            }
            CheckKind::Tuple => quote!(#check_of::variants::tuple(#subject)),
            CheckKind::Keyword(keyword) => value::keyword_check(keyword, &subject, field, private)?,
            CheckKind::CanBeUnset(name) => {
                quote!(#check_of::relations::can_be_unset(#subject, #name))
            }
            CheckKind::FieldIsVisibleToRules => {
                quote!(#check_of::relations::field_is_visible(#subject, #field))
            }
            CheckKind::TypeIsVisibleToRules => quote!(#check_of::relations::type_is_visible(#subject)),
        };
        Some(require(check.span, &call))
    });
    index_of_variants(schema)
        .into_iter()
        .chain(of_fields)
        .chain(structural_types(schema))
        .chain(schema.checks.hidden_types.iter().map(|ty| hidden(ty, schema)))
        .chain(schema.checks.embedded_types.iter().map(|it| embedded(it, schema)))
        .collect()
}

/// The index that the checks of variants share.
fn index_of_variants(schema: &SchemaType) -> Option<TokenStream> {
    let mut checks = schema.checks.attr_checks.iter();
    if !checks.any(|check| matches!(check.kind, CheckKind::CompatibleVariant)) {
        return None;
    }
    let (private, ident) = (&schema.crates.private, &schema.ident);
    let on_type = quote!(__Probe::<#ident>::LOOKUP.schema());
    Some(quote! {
        const __INDEX: &#private::check::variants::Index<{ #private::check::variants::count(#on_type) }> =
            &#private::check::variants::Index::of(#on_type);
    })
}

/// The types of fields have structural schemas. Tuples are checked one by one, and all others, which rarely fail,
/// together.
fn structural_types(schema: &SchemaType) -> Vec<TokenStream> {
    let private = &schema.crates.private;
    let structural_check = |ty: &Type| {
        let call = quote!(#private::check::variants::has_structural_form(__Probe::<#ty>::LOOKUP.known()));
        (ty.span(), call)
    };
    let structural = schema.checks.structural_types.iter();
    let (tuples, mut others): (Vec<_>, Vec<_>) = structural.partition(|ty| matches!(ty, Type::Tuple(_)));
    let mut names = HashSet::new();
    others.retain(|ty| name(ty).is_none_or(|name| names.insert(name)));
    let tuples = tuples.into_iter().map(structural_check);
    let mut checks: Vec<_> = tuples.map(|(span, call)| require(span, &call)).collect();
    if !others.is_empty() {
        checks.push(require_in_order(others.into_iter().map(structural_check)));
    }
    checks
}

/// The name of a type that is a plain identifier.
fn name(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Path(ty) if ty.qself.is_none() => ty.path.get_ident(),
        _ => None,
    }
}

/// Checks that the type of a field with `embed` is one of Kubernetes.
fn embedded(embedded: &Embedded, schema: &SchemaType) -> TokenStream {
    let private = &schema.crates.private;
    let ty = &embedded.ty;
    let check = match embedded.mode {
        EmbedMode::Opaque => quote!(can_be_opaque),
        EmbedMode::Lean | EmbedMode::Full => quote!(of_kubernetes),
    };
    let call = quote!(#private::check::kubernetes_type::#check(__Probe::<#ty>::LOOKUP.known()));
    require(embedded.span, &call)
}

/// Checks that a hidden type has no markers, if its schema is known.
fn hidden(ty: &Type, schema: &SchemaType) -> TokenStream {
    let private = &schema.crates.private;
    let ident = &schema.ident;
    let call = quote! {
        #private::check::field_markers::unread(
            __Probe::<#ident>::LOOKUP.schema(),
            __Probe::<#ty>::LOOKUP.known(),
        )
    };
    require(ty.span(), &call)
}

fn ident_of(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

/// A check that is reported on a span. `__require` must be in scope, so that the whole call has that span.
fn require(span: Span, call: &TokenStream) -> TokenStream {
    let call = quote_spanned!(span=> __require(#call));
    quote!(const _: () = #call;)
}

/// Checks of which only the first failure is reported.
fn require_in_order(checks: impl Iterator<Item = (Span, TokenStream)>) -> TokenStream {
    let calls = checks.map(|(span, call)| quote_spanned!(span=> __require(#call);));
    quote!(const _: () = { #(#calls)* };)
}

/// The steps of a path.
pub(super) fn steps(path: &JsonPath, private: &Ident) -> TokenStream {
    let steps = path.steps().iter().map(|step| match step {
        JsonPathStep::Field(name) => quote!(#private::PathStep::Field(#name)),
        JsonPathStep::Items => quote!(#private::PathStep::Items),
        JsonPathStep::Unknown => quote!(#private::PathStep::Unknown),
    });
    quote!(&[#(#steps),*])
}

/// The checks of a resource.
pub(super) fn resource_checks(resource: &Resource) -> TokenStream {
    if resource.schema != SchemaMode::Derived {
        return reject_ignored_markers(resource);
    }
    let checks = Checks { resource };
    let columns = resource.printer_columns.iter().map(|column| checks.column(column));
    let selectable = resource.selectable.iter().map(|path| checks.path("selectable", path));
    let scale = checks.scale();
    let markers = checks.markers();
    let rules = checks.rules();
    let flattened = checks.flattened();
    quote! { #(#columns)* #(#selectable)* #scale #markers #(#rules)* #(#flattened)* }
}

struct Checks<'a> {
    resource: &'a Resource,
}

impl Checks<'_> {
    fn path(&self, function: &str, path: &JsonPath) -> TokenStream {
        let private = &self.resource.crates.private;
        let function = ident_of(function);
        let steps = steps(path, private);
        let call = quote!(#private::check::path::#function(__DEFINITION, #steps));
        require(path.span(), &call)
    }

    /// Checks that the path exists, and that the column type can show the values there.
    fn path_column(&self, column: &PathColumn) -> TokenStream {
        let private = &self.resource.crates.private;
        let (definition, steps) = (quote!(__DEFINITION), steps(&column.json_path, private));
        let reached = quote_spanned!(column.json_path.span()=> __reached(#definition, #steps));
        let (span, call) = match &column.type_ {
            Some(type_) => {
                let (shown, path) = (type_.0.as_str(), column.json_path.as_str());
                (type_.0.span(), quote!(#private::check::path::column_type(__target, #shown, #path)))
            }
            None => (column.json_path.span(), quote!(#private::check::path::has_column_type(#definition, __target))),
        };
        let call = quote_spanned!(span=> __require(#call));
        quote! {
            const _: () = {
                use #private::check::path::reached as __reached;
                let __target = #reached;
                #call;
            };
        }
    }

    /// Checks that flattened fields do not conflict with those of the root.
    fn flattened(&self) -> impl Iterator<Item = TokenStream> {
        let private = &self.resource.crates.private;
        self.resource.flattened.iter().map(move |(at, span)| {
            let call = quote!(#private::check::root::flattened(__DEFINITION, #at));
            require(*span, &call)
        })
    }

    /// Checks the field paths and the types of the resource's rules.
    fn rules(&self) -> impl Iterator<Item = TokenStream> {
        let private = &self.resource.crates.private;
        let of_paths = self.resource.field_paths.iter().map(move |path| {
            let steps = &path.steps;
            let call = quote! {
                #private::check::path::field_path_of_resource(__DEFINITION, &[#(#steps),*])
            };
            require(path.span, &call)
        });
        let of_types = self.resource.rule_checks.iter().filter_map(move |check| {
            let call = rule::types_of_resource(check, private)?;
            Some(require(check.span, &call))
        });
        of_paths.chain(of_types)
    }

    fn column(&self, column: &PrintColumn) -> TokenStream {
        match column {
            PrintColumn::Path(column) => self.path_column(column),
            PrintColumn::Condition(column) => {
                let private = &self.resource.crates.private;
                let call = quote!(#private::check::path::condition(__DEFINITION));
                require(column.condition.span(), &call)
            }
            PrintColumn::Age(_) => TokenStream::new(),
        }
    }

    fn scale(&self) -> TokenStream {
        let private = &self.resource.crates.private;
        match &self.resource.scale {
            None => TokenStream::new(),
            Some(Scale::Fields(span)) => {
                let marked = self.resource.field_items.iter().any(|item| item.is_marker);
                let call = quote!(#private::check::field_markers::scale(__DEFINITION, #marked));
                require(*span, &call)
            }
            Some(Scale::Paths(paths)) => {
                let spec = self.path("scale_replicas", &paths.spec_replicas);
                let status = self.path("scale_replicas", &paths.status_replicas);
                let selector = paths.label_selector.as_ref().map(|path| self.path("scale_selector", path));
                quote! { #spec #status #selector }
            }
        }
    }

    /// Checks the markers of nested types. Failures are reported on the field of the spec that contains them, or on the
    /// type; if the spec has another schema, on the first attribute of its own fields.
    fn markers(&self) -> TokenStream {
        let private = &self.resource.crates.private;
        let check = |span: Span, function: &str| {
            let function = ident_of(function);
            let call = quote!(#private::check::field_markers::#function(__DEFINITION));
            (span, call)
        };
        let in_fields = self.resource.nested.iter().map(|(at, span)| {
            let call = quote!(#private::check::field_markers::spec_field(__DEFINITION, #at));
            (*span, call)
        });
        let in_spec = check(self.resource.spec.span(), "spec");
        let in_status = self.resource.status.as_ref().map(|status| check(status.span(), "status"));
        let on_resource = self.resource.excess_selectable_field.unwrap_or(self.resource.span);
        let on_resource = check(on_resource, "resource");
        let of_fields = self.resource.field_items.iter().map(|item| item.span);
        let of_spec_schema = self.resource.spec_schema_spans.iter().copied();
        let ignored = of_spec_schema.chain(of_fields).take(1).map(|span| check(span, "own_markers"));
        let checks = [Some(in_spec), in_status, Some(on_resource)];
        require_in_order(in_fields.chain(checks.into_iter().flatten()).chain(ignored))
    }
}

/// Reports markers of fields and keys that apply to the schema of the spec, if the schema is not derived.
fn reject_ignored_markers(resource: &Resource) -> TokenStream {
    let markers = resource.field_items.iter().filter(|item| item.is_marker);
    resource
        .spec_schema_spans
        .iter()
        .copied()
        .chain(markers.map(|item| item.span))
        .map(|span| {
            quote_spanned! {span=>
                ::core::compile_error!("has no effect without a derived schema; remove it or `schema`");
            }
        })
        .collect()
}

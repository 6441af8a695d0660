//! The implementation of `CustomResource` for the root: its definition as a constant.

use darling::util::Override;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::{checks, keyword};
use crate::{
    attrs::{
        printer_column::{ColumnOptions, PathColumn, PrintColumn},
        resource::SchemaMode,
        scale::Scale,
    },
    model::resource::Resource,
};

pub(super) fn expand(resource: &Resource) -> TokenStream {
    let private = &resource.crates.private;
    let (root, spec) = (&resource.root, &resource.spec);
    let status = match &resource.status {
        Some(status) => quote!(#status),
        None => quote!(()),
    };
    let definition = definition(resource);
    let definition_without_columns = definition_without_columns(resource);
    // The compiler validates a constant with everything that it refers to at each use, but a `static` only once.
    quote! {
        #definition_without_columns
        static __DEFINITION: &#private::Definition = &#definition;
        #[automatically_derived]
        impl #private::CustomResource for #root {
            type Spec = #spec;
            type Status = #status;
            const DEFINITION: #private::Definition = *__DEFINITION;
        }
    }
}

/// The definition without printer columns, from which the types of columns are inferred.
fn definition_without_columns(resource: &Resource) -> Option<TokenStream> {
    let private = &resource.crates.private;
    let is_inferred = |column: &PrintColumn| matches!(column, PrintColumn::Path(PathColumn { type_: None, .. }));
    let (new, flags) = (new_definition(resource), flags(resource));
    let is_needed = resource.printer_columns.iter().any(is_inferred);
    is_needed.then(|| quote!(const __WITHOUT_COLUMNS: &#private::Definition = &#new #flags;))
}

fn new_definition(resource: &Resource) -> TokenStream {
    let private = &resource.crates.private;
    let names = &resource.names;
    let (group, version, kind) = (&names.group, &names.version, &names.kind);
    let (plural, singular, list_kind) = (&names.plural, &names.singular, &names.list_kind);
    let schema = schema(resource);
    quote!(#private::Definition::new(#group, #version, #kind, #plural, #singular, #list_kind, #schema))
}

fn definition(resource: &Resource) -> TokenStream {
    let names = &resource.names;
    let new = new_definition(resource);
    let parts = [
        strings("short_names", &names.short_names),
        strings("categories", &names.categories),
        flags(resource),
        deprecated(resource),
        metadata(resource),
        printer_columns(resource),
        selectable(resource),
        scale(resource),
        descriptions(resource),
    ];
    quote!(#new #(#parts)*)
}

fn strings(method: &str, values: &[String]) -> TokenStream {
    if values.is_empty() {
        return TokenStream::new();
    }
    let method = Ident::new(method, Span::call_site());
    quote!(.#method(&[#(#values),*]))
}

fn flags(resource: &Resource) -> TokenStream {
    let names = &resource.names;
    let flags = [
        (resource.namespaced, quote!(.namespaced())),
        (resource.status.is_some(), quote!(.status())),
        (!resource.served, quote!(.unserved())),
        (!resource.storage, quote!(.unstored())),
        (resource.installed_elsewhere, quote!(.installed_elsewhere())),
        (names.plural_from_singular, quote!(.plural_from_singular())),
    ];
    flags.into_iter().filter_map(|(is_set, tokens)| is_set.then_some(tokens)).collect()
}

fn deprecated(resource: &Resource) -> TokenStream {
    let private = &resource.crates.private;
    let deprecation = quote!(#private::Deprecation);
    match &resource.deprecated {
        None => TokenStream::new(),
        Some(Override::Inherit) => quote!(.deprecated(#deprecation::Default)),
        Some(Override::Explicit(warning)) => {
            let warning = warning.as_str();
            quote!(.deprecated(#deprecation::Warning(#warning)))
        }
    }
}

fn metadata(resource: &Resource) -> TokenStream {
    let labels = resource.labels.iter().map(|label| (label.key.as_str(), label.value.as_str()));
    let annotations =
        resource.annotations.iter().map(|annotation| (annotation.key.as_str(), annotation.value.as_str()));
    let labels = pairs("labels", labels);
    let annotations = pairs("annotations", annotations);
    quote!(#labels #annotations)
}

fn pairs<'a>(method: &str, pairs: impl Iterator<Item = (&'a str, &'a str)>) -> TokenStream {
    let pairs: Vec<_> = pairs.map(|(key, value)| quote!((#key, #value))).collect();
    if pairs.is_empty() {
        return TokenStream::new();
    }
    let method = Ident::new(method, Span::call_site());
    quote!(.#method(&[#(#pairs),*]))
}

fn printer_columns(resource: &Resource) -> TokenStream {
    let private = &resource.crates.private;
    // The age comes last, regardless of the order of the attributes.
    let (ages, others): (Vec<_>, Vec<_>) =
        resource.printer_columns.iter().partition(|column| matches!(column, PrintColumn::Age(_)));
    if ages.is_empty() && others.is_empty() {
        return TokenStream::new();
    }
    let columns = others.into_iter().chain(ages).map(|column| match column {
        PrintColumn::Age(_) => quote!(#private::PrinterColumn::age()),
        PrintColumn::Condition(column) => {
            let condition = column.condition.as_str();
            let name = column.name.as_ref().map_or(condition, |name| name.as_str());
            let path = format!(".status.conditions[?(@.type==\"{condition}\")].status");
            let options = column_options(&column.options);
            quote!(#private::PrinterColumn::new(#name, "string", #path) #options)
        }
        PrintColumn::Path(column) => path_column(column, resource),
    });
    quote!(.printer_columns(&[#(#columns),*]))
}

fn path_column(column: &PathColumn, resource: &Resource) -> TokenStream {
    let private = &resource.crates.private;
    let name = column.name.as_str();
    let path = column.json_path.as_str();
    let type_ = match &column.type_ {
        Some(type_) => type_.0.as_str().to_token_stream(),
        None => {
            let steps = checks::steps(&column.json_path, private);
            quote!(#private::check::path::inferred_column_type(__WITHOUT_COLUMNS, #steps))
        }
    };
    let options = column_options(&column.options);
    quote!(#private::PrinterColumn::new(#name, #type_, #path) #options)
}

/// Description, format and priority of a column.
pub(super) fn column_options(options: &ColumnOptions) -> TokenStream {
    let description = options.description.as_ref().map(|text| {
        let text = text.as_str();
        quote!(.description(#text))
    });
    let format = options.format.as_ref().map(|format| {
        let format = format.0.as_str();
        quote!(.format(#format))
    });
    let priority = options.priority.map(|priority| quote!(.priority(#priority)));
    quote!(#description #format #priority)
}

fn selectable(resource: &Resource) -> TokenStream {
    let paths: Vec<String> = resource.selectable.iter().map(|path| path.as_str().to_owned()).collect();
    strings("selectable_fields", &paths)
}

fn scale(resource: &Resource) -> TokenStream {
    match &resource.scale {
        None => TokenStream::new(),
        Some(Scale::Fields(_)) => quote!(.scale_by_fields()),
        Some(Scale::Paths(paths)) => {
            let private = &resource.crates.private;
            let (spec, status) = (paths.spec_replicas.as_str(), paths.status_replicas.as_str());
            let selector = match &paths.label_selector {
                Some(path) => {
                    let path = path.as_str();
                    quote!(#private::Some(#path))
                }
                None => quote!(#private::None),
            };
            quote!(.scale_by_paths(#spec, #status, #selector))
        }
    }
}

fn descriptions(resource: &Resource) -> TokenStream {
    let private = &resource.crates.private;
    let chosen = resource.descriptions.as_ref().map(|chosen| {
        let name = Ident::new(chosen.name, Span::call_site());
        quote!(.descriptions(#private::Descriptions::#name))
    });
    chosen.unwrap_or_default()
}

fn schema(resource: &Resource) -> TokenStream {
    let private = &resource.crates.private;
    let root = &resource.root;
    let mode = quote!(#private::RootSchema);
    match resource.schema {
        SchemaMode::Derived => {
            let parts = root_parts(resource);
            quote!(#mode::Derived(#parts))
        }
        SchemaMode::Manual => quote!(#mode::Manual(#private::Foreign::of::<#root>())),
        SchemaMode::Disabled => quote!(#mode::Disabled),
    }
}

fn root_parts(resource: &Resource) -> TokenStream {
    let private = &resource.crates.private;
    let spec = &resource.spec;
    let lookup = |span: Span, ty: TokenStream| quote_spanned!(span=> __Probe::<#ty>::LOOKUP.schema());
    let spec = lookup(spec.span(), quote!(#spec));
    let flatten = resource.no_spec.then(|| quote!(.flatten_spec()));
    let status = resource.status.as_ref().map(|status| {
        let status = lookup(status.span(), quote!(#status));
        quote!(.status(#status))
    });
    let keywords = keyword::with_keywords(&resource.keywords, &resource.crates);
    let nullable = (!resource.nullable).then(|| quote!(.not_nullable()));
    quote!(#private::DerivedRoot::new(#spec) #flatten #status #keywords #nullable)
}

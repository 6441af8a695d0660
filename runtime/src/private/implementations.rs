//! Implementations without logic of their own: macros, because the compiler expands them faster than a derive generates
//! them.

/// `JsonSchema` of a type, with a function that generates its schema.
#[doc(hidden)]
#[macro_export]
macro_rules! __implement_json_schema {
    ($function:ident $name:literal [$($generics:tt)*] $type:ty [$($bounds:tt)*]) => {
        #[automatically_derived]
        impl $($generics)* $crate::__private::schemars::JsonSchema for $type $($bounds)* {
            fn schema_name() -> $crate::__private::Cow<'static, $crate::__private::str> {
                $crate::__private::Cow::Borrowed($name)
            }
            fn schema_id() -> $crate::__private::Cow<'static, $crate::__private::str> {
                $crate::__private::Cow::Borrowed($crate::__private::type_name::<Self>())
            }
            #[inline]
            fn json_schema(
                generator: &mut $crate::__private::schemars::SchemaGenerator,
            ) -> $crate::__private::schemars::Schema {
                $crate::__private::$function::<Self>(generator)
            }
        }
    };
}

/// kube's traits for a root: its identity, its definition and its parts.
#[doc(hidden)]
#[macro_export]
macro_rules! __implement_resource {
    (
        $root:ident $scope:ident
        $group:literal $kind:literal $version:literal $api_version:literal $plural:literal $crd_name:literal
        [$($short_name:literal)*] [$($list_kind:literal)?] [$spec:ty] $([$status:ty])?
    ) => {
        #[automatically_derived]
        impl $crate::__private::kube_core::Resource for $root {
            type DynamicType = ();
            type Scope = $crate::__private::kube_core::$scope;
            fn group((): &()) -> $crate::__private::Cow<'_, $crate::__private::str> {
                $crate::__private::Cow::Borrowed($group)
            }
            fn kind((): &()) -> $crate::__private::Cow<'_, $crate::__private::str> {
                $crate::__private::Cow::Borrowed($kind)
            }
            fn version((): &()) -> $crate::__private::Cow<'_, $crate::__private::str> {
                $crate::__private::Cow::Borrowed($version)
            }
            fn api_version((): &()) -> $crate::__private::Cow<'_, $crate::__private::str> {
                $crate::__private::Cow::Borrowed($api_version)
            }
            fn plural((): &()) -> $crate::__private::Cow<'_, $crate::__private::str> {
                $crate::__private::Cow::Borrowed($plural)
            }
            $(
                fn url_path((): &(), namespace: $crate::__private::Option<&$crate::__private::str>) -> $crate::__private::String {
                    $crate::__private::url_path::<Self>(namespace, $list_kind)
                }
            )?
            fn meta(&self) -> &$crate::__private::ObjectMeta {
                &self.metadata
            }
            fn meta_mut(&mut self) -> &mut $crate::__private::ObjectMeta {
                &mut self.metadata
            }
        }

        #[automatically_derived]
        impl $crate::__private::kube_core::crd::v1::CustomResourceExt for $root {
            #[inline]
            fn crd() -> $crate::__private::CustomResourceDefinition {
                $crate::__private::crd::<Self>()
            }
            fn crd_name() -> &'static $crate::__private::str {
                $crd_name
            }
            #[inline]
            fn api_resource() -> $crate::__private::kube_core::dynamic::ApiResource {
                $crate::__private::kube_core::dynamic::ApiResource::erase::<Self>(&())
            }
            fn shortnames() -> &'static [&'static $crate::__private::str] {
                &[$($short_name),*]
            }
        }

        #[automatically_derived]
        impl $crate::__private::kube_core::object::HasSpec for $root {
            type Spec = $spec;
            fn spec(&self) -> &$spec {
                &self.spec
            }
            fn spec_mut(&mut self) -> &mut $spec {
                &mut self.spec
            }
        }

        $(
            $crate::__implement_status!($crate::__private::kube_core::object::HasStatus, $root, $status);
            $crate::__implement_status!($crate::__private::StatusSubresource, $root, $status);
        )?
    };
}

/// A trait for access to the status of a root.
#[doc(hidden)]
#[macro_export]
macro_rules! __implement_status {
    ($trait:path, $root:ident, $status:ty) => {
        #[automatically_derived]
        impl $trait for $root {
            type Status = $status;
            fn status(&self) -> $crate::__private::Option<&$status> {
                self.status.as_ref()
            }
            fn status_mut(&mut self) -> &mut $crate::__private::Option<$status> {
                &mut self.status
            }
        }
    };
}

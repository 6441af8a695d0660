//! Schemas of the types of `std` and `serde_json`, as serde writes them.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ffi::{CStr, CString};
use std::num::{NonZero, Saturating, Wrapping};
use std::ops::{Range, RangeFrom, RangeInclusive, RangeTo};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic;
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, SystemTime};

use super::Keyword::{Format, ListType};
use super::walk::{self, Kind};
use super::{Field, Keyword, KubeSchema, ListType as Type, Schema, Shape, Tagging, Variant};

/// The schemas of types without parameters.
macro_rules! schemas {
    ($($(#[$attribute:meta])* $type:ty => $schema:expr;)+) => {$(
        $(#[$attribute])*
        impl KubeSchema for $type {
            const SCHEMA: Schema = $schema;
        }
    )+};
}
pub(super) use schemas;

schemas! {
    bool => Schema::boolean();
    f32 => Schema::number().with(&[Format("float")]);
    f64 => Schema::number().with(&[Format("double")]);
    char => Schema::string().with(&[Keyword::min_length(1), Keyword::max_length(1)]);
    str => Schema::string();
    String => Schema::string();
    Path => Schema::string();
    PathBuf => Schema::string();
    CStr => Schema::list(&{ <NonZero<u8>>::SCHEMA });
    CString => CStr::SCHEMA;
    Duration => Schema::object(&[
        Field::new("secs", &u64::SCHEMA),
        Field::new("nanos", &NANOS),
    ]);
    SystemTime => Schema::object(&[
        Field::new("secs_since_epoch", &u64::SCHEMA),
        Field::new("nanos_since_epoch", &NANOS),
    ]);
    serde_json::Value => Schema::any();
    #[cfg(feature = "raw_value")]
    serde_json::value::RawValue => Schema::any();
    serde_json::Map<String, serde_json::Value> => Schema::map(&serde_json::Value::SCHEMA);
    serde_json::Number => Schema::number();
}

const NANOS: Schema = Schema::integer().with(&[Keyword::minimum(0.0), Keyword::maximum(999_999_999.0)]);

/// The schemas of integers and of their `NonZero`.
///
/// Bounds at or beyond 2^63 are left out: with such a bound on an integer, the server rejects all values.
macro_rules! unsigned {
    ($($type:ty: $($maximum:expr)?;)+) => {$(
        schemas! {
            $type => Schema::integer().with(&[Keyword::minimum(0.0) $(, Keyword::maximum($maximum))?]);
            NonZero<$type> => Schema::integer().with(&[Keyword::minimum(1.0) $(, Keyword::maximum($maximum))?]);
        }
    )+};
}

unsigned! {
    u8: 255.0;
    u16: 65_535.0;
    u32: 4_294_967_295.0;
    u64: ;
    u128: ;
    usize: ;
}

macro_rules! signed {
    ($($type:ty: $($keyword:expr),*;)+) => {$(
        schemas! {
            $type => Schema::integer().with(&[$($keyword),*]);
            NonZero<$type> => Schema::one_of(Tagging::Untagged, &[
                Variant::new("negative")
                    .with(&Schema::integer().with(&[$($keyword,)* Keyword::maximum(-1.0)])),
                Variant::new("positive")
                    .with(&Schema::integer().with(&[$($keyword,)* Keyword::minimum(1.0)])),
            ]);
        }
    )+};
}

signed! {
    i8: Keyword::minimum(-128.0), Keyword::maximum(127.0);
    i16: Keyword::minimum(-32_768.0), Keyword::maximum(32_767.0);
    i32: Format("int32");
    i64: Format("int64");
    i128: ;
    isize: Format("int64");
}

/// Types that are serialized like another type.
macro_rules! same_as {
    ($($(#[$attribute:meta])* [$($generics:tt)*] $type:ty => $other:ty;)+) => {$(
        $(#[$attribute])*
        impl<$($generics)*> KubeSchema for $type {
            const SCHEMA: Schema = <$other>::SCHEMA;
        }
    )+};
}

same_as! {
    [T: KubeSchema + ?Sized] &T => T;
    [T: KubeSchema + ?Sized] Box<T> => T;
    [T: KubeSchema + ?Sized] Rc<T> => T;
    [T: KubeSchema + ?Sized] Arc<T> => T;
    [T: KubeSchema + ?Sized + ToOwned] Cow<'_, T> => T;
    [T: KubeSchema + ?Sized] Cell<T> => T;
    [T: KubeSchema + ?Sized] RefCell<T> => T;
    [T: KubeSchema + ?Sized] Mutex<T> => T;
    [T: KubeSchema + ?Sized] RwLock<T> => T;
    [T: KubeSchema] Wrapping<T> => T;
    [T: KubeSchema] Saturating<T> => T;
    [T: KubeSchema] Reverse<T> => T;
    #[cfg(target_has_atomic = "8")] [] atomic::AtomicBool => bool;
    #[cfg(target_has_atomic = "8")] [] atomic::AtomicI8 => i8;
    #[cfg(target_has_atomic = "16")] [] atomic::AtomicI16 => i16;
    #[cfg(target_has_atomic = "32")] [] atomic::AtomicI32 => i32;
    #[cfg(target_has_atomic = "64")] [] atomic::AtomicI64 => i64;
    #[cfg(target_has_atomic = "ptr")] [] atomic::AtomicIsize => isize;
    #[cfg(target_has_atomic = "8")] [] atomic::AtomicU8 => u8;
    #[cfg(target_has_atomic = "16")] [] atomic::AtomicU16 => u16;
    #[cfg(target_has_atomic = "32")] [] atomic::AtomicU32 => u32;
    #[cfg(target_has_atomic = "64")] [] atomic::AtomicU64 => u64;
    #[cfg(target_has_atomic = "ptr")] [] atomic::AtomicUsize => usize;
    [T: KubeSchema] Vec<T> => [T];
    [T: KubeSchema] VecDeque<T> => [T];
    [T: KubeSchema] LinkedList<T> => [T];
    [T: KubeSchema] BinaryHeap<T> => [T];
    [T: KubeSchema, S] HashSet<T, S> => BTreeSet<T>;
    [K: KubeSchema, V: KubeSchema, S] HashMap<K, V, S> => BTreeMap<K, V>;
    [T: KubeSchema] RangeInclusive<T> => Range<T>;
}

impl<T: KubeSchema> KubeSchema for Option<T> {
    const SCHEMA: Schema = T::SCHEMA.optional();
}

impl<T: KubeSchema> KubeSchema for [T] {
    const SCHEMA: Schema = Schema::list(T::SCHEMA_REF);
}

impl<T: KubeSchema, const N: usize> KubeSchema for [T; N] {
    const SCHEMA: Schema =
        Schema::newtype(<[T]>::SCHEMA_REF).with(&[Keyword::min_items(N as i64), Keyword::max_items(N as i64)]);
}

impl<T: KubeSchema> KubeSchema for BTreeSet<T> {
    const SCHEMA: Schema = set(T::SCHEMA_REF);
}

impl<K: KubeSchema, V: KubeSchema> KubeSchema for BTreeMap<K, V> {
    const SCHEMA: Schema = Schema::map(V::SCHEMA_REF).keyed_by(K::SCHEMA_REF);
}

impl<T: KubeSchema> KubeSchema for Range<T> {
    const SCHEMA: Schema = Schema::object(&[Field::new("start", T::SCHEMA_REF), Field::new("end", T::SCHEMA_REF)]);
}

impl<T: KubeSchema> KubeSchema for RangeFrom<T> {
    const SCHEMA: Schema = Schema::object(&[Field::new("start", T::SCHEMA_REF)]);
}

impl<T: KubeSchema> KubeSchema for RangeTo<T> {
    const SCHEMA: Schema = Schema::object(&[Field::new("end", T::SCHEMA_REF)]);
}

const fn set(items: &'static Schema) -> Schema {
    const SET: &[Keyword] = &[ListType(Type::Set)];
    let list = Schema::list(items);
    if is_scalar(items) && !items.optional { list.with(SET) } else { list }
}

/// Whether each value has one owner, so that a list of them can be a set.
const fn is_scalar(schema: &Schema) -> bool {
    match schema.shape {
        Shape::Boolean | Shape::Integer | Shape::Number | Shape::String | Shape::IntOrString | Shape::Enum(_) => true,
        Shape::Newtype(inner) => is_scalar(inner),
        Shape::OneOf(..) => matches!(
            walk::kind(schema),
            Kind::Boolean | Kind::Integer | Kind::Number | Kind::String | Kind::IntOrString
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{
        NumberBound,
        accepts::{accepts, assert_accepts_serialized},
    };
    use super::*;

    #[test]
    fn schemas_accept_what_serde_writes() {
        assert_accepts_serialized(true);
        assert_accepts_serialized([i8::MIN, i8::MAX]);
        assert_accepts_serialized([i16::MIN, i16::MAX]);
        assert_accepts_serialized([i32::MIN, i32::MAX]);
        assert_accepts_serialized([i64::MIN, i64::MAX]);
        assert_accepts_serialized([isize::MIN, isize::MAX]);
        assert_accepts_serialized([u8::MIN, u8::MAX]);
        assert_accepts_serialized([u16::MIN, u16::MAX]);
        assert_accepts_serialized([u32::MIN, u32::MAX]);
        assert_accepts_serialized([u64::MIN, i64::MAX.unsigned_abs()]); // the server takes no larger integer
        assert_accepts_serialized(NonZero::new(1_u64));
        assert_accepts_serialized([NonZero::<i8>::MIN, NonZero::<i8>::MAX]);
        assert_accepts_serialized(None::<NonZero<i8>>);
        assert_accepts_serialized(vec![0.5_f32]);
        assert_accepts_serialized([0.5_f64; 32]);
        assert_accepts_serialized('ß');
        assert_accepts_serialized("text");
        assert_accepts_serialized(Box::<str>::from("text"));
        assert_accepts_serialized(PathBuf::from("/dev/null"));
        assert_accepts_serialized(CString::from(c"text"));
        assert_accepts_serialized(Duration::new(i64::MAX.unsigned_abs(), 999_999_999));
        assert_accepts_serialized(SystemTime::now());
        assert_accepts_serialized(Cow::Borrowed("text"));
        assert_accepts_serialized(Mutex::new(RefCell::new(Cell::new(1_u8))));
        assert_accepts_serialized(atomic::AtomicU16::new(1));
        assert_accepts_serialized(Wrapping(Saturating(Reverse(1_u8))));
        assert_accepts_serialized(VecDeque::from([Some("text"), None]));
        assert_accepts_serialized(BTreeSet::from(["text"]));
        assert_accepts_serialized(HashMap::from([(1_u8, vec![1_u8])]));
        assert_accepts_serialized((1_u8, 300_u16));
        assert_accepts_serialized(("a",));
        assert_accepts_serialized(1_u8..2);
        assert_accepts_serialized(1_u8..=2);
        assert_accepts_serialized(1_u8..);
        assert_accepts_serialized(..2_u8);
        assert_accepts_serialized(json!({ "any": [null] }));
        assert_accepts_serialized(serde_json::Map::from_iter([("any".into(), json!([null]))]));
        assert_accepts_serialized(serde_json::Number::from(1));
    }

    #[test]
    fn schemas_refuse_what_serde_cannot_read() {
        for (schema, json) in [
            (bool::SCHEMA, json!(null)),
            (u8::SCHEMA, json!(256)),
            (u16::SCHEMA, json!(-1)),
            (u32::SCHEMA, json!(4_294_967_296_i64)),
            (u64::SCHEMA, json!(-1)),
            (i8::SCHEMA, json!(-129)),
            (i16::SCHEMA, json!(32_768)),
            (i32::SCHEMA, json!(2_147_483_648_i64)),
            (<NonZero<u8>>::SCHEMA, json!(0)),
            (<NonZero<i8>>::SCHEMA, json!(0)),
            (<NonZero<i8>>::SCHEMA, json!(128)),
            (<NonZero<u128>>::SCHEMA, json!(0)),
            (char::SCHEMA, json!("ab")),
            (<[u8; 2]>::SCHEMA, json!([1])),
            (<[u8; 2]>::SCHEMA, json!([1, 2, 3])),
            (<(u8, u16)>::SCHEMA, json!([1])),
            (Duration::SCHEMA, json!({ "secs": 1 })),
            (<Vec<u8>>::SCHEMA, json!([null])),
            (<Range<u8>>::SCHEMA, json!({ "start": 1 })),
        ] {
            assert!(!accepts(&schema, &json), "{schema:?} accepts {json}");
        }
    }

    #[test]
    fn no_bound_is_beyond_the_integers_of_the_server() {
        for schema in [u64::SCHEMA, u128::SCHEMA, i64::SCHEMA, i128::SCHEMA] {
            for keyword in schema.keywords {
                assert!(matches!(keyword, Keyword::Number(NumberBound::Minimum, 0.0) | Format("int64")), "{keyword:?}");
            }
        }
    }

    #[test]
    fn sets_are_of_scalars() {
        let is_set = |schema: Schema| matches!(schema.keywords, [ListType(Type::Set)]);
        assert!(is_set(<HashSet<String>>::SCHEMA));
        assert!(is_set(<BTreeSet<Box<u8>>>::SCHEMA));
        assert!(!is_set(<BTreeSet<Option<u8>>>::SCHEMA));
        assert!(!is_set(<BTreeSet<Vec<u8>>>::SCHEMA));
        assert!(!is_set(<BTreeSet<Duration>>::SCHEMA));
    }
}

//! A default by each attribute that gives one, against each keyword that it has to pass, by each attribute that gives that.

use std::collections::BTreeMap;

use crate::resources_of_fields;

fn default_text() -> String {
    "abc".to_owned()
}

fn no_text() -> String {
    String::new()
}

fn email() -> String {
    "a@example.com".to_owned()
}

fn url() -> String {
    "https://example.com".to_owned()
}

fn address() -> String {
    "10.0.0.1".to_owned()
}

fn six() -> i32 {
    6
}

fn zero() -> i32 {
    0
}

fn half() -> f64 {
    0.5
}

fn sixty() -> Vec<i32> {
    vec![1; 60]
}

fn forty() -> Vec<i32> {
    vec![1; 40]
}

fn three() -> Vec<i32> {
    vec![1, 2, 3]
}

fn words() -> Vec<String> {
    vec!["ab".to_owned(), "abc".to_owned()]
}

fn entries() -> BTreeMap<String, String> {
    ["a", "b", "c"].map(|key| (key.to_owned(), key.repeat(3))).into()
}

const FIVE: i64 = 5;
const SIX: i32 = 6;
const WORD: &str = "^[a-z]{3}$";
const DIGIT: &str = "^[0-9]$";

resources_of_fields! {
    Accepted {
        least: #[crd(default = six(), minimum = 6)] i32;
        least_constant: #[crd(default = six(), minimum = FIVE)] i32;
        least_of_serde: #[serde(default = "six")] #[crd(minimum = 6)] i32;
        least_of_schemars: #[serde(default = "six")] #[schemars(range(min = 6))] i32;
        least_of_validate: #[serde(default = "six")] #[validate(range(min = 6))] i32;
        least_of_garde: #[serde(default = "six")] #[garde(range(min = 6))] i32;
        greatest: #[crd(default = SIX, maximum = 6)] i32;
        above: #[crd(default = six(), exclusive_minimum = 5)] i32;
        below: #[crd(default = six(), exclusive_maximum = 7)] i32;
        multiple: #[crd(default = six(), multiple_of = 3)] i32;
        shortest: #[crd(default = default_text(), min_length = 3)] String;
        longest: #[crd(default = default_text(), max_length = 3)] String;
        longest_of_schemars: #[serde(default = "default_text")] #[schemars(length(max = 3))] String;
        longest_of_validate: #[serde(default = "default_text")] #[validate(length(max = 3))] String;
        longest_of_garde: #[serde(default = "default_text")] #[garde(length(max = 3))] String;
        matching: #[crd(default = default_text(), pattern = "^[a-z]+$")] String;
        matching_a_constant: #[crd(default = default_text(), pattern = WORD)] String;
        matching_schemars: #[serde(default = "default_text")] #[schemars(regex(pattern = "^abc$"))] String;
        matching_schemars_constant: #[serde(default = "default_text")] #[schemars(regex(pattern = WORD))] String;
        matching_validate: #[serde(default = "default_text")] #[validate(regex(path = WORD))] String;
        matching_garde: #[serde(default = "default_text")] #[garde(pattern("^abc$"))] String;
        containing: #[serde(default = "default_text")] #[schemars(contains(pattern = "b"))] String;
        an_email: #[serde(default = "email")] #[schemars(email)] String;
        an_url: #[serde(default = "url")] #[schemars(url)] String;
        an_ip: #[serde(default = "address")] #[schemars(ip)] String;
        an_ipv4: #[serde(default = "address")] #[schemars(ipv4)] String;
        of_a_format: #[crd(default = address(), format = "ipv4")] String;
        in_the_enum: #[crd(default = default_text(), enum_values = ["abc", "d"])] String;
        of_three: #[crd(default = three(), min_items = 3, max_items = 3)] Vec<i32>;
        of_three_by_schemars: #[serde(default = "three")] #[schemars(length(equal = 3))] Vec<i32>;
        of_words: #[crd(default = words(), items(min_length = 2))] Vec<String>;
        of_words_by_schemars: #[serde(default = "words")] #[schemars(inner(length(min = 2)))] Vec<String>;
        of_words_by_garde: #[serde(default = "words")] #[garde(inner(length(min = 2)))] Vec<String>;
        of_entries: #[crd(default = entries(), max_properties = 3)] BTreeMap<String, String>;
        of_values: #[crd(default = entries(), values(max_length = 3))] BTreeMap<String, String>;
        of_a_rule: #[crd(default = six(), validation = "self > 5")] i32;
        of_a_rule_by_kube: #[serde(default = "six")] #[x_kube(validation = "self > 5")] i32;
        of_a_transition: #[crd(default = six(), validation = "self >= oldSelf")] i32;
    }
    E5 {
        below_the_least: #[crd(default = zero(), minimum = 6)] i32;
        below_a_constant: #[crd(default = zero(), minimum = FIVE)] i32;
        below_the_least_of_serde: #[serde(default = "zero")] #[crd(minimum = 6)] i32;
        below_the_least_of_a_type: #[serde(default)] #[crd(minimum = 6)] i32;
        below_the_least_of_schemars: #[serde(default)] #[schemars(range(min = 6))] i32;
        below_the_least_of_validate: #[serde(default)] #[validate(range(min = 6))] i32;
        below_the_least_of_garde: #[serde(default)] #[garde(range(min = 6))] i32;
        above_the_greatest: #[crd(default = SIX, maximum = 5)] i32;
        not_above: #[crd(default = six(), exclusive_minimum = 6)] i32;
        not_below: #[crd(default = six(), exclusive_maximum = 6)] i32;
        no_multiple: #[crd(default = six(), multiple_of = 4)] i32;
        no_multiple_with_a_fraction: #[crd(default = half(), multiple_of = 3)] f64;
        not_in_the_format: #[crd(default = half(), format = "float", maximum = 0.25)] f64;
        too_short: #[crd(default = no_text(), min_length = 3)] String;
        too_short_for_schemars: #[serde(default)] #[schemars(length(min = 1))] String;
        too_long: #[crd(default = default_text(), max_length = 2)] String;
        too_long_for_validate: #[serde(default = "default_text")] #[validate(length(max = 2))] String;
        too_long_for_garde: #[serde(default = "default_text")] #[garde(length(max = 2))] String;
        not_matching: #[crd(default = default_text(), pattern = "^[0-9]+$")] String;
        not_matching_a_constant: #[crd(default = default_text(), pattern = DIGIT)] String;
        not_matching_schemars: #[serde(default = "default_text")] #[schemars(regex(pattern = "^ab$"))] String;
        not_matching_schemars_constant: #[serde(default = "default_text")] #[schemars(regex(pattern = DIGIT))] String;
        not_matching_validate: #[serde(default = "default_text")] #[validate(regex(path = DIGIT))] String;
        not_matching_garde: #[serde(default = "default_text")] #[garde(pattern("^ab$"))] String;
        not_containing: #[serde(default = "default_text")] #[schemars(contains(pattern = "d"))] String;
        no_email: #[serde(default = "no_text")] #[schemars(email)] String;
        no_email_of_validate: #[serde(default = "no_text")] #[validate(email)] String;
        no_email_of_garde: #[serde(default = "no_text")] #[garde(email)] String;
        no_url: #[serde(default = "no_text")] #[schemars(url)] String;
        no_ipv4: #[serde(default = "no_text")] #[schemars(ipv4)] String;
        no_ipv6: #[serde(default = "address")] #[schemars(ipv6)] String;
        of_another_format: #[crd(default = address(), format = "ipv6")] String;
        not_in_the_enum: #[crd(default = default_text(), enum_values = ["a", "d"])] String;
        too_many: #[crd(default = three(), max_items = 2)] Vec<i32>;
        too_few: #[crd(default = three(), min_items = 4)] Vec<i32>;
        too_many_for_schemars: #[serde(default = "three")] #[schemars(length(equal = 2))] Vec<i32>;
        none_of_serde: #[serde(default)] #[crd(min_items = 1)] Vec<i32>;
        too_short_within: #[crd(default = words(), items(min_length = 3))] Vec<String>;
        too_short_within_by_schemars: #[serde(default = "words")] #[schemars(inner(length(min = 3)))] Vec<String>;
        too_short_within_by_garde: #[serde(default = "words")] #[garde(inner(length(min = 3)))] Vec<String>;
        too_many_entries: #[crd(default = entries(), max_properties = 2)] BTreeMap<String, String>;
        too_long_entries: #[crd(default = entries(), values(max_length = 2))] BTreeMap<String, String>;
        an_address_of_std: #[crd(schema_patch({ "default": "a", "format": "ipv4" }))] std::net::Ipv4Addr;
    }
    E7 {
        against_a_rule: #[crd(default = zero(), validation = "self > 5")] i32;
        against_a_rule_by_kube: #[serde(default)] #[x_kube(validation = "self > 5")] i32;
        against_a_rule_of_serde: #[serde(default = "zero")] #[crd(validation = "self > 5")] i32;
        against_the_rule_of_an_ip: #[serde(default)] #[schemars(ip)] String;
        against_the_rule_of_an_ip_by_validate: #[serde(default)] #[validate(ip)] String;
        against_a_rule_within: #[crd(default = words(), items(validation = "self.size() > 2"))] Vec<String>;
        against_a_rule_in_values: #[crd(default = entries(), values(validation = "self.size() < 3"))] BTreeMap<String, String>;
        against_its_transition: #[crd(default = six(), validation = "self > oldSelf")] i32;
        dear: #[crd(default = sixty(), max_items = 60, validation = "self.all(x, self.all(y, self.all(z, x + y + z > 0)))")] Vec<i32>;
    }
    E8 {
        dear_together: #[crd(default = forty(), max_items = 40, validation = "self.all(x, self.all(y, self.all(z, x + y + z > 0)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -1)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -2)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -3)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -4)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -5)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -6)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -7)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -8)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -9)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -10)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -11)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -12)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -13)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -14)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -15)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -16)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -17)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -18)))", validation = "self.all(x, self.all(y, self.all(z, x + y + z > -19)))")] Vec<i32>;
    }
}

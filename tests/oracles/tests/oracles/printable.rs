use crdkit_core::go::printable::Printable;
use crdkit_oracles::Oracle;

#[test]
fn every_character_is_printable_or_not() {
    let Some(oracle) = Oracle::shared() else {
        return;
    };
    let table = Printable::new();
    oracle.query(&[vec!["print".to_owned()]], |_, ranges| {
        let code = |text: &str| u32::from_str_radix(text, 16).expect("a code point is hexadecimal");
        let ranges: Vec<(u32, u32)> =
            ranges.iter().filter_map(|range| range.split_once('-')).map(|(lo, hi)| (code(lo), code(hi))).collect();
        for character in '\0'..=char::MAX {
            let expected = ranges
                .binary_search_by(|(lo, hi)| {
                    let code = u32::from(character);
                    if *hi < code {
                        std::cmp::Ordering::Less
                    } else if code < *lo {
                        std::cmp::Ordering::Greater
                    } else {
                        std::cmp::Ordering::Equal
                    }
                })
                .is_ok();
            assert_eq!(table.contains(character), expected, "{character:?}");
        }
    });
}

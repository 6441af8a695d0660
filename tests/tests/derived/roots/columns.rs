//! Columns that a resource names itself.

use crdkit::definition::PrinterColumn;

use super::{BOTH, OPEN};

const fn column(type_: &'static str, path: &'static str) -> PrinterColumn {
    PrinterColumn::new("A", type_, path)
}

definitions! {
    Accepted {
        text: BOTH.printer_columns(&[column("string", ".spec.text")]);
        flag: BOTH.printer_columns(&[column("boolean", ".spec.flag")]);
        count: BOTH.printer_columns(&[column("integer", ".spec.count")]);
        share_without_fraction: BOTH.printer_columns(&[column("integer", ".spec.share")]);
        share: BOTH.printer_columns(&[column("number", ".spec.share")]);
        time: BOTH.printer_columns(&[column("date", ".spec.time")]);
        age: BOTH.printer_columns(&[PrinterColumn::age()]);
        part: BOTH.printer_columns(&[column("string", ".spec.part.text")]);
        part_in_quotes: BOTH.printer_columns(&[column("string", ".spec['part']['text']")]);
        list: BOTH.printer_columns(&[column("string", ".spec.list")]);
        item: BOTH.printer_columns(&[column("string", ".spec.list[0]")]);
        last_item: BOTH.printer_columns(&[column("string", ".spec.list[-1:]")]);
        all_items: BOTH.printer_columns(&[column("string", ".spec.list[*]")]);
        entry: BOTH.printer_columns(&[column("string", ".spec.map.a")]);
        entry_with_a_dot: BOTH.printer_columns(&[column("string", r".spec.map.a\.b")]);
        item_of_a_part: BOTH.printer_columns(&[column("integer", ".spec.parts[?(@.text==\"a\")].size")]);
        deep: BOTH.printer_columns(&[column("string", ".spec..text")]);
        union: BOTH.printer_columns(&[column("string", ".spec['text','flag']")]);
        any: BOTH.printer_columns(&[column("string", ".spec.any.a.b")]);
        raw: BOTH.printer_columns(&[column("string", ".spec.raw")]);
        resource: BOTH.printer_columns(&[column("string", ".spec.resource.kind")]);
        either: BOTH.printer_columns(&[column("string", ".spec.either")]);
        either_as_integer: BOTH.printer_columns(&[column("integer", ".spec.either")]);
        either_as_number: BOTH.printer_columns(&[column("number", ".spec.either")]);
        phase: BOTH.printer_columns(&[column("string", ".status.phase")]);
        phase_of_an_open_status: OPEN.printer_columns(&[column("string", ".status.phase")]);
        name: BOTH.printer_columns(&[column("string", ".metadata.name")]);
        label: BOTH.printer_columns(&[column("string", r".metadata.labels.a\.b/c")]);
        format: BOTH.printer_columns(&[column("integer", ".spec.count").format("int32")]);
        wide: BOTH.printer_columns(&[column("string", ".spec.text").priority(1).description("Words.")]);
        several: BOTH.printer_columns(&[column("string", ".spec.text"), PrinterColumn::new("B", "date", ".spec.time")]);
    }
    P1 {
        no_name: BOTH.printer_columns(&[PrinterColumn::new("", "string", ".spec.text")]);
    }
    P2 {
        no_type: BOTH.printer_columns(&[column("", ".spec.text")]);
        type_foo: BOTH.printer_columns(&[column("text", ".spec.text")]);
    }
    P3 {
        format_foo: BOTH.printer_columns(&[column("string", ".spec.text").format("uuid")]);
        format_name: BOTH.printer_columns(&[column("string", ".spec.text").format("name")]);
    }
    P4 {
        no_path: BOTH.printer_columns(&[column("string", "")]);
    }
    P5 {
        no_dot: BOTH.printer_columns(&[column("string", "spec.text")]);
        dollar: BOTH.printer_columns(&[column("string", "$.spec.text")]);
    }
    X43 {
        name_twice: BOTH.printer_columns(&[column("string", ".spec.text"), column("boolean", ".spec.flag")]);
    }
    X45 {
        double_quotes: BOTH.printer_columns(&[column("string", ".spec[\"text\"]")]);
        unclosed: BOTH.printer_columns(&[column("string", ".spec[")]);
    }
    X46 {
        nothing: BOTH.printer_columns(&[column("string", ".spec.none")]);
        nothing_in_a_part: BOTH.printer_columns(&[column("string", ".spec.part.none")]);
        nothing_in_an_item: BOTH.printer_columns(&[column("string", ".spec.parts[0].none")]);
        nothing_in_a_filtered_item: BOTH.printer_columns(&[column("string", ".spec.parts[?(@.text==\"a\")].none")]);
        below_text: BOTH.printer_columns(&[column("string", ".spec.text.a")]);
    }
    X47 {
        text_as_integer: BOTH.printer_columns(&[column("integer", ".spec.text")]);
        either_as_boolean: BOTH.printer_columns(&[column("boolean", ".spec.either")]);
        either_as_date: BOTH.printer_columns(&[column("date", ".spec.either")]);
        number_as_date: BOTH.printer_columns(&[column("date", ".spec.share")]);
        filtered_number_as_date: BOTH.printer_columns(&[column("date", ".spec.parts[?(@.text==\"a\")].size")]);
        object_as_boolean: BOTH.printer_columns(&[column("boolean", ".spec.part")]);
        entry_as_number: BOTH.printer_columns(&[column("number", ".spec.map.a")]);
    }
}

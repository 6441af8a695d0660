//! Columns that a resource names itself.

use crdkit::definition::{Definition, PrinterColumn};

use super::{BOTH, OPEN};

const fn column(type_: &'static str, path: &'static str) -> PrinterColumn {
    PrinterColumn::new("A", type_, path)
}

macro_rules! with {
    ($($column:expr),*) => {
        BOTH.printer_columns(&[$($column),*])
    };
}

const fn of_open_status(columns: &'static [PrinterColumn]) -> Definition {
    OPEN.printer_columns(columns)
}

definitions! {
    Good {
        text: with!(column("string", ".spec.text"));
        flag: with!(column("boolean", ".spec.flag"));
        count: with!(column("integer", ".spec.count"));
        share: with!(column("number", ".spec.share"));
        time: with!(column("date", ".spec.time"));
        age: with!(PrinterColumn::age());
        part: with!(column("string", ".spec.part.text"));
        part_in_quotes: with!(column("string", ".spec['part']['text']"));
        list: with!(column("string", ".spec.list"));
        item: with!(column("string", ".spec.list[0]"));
        last_item: with!(column("string", ".spec.list[-1:]"));
        all_items: with!(column("string", ".spec.list[*]"));
        entry: with!(column("string", ".spec.map.a"));
        entry_with_a_dot: with!(column("string", r".spec.map.a\.b"));
        item_of_a_part: with!(column("integer", ".spec.parts[?(@.text==\"a\")].size"));
        deep: with!(column("string", ".spec..text"));
        union: with!(column("string", ".spec['text','flag']"));
        any: with!(column("string", ".spec.any.a.b"));
        raw: with!(column("string", ".spec.raw"));
        resource: with!(column("string", ".spec.resource.kind"));
        either: with!(column("string", ".spec.either"));
        phase: with!(column("string", ".status.phase"));
        phase_of_an_open_status: of_open_status(&[column("string", ".status.phase")]);
        name: with!(column("string", ".metadata.name"));
        label: with!(column("string", r".metadata.labels.a\.b/c"));
        format: with!(column("integer", ".spec.count").format("int32"));
        wide: with!(column("string", ".spec.text").priority(1).description("Words."));
        several: with!(column("string", ".spec.text"), PrinterColumn::new("B", "date", ".spec.time"));
    }
    P1 {
        no_name: with!(PrinterColumn::new("", "string", ".spec.text"));
    }
    P2 {
        no_type: with!(column("", ".spec.text"));
        type_foo: with!(column("text", ".spec.text"));
    }
    P3 {
        format_foo: with!(column("string", ".spec.text").format("uuid"));
        format_name: with!(column("string", ".spec.text").format("name"));
    }
    P4 {
        no_path: with!(column("string", ""));
    }
    P5 {
        no_dot: with!(column("string", "spec.text"));
        dollar: with!(column("string", "$.spec.text"));
    }
    X43 {
        name_twice: with!(column("string", ".spec.text"), column("boolean", ".spec.flag"));
    }
    X45 {
        double_quotes: with!(column("string", ".spec[\"text\"]"));
        unclosed: with!(column("string", ".spec["));
    }
    X46 {
        nothing: with!(column("string", ".spec.none"));
        nothing_in_a_part: with!(column("string", ".spec.part.none"));
        nothing_in_an_item: with!(column("string", ".spec.parts[0].none"));
        below_text: with!(column("string", ".spec.text.a"));
    }
    X47 {
        text_as_integer: with!(column("integer", ".spec.text"));
        number_as_date: with!(column("date", ".spec.share"));
        object_as_boolean: with!(column("boolean", ".spec.part"));
        entry_as_number: with!(column("number", ".spec.map.a"));
    }
}

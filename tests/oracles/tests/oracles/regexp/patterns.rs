use crdkit_oracles::Random;

const LITERALS: &[&str] = &[
    "a",
    "b",
    "c",
    "ab",
    "abc",
    "A",
    "B",
    "k",
    "K",
    "s",
    "S",
    "ſ",
    "\u{212A}",
    "σ",
    "ς",
    "Σ",
    "é",
    "ß",
    "ẞ",
    "1",
    "0",
    "_",
    "-",
    " ",
    "\n",
    "\t",
    ",",
    ":",
    "=",
    "<",
    ">",
    "&&",
    "]",
    "}",
    "{",
    "☃",
    "𐐀",
    "𐐨",
    "ǅ",
    "İ",
    "ı",
    "\u{345}",
    "P",
    "E",
    "Q",
    "x",
    "\u{10FFFF}",
    "/",
    "@",
    "#",
    "!",
    "~",
    "\"",
    "'",
];

const ESCAPES: &[&str] = &[
    r"\d",
    r"\D",
    r"\s",
    r"\S",
    r"\w",
    r"\W",
    r"\n",
    r"\t",
    r"\r",
    r"\f",
    r"\v",
    r"\a",
    r"\.",
    r"\\",
    r"\[",
    r"\]",
    r"\-",
    r"\(",
    r"\)",
    r"\*",
    r"\^",
    r"\$",
    r"\_",
    r"\/",
    r"\x41",
    r"\x{2603}",
    r"\x{10FFFF}",
    r"\x{0}",
    r"\x{D800}",
    r"\07",
    r"\123",
    r"\0",
    r"\101",
    r"\pL",
    r"\PL",
    r"\p{Greek}",
    r"\p{^Greek}",
    r"\P{^Lu}",
    r"\p{Lu}",
    r"\p{Ll}",
    r"\pN",
    r"\p{Letter}",
    r"\p{lc}",
    r"\p{Any}",
    r"\P{Any}",
    r"\p{ascii}",
    r"\p{assigned}",
    r"\p{Cn}",
    r"\p{C}",
];

const WRONG_ESCAPES: &[&str] = &[
    r"\C",
    r"\Z",
    r"\u0041",
    r"\1",
    r"\8",
    r"\x",
    r"\x4",
    r"\x{",
    r"\x{}",
    r"\x{110000}",
    r"\x{41",
    r"\xg1",
    r"\x1é",
    r"\é",
    r"\k",
    r"\G",
    r"\e",
    r"\cA",
    r"\p",
    r"\p{",
    r"\p{}",
    r"\p{Foo}",
    r"\p{Old_Italic}",
    r"\pX",
    r"\p{Script=Greek}",
    r"\p^",
    r"\X",
    r"\R",
    r"\h",
    r"\i",
    r"\E",
    r"\",
];

const PLACES: &[&str] = &["^", "$", r"\A", r"\z", r"\b", r"\B", "(?m)", "(?-m)"];

const REPEATS: &[&str] = &[
    "*", "+", "?", "*?", "+?", "??", "{2}", "{0}", "{1}", "{0,}", "{1,}", "{2,}", "{2,3}", "{0,1}", "{0,2}?", "{3}?",
    "{1,3}", "{,2}", "{2", "{a}", "{02}", "{}",
];

const WRONG_REPEATS: &[&str] = &[
    "**",
    "++",
    "*+",
    "{2}{3}",
    "{1001}",
    "{2,1}",
    "{1,1001}",
    "{99999999999}",
    "{1,99999999999999999999}",
    "{1000}",
    "{100}",
    "???",
    "{2}*",
    "+??",
    "{1000,}",
    "{0,1000}",
    "{999999999}",
];

const GROUPS: &[&str] = &[
    "(", "(", "(", "(?:", "(?:", "(?i:", "(?s:", "(?m:", "(?U:", "(?-i:", "(?i-s:", "(?ims:", "(?i-ms:", "(?P<n>",
    "(?<n>", "(?<_1>", "(?-s:", "(?U-i:",
];

const WRONG_GROUPS: &[&str] = &[
    "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?x:", "(?", "(?i", "(?i-:", "(?--i:", "(?P=n)", "(?P<>", "(?P<n m>",
    "(?<é>", "(?P<", "(?<", "(?#c)", "(?|", "(?P>n)", "(?'n'", "(?R)", "(?-", "(?-)", "(?ii", "(?P", "(?P<n", "(?u:",
    "(?é",
];

const FLAGS: &[&str] = &["(?i)", "(?s)", "(?m)", "(?U)", "(?-i)", "(?i-m)", "(?)", "(?:)", "(?mi)", "(?-s)", "(?-im)"];

const CLASS_ITEMS: &[&str] = &[
    "[:alpha:]",
    "[:^alpha:]",
    "[:word:]",
    "[:space:]",
    "[:^digit:]",
    "[:upper:]",
    "[:xdigit:]",
    "[:punct:]",
    "[:print:]",
    "[:cntrl:]",
    "[:ascii:]",
    "[:blank:]",
    "[:graph:]",
    "[:lower:]",
    "[:alnum:]",
    "[:",
    ":]",
    "[",
    "a-z",
    "A-Z",
    "0-9",
    "b-y",
    "a-",
    "-",
    "^",
    "α-ω",
    "K-k",
    "\u{100}-\u{17F}",
    "é-ü",
    "\\x00-\\x1f",
    "\\-",
    "0-z",
    "!-~",
    "[:foo:]",
    "z-a",
    "a-\\d",
    "&&[^b]",
    " -\u{10FFFF}",
    "\\n",
    "\\x{10000}-\\x{1F000}",
];

/// A pattern, of which about half are read.
pub(super) fn pattern(random: &mut Random) -> String {
    let mut out = String::new();
    alternatives(random, 4, &mut out);
    if random.once_in(2) {
        return out;
    }
    let with = [LITERALS, ESCAPES, PLACES, REPEATS, GROUPS, FLAGS, &[")", "|", "[", "]", "\\"]][random.below(7)];
    random.mutated(&out, with)
}

fn alternatives(random: &mut Random, depth: usize, out: &mut String) {
    sequence(random, depth, out);
    while random.once_in(3) {
        out.push('|');
        // Alternatives that start alike are put together.
        if random.once_in(3) && out.len() < 200 {
            let from = out.find(['|', '(']).map_or(0, |at| at + 1);
            let again: String = out[from..].chars().take_while(|c| !"|()[]\\".contains(*c)).collect();
            out.push_str(&again);
        }
        sequence(random, depth, out);
    }
}

fn sequence(random: &mut Random, depth: usize, out: &mut String) {
    for _ in 0..random.below(4) {
        atom(random, depth, out);
        if random.once_in(3) {
            let wrong = random.once_in(30);
            out.push_str(random.pick(if wrong { WRONG_REPEATS } else { REPEATS }));
        }
    }
}

fn atom(random: &mut Random, depth: usize, out: &mut String) {
    match random.below(14) {
        0..=4 => out.push_str(random.pick(LITERALS)),
        5 | 6 => out.push_str(random.pick(ESCAPES)),
        7 if random.once_in(8) => out.push_str(random.pick(WRONG_ESCAPES)),
        7 => out.push('.'),
        8 => out.push_str(random.pick(PLACES)),
        9 => class(random, out),
        10 => out.push_str(random.pick(FLAGS)),
        11 if random.once_in(4) => {
            out.push_str("\\Q");
            (0..random.below(3)).for_each(|_| out.push_str(random.pick(LITERALS)));
            out.push_str(random.pick(&["\\E", "\\E", "*\\E", ""]));
        }
        _ if depth == 0 => out.push_str(random.pick(LITERALS)),
        _ => {
            let wrong = random.once_in(30);
            out.push_str(random.pick(if wrong { WRONG_GROUPS } else { GROUPS }));
            alternatives(random, depth - 1, out);
            out.push(')');
        }
    }
}

fn class(random: &mut Random, out: &mut String) {
    out.push_str(random.pick(&["[", "[", "[^", "[]", "[^]", "[-"]));
    for _ in 0..=random.below(4) {
        match random.below(4) {
            0 => out.push_str(random.pick(CLASS_ITEMS)),
            1 if random.once_in(10) => out.push_str(random.pick(WRONG_ESCAPES)),
            1 => out.push_str(random.pick(ESCAPES)),
            _ => out.push_str(random.pick(LITERALS)),
        }
    }
    out.push(']');
}

/// A text that has characters of the pattern.
pub(super) fn text(random: &mut Random, pattern: &str) -> String {
    let own: Vec<char> = pattern.chars().collect();
    let mut out = String::new();
    for _ in 0..random.below(9) {
        if own.is_empty() || random.once_in(3) {
            out.push_str(random.pick(LITERALS));
        } else {
            out.push(own[random.below(own.len())]);
        }
    }
    out
}

/// A pattern about as large, or as deep, as one may be.
pub(super) fn large(random: &mut Random) -> String {
    let near = |random: &mut Random, limit: usize| limit - 6 + random.below(12);
    match random.below(7) {
        0 => {
            let depth = near(random, 1000);
            let open = random.pick(&["(", "(a", "(?:a|", "(?:b*", "(a|b|"]);
            let close = random.pick(&[")", ")*", ")?", "c)", "|d)"]);
            format!("{}{}", open.repeat(depth), close.repeat(depth))
        }
        1 => {
            let depth = near(random, 500);
            let (open, close) = random.pick(&[&("(", ")*"), &("(a", "|b)"), &("(?:x|(", ")y)"), &("((", "))")]);
            format!("{}z{}", open.repeat(depth), close.repeat(depth))
        }
        2 => {
            let part = random.pick(&["[ab]", "ab?", "a", "(a)", "[^x]y", "a|b", "ab|ac"]);
            let times = random.pick(&["{1000}", "{999,1000}", "{0,1000}", "{1000,}", "{500}{2}"]);
            format!("(?:{}){times}", part.repeat(near(random, 3355)))
        }
        3 => {
            let part = random.pick(&["[ab]", "(a)", "a?", "[ab]|[bc]x"]);
            let count = 3355 / [1, 3, 2, 5][random.below(4)] + random.below(20);
            format!("(?:(?:{}){{10}}){{100}}", part.repeat(count))
        }
        4 => {
            // Each alternative starts as the one before.
            let count = near(random, 500);
            let prefixes: Vec<String> = (1..count).map(|length| "a".repeat(length)).collect();
            prefixes.join("|")
        }
        5 => {
            let count = near(random, 250);
            let open = random.pick(&["(?:[ab]c|[ab]", "(?:ab|a", "(?:a|", "(x|y|"]);
            format!("{}{}", open.repeat(count * 2), ")".repeat(count * 2))
        }
        _ => {
            let mut out = String::new();
            for _ in 0..near(random, 1000) {
                alternatives(random, 1, &mut out);
            }
            out
        }
    }
}

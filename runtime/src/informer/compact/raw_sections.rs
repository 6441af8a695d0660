//! The strings of an object that are not shared, in one allocation.

/// A string of an object that is not shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Name,
    Uid,
    ResourceVersion,
    Spec,
    Status,
}

const SECTIONS: usize = 5;

impl Section {
    /// Returns the name of the field, in the object or its metadata.
    pub(super) fn field(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Uid => "uid",
            Self::ResourceVersion => "resourceVersion",
            Self::Spec => "spec",
            Self::Status => "status",
        }
    }
}

/// The strings of an object that are not shared, in one allocation.
pub(super) struct RawSections {
    text: Box<str>,
    /// The end offset of each section.
    ends: [u32; SECTIONS],
    /// A bit for each section that is present.
    present: u8,
}

impl RawSections {
    /// Stores the sections in order; `None` if they are longer than 4 GiB.
    pub(super) fn new(sections: [Option<&str>; SECTIONS]) -> Option<Self> {
        let length = sections.iter().flatten().map(|section| section.len()).sum();
        let mut text = String::with_capacity(length);
        let mut stored = Self { text: Box::default(), ends: [0; SECTIONS], present: 0 };
        for (number, section) in sections.into_iter().enumerate() {
            text.push_str(section.unwrap_or_default());
            stored.ends[number] = u32::try_from(text.len()).ok()?;
            stored.present |= u8::from(section.is_some()) << number;
        }
        stored.text = text.into();
        Some(stored)
    }

    pub(super) fn get(&self, section: Section) -> Option<&str> {
        let number = section as usize;
        if self.present & (1 << number) == 0 {
            return None;
        }
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start as usize..self.ends[number] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_sections_differ_from_missing_ones() {
        let sections = RawSections::new([Some("a"), None, Some(""), Some("{}"), None]).unwrap();
        let get = |section| sections.get(section);
        assert_eq!(get(Section::Name), Some("a"));
        assert_eq!(get(Section::Uid), None);
        assert_eq!(get(Section::ResourceVersion), Some(""));
        assert_eq!(get(Section::Spec), Some("{}"));
        assert_eq!(get(Section::Status), None);
    }
}

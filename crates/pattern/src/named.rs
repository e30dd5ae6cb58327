//! Named patterns: structures, endings and manoeuvres that players know by name.
//!
//! A file of patterns has one a line: `name: query`, then `# what it is` on lines before it. The built-in
//! file is part of the program; users add their own.

use std::sync::OnceLock;

use crate::word;

/// A pattern with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name, as in `@iqp`.
    pub name: String,
    /// What it is, in words.
    pub about: String,
    /// The heading it stands under, such as `structures`.
    pub group: String,
    /// The query.
    pub query: String,
}

/// Patterns by name.
#[derive(Clone, Debug, Default)]
pub struct Names(Vec<Named>);

/// The line of a file of patterns that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct NamesError {
    /// The line, counted from one.
    pub line: usize,
    reason: String,
}

impl Names {
    /// The built-in patterns.
    pub fn built_in() -> &'static Names {
        static BUILT_IN: OnceLock<Names> = OnceLock::new();
        BUILT_IN.get_or_init(|| Names::read(include_str!("patterns.txt")).unwrap_or_default())
    }

    /// Reads a file of patterns.
    ///
    /// # Errors
    ///
    /// The first line that is not one.
    pub fn read(text: &str) -> Result<Names, NamesError> {
        let mut names = Names::default();
        let (mut about, mut group) = (Vec::new(), String::new());
        for (line, text) in (1..).zip(text.lines()) {
            let error = |reason: String| NamesError { line, reason };
            let text = text.trim();
            if let Some(heading) = text.strip_prefix("##") {
                group = heading.trim().to_owned();
                about.clear();
            } else if let Some(words) = text.strip_prefix('#') {
                about.push(words.trim().to_owned());
            } else if text.is_empty() {
                about.clear();
            } else {
                let parts = text.split_once(':');
                let is_name = |it: &str| {
                    !it.is_empty() && it.chars().all(|it| it.is_ascii_alphanumeric() || it == '-')
                };
                let Some((name, query)) = parts.filter(|it| is_name(it.0.trim())) else {
                    return Err(error("expected \"name: query\"".to_owned()));
                };
                let name = name.trim().to_owned();
                crate::parse::parse(query.trim()).map_err(|it| error(it.to_string()))?;
                names.0.retain(|it| it.name != name);
                names.0.push(Named {
                    name,
                    about: std::mem::take(&mut about).join(" "),
                    group: group.clone(),
                    query: query.trim().to_owned(),
                });
            }
        }
        Ok(names)
    }

    /// These patterns and others, which win where both have a name.
    #[must_use]
    pub fn and(&self, others: &Names) -> Names {
        let own = self.0.iter().filter(|it| others.get(&it.name).is_none());
        Names(own.chain(&others.0).cloned().collect())
    }

    /// The pattern of a name.
    pub fn get(&self, name: &str) -> Option<&Named> {
        self.0.iter().find(|it| it.name == name)
    }

    /// All patterns in order.
    pub fn iter(&self) -> impl Iterator<Item = &Named> {
        self.0.iter()
    }

    pub(crate) fn nearest(&self, name: &str) -> Option<&str> {
        let names = self.0.iter().map(|it| it.name.as_str());
        let near = word::suggestion(name, names)?;
        self.get(near).map(|it| it.name.as_str())
    }
}

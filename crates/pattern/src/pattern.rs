//! A query, read and compiled.

use std::fmt;

use crate::{
    compile,
    error::PatternError,
    named::Names,
    parse,
    program::Program,
    syntax::{Filter, Node},
    transform,
};

/// A query of the pattern language.
///
/// ```
/// use tabiya_pattern::Pattern;
///
/// let pattern: Pattern = "flipcolor {Pd4 pd5 not Pc1-8}".parse().unwrap();
/// assert_eq!(pattern.to_string(), "flipcolor {Pd4 pd5 not Pc1-8}");
/// let error = "R attcks k".parse::<Pattern>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "column 3: \"attcks\" is neither a word of the language nor a variable; did you mean attacks?"
/// );
/// ```
#[derive(Clone, Debug)]
pub struct Pattern {
    filter: Filter,
    program: Program,
}

impl Pattern {
    /// Reads a query that may use the names of other patterns, such as `@iqp`.
    ///
    /// # Errors
    ///
    /// The first place where it is not a query.
    pub fn read(text: &str, names: &Names) -> Result<Pattern, PatternError> {
        let filter = parse::parse(text)?;
        let mut spelled_out = filter.clone();
        let compiled = put_names_in(&mut spelled_out, names, 0)
            .and_then(|()| transform::expand(&mut spelled_out))
            .and_then(|()| compile::compile(&spelled_out));
        let program = compiled.map_err(|error| error.within(text))?;
        Ok(Pattern { filter, program })
    }

    /// The syntax tree.
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    /// The query ready to run.
    pub fn program(&self) -> &Program {
        &self.program
    }
}

/// How deep patterns may use each other's names.
const DEEPEST_NAME: usize = 8;

/// Puts the patterns in place of their names.
fn put_names_in(filter: &mut Filter, names: &Names, depth: usize) -> Result<(), PatternError> {
    let span = filter.span;
    if let Node::Named(name) = &filter.node {
        let Some(named) = names.get(name) else {
            let error = PatternError::new(span, format!("there is no pattern named @{name}"));
            return Err(match names.nearest(name) {
                Some(near) => error.hint(format!("did you mean @{near}?")),
                None => error,
            });
        };
        if depth >= DEEPEST_NAME {
            let message = format!("@{name} leads to itself");
            return Err(PatternError::new(span, message));
        }
        let problem = |error: PatternError| {
            PatternError::new(span, format!("the pattern @{name} is wrong: {error}"))
        };
        let mut inner = parse::parse(&named.query).map_err(problem)?;
        put_names_in(&mut inner, names, depth + 1).map_err(problem)?;
        // A block keeps it together whatever stands around it.
        filter.node = match inner.node {
            block @ Node::Block(_) => block,
            _ => Node::Block(vec![inner]),
        };
        return Ok(());
    }
    let mut result = Ok(());
    filter.node.for_each_inner(&mut |inner| {
        if result.is_ok() {
            result = put_names_in(inner, names, depth);
        }
    });
    result
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.filter.node {
            Node::Block(filters) if filters.len() > 1 => {
                let text = self.filter.to_string();
                f.write_str(&text[1..text.len() - 1])
            }
            _ => self.filter.fmt(f),
        }
    }
}

impl std::str::FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Pattern, PatternError> {
        Pattern::read(text, Names::built_in())
    }
}

//! Two positions compared, as JSON: the measures under the names that programs
//! read, which carry the depth they were taken to.

use serde::{Serialize, Serializer};
use serde_json::Value;
use shakmaty::Square;
use tabiya_retrieval::comparison::{self, Comparison};
use utoipa::{PartialSchema, ToSchema, openapi};

/// How much is told.
#[derive(Clone, Copy, Debug)]
pub struct Detail {
    /// The plies of play that were compared.
    pub depth: u8,
    /// How many matched pairs of moves.
    pub matches: usize,
    /// Also what is otherwise only told in words.
    pub more: bool,
}

/// Two positions by every measure: a JSON object whose keys stay in the order in
/// which they were put.
#[derive(Debug, Default)]
pub struct Compared(Vec<(String, Value)>);

impl Compared {
    /// The comparison, and the one with colors exchanged if there is one.
    ///
    /// # Errors
    ///
    /// When a measure has no form as JSON.
    pub fn new(
        plain: &Comparison,
        swapped: Option<&Comparison>,
        detail: Detail,
    ) -> serde_json::Result<Compared> {
        let mut value = Compared::one(plain, detail)?;
        if let Some(swapped) = swapped {
            let swapped = Compared::one(swapped, detail)?;
            value.put("swapped", serde_json::to_value(swapped)?);
        }
        Ok(value)
    }

    fn one(found: &Comparison, detail: Detail) -> serde_json::Result<Compared> {
        let depth = detail.depth;
        let mut value = Compared::default();
        value.put("continuations_1", found.continuations_1);
        if depth > 1 {
            value.put(format!("continuations_{depth}"), found.continuations);
        }
        value.put(format!("sequences_{depth}"), found.sequences);
        value.put(
            format!("tree_edit_ordered_{depth}"),
            found.tree_edit_ordered,
        );
        value.put(
            format!("tree_edit_unordered_{depth}"),
            found.tree_edit_unordered,
        );
        value.put("structural", found.structural);
        value.put("correlation", found.correlation);
        value.put("encoding", found.encoding);
        let matches = found.matches.iter().take(detail.matches);
        let matches: Vec<Match<'_>> = matches.map(|it| Match::new(it, detail.more)).collect();
        value.put("matches", serde_json::to_value(matches)?);
        if detail.more {
            value.put("freedom", found.freedom);
            value.put("verdict", found.verdict().words());
            value.put("shared", found.shared.clone());
            value.put("only_a", found.only_a.clone());
            value.put("only_b", found.only_b.clone());
        }
        Ok(value)
    }

    fn put(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.0.push((name.into(), value.into()));
    }

    /// The keys in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|it| it.0.as_str())
    }
}

impl Serialize for Compared {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl PartialSchema for Compared {
    fn schema() -> openapi::RefOr<openapi::Schema> {
        let number = || {
            openapi::ObjectBuilder::new()
                .schema_type(openapi::Type::Number)
                .minimum(Some(0.0))
                .maximum(Some(1.0))
        };
        openapi::ObjectBuilder::new()
            .description(Some(
                "Measures from 0 to 1, 1 for the same; docs/measures.md defines them. \
                 `swapped` repeats them with the second position's colors exchanged.",
            ))
            .property("structural", number())
            .required("structural")
            .property("correlation", number())
            .required("correlation")
            .property("encoding", number())
            .required("encoding")
            .additional_properties(Some(openapi::schema::AdditionalProperties::FreeForm(true)))
            .into()
    }
}

impl ToSchema for Compared {}

/// Two moves that stand alike.
#[derive(Debug, Serialize)]
struct Match<'a> {
    a: &'a str,
    b: &'a str,
    count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    effects: Option<[&'static str; 2]>,
    /// From where to where the two moves go.
    #[serde(skip_serializing_if = "Option::is_none")]
    paths: Option<[[String; 2]; 2]>,
}

impl<'a> Match<'a> {
    fn new(matched: &'a comparison::Match, more: bool) -> Match<'a> {
        let (a, b) = matched.effects;
        let path = |(from, to): (Square, Square)| [from, to].map(|it| it.to_string());
        Match {
            a: &matched.a,
            b: &matched.b,
            count: matched.count,
            effects: more.then(|| [a.word(), b.word()]),
            paths: more.then(|| [path(matched.paths.0), path(matched.paths.1)]),
        }
    }
}

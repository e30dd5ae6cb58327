//! The state that all requests share.

use std::{path::PathBuf, sync::Arc, time::Duration};

use tokio::{task, time};

use super::{
    Problem, access::Access, client::Rate, import::Imports, shelf, shelf::Shelf, watch::Figures,
    work::Work,
};

/// How often the server looks for changes of its collections.
const LOOK: Duration = Duration::from_secs(1);

/// The collections and the server's counters.
pub(crate) struct State {
    /// The collections.
    pub(crate) shelf: Shelf,
    /// Imports that run or ended.
    pub(crate) imports: Imports,
    /// Places for cheap questions.
    pub(crate) work: Work,
    /// Places for expensive questions.
    pub(crate) heavy: Work,
    /// Places for questions that the engine answers.
    pub(crate) thinking: Work,
    /// Places for analysis, which lasts as long as the reader looks at a position.
    pub(crate) analysis: Work,
    /// Metrics.
    pub(crate) figures: Arc<Figures>,
    /// Who may do what.
    pub(crate) access: Access,
    /// How often clients ask.
    pub(crate) rate: Rate,
    /// The engine for analysis; this program if there is none.
    pub(crate) engine: Option<PathBuf>,
}

impl State {
    /// A server with collections.
    pub(crate) fn new(shelf: Shelf, access: Access) -> State {
        State {
            shelf,
            imports: Imports::default(),
            work: Work::default(),
            heavy: Work::heavy(),
            thinking: Work::heavy(),
            analysis: Work::heavy(),
            figures: Arc::default(),
            access,
            rate: Rate::default(),
            engine: None,
        }
    }

    /// Opens collections again whenever they change.
    pub(crate) async fn watch(self: Arc<State>) {
        loop {
            time::sleep(LOOK).await;
            let state = self.clone();
            // A look that fails is followed by the next.
            let _ = task::spawn_blocking(move || state.shelf.renew()).await;
        }
    }

    /// The collections that a request asks.
    pub(crate) fn find(&self, asked: &Asked) -> Result<Arc<shelf::Asked>, Problem> {
        self.shelf.find(&asked.collections)
    }
}

/// The collections that a request names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    collections: String,
}

impl Asked {
    /// Takes the parameters that choose collections, and leaves the others.
    pub(crate) fn of(query: &str) -> (Asked, String) {
        let mut asked = Asked::default();
        let mut rest = form_urlencoded::Serializer::new(String::new());
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match name.as_ref() {
                "collection" => asked.collections = value.into_owned(),
                _ => drop(rest.append_pair(&name, &value)),
            }
        }
        (asked, rest.finish())
    }
}

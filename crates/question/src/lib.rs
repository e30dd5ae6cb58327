//! The questions that a collection answers.
//!
//! A [`Question`] is a value: its parameters, the contribution of a group of shards (`Part`), the
//! result (`Answer`), and the function that makes an answer from parts (`merge`). Each question has
//! its own file. The command line, the HTTP server, the Python package and the cluster are generic
//! over the [list](mod@list) of questions.
//!
//! | file | contents |
//! |---|---|
//! | `question` | the trait |
//! | `error` | what can go wrong |
//! | `list` | all questions |
//! | `shards` | the shards that answer |
//! | `read` | a question from `name=value` parameters |
//! | `document` | an answer as JSON |
//! | `wire` | a part as bytes |
//! | `describe` | questions as OpenAPI |
//! | `parameter/` | parameters that several questions share |
//! | `shape/` | values that several answers share |

pub mod describe;
pub mod document;
pub mod error;
pub mod list;
pub mod parameter;
pub mod question;
pub mod read;
pub mod shape;
pub mod shards;
mod wire;

pub mod cases;
pub mod compare;
pub mod encode;
pub mod exercises;
pub mod explain;
pub mod explore;
pub mod find;
pub mod game;
pub mod near;
pub mod play;
pub mod prepare;
pub mod record;
pub mod review;
pub mod search;
pub mod stats;
pub mod structures;
pub mod traps;
pub mod twins;

pub use error::{AskError, Invalid};
pub use list::{Ask, Entry, QUESTIONS};
pub use question::{Cost, Question, Scope, answer};
pub use shards::Shards;

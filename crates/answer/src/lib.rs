//! What is asked of an archive and what is answered, as data.
//!
//! The program on the command line, its server, and the Python package ask the same
//! questions and give the same answers. A [`request`] is read from parameters with
//! the command line's own parsers, is put to an [`Archive`] (a collection, or some
//! shards of one), and is answered in the shapes of [`json`]. Answers of several
//! groups of shards are [merged](merge()) into the one that a single machine gives.
//!
//! Nothing here prints, and nothing here reads arguments: `clap`'s and `utoipa`'s
//! descriptions stand beside the fields they describe, the program puts them to use.

pub mod answer;
pub mod archive;
pub mod comparison;
pub mod encoding;
pub mod explorer;
pub mod filter;
pub mod indexed;
pub mod json;
pub mod merge;
pub mod moves;
pub mod query;
pub mod request;
pub mod text;

pub use answer::Answer;
pub use archive::Archive;
pub use indexed::Indexed;
pub use merge::merge;

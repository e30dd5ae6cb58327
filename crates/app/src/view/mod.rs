//! Prints answers in a terminal, one file per question.

mod cases;
mod compare;
pub(crate) mod diagram;
mod encode;
mod exercises;
mod explain;
mod explore;
mod find;
mod game;
mod near;
mod play;
mod prepare;
mod record;
mod review;
mod search;
mod stats;
mod structures;
mod traps;
mod twins;

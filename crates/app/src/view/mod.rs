//! Prints answers in a terminal, one file per question.

mod cases;
mod compare;
mod encode;
mod exercises;
mod explain;
mod explore;
mod find;
mod game;
mod near;
mod play;
mod record;
mod review;
mod search;
mod stats;
mod structures;
mod traps;
mod twins;

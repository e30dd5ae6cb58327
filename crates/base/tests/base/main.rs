//! Bases in, games out: against the same games as PGN, against Scid, against
//! another reader, and against damage.

mod chessbase;
mod damage;
mod encoder;
mod scid;
mod workspace;

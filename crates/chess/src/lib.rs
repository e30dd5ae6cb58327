//! From a PGN file to games and positions.

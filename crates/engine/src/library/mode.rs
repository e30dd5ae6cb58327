//! What retrieved reactions are to the search.

tabiya_chess::named! {
    /// What the player does with the reactions it remembers.
    #[derive(Default)]
    pub enum Mode: "mode" {
        /// Only they are searched at the root, as in the paper.
        Restrict = "restrict",
        /// They are searched, and with them checks, captures, promotions, and all
        /// ways out of check: plain restriction loses tactics.
        RestrictAndTactics = "restrict+tactics",
        /// All legal moves are searched; remembered ones come first, are followed
        /// deeper, and win when the scores are close.
        #[default]
        Prior = "prior",
    }
}

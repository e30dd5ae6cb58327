//! Games as trees, and how alike two trees are.

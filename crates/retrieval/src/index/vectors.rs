//! Which vector instructions to use.

use std::sync::OnceLock;

/// The widest vector instructions that the processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vectors {
    /// AVX-512 with the instructions that spread bytes.
    Avx512,
    /// AVX2.
    Avx2,
    /// Neither.
    None,
}

impl Vectors {
    /// What this processor has. `TABIYA_VECTORS=avx2` or `none` in the environment leaves the
    /// wider ones out, for measurements and tests.
    pub(crate) fn here() -> Vectors {
        static HERE: OnceLock<Vectors> = OnceLock::new();
        *HERE.get_or_init(|| {
            let most = std::env::var("TABIYA_VECTORS").unwrap_or_default();
            match most.as_str() {
                "none" => Vectors::None,
                "avx2" => Vectors::found().without_avx512(),
                _ => Vectors::found(),
            }
        })
    }

    fn found() -> Vectors {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vbmi2") {
            Vectors::Avx512
        } else if is_x86_feature_detected!("avx2") {
            Vectors::Avx2
        } else {
            Vectors::None
        }
    }

    fn without_avx512(self) -> Vectors {
        match self {
            Vectors::Avx512 => Vectors::Avx2,
            other => other,
        }
    }
}

//! Older and newer processors. The packages contain two programs: one for every processor, and a
//! faster one for those that count and scan bits by instructions (x86-64-v3, since about 2013).
//! The first replaces itself by the second where it can; the second says what is wrong where it
//! cannot run.

/// The program for newer processors, seen from the folder of this one.
#[cfg(all(unix, target_arch = "x86_64", not(target_feature = "avx2")))]
const FASTER: &str = "../lib/tabiya/tabiya-x86-64-v3";

/// Continues with the program for this processor.
#[cfg(all(unix, target_arch = "x86_64", not(target_feature = "avx2")))]
pub(crate) fn settle() {
    use std::{env, os::unix::process::CommandExt, process::Command};
    let faster = env::current_exe().ok();
    let faster = faster.and_then(|it| Some(it.parent()?.join(FASTER)));
    if let Some(faster) = faster.filter(|it| it.is_file() && is_newer()) {
        let mut arguments = env::args_os();
        let mut command = Command::new(faster);
        if let Some(name) = arguments.next() {
            command.arg0(name);
        }
        // If that fails, this program does the same, more slowly.
        let _ = command.args(arguments).exec();
    }
}

/// Ends the program if the processor cannot run it.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub(crate) fn settle() {
    if !is_newer() {
        eprintln!(
            "this program was built for newer processors (x86-64-v3, since about 2013); \
             install a package, or build it with: RUSTFLAGS= cargo install --path crates/app"
        );
        std::process::exit(1);
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn settle() {}

#[cfg(all(not(unix), target_arch = "x86_64", not(target_feature = "avx2")))]
pub(crate) fn settle() {}

/// Whether the processor has all instructions of x86-64-v3. The standard library's test would be
/// answered by the compiler in a program that was built for them.
#[cfg(target_arch = "x86_64")]
fn is_newer() -> bool {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    const BASIC: u32 = 1 << 12 | 1 << 22 | 1 << 23 | 1 << 27 | 1 << 28 | 1 << 29;
    const EXTENDED: u32 = 1 << 3 | 1 << 5 | 1 << 8;
    const LEADING_ZEROS: u32 = 1 << 5;
    let has = |found: u32, wanted: u32| found & wanted == wanted;
    __cpuid(0).eax >= 7
        && __cpuid(0x8000_0000).eax >= 0x8000_0001
        && has(__cpuid(1).ecx, BASIC)
        && has(__cpuid_count(7, 0).ebx, EXTENDED)
        && has(__cpuid(0x8000_0001).ecx, LEADING_ZEROS)
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn the_processor_that_runs_this_is_known() {
        // In a build for newer processors this is true, or the test could not run.
        let detected = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2");
        assert_eq!(is_newer(), detected);
    }
}

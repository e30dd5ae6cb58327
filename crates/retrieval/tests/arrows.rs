//! Arrows point one way: between crates as ARCHITECTURE.md draws them, and
//! between the top-level modules of a crate without a cycle.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Who uses whom.
type Graph = BTreeMap<String, BTreeSet<String>>;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The folders of the workspace's crates by name.
fn crates() -> BTreeMap<String, PathBuf> {
    let folders = fs::read_dir(workspace().join("crates")).unwrap();
    let folders = folders.map(|it| it.unwrap().path());
    let named = |it: PathBuf| (it.file_name().unwrap().to_str().unwrap().to_owned(), it);
    let python = ("python".to_owned(), workspace().join("python"));
    folders.map(named).chain([python]).collect()
}

fn reachable<'a>(graph: &'a Graph, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<&str> = graph
        .get(from)
        .into_iter()
        .flatten()
        .map(|it| &**it)
        .collect();
    while let Some(it) = waiting.pop() {
        if reached.insert(it) {
            waiting.extend(graph.get(it).into_iter().flatten().map(|it| &**it));
        }
    }
    reached
}

/// A shortest way from a node back to itself.
fn cycle(graph: &Graph) -> Option<Vec<&str>> {
    let mut shortest: Option<Vec<&str>> = None;
    for start in graph.keys() {
        let mut ways = vec![vec![start.as_str()]];
        let mut seen = BTreeSet::new();
        while let Some(way) = (!ways.is_empty()).then(|| ways.remove(0)) {
            for next in graph.get(*way.last().unwrap()).into_iter().flatten() {
                let longer: Vec<&str> = way.iter().copied().chain([next.as_str()]).collect();
                if next == start {
                    if shortest.as_ref().is_none_or(|it| longer.len() < it.len()) {
                        shortest = Some(longer);
                    }
                } else if seen.insert(next) {
                    ways.push(longer);
                }
            }
        }
    }
    shortest
}

/// What ARCHITECTURE.md declares: `a ◀ b ◀ c, d; e ◀ f.`
fn declared() -> Graph {
    let text = read(workspace().join("ARCHITECTURE.md"));
    let (_, arrows) = text.split_once("Arrows point one way:").unwrap();
    let mut graph = Graph::new();
    for chain in arrows.split('.').next().unwrap().split(';') {
        let names = |link: &str| -> Vec<String> {
            link.split(',').map(|it| it.trim().to_owned()).collect()
        };
        let links: Vec<Vec<String>> = chain.split('◀').map(names).collect();
        for pair in links.windows(2) {
            for user in &pair[1] {
                graph
                    .entry(user.clone())
                    .or_default()
                    .extend(pair[0].clone());
            }
        }
    }
    graph
}

/// The crates of the workspace that a crate depends on, in tests as well.
fn dependencies(folder: &Path) -> Vec<String> {
    let manifest = read(folder.join("Cargo.toml"));
    let named = manifest.lines().filter_map(|it| it.strip_prefix("tabiya-"));
    let name = |it: &str| {
        it.split(|it: char| !it.is_alphanumeric())
            .next()
            .unwrap()
            .to_owned()
    };
    named.map(name).collect()
}

#[test]
fn crates_use_only_what_the_architecture_lets_them() {
    let declared = declared();
    assert_eq!(cycle(&declared), None);
    for (name, folder) in crates() {
        let allowed = reachable(&declared, &name);
        for used in dependencies(&folder) {
            assert!(
                allowed.contains(used.as_str()),
                "{name} uses {used}, which ARCHITECTURE.md does not declare"
            );
        }
    }
}

/// A file's text without comments, tests and the contents of strings.
fn code(text: &str) -> String {
    let mut code = String::new();
    for line in text.lines() {
        if line.starts_with("mod tests {") {
            break;
        }
        let line = line.split("//").next().unwrap();
        // Every other part lies between quotes.
        line.split('"').step_by(2).for_each(|it| code.push_str(it));
        code.push('\n');
    }
    code
}

/// The first names in a path or in the braces of an import, with the rest of
/// each: `a::b` or `{a::b, c}`.
fn branches(path: &str) -> Vec<&str> {
    let Some(group) = path.strip_prefix('{') else {
        return vec![path];
    };
    let mut depth = 1;
    let end = group.find(|it: char| {
        depth += i32::from(it == '{') - i32::from(it == '}');
        depth == 0
    });
    let mut depth = 0;
    let branches = group[..end.unwrap_or(group.len())].split(|it: char| {
        depth += i32::from(it == '{') - i32::from(it == '}');
        it == ',' && depth == 0
    });
    branches
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .collect()
}

fn first_name(path: &str) -> &str {
    let end = path.find(|it: char| !it.is_alphanumeric() && it != '_');
    &path[..end.unwrap_or(path.len())]
}

/// The names that come after `crate::`, and after as many `super::` as lead
/// from a file at this depth to the root.
fn names_at_root(code: &str, depth: usize) -> Vec<&str> {
    let up = "super::".repeat(depth);
    let beyond = |rest: &str| rest.starts_with("super::");
    let after = |root: &str| -> Vec<&str> {
        code.match_indices(root)
            .map(|(at, _)| (&code[..at], &code[at + root.len()..]))
            .filter(|(before, rest)| {
                !before.ends_with(|it: char| it.is_alphanumeric() || "_:$".contains(it))
                    && !beyond(rest)
            })
            .flat_map(|(_, rest)| branches(rest))
            .map(first_name)
            .collect()
    };
    [after("crate::"), after(&up)].concat()
}

/// The modules that a crate's root declares, tests apart, and for each name it
/// imports or re-exports the module that has it.
fn root(folder: &Path) -> (BTreeSet<String>, BTreeMap<String, String>) {
    let path = ["lib.rs", "main.rs"].map(|it| folder.join(it));
    let text = code(&read(path.iter().find(|it| it.exists()).unwrap()));
    let modules: BTreeSet<String> = text
        .replace("#[cfg(test)]\nmod ", "")
        .lines()
        .filter_map(|it| it.trim_start_matches("pub ").strip_prefix("mod "))
        .map(|it| first_name(it).to_owned())
        .collect();
    let mut homes = BTreeMap::new();
    for (at, _) in text.match_indices("use ") {
        let module = first_name(&text[at + 4..]);
        let rest = text[at + 4 + module.len()..].strip_prefix("::");
        for name in rest
            .filter(|_| modules.contains(module))
            .map(branches)
            .unwrap_or_default()
        {
            homes.insert(first_name(name).to_owned(), module.to_owned());
        }
    }
    (modules, homes)
}

/// The files of a module, each with its depth below the root.
fn files(path: PathBuf, depth: usize) -> Vec<(PathBuf, usize)> {
    if path.is_dir() {
        let inside = fs::read_dir(path).unwrap().map(|it| it.unwrap().path());
        return inside.flat_map(|it| files(it, depth + 1)).collect();
    }
    match path.file_name().unwrap().to_str().unwrap() {
        "tests.rs" => Vec::new(),
        "mod.rs" => vec![(path, depth - 1)],
        name if name.ends_with(".rs") => vec![(path, depth)],
        _ => Vec::new(),
    }
}

fn module_graph(folder: &Path) -> Graph {
    let (modules, homes) = root(folder);
    let mut graph = Graph::new();
    for module in &modules {
        let parts = [
            folder.join(module),
            folder.join(module).with_extension("rs"),
        ];
        let used = graph.entry(module.clone()).or_default();
        for (path, depth) in parts
            .into_iter()
            .filter(|it| it.exists())
            .flat_map(|it| files(it, 1))
        {
            let code = code(&read(path));
            for name in names_at_root(&code, depth) {
                let home = homes.get(name).map_or(name, String::as_str);
                // What the root itself defines is in no module.
                if modules.contains(home) && home != module {
                    used.insert(home.to_owned());
                }
            }
        }
    }
    graph
}

#[test]
fn modules_of_a_crate_form_no_cycle() {
    let (mut arrows, mut cycles) = (0, Vec::new());
    for (name, folder) in crates() {
        let graph = module_graph(&folder.join("src"));
        cycles.extend(cycle(&graph).map(|it| format!("{name}: {}", it.join(" → "))));
        arrows += graph.values().map(BTreeSet::len).sum::<usize>();
    }
    assert_eq!(cycles, [""; 0]);
    assert!(arrows > 100, "only {arrows} arrows found");
}

#[test]
fn retrieval_has_its_layers() {
    let graph = module_graph(&workspace().join("crates/retrieval/src"));
    let uses = |it: &str| graph[it].iter().map(|it| &**it).collect::<Vec<_>>();
    for lowest in ["term", "motif", "disk"] {
        assert_eq!(uses(lowest), [""; 0], "{lowest}");
    }
    assert_eq!(uses("index"), ["disk", "motif", "term"]);
    for (module, used) in &graph {
        let is_on_top = ["collection", "trap", "training"].contains(&&**module);
        assert!(
            is_on_top || !used.contains("collection"),
            "{module} asks, and uses collection"
        );
    }
}

#[test]
fn cycles_are_found() {
    let graph = |pairs: &[(&str, &str)]| -> Graph {
        let mut graph = Graph::new();
        for (from, to) in pairs {
            graph
                .entry((*from).to_owned())
                .or_default()
                .insert((*to).to_owned());
        }
        graph
    };
    assert_eq!(cycle(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    let found = graph(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")]);
    assert_eq!(cycle(&found), Some(vec!["b", "c", "d", "b"]));
}

#[test]
fn names_are_read_from_paths_and_braces() {
    let text = "use crate::{\n    a::{b, c},\n    d,\n};\nuse super::e;\nlet x = crate::f::g(super::super::h, \"crate::no\");\n\
                // crate::no\n#[cfg(test)]\nmod tests {\n    use crate::no;\n";
    assert_eq!(names_at_root(&code(text), 1), ["a", "d", "f", "e"]);
    assert_eq!(names_at_root(&code(text), 2), ["a", "d", "f", "h"]);
}

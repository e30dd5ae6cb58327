"""Trains the second stage of the ranking: an additive, monotone model of the features of a pair.

    python train.py --fit fit --choose choose --table table.rs --sample sample.csv
    python train.py --fit deep --lines table.rs --table lines_table.rs --sample lines_sample.csv

`fit` and `choose` are what `tabiya-lab pairs --part fit` and `--part choose` wrote. LightGBM's
lambdarank grows trees of one feature each, so the model is a sum of step functions, one a
feature. With `--lines` it learns what the features of best lines (`pairs --deep`) add to the
scores of a table that is there already, and judges by halves. The script writes them as a Rust table, with knots that turn a score into a similarity,
and a sample of pairs with LightGBM's own scores, which a test compares with Rust's.
docs/ranking.md has the recipe and what else was tried.
"""

import argparse
import json
import re

import lightgbm
import numpy

MOTIF, KNOWN, NEXT = 0, 1, 2
BEST = {MOTIF: 4, KNOWN: 4, NEXT: 2}


def load(name):
    names = open(name + ".txt").read().split()
    fields = [
        ("query", "<u4"), ("reply", "<u4"), ("task", "u1"), ("grade", "u1"), ("rank", "<u2"),
        ("first", "<f4"), ("ideal", "<f4"), ("x", "<f4", (len(names),)),
    ]
    return names, numpy.fromfile(name + ".bin", numpy.dtype(fields))


def bounds(pairs):
    starts = numpy.r_[0, numpy.flatnonzero(numpy.diff(pairs["query"].astype(numpy.int64))) + 1]
    return starts, numpy.r_[starts[1:], len(pairs)]


def reduced(pairs, queries, depth, generator):
    """At most so many queries of each task, and of each the first `depth` candidates and a few beyond."""
    starts, ends = bounds(pairs)
    kept = []
    for task in (MOTIF, KNOWN, NEXT):
        of_task = numpy.flatnonzero(pairs["task"][starts] == task)
        for at in sorted(generator.permutation(of_task)[: queries[task]]):
            rows = numpy.arange(starts[at], ends[at])
            rank, grade = pairs["rank"][rows], pairs["grade"][rows]
            near = (rank > 0) & (rank <= depth[task])
            far = ~near & ((grade > 0) | (generator.random(len(rows)) < 0.25))
            rows = rows[near | (far & (generator.random(len(rows)) < 0.5))]
            if pairs["grade"][rows].max(initial=0) > 0:
                kept.append(rows)
    return pairs[numpy.concatenate(kept)]


def train(pairs, names, options, start=None, additive=True, monotone=True):
    """Trees for these features, from scores that are there already."""
    starts, ends = bounds(pairs)
    counts = numpy.array([(pairs["task"][starts] == task).sum() for task in range(3)], float)
    share = numpy.array(options.shares) / numpy.maximum(counts, 1)
    weights = share[pairs["task"]] * len(starts)
    data = lightgbm.Dataset(
        pairs["x"], label=pairs["grade"].astype(int), group=ends - starts, weight=weights,
        feature_name=names, init_score=start, params={"max_bin": options.bins},
    )
    settings = {
        "objective": "lambdarank", "label_gain": [0, 1, 2, 3, 4],
        "lambdarank_truncation_level": 20, "learning_rate": options.rate,
        "num_leaves": options.leaves, "min_data_in_leaf": 200, "max_bin": options.bins,
        "seed": 1, "deterministic": True, "force_col_wise": True,
        "num_threads": options.threads, "verbosity": -1,
    }
    if monotone:
        settings["monotone_constraints"] = [1] * len(names)
    if additive:
        settings["interaction_constraints"] = [[it] for it in range(len(names))]
    return lightgbm.train(settings, data, options.rounds)


def measure(pairs, scores, weight=None, top=50):
    """nDCG@10 of motifs, known items found first, next moves named first and among three."""
    starts, ends = bounds(pairs)
    values = {MOTIF: [], KNOWN: [], NEXT: [], "three": []}
    for start, end in zip(starts, ends):
        rows = numpy.arange(start, end)[pairs["rank"][start:end] > 0]
        order = rows[numpy.lexsort((pairs["rank"][rows], -scores[rows]))]
        task, grades = pairs["task"][start], pairs["grade"][order].astype(float)
        if task == MOTIF:
            gains = grades[:10] / numpy.log2(numpy.arange(2, 2 + len(grades[:10])))
            values[MOTIF].append(gains.sum() / max(pairs["ideal"][start], 1e-9))
        elif task == KNOWN:
            values[KNOWN].append(float(len(grades) > 0 and grades[0] == BEST[KNOWN]))
        else:
            votes = {}
            for row in order[:top]:
                vote = votes.setdefault(pairs["reply"][row], [0.0, pairs["grade"][row]])
                vote[0] += 1.0 if weight is None else weight(scores[row])
            votes.pop(0, None)
            ranked = sorted(votes.values(), key=lambda it: -it[0])
            values[NEXT].append(float(any(it[1] for it in ranked[:1])))
            values["three"].append(float(any(it[1] for it in ranked[:3])))
    return [float(numpy.mean(values[it])) if values[it] else 0.0 for it in (MOTIF, KNOWN, NEXT, "three")]


def say(name, means):
    together = (means[0] * means[1] * means[2]) ** (1 / 3)
    print(
        f"{name:24} motifs {means[0]:.3f}  known {means[1]:.3f}  next {means[2]:.3f} / {means[3]:.3f}"
        f"  G {together:.4f}", flush=True,
    )


def below(threshold):
    """The greatest f32 that is not above a number: a comparison with f32 values stays the same."""
    near = numpy.float32(threshold)
    return near if float(near) <= threshold else numpy.nextafter(near, numpy.float32(-numpy.inf))


def steps(model, count):
    """The model as step functions: for each feature, upper ends and values."""
    trees = [[] for _ in range(count)]
    constant = 0.0
    for tree in model.dump_model()["tree_info"]:
        root = tree["tree_structure"]
        if "split_feature" not in root:
            constant += root["leaf_value"]
            continue
        trees[root["split_feature"]].append(root)

    def ends(node):
        if "threshold" not in node:
            return []
        return [below(node["threshold"])] + ends(node["left_child"]) + ends(node["right_child"])

    def value(node, x):
        while "threshold" in node:
            node = node["left_child"] if float(x) <= node["threshold"] else node["right_child"]
        return node["leaf_value"]

    table = []
    for roots in trees:
        tops = sorted({end for root in roots for end in ends(root)}) + [numpy.float32(numpy.inf)]
        # The upper end of a step belongs to it.
        probe = [top if numpy.isfinite(top) else numpy.float32(3e38) for top in tops]
        table.append([(top, sum(value(root, x) for root in roots)) for top, x in zip(tops, probe)])
    return table, constant


def apply(table, x):
    """What each feature of each pair adds to the score."""
    parts = numpy.empty(x.shape)
    for at, rows in enumerate(table):
        tops = numpy.array([top for top, _ in rows], numpy.float32)
        values = numpy.array([value for _, value in rows])
        parts[:, at] = values[numpy.searchsorted(tops, x[:, at], side="left")]
    return parts


def read(path):
    """The steps and the constant of a table."""
    text = open(path).read()
    number = r"(-?[\d.e-]+|f32::INFINITY)"
    steps = text[text.index("STEPS") : text.index("KNOTS")]
    table = [
        [(numpy.float32(end.replace("f32::", "").lower()), float(value)) for end, value in rows]
        for rows in (
            re.findall(rf"\({number},\s*{number}\)", it.partition("&[")[2]) for it in steps.split("    // ")[1:]
        )
    ]
    return table, float(re.search(rf"BASE: f64 = {number};", text)[1])


def isotonic(values, weights):
    """The nearest sequence that never falls (pool adjacent violators)."""
    blocks = []
    for value, weight in zip(values, weights):
        blocks.append([value, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            value, weight, size = blocks.pop()
            last = blocks[-1]
            whole = last[1] + weight
            blocks[-1] = [(last[0] * last[1] + value * weight) / whole, whole, last[2] + size]
    return numpy.concatenate([numpy.full(size, value) for value, _, size in blocks])


def knots(pairs, scores, top, count=24):
    """Scores and similarities: the chance of the best grade, tasks alike, stretched to 1 at the top."""
    best = numpy.array([BEST[it] for it in range(3)])[pairs["task"]] == pairs["grade"]
    # Every task has the same say, and every query in it: what its first ten hits are.
    starts, ends = bounds(pairs)
    weights = numpy.zeros(len(pairs))
    for start, end in zip(starts, ends):
        rows = numpy.arange(start, end)[pairs["rank"][start:end] > 0]
        first = rows[numpy.argsort(-scores[rows])[:10]]
        weights[first] = 1.0
    for task in range(3):
        rows = pairs["task"] == task
        weights[rows] /= max(weights[rows].sum(), 1e-9)
    rows = numpy.flatnonzero(weights > 0)
    rows = rows[numpy.argsort(scores[rows])]
    parts = numpy.array_split(rows, count)
    at = [float(numpy.average(scores[part], weights=weights[part])) for part in parts]
    chance = [float(numpy.average(best[part], weights=weights[part])) for part in parts]
    mass = [float(weights[part].sum()) for part in parts]
    smooth = isotonic(chance, mass)
    lowest = float(scores.min())
    found = [(lowest - 1.0, 0.0)]
    for score, value in zip(at, smooth):
        value = max(float(value), found[-1][1] + 0.002)
        if score > found[-1][0] + 1e-6 and score < top - 1e-6:
            found.append((score, min(value, 0.99)))
    # Nothing but the same position reaches 1.
    scale = 0.995 / max(found[-1][1], 0.995)
    found = [(score, value * scale) for score, value in found]
    return found + [(top, 0.998)]


def write(path, names, table, constant, found, top, count="FEATURES", module="feature::"):
    number = lambda it: repr(float(it)) if numpy.isfinite(it) else "f32::INFINITY"
    lines = [
        "//! What each value of a feature is worth. Generated by `python/train/train.py`; do not edit.",
        "",
        '#![allow(clippy::excessive_precision, reason = "generated: every digit of an f32")]',
        "",
        f"use super::{module}{count};",
        "",
        "/// What is added to every sum.",
        f"pub(super) const BASE: f64 = {float(constant)!r};",
        "",
        "/// The greatest sum that there can be.",
        f"pub(super) const TOP: f64 = {float(top)!r};",
        "",
        "/// For each feature its steps: up to which value, and what it is worth.",
        f"pub(super) const STEPS: [&[(f32, f64)]; {count}] = [",
    ]
    for name, rows in zip(names, table):
        lines.append(f"    // {name}")
        cells = ", ".join(f"({number(end)}, {float(value)!r})" for end, value in rows)
        lines.append(f"    &[{cells}],")
    lines += [
        "];", "",
        "/// Scores with their similarities, rising; between two they lie on a line.",
        f"pub(super) const KNOTS: [(f64, f64); {len(found)}] = [",
    ]
    lines += [f"    ({float(score)!r}, {float(value)!r})," for score, value in found] + ["];", ""]
    open(path, "w").write("\n".join(lines))


def merged(rows, tolerance=1e-9):
    """Steps of the same worth become one."""
    kept = []
    for end, value in rows:
        if kept and abs(kept[-1][1] - value) <= tolerance:
            kept[-1] = (end, kept[-1][1])
        else:
            kept.append((end, value))
    return kept


def centered(table, constant, parts):
    """The table with parts of 0 for an ordinary hit, and what is then added to every sum."""
    means = parts.mean(axis=0)
    table = [merged([(end, value - mean) for end, value in rows]) for rows, mean in zip(table, means)]
    return table, constant + float(means.sum())


def write_sample(path, names, x, expected):
    with open(path, "w") as file:
        file.write(",".join(names + ["score"]) + "\n")
        for row, score in zip(x, expected):
            file.write(",".join(repr(float(it)) for it in [*row, score]) + "\n")


def narrowed(pairs, start):
    """Pairs with the features from one on."""
    fields = [(it, pairs.dtype[it]) for it in pairs.dtype.names if it != "x"]
    found = numpy.empty(len(pairs), fields + [("x", "<f4", (pairs["x"].shape[1] - start,))])
    for it in pairs.dtype.names:
        found[it] = pairs[it][:, start:] if it == "x" else pairs[it]
    return found


def train_lines(options):
    """What best lines add to the scores of the table."""
    names, pairs = load(options.fit)
    table, constant = read(options.lines)
    count = len(table)
    start = apply(table, pairs["x"][:, :count]).sum(axis=1) + constant
    greatest = constant + sum(max(value for _, value in rows) for rows in table)
    names, pairs = names[count:], narrowed(pairs, count)
    # Every half is judged by a model of the other.
    halves, apart = pairs["query"] % 2 == 0, start.copy()
    for half in (halves, ~halves):
        model = train(pairs[half], names, options, start[half])
        apart[~half] += model.predict(pairs["x"][~half], num_threads=1)
    weight = lambda it: float(numpy.exp(0.5 * it))
    say("without lines", measure(pairs, start, weight=weight))
    say("with lines", measure(pairs, apart, weight=weight))
    model = train(pairs, names, options, start)
    expected = model.predict(pairs["x"], num_threads=1)
    table, constant = steps(model, len(names))
    parts = apply(table, pairs["x"])
    assert numpy.abs(parts.sum(axis=1) + constant - expected).max() < 1e-6
    table, constant = centered(table, constant, parts[pairs["rank"] > 0])
    top = greatest + constant + sum(max(value for _, value in rows) for rows in table)
    found = knots(pairs, apart, top)
    print("top", round(top, 3), [(round(a, 2), round(b, 3)) for a, b in found])
    print("steps", sum(len(rows) for rows in table))
    if options.table:
        write(options.table, names, table, constant, found, top, "LINE_FEATURES", "")
    if options.sample:
        rows = numpy.random.default_rng(1).choice(len(pairs), 60, replace=False)
        write_sample(options.sample, names, pairs["x"][rows], expected[rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fit", required=True)
    parser.add_argument("--choose")
    parser.add_argument("--lines", metavar="TABLE", help="learn what best lines add to this table")
    parser.add_argument("--table")
    parser.add_argument("--sample")
    parser.add_argument("--model", help="keep LightGBM's model here")
    parser.add_argument("--queries", type=int, nargs=3, default=[2000, 1000, 2000])
    parser.add_argument("--depth", type=int, nargs=3, default=[300, 60, 150])
    parser.add_argument("--shares", type=float, nargs=3, default=[1.0, 1.0, 1.0])
    parser.add_argument("--rounds", type=int, default=150)
    parser.add_argument("--rate", type=float, default=0.15)
    parser.add_argument("--leaves", type=int, default=8)
    parser.add_argument("--bins", type=int, default=63)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--kind", choices=["additive", "trees"], default="additive")
    options = parser.parse_args()
    if options.lines:
        return train_lines(options)
    names, pairs = load(options.fit)
    generator = numpy.random.default_rng(1)
    pairs = reduced(pairs, options.queries, options.depth, generator)
    print(f"{len(pairs)} pairs", flush=True)
    model = train(pairs, names, options, additive=options.kind == "additive")
    if options.model:
        model.save_model(options.model)
    _, judged = load(options.choose)
    say("first stage", measure(judged, judged["first"].astype(float), weight=lambda it: it))
    scores = model.predict(judged["x"], num_threads=1)
    say(options.kind, measure(judged, scores, weight=lambda it: float(numpy.exp(0.5 * it))))
    gain = model.feature_importance("gain")
    order = numpy.argsort(-gain)
    print(json.dumps({names[it]: round(float(gain[it] / gain.sum()), 3) for it in order[:25]}))
    if options.kind != "additive":
        return
    table, constant = steps(model, len(names))
    parts = apply(table, judged["x"])
    assert numpy.abs(parts.sum(axis=1) + constant - scores).max() < 1e-6
    table, constant = centered(table, constant, parts[judged["rank"] > 0])
    top = constant + sum(max(value for _, value in rows) for rows in table)
    found = knots(judged, scores, top)
    print("top", round(top, 3), [(round(a, 2), round(b, 3)) for a, b in found])
    print("steps", sum(len(rows) for rows in table))
    def similarity(values):
        return numpy.interp(values, [a for a, _ in found], [b for _, b in found])
    say("by similarity", measure(judged, scores, weight=lambda it: float(similarity(it))))
    if options.table:
        write(options.table, names, table, constant, found, top)
    if options.sample:
        rows = judged[generator.choice(len(judged), 60, replace=False)]
        expected = model.predict(rows["x"], num_threads=1)
        write_sample(options.sample, names, rows["x"], expected)


if __name__ == "__main__":
    main()

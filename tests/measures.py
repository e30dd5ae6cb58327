"""Does `tabiya-lab measure` agree with trec_eval?

Random judgments and runs with ties, unjudged documents, unanswered queries and
queries without a relevant document are measured by both, query by query, and
must agree to four decimals. pytrec_eval is trec_eval's own code behind Python.

    python tests/measures.py path/to/tabiya-lab
"""

import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytrec_eval

NAMES = {
    "nDCG": "ndcg",
    "nDCG@5": "ndcg_cut_5",
    "nDCG@10": "ndcg_cut_10",
    "MAP": "map",
    "P@5": "P_5",
    "R@5": "recall_5",
    "R@100": "recall_100",
    "MRR": "recip_rank",
    "bpref": "bpref",
}
DOCUMENTS = [f"{game}.{ply}" for game in range(1, 31) for ply in (25, 40, 57)]


def fixture(seed):
    """Judgments and a run. Few different scores make many ties; scores that differ
    only beyond single precision are ties for trec_eval as well."""
    rng = random.Random(seed)
    qrels, run = {}, {}
    for number in range(1, 13):
        query = str(number)
        judged = rng.sample(DOCUMENTS, rng.choice([1, 5, 40]))
        grades = [0, 1] if rng.random() < 0.2 else [-1, 0, 0, 1, 2, 3, 4]
        qrels[query] = {it: rng.choice(grades) for it in judged}
        if rng.random() < 0.85:
            found = rng.sample(DOCUMENTS, rng.choice([1, 8, 80]))
            step = rng.choice([1, 10, 1e9])
            noise = rng.choice([0, 1e-12])
            run[query] = {it: 1 + rng.randrange(12) / step + noise * rng.random() for it in found}
    run["99"] = {"1.25": 1.0}
    return qrels, run


def written(folder, qrels, run):
    judgments, ranking = Path(folder, "test.qrels"), Path(folder, "test.run")
    judgments.write_text("".join(f"{q} 0 {d} {g}\n" for q, all in qrels.items() for d, g in all.items()))
    # The order of lines and the ranks must not matter.
    ranking.write_text("".join(f"{q} Q0 {d} 1 {s!r} test\n" for q, all in run.items() for d, s in all.items()))
    return judgments, ranking


def ours(program, qrels, run, relevant):
    with tempfile.TemporaryDirectory() as folder:
        judgments, ranking = written(folder, qrels, run)
        command = [program, "measure", "--qrels", judgments, "--run", ranking]
        command += ["--measures", ",".join([*NAMES, "nDCG-exp@10"]), "--relevant", str(relevant)]
        said = subprocess.run([*command, "--per-query", "--json"], check=True, capture_output=True)
    (report,) = json.loads(said.stdout)["runs"]
    names = [it["measure"] for it in report["measures"]]
    means = {it["measure"]: it["mean"] for it in report["measures"]}
    return {it["query"]: dict(zip(names, it["values"])) for it in report["queries"]}, means


def exponential(qrels):
    """trec_eval has no other gain, but grades may be any number: 2^g - 1 as a grade."""
    return {q: {d: 2 ** max(g, 0) - 1 for d, g in all.items()} for q, all in qrels.items()}


def check(program, seed, relevant):
    qrels, run = fixture(seed)
    found, means = ours(program, qrels, run, relevant)
    assert found.keys() == qrels.keys(), (found.keys(), qrels.keys())
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(NAMES.values()), relevance_level=relevant)
    theirs = evaluator.evaluate(run)
    steep = pytrec_eval.RelevanceEvaluator(exponential(qrels), {"ndcg_cut_10"}).evaluate(run)
    compared = 0
    for query, values in found.items():
        expected = {name: theirs.get(query, {}).get(it, 0.0) for name, it in NAMES.items()}
        expected["nDCG-exp@10"] = steep.get(query, {}).get("ndcg_cut_10", 0.0)
        for name, value in values.items():
            assert math.isclose(value, expected[name], abs_tol=5e-5), (seed, relevant, query, name, value, expected[name])
            compared += 1
    for name, mean in means.items():
        assert math.isclose(mean, sum(it[name] for it in found.values()) / len(found), abs_tol=1e-9), name
    return compared


def main(program):
    compared = sum(check(program, seed, relevant) for seed in range(6) for relevant in (1, 2))
    print(f"trec_eval: ok ({compared} values)")


if __name__ == "__main__":
    main(sys.argv[1])

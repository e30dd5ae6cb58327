"""Trains the network of the evaluation `network` (crates/engine/src/eval/network).

    python network.py labels.bin [more.bin ...] --out crates/engine/src/eval/network/weights.bin

The labels are what `tabiya-lab label` wrote. The script needs numpy and numba and runs on a
processor. For the same labels, seed and versions it writes the same bytes: the batches are cut
into a fixed number of lanes, however many threads work on them. It prints the loss on held-out
labels after every pass, and the digest of the file. docs/engine.md has the recipe.
"""

import argparse
import hashlib
import math
import sys
import time

import numba
import numpy

RECORD = 26
INPUTS = 768
BUCKETS = 8
LANES = 2

# One in the network is so much in the file.
CELL, OUTPUT = 255, 64
# So that a product of a cell and an output weight fits sixteen bits.
GREATEST = 127 / OUTPUT


@numba.njit(inline="always")
def features(record, own, other):
    """Fills in the inputs of both sides; returns how many there are."""
    count, kings = 0, numpy.zeros(2, numpy.int64)
    for square in range(64):
        if (record[square >> 3] >> (square & 7)) & 1:
            code = (record[8 + (count >> 1)] >> (4 * (count & 1))) & 15
            own[count] = code * 64 + square
            if code & 7 == 5:
                kings[code >> 3] = square
            count += 1
    mirror_own = 7 if kings[0] & 4 else 0
    mirror_other = 7 if kings[1] & 4 else 0
    for index in range(count):
        code, square = own[index] >> 6, own[index] & 63
        enemy, role = code >> 3, code & 7
        own[index] = enemy * 384 + role * 64 + (square ^ mirror_own)
        other[index] = (1 - enemy) * 384 + role * 64 + (square ^ 56 ^ mirror_other)
    return count


@numba.njit(parallel=True, fastmath=True)
def pass_over(records, order, inverse_scale, weights, gradients, learning):
    """The mean loss of some records, and in `gradients` (one a lane) its gradient."""
    first, bias, last, last_bias = weights
    gradient_first, gradient_bias, gradient_last, gradient_last_bias = gradients
    cells = bias.shape[0]
    losses = numpy.zeros(LANES)
    for lane in numba.prange(LANES):
        own, other = numpy.empty(32, numpy.int64), numpy.empty(32, numpy.int64)
        sums = numpy.empty((2, cells), numpy.float32)
        back = numpy.empty((2, cells), numpy.float32)
        loss = 0.0
        for at in range(lane, len(order), LANES):
            record = records[order[at]]
            count = features(record, own, other)
            bucket = min((count - 2) // 4, BUCKETS - 1)
            for cell in range(cells):
                sums[0, cell] = bias[cell]
                sums[1, cell] = bias[cell]
            for index in range(count):
                one, two = own[index], other[index]
                for cell in range(cells):
                    sums[0, cell] += first[one, cell]
                    sums[1, cell] += first[two, cell]
            out = last_bias[bucket]
            for side in range(2):
                for cell in range(cells):
                    active = min(max(sums[side, cell], numpy.float32(0)), numpy.float32(1))
                    out += active * active * last[bucket, side, cell]
            score = numpy.int16(record[24] | (record[25] << 8))
            wanted = 1 / (1 + math.exp(-score * inverse_scale))
            expected = 1 / (1 + math.exp(-out))
            miss = expected - wanted
            loss += miss * miss
            if not learning:
                continue
            slope = numpy.float32(2 * miss * expected * (1 - expected))
            gradient_last_bias[lane, bucket] += slope
            for side in range(2):
                for cell in range(cells):
                    active = min(max(sums[side, cell], numpy.float32(0)), numpy.float32(1))
                    gradient_last[lane, bucket, side, cell] += slope * active * active
                    inside = active if active < 1 else numpy.float32(0)
                    pull = 2 * slope * inside * last[bucket, side, cell]
                    back[side, cell] = pull
                    gradient_bias[lane, cell] += pull
            for index in range(count):
                one, two = own[index], other[index]
                for cell in range(cells):
                    gradient_first[lane, one, cell] += back[0, cell]
                    gradient_first[lane, two, cell] += back[1, cell]
        losses[lane] = loss
    return losses.sum() / len(order)


@numba.njit(fastmath=True)
def adam(weight, gradient, mean, square, rate, step, size, bound):
    """One step of Adam over the sum of the lanes, which are cleared; weights stay within the bound."""
    warm = 1 - 0.9**step
    warm_square = 1 - 0.999**step
    for at in range(len(weight)):
        slope = numpy.float32(0)
        for lane in range(LANES):
            slope += gradient[lane, at]
            gradient[lane, at] = 0
        slope /= size
        mean[at] = numpy.float32(0.9) * mean[at] + numpy.float32(0.1) * slope
        square[at] = numpy.float32(0.999) * square[at] + numpy.float32(0.001) * slope * slope
        change = rate * (mean[at] / warm) / (math.sqrt(square[at] / warm_square) + 1e-8)
        weight[at] = min(max(weight[at] - change, -bound), bound)


def quantized(weights):
    """The file: first layer, its bias, last layer (16 bits), its bias (32 bits), little-endian."""
    first, bias, last, last_bias = weights
    parts = [(first, CELL, "<i2"), (bias, CELL, "<i2"), (last, OUTPUT, "<i2"), (last_bias, CELL * OUTPUT, "<i4")]
    return b"".join(numpy.rint(it * scale).astype(kind).tobytes() for it, scale, kind in parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("labels", nargs="+", help="files of labels")
    parser.add_argument("--out", required=True, help="file for the network")
    parser.add_argument("--cells", type=int, default=128, help="cells a side")
    parser.add_argument("--epochs", type=int, default=24, help="passes over the labels")
    parser.add_argument("--batch", type=int, default=8192, help="labels a step")
    parser.add_argument("--rate", type=float, default=2e-3, help="first step size; a cosine takes it to zero")
    parser.add_argument("--scale", type=float, default=160.0, help="centipawns of the labels for one logit")
    parser.add_argument("--held-out", type=int, default=50_000, help="last labels of each file, kept to judge")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()

    numba.set_num_threads(options.threads)
    files = [numpy.fromfile(it, numpy.uint8) for it in options.labels]
    files = [it[: len(it) // RECORD * RECORD].reshape(-1, RECORD) for it in files]
    held_out = numpy.concatenate([it[-options.held_out :] for it in files])
    records = numpy.concatenate([it[: -options.held_out] for it in files])
    print(f"{len(records)} labels, {len(held_out)} held out", flush=True)

    generator = numpy.random.default_rng(options.seed)
    shapes = [(INPUTS, options.cells), (options.cells,), (BUCKETS, 2, options.cells), (BUCKETS,)]
    spread = [0.1, 0.1, 1 / math.sqrt(2 * options.cells), 0.0]
    weights = tuple(
        generator.uniform(-it, it, shape).astype(numpy.float32) for it, shape in zip(spread, shapes)
    )
    zeros = lambda lanes: tuple(numpy.zeros(lanes + shape, numpy.float32) for shape in shapes)
    gradients, means, squares = zeros((LANES,)), zeros(()), zeros(())
    everything = numpy.arange(len(held_out))
    steps = options.epochs * (len(records) // options.batch)
    step, started = 0, time.time()
    for epoch in range(1, options.epochs + 1):
        order, losses = generator.permutation(len(records)), []
        for at in range(0, len(order) - options.batch + 1, options.batch):
            batch = order[at : at + options.batch]
            losses.append(pass_over(records, batch, 1 / options.scale, weights, gradients, True))
            step += 1
            rate = options.rate * 0.5 * (1 + math.cos(math.pi * step / steps))
            for weight, gradient, mean, square in zip(weights, gradients, means, squares):
                adam(weight.reshape(-1), gradient.reshape(LANES, -1), mean.reshape(-1), square.reshape(-1),
                     rate, step, options.batch, GREATEST)
        judged = pass_over(held_out, everything, 1 / options.scale, weights, gradients, False)
        seconds = time.time() - started
        print(f"pass {epoch}: loss {numpy.mean(losses):.6f}, held out {judged:.6f}, {seconds:.0f} s", flush=True)
        file = quantized(weights)
        with open(options.out, "wb") as out:
            out.write(file)
    print(f"sha256 {hashlib.sha256(file).hexdigest()}, {len(file)} bytes")


if __name__ == "__main__":
    sys.exit(main())

"""Writes tests/data/golden_sample.json: golden cases whose values follow from formulas here.

usage: make_sample.py FILE

Nothing is measured: every expected value is computed by plain Python from the definition that
the semantics of the op, layer or optimizer give. It shows that lockstep_golden reads every group.
"""
import json
import math
import struct
import sys


def as_float(x):
    """x rounded to float32."""
    return struct.unpack("f", struct.pack("f", x))[0]


def tensor(values, shape, dtype="float32"):
    data = []
    for value in values:
        if isinstance(value, float) and not math.isfinite(value):
            data.append("nan" if math.isnan(value) else "inf" if value > 0 else "-inf")
        else:
            data.append(float("%.9g" % as_float(value)) if dtype == "float32" else value)
    return {"shape": shape, "dtype": dtype, "data": data}


CASES = []


def case(group, name, params, inputs, outputs, rtol=1e-5, atol=1e-6):
    CASES.append({"name": name, "group": group, "params": params, "inputs": inputs,
                  "outputs": outputs, "tol": {"rtol": rtol, "atol": atol}})


X = [-1.5, -0.25, 0.5, 1.0, 2.0]
DY = [1.0, -2.0, 0.5, 0.25, 3.0]


def unary(name, function, derivative, xs=X):
    case("ops_unary", "unary_" + name, None, {"x": tensor(xs, [len(xs)]), "dy": tensor(DY, [5])},
         {"y": tensor([function(x) for x in xs], [5]),
          "d_x": tensor([g * derivative(x) for g, x in zip(DY, xs)], [5])})


def ops():
    unary("neg", lambda x: -x, lambda x: -1.0)
    unary("exp", math.exp, math.exp)
    unary("tanh", math.tanh, lambda x: 1 - math.tanh(x) ** 2)
    unary("log", math.log, lambda x: 1 / x, [0.1, 0.5, 1.0, 2.0, 30.0])
    unary("relu", lambda x: max(x, 0.0), lambda x: float(x > 0))
    a, b = [1.0, -2.0, 3.0, 0.5, 4.0, -6.0], [2.0, -4.0]
    dy = [1.0, 2.0, -1.0, 0.5, 3.0, -2.0]
    case("ops_binary", "binary_bcast_div", None,
         {"a": tensor(a, [3, 2]), "b": tensor(b, [2]), "dy": tensor(dy, [3, 2])},
         {"y": tensor([x / b[i % 2] for i, x in enumerate(a)], [3, 2]),
          "d_a": tensor([g / b[i % 2] for i, g in enumerate(dy)], [3, 2]),
          "d_b": tensor([sum(-dy[i] * a[i] / b[c] ** 2 for i in range(c, 6, 2)) for c in (0, 1)],
                        [2])})
    case("ops_reduce", "reduce_mean_axis1", {"axis": [1], "keepdims": False},
         {"x": tensor(a, [3, 2]), "dy": tensor([1.0, 2.0, 4.0], [3])},
         {"y": tensor([(a[2 * i] + a[2 * i + 1]) / 2 for i in range(3)], [3]),
          "d_x": tensor([0.5, 0.5, 1.0, 1.0, 2.0, 2.0], [3, 2])})
    case("ops_array", "strided_slice", {"slices": "[::-1,1]"}, {"x": tensor(a, [3, 2])},
         {"y": tensor([a[5], a[3], a[1]], [3])}, 0, 0)
    case("ops_array", "round_half_even", None, {"x": tensor([-0.5, 0.5, 1.5, 2.5], [4])},
         {"y": tensor([-0.0, 0.0, 2.0, 2.0], [4])}, 0, 0)
    case("ops_linalg", "matmul_ta0_tb1", {"transpose_a": False, "transpose_b": True},
         {"a": tensor(a, [3, 2]), "b": tensor(b, [1, 2])},
         {"y": tensor([a[2 * i] * b[0] + a[2 * i + 1] * b[1] for i in range(3)], [3, 1])})
    exps = [math.exp(x) for x in (0.0, 1.0, 3.0)]
    case("nn", "softmax", None, {"x": tensor([0.0, 1.0, 3.0], [1, 3])},
         {"y": tensor([e / sum(exps) for e in exps], [1, 3])})
    case("autodiff", "grad_edge_sqrt0", None, {"x": tensor([0.0, 4.0], [2])},
         {"d_x": tensor([math.inf, 0.25], [2])}, 0, 0)


def philox(key, counter):
    k, c = list(key), list(counter)
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & 0xFFFFFFFF, (p0 >> 32) ^ c[3] ^ k[1], p0 & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def words(seed, count):
    """The first words of the stateless stream of a seed."""
    s = [seed[0] & 0xFFFFFFFF, seed[0] >> 32 & 0xFFFFFFFF, seed[1] & 0xFFFFFFFF,
         seed[1] >> 32 & 0xFFFFFFFF]
    m = philox((0x3EC8F720, 0x02461E29), s)
    result, block = [], (m[3] << 32 | m[2]) << 64
    while len(result) < count:
        counter = [block >> 32 * i & 0xFFFFFFFF for i in range(4)]
        result += philox((m[0], m[1]), counter)
        block += 1
    return result[:count]


def unit(word):
    return struct.unpack("f", struct.pack("I", 127 << 23 | word & 0x7FFFFF))[0] - 1


def random():
    seed = [12, -7]
    drawn = words(seed, 7)
    inputs = {"seed": tensor(seed, [2], "int64")}
    case("rng", "stateless_uniform_f32_12_-7", None, inputs,
         {"y": tensor([unit(w) for w in drawn], [7])}, 0, 0)
    case("rng", "stateless_uniform_int32_range_12_-7", {"minval": -3, "maxval": 10}, inputs,
         {"y": tensor([-3 + w % 13 for w in drawn], [7], "int32")}, 0, 0)
    uniform = [unit(w) for w in words([5, 0], 6)]
    limit = math.sqrt(6 / (3 + 2))
    case("initializers", "init_GlorotUniform", {"seed": 5, "shape": [3, 2]}, {},
         {"w": tensor([u * 2 * limit - limit for u in uniform], [3, 2])})


def training():
    t, p = [0.0, 1.0, 2.0, 4.0], [1.0, 1.0, 0.0, 3.0]
    errors = [(p[0] - t[0]) ** 2 / 2 + (p[1] - t[1]) ** 2 / 2,
              (p[2] - t[2]) ** 2 / 2 + (p[3] - t[3]) ** 2 / 2]
    w = [0.5, 3.0]
    weighted = sum(e * x for e, x in zip(errors, w))
    case("losses", "loss_MeanSquaredError_0", {"class": "MeanSquaredError"},
         {"y_true": tensor(t, [2, 2]), "y_pred": tensor(p, [2, 2]), "sample_weight": tensor(w, [2])},
         {"none": tensor(errors, [2]), "sum": tensor([sum(errors)], []),
          "sum_over_batch_size": tensor([sum(errors) / 2], []),
          "weighted_sum_over_batch_size": tensor([weighted / 2], []),
          "weighted_mean_with_sample_weight": tensor([weighted / sum(w)], []),
          "d_y_pred_of_mean": tensor([2 * (b - a) / 4 for a, b in zip(t, p)], [2, 2])})
    case("metrics", "metric_MAE", None,
         {"y_true0": tensor(t, [2, 2]), "y_pred0": tensor(p, [2, 2]), "sw0": tensor([1.0, 3.0], [2]),
          "y_true1": tensor(p, [2, 2]), "y_pred1": tensor(p, [2, 2]), "sw1": tensor([1.0, 1.0], [2])},
         {"after1": tensor([1.0], []), "after2": tensor([0.5], []), "reset": tensor([0.0], []),
          "weighted": tensor([(0.5 + 3 * 1.5) / 6], [])})
    a, momentum, steps = 1.0, 0.0, []
    gradients = [0.5, -1.0, 2.0]
    for g in gradients:
        momentum = 0.9 * momentum - 0.1 * g
        a += momentum
        steps.append(a)
    case("optimizers", "opt_SGD_0", {"class": "SGD", "learning_rate": 0.1, "momentum": 0.9},
         {"a0": tensor([1.0], [1]), "ga": tensor(gradients, [3, 1])},
         {"a_steps": tensor(steps, [3, 1]), "slots": {"a_momentum": tensor([momentum], [1])}})
    at = [0, 1, 10, 25]
    case("schedules", "schedule_ExponentialDecay",
         {"initial_learning_rate": 0.2, "decay_steps": 10, "decay_rate": 0.5, "staircase": True},
         {"step": tensor(at, [4], "int32")},
         {"lr": tensor([0.2 * 0.5 ** (s // 10) for s in at], [4])})
    x, kernel, bias = [1.0, -2.0], [3.0, 1.0, -1.0, 2.0], [0.5, -0.25]
    z = [x[0] * kernel[j] + x[1] * kernel[2 + j] + bias[j] for j in (0, 1)]
    g = [1.5 * (z[0] > 0), -2.0 * (z[1] > 0)]
    case("layers", "dense_relu", {"units": 2, "activation": "relu"},
         {"x": tensor(x, [1, 2]), "w:kernel": tensor(kernel, [2, 2]), "w:bias": tensor(bias, [2]),
          "dy0": tensor([1.5, -2.0], [1, 2])},
         {"y0": tensor([max(v, 0.0) for v in z], [1, 2]),
          "d_x": tensor([g[0] * kernel[0] + g[1] * kernel[1], g[0] * kernel[2] + g[1] * kernel[3]],
                        [1, 2]),
          "d_w:kernel": tensor([x[0] * g[0], x[0] * g[1], x[1] * g[0], x[1] * g[1]], [2, 2]),
          "d_w:bias": tensor(g, [2])})
    CASES.append({"name": "crc32c_and_masked", "group": "formats", "params": {}, "inputs": {},
                  "outputs": {"empty": [0, 2726488792]}})


def main():
    ops()
    random()
    training()
    with open(sys.argv[1], "w") as file:
        file.write('{"cases": [\n')
        file.write(",\n".join(json.dumps(c, separators=(",", ":")) for c in CASES))
        file.write("\n]}\n")


main()

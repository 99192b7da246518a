"""Checks that lockstep_golden can fail: on bent values, with exit status 1 and the place named.

usage: can_fail.py PROGRAM SAMPLE
"""
import json
import subprocess
import sys
import tempfile


def run(program, content):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(content)
        file.flush()
        done = subprocess.run([program, file.name], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def expect(what, got, wanted_status, wanted_text):
    status, text = got
    if status != wanted_status or wanted_text not in text:
        sys.exit(f"{what}: exit status {status}, wanted {wanted_status} and {wanted_text!r}; got\n{text}")


def main():
    program, sample = sys.argv[1:]
    cases = json.load(open(sample))["cases"]
    bent = next(c for c in cases if c["name"] == "reduce_mean_axis1")
    bent["outputs"]["y"]["data"][2] += 0.5
    expect("a bent value", run(program, json.dumps({"cases": [bent]})), 1,
           "FAILED ops_reduce reduce_mean_axis1: y: 1 of 3 elements differ, first at [2]: got -1")
    bent["outputs"] = {"z": bent["outputs"]["y"]}
    expect("an output that nobody computes", run(program, json.dumps({"cases": [bent]})), 1,
           "z: nothing was computed")
    mean = next(c for c in cases if c["name"] == "reduce_mean_axis1")
    strange = dict(mean, outputs=bent["outputs"], params=dict(mean["params"], where="x"))
    for what, case, text in (
            ("a case of no known name", dict(mean, name="reduce_nothing"),
             "skipped 1 of ops_reduce: nothing here handles a case called reduce_nothing"),
            ("a case of no known group", dict(mean, group="ops_none"),
             "skipped 1 of ops_none: nothing here handles this group"),
            ("an unknown parameter", strange,
             "skipped 1 of ops_reduce: the parameter where of reduce_mean_axis1 is not known"),
            ("an unknown dtype", dict(mean, inputs={"x": dict(mean["inputs"]["x"], dtype="int3")}),
             "skipped 1 of ops_reduce: the dtype int3 is not one of Lockstep's")):
        expect(what, run(program, json.dumps({"cases": [case]})), 0, text)
    cut = dict(mean["inputs"]["x"], shape=[6])
    early = dict(mean, inputs={"x": cut}, params={"axis": 1, "sorted": True})
    expect("an error before a known parameter is read", run(program, json.dumps({"cases": [early]})), 1,
           "FAILED ops_reduce reduce_mean_axis1: threw")
    early["params"]["where"] = "x"
    expect("an error that an unknown parameter may have caused", run(program, json.dumps({"cases": [early]})), 0,
           "skipped 1 of ops_reduce: the parameter where")
    x = mean["inputs"]["x"]
    for what, broken in (("no tensor", [1]), ("too few elements", dict(x, data=[1.0])),
                         ("an element that is no number", dict(x, data=[None] * 6)),
                         ("no shape", {"dtype": "float32", "data": []}),
                         ("a negative size", dict(x, shape=[-2, 3]))):
        expect(what, run(program, json.dumps({"cases": [dict(mean, inputs={"x": broken})]})), 1,
               "FAILED ops_reduce reduce_mean_axis1: threw")
    for what, content, text in (
            ("no JSON", "{", "FILE must be JSON"), ("a list", "[]", "FILE must be JSON"),
            ("no list", '{"cases": 1}', "FILE must be JSON"),
            ("a case that is a number", '{"cases": [1]}', "a case is an object; got 1"),
            ("a case without a name", '{"cases": [{"group": "nn"}]}', 'a case has a text "name"'),
            ("parameters in a list", '{"cases": [{"group": "nn", "name": "a", "params": []}]}',
             '"params" is an object or null; got [] (case a)'),
            ("a tolerance in words", '{"cases": [{"group": "nn", "name": "a", "tol": {"rtol": ""}}]}',
             "a tolerance is a number")):
        expect(what, run(program, content), 1, text)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    expect("no file", (done.returncode, done.stderr), 2, "usage: lockstep_golden FILE")


main()

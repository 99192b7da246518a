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
    bent["name"] = "reduce_nothing"
    expect("a case of no known name", run(program, json.dumps({"cases": [bent]})), 1,
           "nothing handles a case of this name")
    expect("no JSON", run(program, "{"), 2, "FILE must be JSON")
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    expect("no file", (done.returncode, done.stderr), 2, "usage: lockstep_golden FILE")


main()

"""A job whose workers run out of memory ends with an error that names the worker and the bytes, and does not fall silent.

The launcher and its workers run with a limit of their address space (`ulimit -v`), as small as lets them start. What they
reach within it depends on the machine, so the limits go from too little to enough: each job either prints the digest of
the undisturbed one or ends with ResourceExhausted."""
import json
import os
import subprocess
import unittest

WORKERS = 3
LIMIT_SECONDS = 150
LIMITS = [int(one) for one in os.environ.get("LOCKSTEP_TEST_MEMORY_LIMITS", "120000 150000 180000 200000 260000 400000").split()]  # kilobytes


def run(limit, *launch_flags):
    """Returns: (status, standard output, standard error) of a job under the limit."""
    command = os.environ["LOCKSTEP_COMMAND"]
    job = [command, "launch", "--workers", str(WORKERS), "--json", *launch_flags, "--", command, "train", "--strategy", "multi_worker",
           "--replicas", "8", "--batch-size", "64", "--json", "--verbose", "0", "--model", "mlp", "--epochs", "2", "--examples", "1024"]
    ran = subprocess.run(["bash", "-c", f'ulimit -v {limit}; exec "$@"', "job", *job], capture_output=True, text=True,
                         timeout=LIMIT_SECONDS)
    return ran.returncode, ran.stdout, ran.stderr


@unittest.skipUnless("LOCKSTEP_COMMAND" in os.environ, "the command is not built")
class ExhaustedWorkers(unittest.TestCase):
    def test_a_job_ends_with_the_error_or_the_digest(self):
        status, output, error = run("unlimited")
        self.assertEqual(status, 0, error)
        digest = json.loads(output.strip().splitlines()[-1])["weights_digest"]
        failed = 0
        for limit in LIMITS:
            for flags in ([], ["--max-restarts", "1"]):
                with self.subTest(limit=limit, flags=flags):
                    status, output, error = run(limit, *flags)
                    if status == 0:
                        self.assertEqual(json.loads(output.strip().splitlines()[-1])["weights_digest"], digest)
                        continue
                    failed += 1
                    self.assertRegex(error, r"worker \d \| lockstep: worker \d: ResourceExhausted: .*(bytes|thread)")
                    self.assertNotRegex(error, "terminate called")
        self.assertGreater(failed, 0, "no limit was too small")


if __name__ == "__main__":
    unittest.main()

"""A server on loopback admits the user that runs it, and no other one."""
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

NOBODY = 65534
SERVES = """
import lockstep as tf
server = tf.distribute.Server.create_local_server()
print(server.target, flush=True)
server.join()
"""
RUNS = """
import sys
import lockstep as tf
v1 = tf.compat.v1
with tf.Graph().as_default():
    product = tf.constant([2.0]) * 3.0
    with v1.Session(sys.argv[1]) as session:
        print(session.run(product))
"""


def variables(home):
    return {**{name: value for name, value in os.environ.items() if not name.startswith(("LOCKSTEP_TOKEN", "XDG_RUNTIME"))},
            "HOME": str(home), "TMPDIR": str(home), "PYTHONDONTWRITEBYTECODE": "1"}


def run(target, home, **user):
    ran = subprocess.run([sys.executable, "-c", RUNS, target], env=variables(home), cwd="/", capture_output=True, text=True,
                         timeout=120, **user)
    return ran.returncode, ran.stdout, ran.stderr


class Users(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        self.homes = [pathlib.Path(folder.name, name) for name in ("own", "other")]
        for home in self.homes:
            home.mkdir(mode=0o755)
            os.chmod(home, 0o755)

    def serve(self, program, target):
        server = subprocess.Popen(program, env=variables(self.homes[0]), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True)
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        return server, target(server.stdout.readline())

    def test_the_token_is_the_owners_alone(self):
        _, target = self.serve([sys.executable, "-c", SERVES], str.strip)
        status, output, errors = run(target, self.homes[0])
        self.assertEqual((status, output), (0, "[6.]\n"), errors)
        place = self.homes[0] / ".local/state/lockstep"
        self.assertEqual([stat.S_IMODE(path.stat().st_mode) for path in (place, place / "token")], [0o700, 0o600])

    def check_refused(self, target):
        if os.geteuid() != 0:
            self.skipTest("only root can run a process as another user")
        os.chown(self.homes[1], NOBODY, NOBODY)
        try:
            reachable = subprocess.run([sys.executable, "-c", "import lockstep"], env=variables(self.homes[1]), cwd="/",
                                       capture_output=True, user=NOBODY, group=NOBODY, extra_groups=[]).returncode == 0
        except PermissionError:
            reachable = False
        if not reachable:
            self.skipTest("another user cannot import the package here")
        return run(target, self.homes[1], user=NOBODY, group=NOBODY, extra_groups=[])

    def test_another_user_is_refused(self):
        _, target = self.serve([sys.executable, "-c", SERVES], str.strip)
        status, output, errors = self.check_refused(target)
        self.assertEqual((status, output), (1, ""), errors)
        self.assertIn("UnauthenticatedError", errors)
        self.assertIn("got the token of another user; run the client as that user, set the same LOCKSTEP_TOKEN", errors)

    @unittest.skipUnless("LOCKSTEP_COMMAND" in os.environ, "the command is not built")
    def test_the_command_refuses_another_user_unless_it_is_insecure(self):
        command = [os.environ["LOCKSTEP_COMMAND"], "serve"]
        status, output, errors = self.check_refused(self.serve(command, lambda line: line.split()[-1])[1])
        self.assertEqual((status, output), (1, ""), errors)
        server, target = self.serve([*command, "--insecure"], lambda line: line.split()[-1])
        self.assertEqual(self.check_refused(target)[:2], (0, "[6.]\n"))
        server.kill()
        self.assertIn("--insecure: every user of this machine may call 127.0.0.1:", server.communicate()[1])


if __name__ == "__main__":
    unittest.main()

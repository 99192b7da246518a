#!/usr/bin/env python3
"""Trains under real launchers, and as plain processes with a launcher's variables, without any flag for it: the
digests must be one process's, and nothing may stay behind.

usage: launchers.py --program FILE [CASE | --list]
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import trial
from hosts import Hosts
from trial import Skip, check, check_reports, equal, wait_until

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from ports import free_ports  # noqa: E402

WORKERS = 4


def task(steps=40):
    return ("--model", "mlp", "--examples", "471", "--batch-size", "100", "--steps", str(steps), "--replicas", "8",
            "--verbose", "0", "--json")


def train(program, steps=40, strategy="multi_worker"):
    return [program, "train", "--strategy", strategy, "--devices", "1", *task(steps)]


def need(*programs, comes_with="group launchers of packages.txt"):
    for program in programs:
        if shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin") is None:
            raise Skip(f"{program} is not installed ({comes_with})")


def compare(job, process, workers=WORKERS):
    """One object among all that was printed, with the digests of one process."""
    reports = process.objects()
    equal(len(reports), 1, "the number of reports")
    check_reports(reports[0], job.alone(task()), workers)


def run_plain(job, environments, seconds=trial.PATIENCE, strategy="multi_worker", workers=None):
    """A process for each of the environments; all must end well, and the first one reports."""
    processes = [job.start(train(job.program, strategy=strategy), f"task{i}", **variables)
                 for i, variables in enumerate(environments)]
    for process in processes:
        equal(process.wait(seconds), 0, f"the status of {process.name}")
    for process in processes[1:]:
        equal(process.out(), "", f"the output of {process.name}")
    compare(job, processes[0], len(processes) if workers is None else workers)


MPIRUN = ("mpirun", "--oversubscribe", "-n", str(WORKERS))
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def mpirun(job):
    need("mpirun")
    compare(job, job.run([*MPIRUN, *train(job.program)], "mpirun", **AS_ROOT))


def mpirun_with_servers(job):
    need("mpirun")
    process = job.run([*MPIRUN, *train(job.program, strategy="parameter_server")], "mpirun", LOCKSTEP_JOBS="ps:1,worker:3",
                      **AS_ROOT)
    compare(job, process, 3)


def torchrun_variables_with_servers(job):
    port = str(free_ports(1)[0])
    run_plain(job, [{"RANK": str(rank), "WORLD_SIZE": str(WORKERS), "LOCAL_RANK": str(rank),
                     "LOCAL_WORLD_SIZE": str(WORKERS), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port,
                     "LOCKSTEP_JOBS": "worker:2,ps:2"} for rank in range(WORKERS)],
              strategy="parameter_server", workers=2)


def tf_config_with_servers(job):
    """A chief computes, too."""
    ports = [f"127.0.0.1:{port}" for port in free_ports(4)]
    cluster = {"chief": ports[:1], "worker": ports[1:2], "ps": ports[2:]}
    run_plain(job, [{"TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": name, "index": index}})}
                    for name, index in (("chief", 0), ("worker", 0), ("ps", 0), ("ps", 1))],
              strategy="parameter_server", workers=2)


def mpirun_twice_at_once(job):
    need("mpirun")
    both = [job.start([*MPIRUN, *train(job.program)], f"mpirun{i}", **AS_ROOT) for i in range(2)]
    for process in both:
        equal(process.wait(trial.PATIENCE), 0, f"the status of {process.name}")
    for process in both:
        compare(job, process)


def mpirun_ends_all_when_a_rank_is_killed(job):
    need("mpirun")
    process = job.start([*MPIRUN, *train(job.program, steps=10_000_000)], "mpirun", LOCKSTEP_LOG="info", **AS_ROOT)
    wait_until(lambda: process.err().count("multi_worker_mirrored: worker") >= WORKERS, "ranks that all train", [process])
    job.note_sockets()
    ranks = job.pids("OMPI_COMM_WORLD_RANK=2")
    equal(len(ranks), 1, "the number of processes of rank 2")
    os.kill(ranks[0], signal.SIGKILL)
    check(process.wait(trial.PATIENCE) != 0, "mpirun must not end with 0")


def slurm(job, *flags):
    need("srun", "slurmctld", "slurmd", "munged")
    process = job.start([WITH_SLURM, "srun", f"--ntasks={WORKERS}", *flags, *train(job.program)], "srun")
    status = process.wait(trial.PATIENCE)
    if status == trial.SKIPPED:
        raise Skip(process.err().strip())
    equal(status, 0, "the status of srun")
    compare(job, process)


def slurm_with_pmi(job):
    """PMI's variables number the tasks, too; only Slurm's say where they meet."""
    slurm(job, "--mpi=pmi2")


def slurm_steps_of_one_job(job):
    need("srun", "slurmctld", "slurmd", "munged")
    step = " ".join(["srun", "--overlap", f"--ntasks={WORKERS}", *train(job.program)])
    script = f"{step} >{job.folder}/step0 & {step} >{job.folder}/step1 & wait -n && wait -n"
    process = job.start([WITH_SLURM, "salloc", "--quiet", f"--ntasks={WORKERS}", "bash", "-c", script], "salloc")
    status = process.wait(trial.PATIENCE)
    if status == trial.SKIPPED:
        raise Skip(process.err().strip())
    equal(status, 0, "the status of salloc")
    alone = job.alone(task())
    for name in ("step0", "step1"):
        check_reports(json.loads((job.folder / name).read_text()), alone, WORKERS)


def torchrun_variables(job):
    port = str(free_ports(1)[0])
    run_plain(job, [{"RANK": str(rank), "WORLD_SIZE": str(WORKERS), "LOCAL_RANK": str(rank),
                     "LOCAL_WORLD_SIZE": str(WORKERS), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
                    for rank in range(WORKERS)])


def torchrun(job):
    need("torchrun", comes_with="PyTorch has it")
    process = job.run(["torchrun", "--no-python", f"--nproc-per-node={WORKERS}", f"--master-port={free_ports(1)[0]}",
                       *train(job.program)], "torchrun")
    compare(job, process)


def pmi_variables(job):
    """MPICH's, Intel's and Cray's: they say no address, so we do."""
    meeting = f"127.0.0.1:{free_ports(1)[0]}"
    run_plain(job, [{"PMI_RANK": str(rank), "PMI_SIZE": str(WORKERS), "MPI_LOCALRANKID": str(rank),
                     "MPI_LOCALNRANKS": str(WORKERS), "LOCKSTEP_COORDINATOR": meeting} for rank in range(WORKERS)])


def tf_config(job):
    addresses = [f"127.0.0.1:{port}" for port in free_ports(WORKERS)]
    run_plain(job, [{"TF_CONFIG": json.dumps({"cluster": {"worker": addresses},
                                              "task": {"type": "worker", "index": index}})}
                    for index in range(WORKERS)])


def tf_config_with_chief(job):
    """A chief and an evaluator, workers by index; the evaluator's process is another program's."""
    addresses = [f"localhost:{port}" for port in free_ports(WORKERS + 1)]
    cluster = {"chief": addresses[:1], "worker": dict(zip(("0", "1", "2"), addresses[1:4])),
               "evaluator": addresses[4:]}
    tasks = [("chief", 0), ("worker", 0), ("worker", 1), ("worker", 2)]
    run_plain(job, [{"TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}})}
                    for kind, index in tasks])
    config = json.dumps({"cluster": cluster, "task": {"type": "evaluator", "index": 0}})
    evaluator = job.run(train(job.program), "evaluator", status=1, TF_CONFIG=config)
    check("an evaluator follows the saves of a directory; got none (evaluator 0)" in evaluator.err(),
          "the evaluator must be told why")


def kubernetes_job(job):
    """Pods of an indexed Job: each has a name and an address of its own, and all have the same port."""
    need("unshare", comes_with="util-linux has it")
    hosts = job.folder / "hosts"
    hosts.write_text("127.0.0.1 localhost\n" +
                     "".join(f"127.9.0.{pod + 1} train-{pod}.train\n" for pod in range(WORKERS)))
    inside = ["unshare", "--mount", "--net", "sh", "-c",
              f"mount --bind '{hosts}' /etc/hosts && ip link set lo up && exec \"$@\"", "sh"]
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode != 0:
        raise Skip("names of pods need root, for a mount namespace")
    # All in one network namespace: the pods' addresses are on its loopback interface.
    pods = " & ".join(f"JOB_COMPLETION_INDEX={pod} HOSTNAME=train-{pod} \"$@\"" for pod in range(WORKERS))
    # Names other than localhost may be other machines: what goes between them is encrypted.
    job.run([job.program, "cert", "--out", job.folder / "keys"], "cert")
    process = job.run([*inside, "sh", "-c", pods + " & wait", "sh", *train(job.program)], "pods",
                      LOCKSTEP_WORKERS=str(WORKERS), LOCKSTEP_CREDENTIALS=str(job.folder / "keys"))
    compare(job, process)


def keys(job):
    job.run([job.program, "cert", "--out", job.folder / "keys"], "cert")
    return {"LOCKSTEP_CREDENTIALS": str(job.folder / "keys")}


def check_places(process, hosts):
    """Two workers on each of two hosts, as the membership says."""
    for rank in range(WORKERS):
        place = f"worker {rank} at {hosts.addresses[rank // 2]}:"
        check(place in process.err(), f"there must be {place}; got {process.err()}")


def mpirun_over_hosts(job):
    """mpirun says no addresses: a task listens where its way to the first one begins."""
    need("mpirun")
    hosts = Hosts(job, 2)
    command = [*MPIRUN, "--host", ",".join(f"{address}:2" for address in hosts.addresses), "-x", "LOCKSTEP_CREDENTIALS",
               "-x", "LOCKSTEP_LOG", "--mca", "plm_rsh_agent", hosts.remote_shell(), "--mca", "plm", "rsh",
               *train(job.program)]
    inside = ["nsenter", f"--net=/proc/{hosts.hosts[0].pid}/ns/net", *command]
    process = job.run(inside, "mpirun", LOCKSTEP_LOG="info", **AS_ROOT, **keys(job))
    compare(job, process)
    check_places(process, hosts)
    hosts.end()


def torchrun_variables_over_hosts(job):
    hosts = Hosts(job, 2)
    credentials = keys(job)
    processes = []
    for rank in range(WORKERS):
        host = hosts.hosts[rank // 2]
        processes.append(job.start(
            ["nsenter", f"--net=/proc/{host.pid}/ns/net", *train(job.program)], f"task{rank}", RANK=str(rank),
            WORLD_SIZE=str(WORKERS), LOCAL_RANK=str(rank % 2), LOCAL_WORLD_SIZE="2", GROUP_RANK=str(rank // 2),
            MASTER_ADDR=hosts.addresses[0], MASTER_PORT="29500", LOCKSTEP_LOG="info", **credentials))
    for process in processes:
        equal(process.wait(trial.PATIENCE), 0, f"the status of {process.name}")
    compare(job, processes[0])
    check_places(processes[0], hosts)
    hosts.end()


def launch_over_hosts(job):
    """By a shell that reaches them, as ssh does; and what doctor measures there."""
    hosts = Hosts(job, 2)
    launch = [job.program, "launch", "--workers", str(WORKERS), "--hosts", ",".join(hosts.addresses), "--env",
              "LOCKSTEP_CREDENTIALS", "--json", "--"]
    variables = {**keys(job), "LOCKSTEP_REMOTE_SHELL": hosts.remote_shell()}
    compare(job, job.run([*launch, *train(job.program)], "launch", **variables))
    report = job.run([*launch, job.program, "doctor", "--json"], "doctor", **variables).objects()[-1]
    equal(len(report["pairs"]), WORKERS * (WORKERS - 1), "the number of ways")
    here = {"worker 0": 0, "worker 1": 0, "worker 2": 1, "worker 3": 1}
    for pair in report["pairs"]:
        same = here[pair["from"]] == here[pair["to"]]
        equal(pair["road"], "shared memory" if same else "TLS", f"the road from {pair['from']} to {pair['to']}")
    print([check_["text"] for check_ in report["checks"] if check_["topic"] == "pairs"])
    hosts.end()


WITH_SLURM = str(trial.ROOT / "tests/launchers/with_slurm")
CASES = (mpirun_with_servers, torchrun_variables_with_servers, tf_config_with_servers,
         mpirun, mpirun_twice_at_once, mpirun_ends_all_when_a_rank_is_killed, slurm, slurm_with_pmi,
         slurm_steps_of_one_job, torchrun_variables, torchrun, pmi_variables, tf_config, tf_config_with_chief, kubernetes_job,
         mpirun_over_hosts, torchrun_variables_over_hosts, launch_over_hosts)


if __name__ == "__main__":
    sys.exit(trial.main(__doc__, CASES))

"""The tasks of a cluster."""

from ._messages import Message, message_class


ClusterDef, JobDef, ServerDef = (message_class(kind) for kind in ("ClusterDef", "JobDef", "ServerDef"))


class ClusterSpec:
    """Per job (chief, worker, ps, evaluator, ...) the addresses "host:port" of its tasks: a list, or a
    dict by index."""

    def __init__(self, cluster):
        if isinstance(cluster, ClusterSpec):
            self._jobs = {job: dict(tasks) for job, tasks in cluster._jobs.items()}
            return
        if isinstance(cluster, Message) and cluster._kind == "ClusterDef":
            cluster = {one.name: one.tasks for one in cluster.job}
        if not isinstance(cluster, dict):
            raise TypeError("`cluster` must be a dictionary mapping one or more job names to lists of "
                            "network addresses, or a `ClusterDef` protocol buffer")
        self._jobs = {}
        for job, tasks in cluster.items():
            if isinstance(tasks, dict):
                self._jobs[job] = {int(index): str(address) for index, address in tasks.items()}
            elif isinstance(tasks, (list, tuple)):
                self._jobs[job] = dict(enumerate(tasks))
                for one in tasks:
                    if not isinstance(one, (str, bytes)):
                        raise TypeError(f"Task address {one!r} must be bytes or unicode")
            else:
                raise TypeError(f"The tasks for job {job!r} must be a list or a dictionary from "
                                f"integers to strings.")

    @property
    def jobs(self):
        return list(self._jobs)

    def num_tasks(self, job_name):
        return len(self._tasks(job_name))

    def task_indices(self, job_name):
        return sorted(self._tasks(job_name))

    def task_address(self, job_name, task_index):
        tasks = self._tasks(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name):
        tasks = self._tasks(job_name)
        return [tasks.get(i) for i in range(max(tasks, default=-1) + 1)]

    def as_dict(self):
        made = {}
        for job in self.jobs:
            tasks = self._jobs[job]
            dense = sorted(tasks) == list(range(len(tasks)))
            made[job] = [tasks[i] for i in range(len(tasks))] if dense else dict(tasks)
        return made

    def as_cluster_def(self):
        """The cluster as `tf.train.ClusterDef`: `job`, a list with `name` and `tasks` by index."""
        return ClusterDef(job=[JobDef(name=job, tasks=self._jobs[job]) for job in sorted(self._jobs)])

    def _tasks(self, job):
        if job not in self._jobs:
            raise ValueError(f"No such job in cluster: {job!r}")
        return self._jobs[job]

    def __bool__(self):
        return bool(self._jobs)

    def __eq__(self, other):
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    def __repr__(self):
        inner = ", ".join(f"{job!r}: {self.as_dict()[job]!r}" for job in sorted(self.jobs))
        return "ClusterSpec({" + inner + "})"


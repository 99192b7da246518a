"""The real TensorBoard reads every kind of summary that Lockstep writes, from one run and from merged ones.

usage: tensorboard_reads.py LOCKSTEP_FORMATS LOCKSTEP

Prints a line for each check. Exit status: 0 all agree, 1 one does not, 77 skipped: tensorboard is missing.
"""
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from tensorboard import context
    from tensorboard.backend.event_processing import data_provider, event_accumulator, plugin_event_multiplexer
    from tensorboard.compat.proto import graph_pb2
    from tensorboard.data import provider
    from tensorboard.plugins.distribution import compressor
    from tensorboard.plugins.hparams import metadata
    from tensorboard.util import tensor_util
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    sys.exit(77)

FORMATS, LOCKSTEP = sys.argv[1:3]
KINDS = {"scalars": {"loss"}, "histograms": {"values"}, "images": {"pixels", "gray"}, "text": {"note"}}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: {done.stderr or done.stdout}"
    return done.stdout


def accumulated(folder):
    read = event_accumulator.EventAccumulator(str(folder), event_accumulator.STORE_EVERYTHING_SIZE_GUIDANCE)
    read.Reload()
    return read


def values_of():
    return np.array([i * i % 37 - 5 for i in range(100)], "f4")


def values(read, tag):
    return [(event.step, tensor_util.make_ndarray(event.tensor_proto)) for event in read.Tensors(tag)]


def every_kind(folder):
    """scalars, histograms, distributions, images, text, hparams and graph of one run"""
    run(FORMATS, "events", str(folder / "run"))
    read = accumulated(folder / "run")
    for plugin, tags in KINDS.items():
        found = {tag for tag in read.Tags()["tensors"]
                 if read.SummaryMetadata(tag).plugin_data.plugin_name == plugin}
        assert tags <= found, f"{plugin}: {found}"
    assert [(step, float(value)) for step, value in values(read, "loss")] == [(0, 1.5), (1, 0.75), (2, 0.5)]
    buckets = values(read, "values")[0][1]
    assert buckets.shape == (30, 3) and buckets[:, 2].sum() == 100, buckets
    assert values(read, "pixels")[0][1][2].startswith(b"\x89PNG")
    start = metadata.parse_session_start_info_plugin_data(
        read.SummaryMetadata("_hparams_/session_start_info").plugin_data.content)
    assert start.hparams["rate"].number_value == 0.25
    graph = read.Graph()
    assert isinstance(graph, graph_pb2.GraphDef) and "MatMul" in {node.op for node in graph.node}, graph
    # The distributions page makes these of histograms.
    compressed = compressor.compress_histogram(buckets)
    assert [point for point, _ in compressed] == [0, 668, 1587, 3085, 5000, 6915, 8413, 9332, 10000]
    assert compressed[0][1] == values_of().min() and compressed[-1][1] == values_of().max(), compressed


def data_of_pages(folder):
    """what the pages of TensorBoard ask its data provider for"""
    for worker in range(2):
        run(FORMATS, "events", str(folder / "logs" / f"worker-{worker}"))
    pages = plugin_event_multiplexer.EventMultiplexer().AddRunsFromDirectory(str(folder / "logs"))
    pages.Reload()
    shown = data_provider.MultiplexerDataProvider(pages, str(folder / "logs"))
    listed = shown.list_scalars(context.RequestContext(), experiment_id="", plugin_name="scalars")
    assert set(listed) == {"worker-0", "worker-1"} and "loss" in listed["worker-1"], listed
    drawn = shown.read_tensors(context.RequestContext(), experiment_id="", plugin_name="histograms", downsample=1000,
                               run_tag_filter=provider.RunTagFilter(["worker-0"], ["values"]))
    assert drawn["worker-0"]["values"][0].numpy.shape == (30, 3)
    assert "worker-0" in shown.list_blob_sequences(context.RequestContext(), experiment_id="", plugin_name="graphs")


def merged(folder):
    """the file of `lockstep events merge`, and one whose last record is torn"""
    for worker in range(2):
        run(FORMATS, "events", str(folder / "logs" / f"worker-{worker}"))
    torn = next((folder / "logs" / "worker-1").iterdir())
    torn.write_bytes(torn.read_bytes() + b"\x10\0\0\0\0\0\0\0half")
    path = run(LOCKSTEP, "events", "merge", str(folder / "logs"), str(folder / "merged")).strip()
    assert pathlib.Path(path).exists()
    read = accumulated(folder / "merged")
    for worker in range(2):
        both = [(step, float(value)) for step, value in values(read, f"worker-{worker}/loss")]
        assert both == [(0, 1.5), (1, 0.75), (2, 0.5)], both
        one = accumulated(folder / "logs" / f"worker-{worker}")
        for tag in one.Tags()["tensors"]:
            for (step, ours), (their_step, theirs) in zip(values(read, f"worker-{worker}/{tag}"), values(one, tag)):
                assert step == their_step and np.array_equal(ours, theirs), tag
    assert read.Graph().node
    listed = run(LOCKSTEP, "events", "ls", str(folder / "logs"))
    assert "worker-1" in listed and "histograms" in listed, listed
    assert "loss 0.5" in run(LOCKSTEP, "events", "tail", str(folder / "logs"), "--tag", "loss", "--lines", "1")


def main():
    failed = 0
    checks = (every_kind, data_of_pages, merged)
    for check in checks:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(pathlib.Path(folder))
                print(f"ok: {check.__doc__}")
            except Exception as error:  # each reports for itself
                failed += 1
                print(f"FAILED: {check.__doc__}: {type(error).__name__}: {error}")
    print(f"{len(checks) - failed} of {len(checks)} checks agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

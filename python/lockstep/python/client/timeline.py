"""Runs as events of chrome://tracing."""

import json


class Timeline:
    """Of the `step_stats` of a `RunMetadata`."""

    def __init__(self, step_stats, graph=None):
        self._stats = step_stats

    def generate_chrome_trace_format(self, show_dataflow=True, show_memory=False, op_time="schedule"):
        """The ops of each device as one text of JSON; times in microseconds."""
        events = []
        for number, device in enumerate(self._stats.dev_stats):
            events.append({"ph": "M", "name": "process_name", "pid": number, "args": {"name": f"{device.device} Compute"}})
            for one in device.node_stats:
                events.append({"ph": "X", "cat": "Op", "name": one.timeline_label.split(" = ")[-1].split("(")[0],
                               "pid": number, "tid": 0, "ts": one.all_start_micros, "dur": max(one.all_end_rel_micros, 1),
                               "args": {"name": one.node_name, "op": one.timeline_label.split(" = ")[-1].split("(")[0]}})
        return json.dumps({"traceEvents": events}, indent=4)

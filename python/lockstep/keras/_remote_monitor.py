"""`keras.callbacks.RemoteMonitor`."""

import json
import urllib.parse
import urllib.request
import warnings

from .callbacks import Callback


class RemoteMonitor(Callback):
    """Sends each epoch's figures to a server by POST, as JSON or in the field `field` of a form.

    A server that does not answer is warned about, and training goes on."""

    def __init__(self, root="http://localhost:9000", path="/publish/epoch/end/", field="data", headers=None, send_as_json=False):
        super().__init__()
        self.root, self.path, self.field, self.headers, self.send_as_json = root, path, field, headers, send_as_json

    def on_epoch_end(self, epoch, logs=None):
        figures = {"epoch": epoch, **{name: one.item() if hasattr(one, "item") else one for name, one in (logs or {}).items()}}
        text = json.dumps(figures)
        kind = "application/json" if self.send_as_json else "application/x-www-form-urlencoded"
        body = text if self.send_as_json else urllib.parse.urlencode({self.field: text})
        request = urllib.request.Request(self.root + self.path, body.encode(), {"Content-Type": kind, **(self.headers or {})})
        try:
            urllib.request.urlopen(request, timeout=10).close()
        except OSError:
            warnings.warn(f"Could not reach RemoteMonitor root server at {self.root}", stacklevel=2)

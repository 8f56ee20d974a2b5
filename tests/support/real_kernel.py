"""A Python kernel for tests, and what it shows for a cell."""

import os

import pytest

from minigrad import course

REQUEST = {"silent": False, "store_history": True, "user_expressions": {}}


@pytest.fixture(name="kernel", scope="module")
def a_kernel():
    """A Python kernel, started as JupyterLab starts one."""
    manager = pytest.importorskip(
        "jupyter_client.manager", reason="not run: a real kernel (no jupyter_client)"
    )
    pytest.importorskip("ipykernel", reason="not run: a real kernel (no ipykernel)")
    notebook = course.home() / "work" / "03_strides.ipynb"
    environment = {**os.environ, "JPY_SESSION_NAME": str(notebook)}
    environment["PYTHONPATH"] = str(course.home())
    started, client = manager.start_new_kernel(env=environment)
    yield client
    client.stop_channels()
    started.shutdown_kernel(now=True)


def output_of(client, code, **metadata):
    """What a cell prints, when it is run with this metadata in its request."""
    message = client.session.msg("execute_request", dict(REQUEST, code=code))
    message["metadata"] |= metadata
    client.shell_channel.send(message)
    printed = ""
    while True:
        reply = client.get_iopub_msg(timeout=60)
        if reply["parent_header"].get("msg_id") != message["header"]["msg_id"]:
            continue
        content = reply["content"]
        printed += content.get("text", "") + content.get("evalue", "")
        if content.get("execution_state") == "idle":
            return printed

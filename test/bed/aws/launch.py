"""Runs the emulator until stdin closes: so it ends with whoever started it, however that ended."""

import os
import signal
import sys
import threading


def end_with_stdin():
    sys.stdin.buffer.read()
    os.killpg(0, signal.SIGKILL)  # the Lambda workers too: the emulator leads a process group of its own


threading.Thread(target=end_with_stdin, daemon=True).start()

from ministack.core import iam_actions  # noqa: E402

# On AWS, permission for the single operation is permission for its batch: SQS has no actions for batches.
BATCHES = {name + "Batch": name for name in ("SendMessage", "DeleteMessage", "ChangeMessageVisibility")}
action_in = iam_actions._action_from_target
iam_actions._action_from_target = lambda headers: BATCHES.get(action_in(headers), action_in(headers))

from ministack.app import main  # noqa: E402

sys.argv = ["ministack"]
main()

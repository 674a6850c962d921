"""Runs the emulator until stdin closes: so it ends with whoever started it, however that ended."""

import os
import signal
import sys
import threading


def end_with_stdin():
    sys.stdin.buffer.read()
    os.killpg(0, signal.SIGKILL)  # the Lambda workers too: the emulator leads a process group of its own


threading.Thread(target=end_with_stdin, daemon=True).start()

from ministack.app import main  # noqa: E402

sys.argv = ["ministack"]
main()

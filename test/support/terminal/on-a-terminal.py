"""Runs a command on a terminal of its own: on-a-terminal.py ROWS COLUMNS COMMAND...

stdin and stdout are what goes to the terminal and comes from it. Lines on fd 3 tell what to do: "resize ROWS COLUMNS",
"signal NAME", "continue" (as a shell's fg does), "hangup" (the terminal goes away). Lines of JSON on fd 4 tell of the
command: {"event": "stopped" | "ended", "code", "signal", "isRestored"}; the last: whether the modes of the terminal are
what they were in the beginning.
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios


def main(rows, columns, command):
    os.setsid()
    for ignored in (signal.SIGTTOU, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(ignored, signal.SIG_IGN)
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    resize(master, rows, columns)
    before = termios.tcgetattr(slave)
    child = os.fork()
    if child == 0:
        run(slave, command)
    try:
        os.setpgid(child, child)
    except PermissionError:
        # The child was faster: it has done so itself, and runs the command already.
        pass
    os.tcsetpgrp(slave, child)
    Terminal(master, slave, before, child).serve()


def run(slave, command):
    os.setpgid(0, 0)
    # Not before the shell in us has said so would it be in the foreground; a shell's children ask for it themselves.
    os.tcsetpgrp(slave, os.getpid())
    for ignored in (signal.SIGTTOU, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(ignored, signal.SIG_DFL)
    for fd in (0, 1, 2):
        os.dup2(slave, fd)
    os.closerange(3, 64)
    os.execvp(command[0], command)


def resize(master, rows, columns):
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


class Terminal:
    def __init__(self, master, slave, before, child):
        self.master, self.slave, self.before, self.child = master, slave, before, child
        self.inputs = [0, 3, master]
        self.control = b""

    def serve(self):
        while True:
            ready, _, _ = select.select(self.inputs, [], [], 0.02)
            for fd in ready:
                self.receive(fd)
            if not ready and self.has_ended():
                return

    def receive(self, fd):
        try:
            data = os.read(fd, 65536)
        except OSError:
            data = b""
        if not data:
            self.inputs.remove(fd)
        elif fd == 0:
            os.write(self.master, data)
        elif fd == self.master:
            os.write(1, data)
        else:
            *lines, self.control = (self.control + data).split(b"\n")
            for line in lines:
                self.do(*line.decode().split())

    def do(self, what, *arguments):
        if what == "resize":
            resize(self.master, *map(int, arguments))
        elif what == "signal":
            os.kill(self.child, getattr(signal, arguments[0]))
        elif what == "continue":
            os.tcsetpgrp(self.slave, self.child)
            os.killpg(self.child, signal.SIGCONT)
        elif what == "hangup":
            self.inputs.remove(self.master)
            os.close(self.slave)
            os.close(self.master)
            self.slave = None

    def has_ended(self):
        pid, status = os.waitpid(self.child, os.WNOHANG | os.WUNTRACED)
        if pid == 0:
            return False
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
        by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        self.tell("stopped" if os.WIFSTOPPED(status) else "ended", code, by)
        return not os.WIFSTOPPED(status)

    def tell(self, event, code, by):
        if event == "stopped":
            os.tcsetpgrp(self.slave, os.getpgrp())
        is_restored = self.slave is not None and termios.tcgetattr(self.slave) == self.before
        line = json.dumps({"event": event, "code": code, "signal": by, "isRestored": is_restored})
        os.write(4, f"{line}\n".encode())


main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])

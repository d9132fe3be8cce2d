"""kindredctl top: a picture when nobody looks, a live screen on a terminal."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from e2e.lib import env
from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import node, pod

KINDS = ("pod", "node")
ALT, BACK, HIDE, SHOW = "\x1b[?1049h", "\x1b[?1049l", "\x1b[?25l", "\x1b[?25h"


class Top(KindredTest):
    def setUp(self):
        super().setUp()
        self.cluster = self.fake(kinds=["Pod", "Node"])
        self.cluster.add("Node", node("n1"))
        for i in range(7):
            self.cluster.add("Pod", pod(f"p{i}", node="n1"))
        self.host_ = self.ready(self.cluster, KINDS, defaults=PAGED)
        self.host_.wait_stored("Pod", 7)

    def test_one_picture_where_there_is_no_terminal(self):
        code, out, err = self.host_.ctl("top", "--interval", "1")
        self.assertEqual((code, err), (0, ""))
        self.assertNotIn("\x1b", out)
        lines = out.splitlines()
        self.assertRegex(lines[0], r"memory \d+\.\d MiB +cpu \d")
        self.assertGreater(float(re.search(r"memory (\d+\.\d)", lines[0])[1]), 1)
        self.assertRegex(lines[1], r"queue \d+")
        rows = {line.split()[0]: line.split() for line in lines[4:]}
        self.assertEqual(rows["Pod"][1:4], ["synced", "7", "7"])
        self.assertEqual(rows["Node"][1:4], ["synced", "1", "1"])

    def test_rates_are_those_of_the_time_between(self):
        """Changes come all the time, so that each interval has some."""
        process = subprocess.Popen(
            [env.program("kindredctl"), "--server", f"unix:{self.host_.socket}", "top",
             "--interval", "1"], stdout=subprocess.PIPE, text=True)
        count = 0
        while process.poll() is None:
            count += 1
            self.cluster.modify("Pod", "p0", change={"metadata": {"labels": {"n": str(count)}}})
            time.sleep(0.02)
        out = process.communicate()[0]
        row, = [line.split() for line in out.splitlines() if line.startswith("Pod")]
        self.assertGreater(float(row[4]), 0)
        self.assertEqual(row[5], "0.0")

    def live(self):
        """top on a terminal of its own: (process, read what is there until a word has come)."""
        outer, inner = pty.openpty()
        self.size(outer, 24, 80)
        self.before = termios.tcgetattr(inner)
        process = subprocess.Popen(
            [env.program("kindredctl"), "--server", f"unix:{self.host_.socket}", "top",
             "--interval", "1"], stdin=inner, stdout=inner, stderr=inner, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.addCleanup(os.close, outer)
        self.addCleanup(os.close, inner)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        self.inner, self.outer, self.text = inner, outer, ""
        return process

    @staticmethod
    def size(fd, rows, columns):
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read_until(self, *words):
        """Everything up to where all the words have come, anew."""
        got = ""
        deadline = time.monotonic() + env.scaled(20)
        while not all(word in got for word in words):
            ready = select.select([self.outer], [], [], max(0, deadline - time.monotonic()))[0]
            self.assertTrue(ready, f"no {words} in {got!r}")
            got += os.read(self.outer, 65536).decode()
        self.text += got
        return got

    def assert_restored(self):
        self.assertGreater(self.text.rindex(BACK), self.text.rindex(ALT))
        self.assertGreater(self.text.rindex(SHOW), self.text.rindex(HIDE))
        self.assertEqual(termios.tcgetattr(self.inner)[3], self.before[3])

    def test_a_live_screen(self):
        process = self.live()
        self.read_until(ALT, HIDE, "RECONCILES/S", "Node")
        self.assertNotEqual(termios.tcgetattr(self.inner)[3], self.before[3])
        self.read_until("\x1b[H", "Node")   # the next picture
        self.cluster.add("Pod", pod("new", node="n1"))
        self.read_until("   8   ")
        os.write(self.outer, b"q")
        self.read_until(BACK)
        self.assertEqual(process.wait(env.scaled(20)), 0)
        self.assert_restored()

    def test_ctrl_c_gives_the_terminal_back(self):
        process = self.live()
        self.read_until("Node")
        os.write(self.outer, b"\x03")
        self.read_until(BACK)
        self.assertEqual(process.wait(env.scaled(20)), -signal.SIGINT)
        self.assert_restored()

    def test_a_smaller_window(self):
        process = self.live()
        self.read_until("Node")
        self.size(self.outer, 5, 30)
        process.send_signal(signal.SIGWINCH)
        got = self.read_until("\x1b[H", "\x1b[J")
        picture = self.read_until("\x1b[H", "\x1b[J") if "RECONCILES/S" in got else got
        lines = re.sub(r"\x1b\[[0-9?]*[A-Za-z]|\r", "", picture.split("\x1b[H")[-1]).split("\n")
        self.assertLessEqual(len(lines), 5)
        self.assertLessEqual(max(map(len, lines)), 30)
        os.write(self.outer, b"q")
        self.assertEqual(process.wait(env.scaled(20)), 0)

    def test_a_server_that_goes_away(self):
        process = self.live()
        self.read_until("Node")
        self.assertEqual(self.host_.stop(), 0)
        self.read_until(BACK, "is kindred running")
        self.assertEqual(process.wait(env.scaled(20)), 1)
        self.assert_restored()


if __name__ == "__main__":
    main()

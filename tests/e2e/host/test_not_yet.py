"""A key whose stage is still to come is refused with a sentence, never ignored."""

import os

from e2e.lib import env
from e2e.lib.case import KindredTest, main


class NotYet(KindredTest):
    def refused_or_heeded(self, *words, over):
        """Refused with a sentence; a host that has the stage passes `check`."""
        host = self.host(self.fake(), **over)
        code, out, err = host.once("check")
        said = (out + err).strip()
        if code == 0:
            self.skipTest(f"this host has {words[0]}")
        self.assertEqual(code, 2, said)
        for word in words:
            self.assertIn(word, said)
        self.assertGreater(len(said.split()), 5, "a sentence")
        self.assert_refused(host, *words)

    def test_a_shared_store(self):
        self.refused_or_heeded("url", over={"store": {"url": "postgresql://localhost/k"}})

    def test_off_is_accepted(self):
        host = self.host(self.fake(), store={"path": ":memory:", "url": ""},
                         plugins={"trusted_keys": [], "directory": os.path.join(
                             env.BUILD, "plugins")}, defaults={"breaker_failures": 0})
        self.assertEqual(host.once("check")[0], 0, host.tail)

    def test_the_shipped_config_is_served(self):
        path = os.path.join(env.SOURCE, "config", "kindred.conf")
        host = self.host(self.fake())
        with open(path, encoding="ascii") as file:
            host.write_config(file.read())
        host.environ.update(KINDRED_PLUGINS_DIRECTORY=os.path.join(env.BUILD, "plugins"))
        code, out, err = host.once("check")
        self.assertEqual(code, 0, out + err)


if __name__ == "__main__":
    main()

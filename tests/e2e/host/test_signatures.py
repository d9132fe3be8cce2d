"""plugins.trusted_keys with the commands of docs/configuration.md, as an operator runs them."""

import os
import re
import shutil
import subprocess

from e2e.lib import env
from e2e.lib.case import KindredTest, main


def documented():
    """The openssl commands of the page."""
    with open(os.path.join(env.SOURCE, "docs", "configuration.md"), encoding="utf-8") as file:
        return re.findall(r"(?m)^    (openssl .*)$", file.read())


class Signatures(KindredTest):
    def setUp(self):
        super().setUp()
        self.plugins = env.copy_plugins(self.path("plugins"), "pod", "node")
        shutil.copyfile(os.path.join(self.plugins, "pod.so"), self.path("widget.so"))
        self.assertEqual(len(documented()), 4)
        for command in documented():
            subprocess.run(command.split(), cwd=self.folder, check=True, capture_output=True,
                           stdin=subprocess.DEVNULL, timeout=60)
        os.chmod(self.path("public.pem"), 0o644)
        self.cluster = self.fake(pods=2)

    def over(self, *keys, **more):
        keys = [self.path(key) for key in keys or ("public.pem",)]
        return {"plugins": {"directory": self.plugins, "trusted_keys": keys, **more}}

    def sign_pod(self):
        shutil.copyfile(self.path("widget.so.sig"), os.path.join(self.plugins, "pod.so.sig"))

    def test_signed_runs_and_unsigned_is_refused(self):
        self.sign_pod()
        host = self.started(self.cluster, ["pod", "node"], **self.over())
        host.wait_stored("Pod", 2)
        found = host.plugins()
        self.assertEqual((found["pod"]["state"], found["node"]["state"]), ("loaded", "refused"))
        self.assertEqual(found["pod"]["file"], os.path.join(self.plugins, "pod.so"))
        self.assertIn("openssl pkeyutl -sign", found["node"]["error"])

    def test_other_bytes_under_a_signature(self):
        self.sign_pod()
        with open(os.path.join(self.plugins, "pod.so"), "ab") as file:
            file.write(b"x")
        self.assert_refused(self.host(self.cluster, **self.over(required=True)), "pod.so",
                            "trusted key over these bytes")

    def test_a_bad_key_is_a_fault_of_the_configuration(self):
        self.write("no.pem", "nothing")
        for command in ("run", "check"):
            self.assert_refused(self.host(self.cluster, **self.over("no.pem")), "no.pem",
                                "no public key", "openssl pkey", command=command)
        self.assert_refused(self.host(self.cluster, **self.over("private.pem")), "private.pem",
                            "no public key")


if __name__ == "__main__":
    main()

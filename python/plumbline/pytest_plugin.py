"""The fixture `plumb` of pytest: verdicts as tests (docs/python.md). `pytest -p plumbline.pytest_plugin`, where the
package is not installed."""
import re
import warnings
import zlib

import pytest


def pytest_addoption(parser):
    group = parser.getgroup("plumbline")
    group.addoption("--plumb-strict", action="store_true", help="what is in doubt fails")
    group.addoption("--plumb-policy", metavar="FILE", help="a policy that decides in place of the limits")
    group.addoption("--plumb-seed", type=int, metavar="N", help="the seed of all tests, in place of one for each")
    group.addoption("--plumb-device", metavar="NAME", help="the Vulkan device of plumb.device")
    group.addoption("--plumb-artifacts", metavar="FOLDER", help="where reports of what failed are kept")


class Plumb:
    """What a test asks for a verdict: check, verify, seed, device and artifact."""

    def __init__(self, request):
        self._request = request
        self._option = request.config.getoption
        self._reports = 0

    @property
    def seed(self):
        """A seed that follows from the test's name."""
        given = self._option("--plumb-seed")
        return given if given is not None else zlib.crc32(self._request.node.nodeid.encode())

    @property
    def device(self):
        """Our Vulkan executor; skips where there is no device."""
        from plumbline import Unsupported, Vulkan
        try:
            return Vulkan(self._option("--plumb-device"))
        except Unsupported as reason:
            pytest.skip(f"no Vulkan device: {reason}")

    def check(self, op, *inputs, got, **rest):
        """plumbline.check; an op that nothing judges is a skip."""
        import plumbline
        rest = {"policy": self._path("--plumb-policy"), "strict": self._option("--plumb-strict"), **rest}
        return self._ends(plumbline.check(op, *inputs, got=got, raises=False, **rest))

    def verify(self, model, candidate, **rest):
        """plumbline.verify, with the test's seed."""
        import plumbline
        rest = {"policy": self._path("--plumb-policy"), "strict": self._option("--plumb-strict"), "seed": self.seed,
                **rest}
        return self._ends(plumbline.verify(model, candidate, **rest))

    def artifact(self, name):
        """A path for a file of this test, below --plumb-artifacts; None without it. No other test has the same."""
        folder = self._path("--plumb-artifacts")
        if folder is None:
            return None
        # Names of tests may differ in what no path can have, or be longer than one.
        test = self._request.node.nodeid
        readable = re.sub(r"[^\w.-]+", "_", test, flags=re.ASCII)[:150].strip("_")
        made = folder / f"{readable}-{zlib.crc32(test.encode()):08x}"
        made.mkdir(parents=True, exist_ok=True)
        return made / name

    def _path(self, option):
        """What an option names, from where pytest was started: a test may be elsewhere by now."""
        given = self._option(option)
        return None if given is None else self._request.config.invocation_params.dir / given

    def _ends(self, result):
        from plumbline import Unsupported
        self._request.node.user_properties += [("plumb_verdict", result.verdict), ("plumb_ratio", result.ratio)]
        if not result.ok:
            self._reports += 1
            place = self.artifact("report.txt" if self._reports == 1 else f"report-{self._reports}.txt")
            if place is not None:
                place.write_text(f"{result}\n", encoding="utf-8")
        if result.verdict == "mistrusted" and not self._option("--plumb-strict"):
            warnings.warn(f"plumbline: {result.reason()}")
            return result
        try:
            return result.require()
        except Unsupported as reason:
            pytest.skip(f"unsupported: {reason}")


@pytest.fixture
def plumb(request):
    """Verdicts on results of tensor programs: plumb.check("softmax", x, axis=-1, got=y)."""
    return Plumb(request)

"""Makes a wheel of plumbline without an index: `pip install --no-index ./python` (PEP 517; docs/python.md).

CMake builds libplumbline.so.1 without FFTW, so that the wheel is under the MIT licence, with kernels for processors of
x86-64-v2 to v4. The libraries that it stands on go into the wheel, by names of their own: one of the usual name that is
loaded already is another one. It takes cmake, ninja, a C++20 compiler, patchelf, and what scripts/setup.sh installs.
PLUMBLINE_WHEEL_BUILD names a folder that keeps the build.
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import zipfile

here = pathlib.Path(__file__).resolve().parent.parent
root = here.parent
TAG = "py3-none-manylinux_2_36_x86_64"
# The machine's own: they must match its kernel, its drivers and each other.
OF_THE_MACHINE = re.compile(r"(ld-linux|libc|libm|libdl|libpthread|librt|libresolv|libgcc_s|libstdc\+\+)[.-]")
MADE = ["lib/libplumbline.so.1", "bin/candidate-host", "lib/libplumb_candidate_onnxruntime.so"]


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    about = _project()
    info = pathlib.Path(metadata_directory) / f"plumbline-{about['version']}.dist-info"
    info.mkdir()
    _write_info(info, about)
    return info.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    if shutil.which("patchelf") is None:
        raise SystemExit("plumbline: a wheel wants patchelf (Debian: patchelf)")
    about = _project()
    with tempfile.TemporaryDirectory() as scratch:
        tree = pathlib.Path(scratch) / "tree"
        package = tree / "plumbline"
        shutil.copytree(here / "plumbline", package, ignore=shutil.ignore_patterns("__pycache__", "_lib"))
        _collect(_build(scratch), package / "_lib")
        info = tree / f"plumbline-{about['version']}.dist-info"
        info.mkdir()
        _write_info(info, about)
        return _zip(tree, info, pathlib.Path(wheel_directory) / f"plumbline-{about['version']}-{TAG}.whl")


def _project():
    """What pyproject.toml says, as far as a wheel repeats it. Python 3.9 reads no TOML by itself."""
    text = (here / "pyproject.toml").read_text(encoding="utf-8")
    keys = ("version", "description", "requires-python")
    return {key: re.search(rf'^{key} = "(.*)"$', text, re.M)[1] for key in keys}


def _build(scratch):
    folder = pathlib.Path(os.environ.get("PLUMBLINE_WHEEL_BUILD") or pathlib.Path(scratch) / "build")
    flags = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON", "-DPLUMB_FFTW=OFF", "-DPLUMB_TESTS=OFF",
             "-DPLUMB_CPU_LEVELS=v2;v3;v4"]
    subprocess.run(["cmake", "-S", root, "-B", folder, "-G", "Ninja", *flags], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--target", "plumb_c", "plumb_candidate_host",
                    "plumb_candidate_onnxruntime"], check=True)
    return folder


def _needed(path):
    """The libraries that a file and its libraries are linked with: places by names."""
    text = subprocess.run(["ldd", path], check=True, capture_output=True, text=True).stdout
    found = dict(re.findall(r"^\s*(\S+) => (/\S+)", text, re.M))
    missing = re.findall(r"^\s*(\S+) => not found", text, re.M)
    if missing:
        raise SystemExit(f"plumbline: {path} wants {', '.join(missing)}, and there is none")
    return {name: place for name, place in found.items() if not OF_THE_MACHINE.match(name)}


def _collect(build, folder):
    """Copies what was built with what it stands on, whose names get a hash of what they are."""
    folder.mkdir()
    copies, names = [], {}
    for made in MADE:
        for name, place in _needed(build / made).items():
            digest = hashlib.sha256(pathlib.Path(place).read_bytes()).hexdigest()[:8]
            names[name] = (place, re.sub(r"\.so", f"-{digest}.so", name, count=1))
    for place, name in names.values():
        copies.append(folder / name)
        shutil.copyfile(place, copies[-1])
    for made in MADE:
        copies.append(folder / pathlib.Path(made).name)
        shutil.copy(build / made, copies[-1])
        subprocess.run(["strip", "--strip-unneeded", copies[-1]], check=True)
    libraries = {other for _, other in names.values()}
    for copy in copies:
        copy.chmod(0o755)
        # One change at a time: of several at once patchelf 0.14 writes texts over each other.
        needed = _patchelf("--print-needed", copy).split()
        changes = [["--replace-needed", name, names[name][1]] for name in needed if name in names]
        if copy.name in libraries:
            changes.append(["--set-soname", copy.name])
        for change in [*changes, ["--set-rpath", "$ORIGIN"]]:
            _patchelf(*change, copy)
    shutil.copyfile(root / "docs/licences.md", folder / "licences.md")


def _patchelf(*words):
    return subprocess.run(["patchelf", *words], check=True, capture_output=True, text=True).stdout


def _write_info(info, about):
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: plumbline\nVersion: {about['version']}\nSummary: {about['description']}\n"
        f"License: MIT\nRequires-Python: {about['requires-python']}\nRequires-Dist: numpy\n", encoding="utf-8")
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: plumbline\nRoot-Is-Purelib: false\nTag: {TAG}\n",
                                encoding="utf-8")
    plugin = "plumbline.pytest_plugin"
    (info / "entry_points.txt").write_text(f"[pytest11]\n{plugin} = {plugin}\n", encoding="utf-8")
    shutil.copyfile(root / "LICENSE", info / "LICENSE")


def _zip(tree, info, path):
    """Writes the archive whole or not at all, with the hash of every file in RECORD."""
    part = path.with_suffix(".part")
    lines = []
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(one for one in tree.rglob("*") if one.is_file()):
            name, data = file.relative_to(tree).as_posix(), file.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}")
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | (file.stat().st_mode & 0o777)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
        record = f"{info.name}/RECORD"
        archive.writestr(record, "\n".join([*lines, f"{record},,", ""]))
    part.rename(path)
    return path.name

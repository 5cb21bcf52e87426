#!/usr/bin/env python3
"""Holds every shader module to what its source says is `precise`.

usage: precise.py SOURCE_FOLDER TOOLS_FOLDER [SHADER.comp ...]

SPIR-V says it by the decoration NoContraction, which SPIRV-Tools forgets when it copies the body of a loop. Here every
instruction that has it gets a line number of its own before the passes of cmake/compile_shader.sh run: optimisers hand
line numbers on to copies. Afterwards arithmetic with such a number and without the decoration has lost it.

CI_TURN=0, 1 or 2 in the environment: the modules of every third shader, as .ci/run asks with each commit.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ARITHMETIC = re.compile(r"\s*(%\w+) = (OpF(?:Add|Sub|Mul|Div|Negate|Rem|Mod)|OpVectorTimesScalar|OpDot|OpMatrix\w+) ")
DECORATED = re.compile(r"OpDecorate (%\w+) NoContraction")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"precise: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def numbered(assembly):
    """The module with a line number at each decorated instruction, and how many there are."""
    precise = set(DECORATED.findall(assembly))
    lines, named = [], False
    for line in assembly.splitlines():
        if not named and re.match(r"\s*Op(Name|MemberName|Decorate)\b", line):
            lines.append('%numbered = OpString "precise"')
            named = True
        result = re.match(r"\s*(%\w+) = ", line)
        if result and result.group(1) in precise:
            lines += [f"OpLine %numbered {len(lines)} 0", line, "OpNoLine"]
        else:
            lines.append(line)
    return "\n".join(lines), len(precise)


def lost(assembly):
    """Instructions that came from decorated ones and are not decorated."""
    precise, inside, missing = set(DECORATED.findall(assembly)), False, []
    for line in assembly.splitlines():
        if re.match(r"\s*Op(No)?Line\b", line):
            inside = "OpNoLine" not in line
        found = ARITHMETIC.match(line)
        if found and inside and found.group(1) not in precise:
            missing.append(line.strip())
    return missing


class Modules:
    def __init__(self, sources, tools, scratch):
        self.sources, self.tools, self.scratch = sources, tools, scratch
        script = (sources / "cmake/compile_shader.sh").read_text()
        self.passes = re.search(r'^passes="([^"]+)"$', script, re.M).group(1).split()

    def tool(self, name, *arguments):
        return run(self.tools / name, *arguments)

    def check(self, source, variant):
        """What the module has lost, and how many of its instructions were precise."""
        text = source.read_text()
        said = re.search(r"^// target:\s*(\S+)", text, re.M)
        target = said.group(1) if said else "vulkan1.3"
        file = str(self.scratch / f"{source.stem}.{variant}")
        defines = [f"-DVARIANT_{variant}=1"] if variant else []
        self.tool("glslangValidator", "-V", "--quiet", "--target-env", target, "-S", "comp", f"-I{self.sources}",
                  *defines, "-o", file + ".raw", source)
        assembly, precise = numbered(self.tool("spirv-dis", "--raw-id", "--no-header", file + ".raw"))
        if precise == 0:
            return [], 0
        pathlib.Path(file + ".s").write_text(assembly)
        self.tool("spirv-as", "--target-env", target, file + ".s", "-o", file + ".numbered")
        self.tool("spirv-opt", *self.passes, f"--target-env={target}", file + ".numbered", "-o", file + ".spv")
        missing = lost(self.tool("spirv-dis", "--raw-id", "--no-header", file + ".spv"))
        return [f"{source}: {variant or 'module'} has lost NoContraction: {line}" for line in missing], precise


def text_of(file, sources, seen):
    """A shader without its comments, with all that it includes."""
    if file in seen:
        return ""
    seen.add(file)
    text = re.sub(r"//.*", "", file.read_text())
    names = re.findall(r'#include "([^"]+)"', text)
    return text + "".join(text_of(sources / name, sources, seen) for name in names)


def is_concerned(source, sources):
    """Whether anything of the shader is precise, and any loop of it unrolled: other modules have nothing to lose."""
    text = text_of(source, sources, set())
    return re.search(r"\bprecise\b", text) is not None and "[[unroll]]" in text


def variants_of(source):
    said = re.findall(r"^// variants:(.*)$", source.read_text(), re.M)
    return " ".join(said).split() or [""]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sources, tools = map(pathlib.Path, sys.argv[1:3])
    shaders = [pathlib.Path(name) for name in sys.argv[3:]] or sorted(
        [*sources.glob("gpu_vulkan/ops/*.comp"), *sources.glob("gpu_vulkan/kernels/*/*.comp")])
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        modules = Modules(sources, tools, pathlib.Path(scratch))
        concerned = [shader for shader in shaders if is_concerned(shader, sources)]
        if "CI_TURN" in os.environ and len(sys.argv) == 3:
            concerned = concerned[int(os.environ["CI_TURN"])::3]
        jobs = [pool.submit(modules.check, shader, variant) for shader in concerned for variant in variants_of(shader)]
        results = [job.result() for job in jobs]
    missing = [line for lines, _ in results for line in lines]
    print("\n".join(missing), end="\n" if missing else "")
    print(f"{sum(count > 0 for _, count in results)} of {len(results)} modules are precise somewhere, "
          f"in {sum(count for _, count in results)} instructions; {len(missing)} were lost")
    sys.exit(1 if missing or not any(count for _, count in results) else 0)


if __name__ == "__main__":
    main()

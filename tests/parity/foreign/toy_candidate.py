# A candidate of plumb.exec/1 with nothing but Python's own library, that behaves in the way its first word says.
# It knows the graph h = relu(x), y = h + w (binary add), of f32, and gives h and y.
import json, os, signal, struct, subprocess, sys, time

how, folder = sys.argv[1], sys.argv[2]
if folder == "-":
    with open(sys.argv[0] + ".started", "a") as file:
        file.write("once\n")
    for number, line in enumerate(sys.stdin):
        if how == "serves-dies" and number == 1:
            sys.exit("out of paper")
        if how == "serves-hangs" and number == 1:
            time.sleep(60)
        subprocess.run([sys.executable, "-I", "-S", sys.argv[0], how, line[:-1]], check=True)
        print("an answer of", number, "words", flush=True)
        print(line, end="", flush=True)
        if how == "serves-once":
            sys.exit(0)
    sys.exit(0)
if how == "by-file":
    how = open(sys.argv[0] + ".how").read()
request = json.load(open(folder + "/request.json"))


def answer(response):
    with open(folder + "/response.part", "w") as file:
        file.write(response if isinstance(response, str) else json.dumps(response))
    os.rename(folder + "/response.part", folder + "/response.json")


me = {"name": "toy", "version": "2.1", "device": "cpu", "taps": ["results", "surviving"], "subnormals": "kept",
      "environment": ["TOY_VARIABLE", "TOY_UNSET"]}
if how == "onnx-only":
    me["models"] = ["onnx"]
if how == "graph-only":
    me["models"] = ["plumb.graph/1"]
if how == "results-only":
    me["taps"] = ["results"]
if how.startswith("supports"):
    me["supports"] = True if how != "supports-text" else "yes"
if how.startswith("serves"):
    me["serves"] = True
if request["action"] == "describe":
    if how == "describe-exits":
        print("no describing\x1b[2J")
        sys.exit(4)
    if how == "describe-garbage":
        answer({"schema": "plumb.exec/1", "candidate": {"name": 7}})
    elif how != "describe-nothing":
        answer({"schema": "plumb.exec/1", "candidate": me})
    sys.exit(0)


if request["action"] == "supports":
    with open(sys.argv[0] + ".asked", "a") as file:
        file.write("once\n")
    refused = {"supports-all": [], "supports-h": [{"node": "h", "message": "because of the weather"}],
               "supports-nobody": [{"node": "z", "message": "no"}], "supports-silently": [{"node": "h"}],
               "supports-more": [{"node": "h", "message": "no", "why": 3}]}
    if how == "supports-crashes":
        os.kill(os.getpid(), signal.SIGSEGV)
    job = {"id": 0, "status": "ok", "refused": refused.get(how, [])}
    if how == "supports-nothing":
        job = {"id": 0, "status": "unsupported", "message": "no such graphs"}
    if how == "supports-error":
        job = {"id": 0, "status": "error", "message": "out of paper"}
    answer({"schema": "plumb.exec/1", "candidate": me, "jobs": [job]})
    sys.exit(0)


def floats(path):
    data = open(folder + "/" + path, "rb").read()
    data = data[10 + struct.unpack("<H", data[8:10])[0]:]
    return struct.unpack("<%df" % (len(data) // 4), data)


job = request["jobs"][0]
inputs = {one["name"]: one for one in job["runs"][0]["inputs"]}
shape = inputs["x"]["shape"]
h = [max(0.0, x) for x in floats(inputs["x"]["file"])]
y = [a + b for a, b in zip(h, floats(inputs["w"]["file"]))]
values = {}


def give(name, numbers, shape=shape, dtype="f32", letter="f"):
    file = "out/%d.bin" % len(values)
    with open(folder + "/" + file, "wb") as out:
        out.write(struct.pack("<%d%s" % (len(numbers), letter), *numbers))
    values[name] = {"name": name, "dtype": dtype, "shape": shape, "file": file}


wanted = [one["name"] for one in job["wanted"]]
if "h" in wanted:
    give("h", h)
if how != "no-result":
    give("y", y)
node = {"value": "y", "kernel": "add_avx2", "ns": 1800, "sums": []}
status = {"id": 0, "status": "ok"}

if how == "segfault":
    os.kill(os.getpid(), signal.SIGSEGV)
elif how == "abort":
    for k in range(30):
        print("line", k, flush=True)
    os.abort()
elif how == "silence":
    sys.exit(0)
elif how == "sleep":
    if os.fork() == 0:
        os.setsid()
        with open(sys.argv[0] + ".pid", "w") as file:
            file.write(str(os.getpid()))
        time.sleep(60)
    time.sleep(60)
elif how == "endless":
    while True:
        print("on and on")
elif how == "exit":
    print("out of paper")
    sys.exit(3)
elif how == "size":
    with open(folder + "/" + values["y"]["file"], "ab") as out:
        out.write(b"\0")
elif how == "garbage":
    answer('{"schema": "plumb.exec/1", "jobs": [')
elif how == "up":
    values["y"]["file"] = "out/../../y.bin"
elif how == "link":
    os.rename(folder + "/" + values["y"]["file"], folder + "/y.bin")
    os.symlink(folder + "/y.bin", folder + "/" + values["y"]["file"])
elif how == "folder-link":
    os.rename(folder + "/out", folder + "/elsewhere")
    os.symlink("elsewhere", folder + "/out")
elif how == "pipe":
    os.remove(folder + "/" + values["y"]["file"])
    os.mkfifo(folder + "/" + values["y"]["file"])
elif how == "vast":
    values["y"]["shape"] = [1 << 20, 1 << 20]
elif how == "vast-file":
    values["y"]["shape"] = [1 << 15, 1 << 16]
    os.truncate(folder + "/" + values["y"]["file"], 1 << 33)
elif how == "overflow":
    values["y"]["shape"] = [1 << 40, 1 << 40]
elif how == "shape":
    values["y"]["shape"] = shape[::-1]
elif how == "dtype":
    give("y", y, dtype="f64", letter="d")
elif how == "unknown":
    give("hh", h)
elif how == "twice":
    values["again"] = values["y"]
elif how == "changes-input":
    with open(folder + "/" + inputs["w"]["file"], "r+b") as file:
        file.seek(-1, 2)
        file.write(b"\x42")
elif how == "no-field":
    node["nanoseconds"] = 3
elif how == "sums":
    node["sums"] = [{"of": "product"}]
elif how in ("unsupported", "error", "failed"):
    status = {"id": 0, "status": how, "message": "because of the weather"}
elif how == "no-message":
    status = {"id": 0, "status": "error"}
elif how == "unreadable":
    os.mkdir(folder + "/out/deep")
    os.mkdir(folder + "/out/deep/er")
    os.chmod(folder + "/out/deep", 0)

if status["status"] == "ok":
    status["runs"] = [{"values": list(values.values()), "nodes": [node]}]
    status["seconds"] = {"compile": 0.1}
if how != "garbage":
    answer({"schema": "plumb.exec/1", "candidate": me, "jobs": [status]})

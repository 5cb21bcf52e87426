"""Writes files that nobody means well with, and for each a line: NAME<tab>what plumb must say of it.

usage: bad_files.py FOLDER. Beside it are fixtures/invalid and the tests of the readers, which try more of each kind.
"""
import io
import json
import os
import struct
import sys
import zipfile

folder = sys.argv[1]


def put(name, content, says):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    print(f"{name}\t{says}")


# Graphs.
graph = {
    "format": "plumb.graph/1",
    "why": "to be spoilt",
    "inputs": {"x": {"type": "f32[2]"}},
    "nodes": [{"label": "y", "op": "unary", "function": "abs", "inputs": ["x"]}],
    "results": ["y"],
}
whole = json.dumps(graph)


def with_(**parts):
    return json.dumps({**graph, **parts})


node = graph["nodes"][0]
put("zeros_behind.json", whole + "\0\0\0", "a byte that is 0, at [0-9]+")
put("zero_inside.json", whole.replace('"y"', '"y\0"', 1), "a byte that is 0")
put("utf16.json", whole.encode("utf-16"), "a byte that is 0")
put("half_a_pair.json", whole.replace("to be spoilt", "\\ud800"), "surrogate")
put("label_of_csi.json", with_(nodes=[{**node, "label": "y\u009b31m"}], results=["y\u009b31m"]), "a control character")
put("label_turned.json", with_(nodes=[{**node, "label": "y\u202e"}], results=["y\u202e"]), "a control character")
put("unknown_key.json", with_(inptus={}), "no field .inptus.")
put("cycle.json", with_(nodes=[{**node, "inputs": ["z"]}, {**node, "label": "z", "inputs": ["y"]}]), "part of a cycle")
put("twice.json", whole.replace('"results"', '"why": "again", "results"'), "given twice")
x = {"type": "f32[2]"}
put("nan.json", with_(inputs={"x": {**x, "values": [1, 2]}}).replace("[1, 2]", "[NaN, 2]"), "invalid literal")
put("deep.json", "[" * 100, "nested deeper")
put("deeper.json", '{"a":' * 100000, "nested deeper")
put("extents.json", with_(inputs={"x": {"type": "f32[4611686018427387904, 8]"}}), "too many elements")
x["key"] = "x"
put("traversal.json", with_(inputs={"x": {**x, "file": "../../etc/passwd"}}), "a path below the graph.s folder")
put("absolute.json", with_(inputs={"x": {**x, "file": "/etc/passwd"}}), "a path below the graph.s folder")
put("no_file.json", with_(inputs={"x": {**x, "file": "none.npz"}}), "none.npz")
put("other_op.json", with_(nodes=[{**node, "op": "unray"}]), "no such op")
put("empty.json", "", "there is nothing in it")
put("no_onnx.onnx", "no protobuf at all", "is not an ONNX model")
put("zeros.onnx", b"\0" * 4096, "is not an ONNX model")


# Archives.
def npy(type_="<f4", shape="(2,)", data=struct.pack("<2f", 1, 2)):
    head = f"{{'descr': {type_!r}, 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode() + data


def npz(*members, compression=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def edited(content, at, with_bytes):
    return content[:at] + with_bytes + content[at + len(with_bytes):]


plain = npz(("x.npy", npy()))
directory = plain.rindex(b"PK\1\2")
bomb = io.BytesIO()
with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("x.npy", "w") as member:
    member.write(npy(shape="(67108864,)", data=b""))
    for _ in range(256):
        member.write(b"\0" * (1 << 20))
put("bomb.npz", bomb.getvalue(), r"'x' is f32\[2\], but")
put("pickle.npz", npz(("x.npy", npy(type_="|O"))), "no dtype of the IR")
put("big_endian.npz", npz(("x.npy", npy(type_=">f4"))), ">f4")
put("short.npz", npz(("x.npy", npy(shape="(3,)"))), "bytes of elements")
put("long.npz", npz(("x.npy", npy(shape="(1,)"))), "bytes of elements")
put("huge.npz", npz(("x.npy", npy(shape="(4611686018427387904, 8)"))), "too many elements")
put("negative.npz", npz(("x.npy", npy(shape="(-2,)"))), "negative extent")
put("wrong_sum.npz", edited(plain, directory + 16, b"\1\2\3\4"), "the checksum of a member is wrong")
put("encrypted.npz", edited(edited(plain, 6, b"\1"), directory + 8, b"\1"), "is encrypted")
put("method_99.npz", edited(edited(plain, 8, b"\x63"), directory + 10, b"\x63"), "packed by method 99")
put("lying_size.npz", edited(plain, directory + 24, b"\xff\xff\xff\x7f"), "is damaged: member .x.npy. cannot have")
put("far_away.npz", edited(plain, directory + 42, b"\xff\xff\xff\x7f"), "is damaged: it ends early")
put("cut.npz", plain[:-30], "is not a zip archive")
put("no_zip.npz", b"no archive", "is not a zip archive")
put("struct.npy", npy(type_="[('a', '<f4')]"), "no dtype of the IR")
put("cut.npy", npy()[:40], "ends early")
put("no_hdf5.h5", b"no HDF5 file", "is no HDF5 file, but holds text")

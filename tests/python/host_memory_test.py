"""Buffers in arrays' memory, and arrays in buffers', by import and DLPack: host_memory_test.py SOURCE_FOLDER LIBRARY"""
import gc
import os
import pathlib
import sys
import unittest
import weakref

root = pathlib.Path(sys.argv[1]).resolve()
os.environ["PLUMBLINE_LIBRARY"] = sys.argv[2]
sys.path.insert(0, str(root / "python"))
del sys.argv[1:]
try:
    import numpy as np
except ImportError:
    print("no NumPy (Debian: python3-numpy)")
    sys.exit(77)
import plumbline as pl
from plumbline import dlpack

ROWS, COLUMNS = 4, 16384  # of f32: rows of 65536 bytes, and no device asks for more
KIND = f"f32[{ROWS}, {COLUMNS}]"
random = np.random.default_rng(7)


class Array(np.ndarray):
    """One of which it can be told when it goes."""


def page_aligned(shape, dtype=np.float32):
    """Random numbers in memory that begins at a multiple of 65536 bytes."""
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.empty(count + 65536, np.uint8)
    begin = -memory.ctypes.data % 65536
    array = memory[begin:begin + count].view(dtype).reshape(shape).view(Array)
    array[...] = random.standard_normal(shape)
    return array


def same(one, other):
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def address(array):
    return array.__array_interface__["data"][0]


def context(executor):
    return executor.compile(pl.Graph.of("unary", KIND, function="negate")).context()


def importing_device(test):
    """A device, or a skip with the reason."""
    try:
        device = pl.Vulkan()
        device.imported(page_aligned((ROWS, COLUMNS)))
        return device
    except pl.Unsupported as problem:
        test.skipTest(str(problem))


class Foreign:
    """An array of somebody who gives it in this form of DLPack."""

    def __init__(self, array, form):
        self.array, self.form, self.asked = array, form, []

    def __dlpack__(self, **asked):
        self.asked.append(asked)
        if asked and self.form is dlpack._unversioned:
            raise TypeError("__dlpack__() got an unexpected keyword argument")
        options = [0] if self.form is dlpack._versioned else []
        return self.form.capsule_of(pl.Cpu().imported(self.array).handle, *options)


class ImportedTest(unittest.TestCase):
    def expect_runs_in_arrays(self, executor):
        x, y = page_aligned((ROWS, COLUMNS)), page_aligned((ROWS, COLUMNS))
        cx = context(executor)
        cx.bind("x0", executor.imported(x))
        result = executor.imported(y)
        cx.bind_result("y", result)
        for factor in (1, 2, 3):
            x *= factor
            cx.submit().wait()
            self.assertTrue(same(y, -x))
            self.assertTrue(same(result[1:3], -x[1:3]))
        result[0] = x[0]
        self.assertTrue(same(y[0], x[0]))
        self.assertEqual(address(result.mapped()), address(y))

    def expect_the_array_is_kept(self, executor):
        x = page_aligned((ROWS, COLUMNS))
        kept = weakref.ref(x)
        cx = context(executor)
        cx.bind("x0", executor.imported(x))
        expected = -np.array(x)
        del x
        gc.collect()
        self.assertIsNotNone(kept())
        cx.submit().wait()
        self.assertTrue(same(cx.buffer("y")[...], expected))
        del cx
        gc.collect()
        self.assertIsNone(kept())

    def test_runs_on_the_cpu_read_and_write_arrays(self):
        self.expect_runs_in_arrays(pl.Cpu())
        self.expect_the_array_is_kept(pl.Cpu())

    def test_runs_on_a_device_read_and_write_arrays(self):
        self.expect_runs_in_arrays(importing_device(self))
        self.expect_the_array_is_kept(importing_device(self))

    def test_what_cannot_stay_is_refused_or_copied(self):
        x = page_aligned((ROWS, COLUMNS))
        read_only = x.view()
        read_only.flags.writeable = False
        odd = np.empty(x.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(x.shape)
        odd[...] = x
        executor = pl.Cpu()
        for words, array in (("it may only be read", read_only), ("strides are not row-major", x[:, ::2]),
                             ("begins at no multiple of 4 bytes", odd),
                             ("no array of NumPy in native byte order", x.astype(">f4")),
                             ("no array of NumPy in native byte order", [np.float32(1), np.float32(2)])):
            with self.assertRaisesRegex(pl.Unsupported, words):
                executor.imported(array)
            copy = executor.imported(array, allow_copy=True)[...]
            self.assertTrue(same(copy, np.asarray(array).astype(copy.dtype)), words)
        with self.assertRaisesRegex(pl.Error, "has a bool that is 2"):
            pl.Cpu().imported(np.array([0, 2], np.uint8).view(np.bool_))

    def test_a_device_says_what_it_wants(self):
        device = importing_device(self)
        for words, array in (("it has 65532 bytes, and .* wants a multiple of", page_aligned((16383,))),
                             ("it begins 4 bytes behind a multiple of", page_aligned((16385,))[1:])):
            with self.assertRaisesRegex(pl.Unsupported, words):
                device.imported(array)
            self.assertTrue(same(device.imported(array, allow_copy=True)[...], np.array(array)))

    def test_bfloat16(self):
        bits = pl.Bits16(np.arange(8, dtype=np.uint16))
        buffer = pl.Cpu().imported(bits)
        self.assertEqual(str(buffer.type), "bf16[8]")
        bits.bits[3] = 9
        got = buffer[3:4]
        self.assertEqual((got.bits if isinstance(got, pl.Bits16) else got.view(np.uint16))[0], 9)


class DLPackTest(unittest.TestCase):
    def setUp(self):
        self.cpu = pl.Cpu()

    def filled(self, array, kind):
        buffer = self.cpu.buffer(kind)
        buffer[...] = array
        return buffer

    def test_numpy_takes_a_buffer_where_it_is_and_gives_it_back(self):
        for dtype, name in ((np.int8, "i8"), (np.uint16, "u16"), (np.int64, "i64"), (np.float16, "f16"),
                            (np.float32, "f32"), (np.float64, "f64"), (np.complex64, "c64")):
            x = np.arange(12).astype(dtype).reshape(3, 4)
            buffer = self.filled(x, pl.Type(name, (3, 4)))
            self.assertEqual(buffer.__dlpack_device__(), (1, 0))
            array = np.from_dlpack(buffer)
            self.assertEqual(address(array), address(buffer.mapped()))
            self.assertTrue(same(array, x))
            buffer[2] = x[0]
            self.assertTrue(same(array[2], x[0]))
            del buffer
            gc.collect()
            self.assertTrue(same(array[1:], x[[1, 0]]))
            writable = np.array(array)
            back = self.cpu.from_dlpack(writable)
            self.assertEqual(address(back.mapped()), address(writable))
            del writable
            gc.collect()
            self.assertTrue(same(back[...], array))

    def test_numpy_takes_a_devices_memory_where_the_host_sees_it(self):
        device = importing_device(self)
        x = page_aligned((ROWS, COLUMNS))
        buffer = device.from_dlpack(x)
        self.assertEqual(address(np.from_dlpack(buffer)), address(x))

    def test_either_form_is_taken_and_its_capsule_is_left_empty(self):
        x = np.arange(6, dtype=np.float32)
        for form, asked in ((dlpack._versioned, [{"max_version": (1, 0)}]),
                            (dlpack._unversioned, [{"max_version": (1, 0)}, {}])):
            foreign = Foreign(x, form)
            buffer = self.cpu.from_dlpack(foreign)
            self.assertEqual(foreign.asked, asked)
            self.assertEqual(address(buffer.mapped()), address(x))
        capsules = []
        class Twice(Foreign):
            def __dlpack__(self, **asked):
                capsules[:] = capsules or [super().__dlpack__()]
                return capsules[0]
        for form in (dlpack._versioned, dlpack._unversioned):
            capsules.clear()
            twice = Twice(x, form)
            self.cpu.from_dlpack(twice)
            with self.assertRaisesRegex(pl.Error, "gave no capsule with a tensor"):
                self.cpu.from_dlpack(twice)

    def test_both_forms_are_given_as_they_are_asked_for(self):
        buffer = self.filled(np.arange(3, dtype=np.float32), "f32[3]")
        self.assertTrue(dlpack._unversioned.is_of(buffer.__dlpack__()))
        self.assertTrue(dlpack._unversioned.is_of(buffer.__dlpack__(max_version=(0, 8))))
        newest = dlpack._versioned if dlpack._versioned.destructor else dlpack._unversioned
        self.assertTrue(newest.is_of(buffer.__dlpack__(max_version=(1, 1), dl_device=(1, 0), copy=False)))
        for options in ({"stream": 1}, {"copy": True}, {"dl_device": (2, 0)}):
            with self.assertRaises(BufferError):
                buffer.__dlpack__(**options)

    def test_a_capsule_that_nobody_takes_frees_its_memory(self):
        for version in (None, (1, 0)):
            x = page_aligned((3,))
            kept = weakref.ref(x)
            capsule = self.cpu.imported(x).__dlpack__(max_version=version)
            del x
            gc.collect()
            self.assertIsNotNone(kept())
            del capsule
            gc.collect()
            self.assertIsNone(kept())

    def test_a_capsule_may_end_while_an_exception_is_under_way(self):
        x = page_aligned((3,))
        kept = weakref.ref(x)
        buffer = self.cpu.imported(x)
        del x
        def fails():
            capsule = buffer.__dlpack__()
            raise ZeroDivisionError(str(capsule))
        with self.assertRaises(ZeroDivisionError):
            fails()
        del buffer
        gc.collect()
        self.assertIsNone(kept())
        with self.assertRaises((RuntimeError, BufferError)):  # NumPy has no bfloat16
            np.from_dlpack(self.cpu.buffer("bf16[3]"))

    def test_params_may_only_be_read(self):
        param = self.cpu.params({"w": np.arange(3, dtype=np.float32)})["w"]
        with self.assertRaisesRegex(BufferError, "may only be read"):
            param.__dlpack__()
        if dlpack._versioned.destructor is None:
            self.skipTest("this NumPy is older than DLPack 1")
        array = np.from_dlpack(param)
        self.assertFalse(array.flags.writeable)
        self.assertTrue(same(array, np.arange(3, dtype=np.float32)))
        with self.assertRaisesRegex(pl.Unsupported, "it is read-only"):
            self.cpu.from_dlpack(param)
        self.assertTrue(same(self.cpu.from_dlpack(param, allow_copy=True)[...], array))

    def test_mistakes_say_what_is_wrong(self):
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        with self.assertRaisesRegex(pl.Error, "an array with __dlpack__ is wanted, got list"):
            self.cpu.from_dlpack([1, 2])
        with self.assertRaisesRegex(pl.Unsupported, "cannot stay where it is: it is not row-major"):
            self.cpu.from_dlpack(x.T)
        self.assertTrue(same(self.cpu.from_dlpack(x.T, allow_copy=True)[...], np.ascontiguousarray(x.T)))

    def test_buffers_meet_pytorch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("no PyTorch")
        x = torch.arange(6, dtype=torch.float32)
        buffer = self.cpu.from_dlpack(x)
        x[2] = 9
        self.assertEqual(buffer[2], 9)
        self.assertEqual(torch.from_dlpack(buffer).data_ptr(), x.data_ptr())


if __name__ == "__main__":
    unittest.main()

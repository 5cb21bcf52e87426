#include "ir/formats/tensor_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "ir/files/output_file.hpp"
#include "ir/fill.hpp"
#include "ir/formats/graph_file.hpp"
#include "tests/ir/counted_new.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::tensor_files_test {
namespace {

/// A folder for the files of one test.
class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + test->name();
    std::ranges::replace(name, '/', '_');
    folder_ = std::filesystem::path(::testing::TempDir()) / ("plumb_" + name);
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  /// Has Python run a program in the folder; false when none here has NumPy and h5py.
  bool python(const std::string& program) const {
    write("script.py", program);
    for (const std::string name : {"/usr/bin/python3", "python3"}) {
      if (std::system((name + " -c 'import numpy, h5py' 2>/dev/null").c_str()) != 0) continue;
      EXPECT_EQ(std::system(("cd '" + folder_.string() + "' && " + name + " script.py").c_str()), 0);
      return true;
    }
    return false;
  }

  std::filesystem::path folder_;
};

class TensorFiles : public Files, public ::testing::WithParamInterface<const char*> {};

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string refusal(const std::filesystem::path& path, std::uint64_t most_bytes = 1 << 20) {
  return tests::message_of([&] { formats::load_tensors(path, most_bytes); });
}

bool equal(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && std::ranges::equal(a.bytes(), b.bytes());
}

formats::NamedTensors one_of_each() {
  formats::NamedTensors tensors;
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    const std::string name(info(dtype).name);
    tensors.emplace(name, fill({dtype, {3, 5}}, default_fill(dtype), 1, stream_of(name)));
    tensors.emplace("scalars/" + name, fill({dtype, {}}, default_fill(dtype), 2, stream_of(name)));
    tensors.emplace("empty/" + name, Tensor({dtype, {2, 0, 3}}));
  }
  return tensors;
}

TEST_P(TensorFiles, EveryDtypeComesBackBitForBit) {
  const auto tensors = one_of_each();
  formats::save_tensors(path(GetParam()), tensors);
  const auto back = formats::load_tensors(path(GetParam()), 1 << 20);
  ASSERT_EQ(back.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) EXPECT_TRUE(equal(back.at(name), tensor)) << name;
}

// A file's text about itself, longer than a header of HDF5 may be, is none of its tensors.
TEST_P(TensorFiles, WhatAFileSaysOfItselfIsNoTensor) {
  const std::string about = "{\"said\": \"" + std::string(200000, '.') + "\"}";
  {
    files::OutputFile file(path(GetParam()), {.kind = formats::kind_of_tensors(path(GetParam()))});
    formats::save_tensors(file, {{"x", Tensor({DType::f32, {2}})}}, about);
  }
  EXPECT_EQ(formats::load_tensors(path(GetParam()), 1 << 20).size(), 1U);
  EXPECT_THAT(contents(path(GetParam())), ::testing::HasSubstr(about));
}

TEST_P(TensorFiles, ANameMayBeTheBeginningOfOthers) {
  formats::NamedTensors tensors;
  for (const char* name : {"a", "a/b", "a/b/c", "a.b", "ab"})
    tensors.emplace(name, fill({DType::f32, {2}}, default_fill(DType::f32), 1, stream_of(name)));
  formats::save_tensors(path(GetParam()), tensors);
  const auto back = formats::load_tensors(path(GetParam()), 1 << 20);
  ASSERT_EQ(back.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) EXPECT_TRUE(equal(back.at(name), tensor)) << name;
}

TEST_P(TensorFiles, EqualTensorsGiveEqualFiles) {
  formats::save_tensors(path(GetParam()), one_of_each());
  const std::string first = contents(path(GetParam()));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // formats that keep times keep seconds
  formats::save_tensors(path(GetParam()), one_of_each());
  EXPECT_EQ(contents(path(GetParam())), first);
}

TEST_P(TensorFiles, AFailedWriteLeavesTheOldFileAndNoPart) {
  formats::save_tensors(path(GetParam()), {{"x", Tensor({DType::f32, {2}})}});
  const std::string before = contents(path(GetParam()));
  std::filesystem::create_directory(path(std::string(GetParam()) + ".part"));  // cannot be opened for writing
  EXPECT_THROW(formats::save_tensors(path(GetParam()), one_of_each()), Error);
  EXPECT_EQ(contents(path(GetParam())), before);
  EXPECT_THROW(formats::save_tensors(path("no_such_folder") / GetParam(), one_of_each()), Error);
}

TEST_P(TensorFiles, TheBudgetIsCheckedFirst) {
  formats::save_tensors(path(GetParam()), {{"x", Tensor({DType::f32, {100}})}, {"y", Tensor({DType::f32, {100}})}});
  EXPECT_EQ(refusal(path(GetParam()), 800), "");
  EXPECT_EQ(refusal(path(GetParam()), 799), path(GetParam()).string() + ": its tensors have more than 799 bytes");
}

INSTANTIATE_TEST_SUITE_P(, TensorFiles, ::testing::Values("t.npz", "t.h5"),
                         [](const auto& test) { return std::string(test.param).substr(2); });

using Npy = Files;

TEST_F(Npy, HoldsOneTensorWithoutAName) {
  const Tensor x = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  formats::save_tensors(path("x.npy"), {{"whatever", x}});
  EXPECT_TRUE(equal(formats::load_tensors(path("x.npy"), 1 << 20).at(""), x));
  EXPECT_THROW(formats::save_tensors(path("y.npy"), {{"a", x}, {"b", x}}), Error);
}

std::string npy(const std::string& header, const std::string& elements) {
  std::string text = "\x93NUMPY";
  text += {1, 0, static_cast<char>(header.size()), 0};
  return text + header + elements;
}

TEST_F(Npy, TransposesColumnMajorFiles) {
  const auto file = write("x.npy", npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", "\1\4\2\5\3\6"));
  EXPECT_TRUE(equal(formats::load_tensors(file, 100).at(""), Tensor::of<std::uint8_t>({2, 3}, {1, 2, 3, 4, 5, 6})));
}

TEST_F(Npy, BitsOfBfloat16MayStandAsUint16) {
  const auto file = write(
      "x.npy", npy("{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }\n", std::string("\x80\x3F\x00\xC0", 4)));
  EXPECT_TRUE(equal(formats::load_tensors(file, 100).at(""), Tensor::of<std::uint16_t>({2}, {0x3F80, 0xC000})));
  const auto wanted = [](std::string_view, const TensorType& found) { return formats::taken_as(found, DType::bf16); };
  EXPECT_TRUE(equal(formats::load_tensors(file, 100, wanted).at(""), Tensor::of<bf16>({2}, {bf16(1.0F), bf16(-2.0F)})));
  EXPECT_EQ(formats::taken_as({DType::u16, {2}}, DType::u16).dtype, DType::u16);
  EXPECT_EQ(formats::taken_as({DType::u8, {2}}, DType::bf16).dtype, DType::u8);
  EXPECT_EQ(formats::taken_as({DType::u16, {2}}, DType::f32).dtype, DType::bf16);
}

TEST_F(Npy, TwoBytesOfNoTypeAreBfloat16) {
  for (const std::string descr : {"<V2", "|V2"}) {
    const auto file = write(
        "x.npy", npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (1,), }", std::string("\x80\x3F")));
    EXPECT_TRUE(equal(formats::load_tensors(file, 100).at(""), Tensor::of<bf16>({1}, {bf16(1.0F)}))) << descr;
  }
}

TEST_F(Npy, RefusesWhatItCannotHold) {
  const auto said = [&](const std::string& header, const std::string& elements = "") {
    const auto file = write("x.npy", npy(header, elements));
    const std::string message = refusal(file), name = file.string() + ": ";
    return message.starts_with(name) ? message.substr(name.size()) : message;
  };
  EXPECT_EQ(said("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "1234"),
            "has big-endian elements (>f4), wanted little-endian");
  EXPECT_EQ(said("{'descr': '<u8', 'fortran_order': False, 'shape': (1,), }", "12345678"),
            "has elements of type '<u8', which no dtype of the IR is");
  EXPECT_EQ(said("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234"),
            "has elements with fields, wanted numbers");
  EXPECT_EQ(said("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", "\1\2"),
            "has a bool that is neither 0 nor 1");
  EXPECT_EQ(said("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "1234"),
            "has 4 bytes of elements, f32[3] wants 12");
  EXPECT_EQ(said("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000, 1000000000), }", "1234"),
            "has 4 bytes of elements, f32[1000000000, 1000000000] wants 4000000000000000000");
  EXPECT_EQ(said("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }"), "f32[-1] has a negative extent");
  EXPECT_EQ(said("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1), }"),
            "has more than 8 axes");
  EXPECT_EQ(said("{'descr': '<f4', 'shape': (1,), }"), "has a header without descr, fortran_order or shape");
  EXPECT_EQ(refusal(write("y.npy", "hello, world")), path("y.npy").string() + ": does not start as a .npy file does");
  EXPECT_EQ(refusal(write("y.npy", "")), path("y.npy").string() + ": ends early");
  EXPECT_EQ(refusal(write("y.csv", "1, 2")),
            path("y.csv").string() +
                ": is not called .npy, .npz, .h5, .hdf5, .safetensors or .gguf, and is no folder of .npy files");
}

TEST_F(Npy, ReadsWhatNumpyWrites) {
  if (!python(R"(import numpy as np
x = np.arange(6, dtype=np.float32).reshape(2, 3)
np.savez("plain.npz", x=x, half=x.astype(np.float16), flags=x > 2, z=(x + 1j * x).astype(np.complex64), s=np.int64(-7))
np.savez_compressed("packed.npz", x=x, columns=np.asfortranarray(x), zeros=np.zeros((200, 500)))
np.save("scalar.npy", np.float64(2.5)))"))
    GTEST_SKIP() << "no NumPy";
  const Tensor x = Tensor::of<float>({2, 3}, {0, 1, 2, 3, 4, 5});
  const auto plain = formats::load_tensors(path("plain.npz"), 1 << 20),
             packed = formats::load_tensors(path("packed.npz"), 1 << 20);
  EXPECT_TRUE(equal(plain.at("x"), x));
  EXPECT_TRUE(equal(plain.at("half"), convert(x, DType::f16)));
  EXPECT_EQ(plain.at("flags").as<bool>()[3], true);
  EXPECT_EQ(plain.at("z").as<std::complex<float>>()[2], std::complex<float>(2, 2));
  EXPECT_EQ(plain.at("s").as<std::int64_t>()[0], -7);
  EXPECT_TRUE(equal(packed.at("x"), x));
  EXPECT_TRUE(equal(packed.at("columns"), x));
  EXPECT_TRUE(equal(packed.at("zeros"), Tensor({DType::f64, {200, 500}})));
  EXPECT_EQ(formats::load_tensors(path("scalar.npy"), 100).at("").as<double>()[0], 2.5);
}

TEST_F(Npy, NumpyReadsWhatIsWritten) {
  formats::save_tensors(path("t.npz"), one_of_each());
  formats::save_tensors(path("t.h5"), one_of_each());
  if (!python(R"(import numpy as np, h5py
a, b = np.load("t.npz"), h5py.File("t.h5", "r")
kinds = dict(bool="b1", u8="u1", i8="i1", u16="u2", i16="i2", i32="i4", u32="u4", i64="i8", f16="f2", bf16="u2",
             f32="f4", f64="f8", c64="c8", c128="c16")
assert a["bf16"].dtype == "V2"
for name, kind in kinds.items():
    for prefix, shape in (("", (3, 5)), ("scalars/", ()), ("empty/", (2, 0, 3))):
        x, y = a[prefix + name], b[prefix + name][()]
        if name == "bf16": x = x.view("u2")
        assert x.dtype == np.dtype(kind) and y.dtype == np.dtype(kind), (name, x.dtype, y.dtype)
        assert x.shape == shape and y.shape == shape, (name, x.shape, y.shape)
        assert np.array_equal(x, y), name
assert b["bf16"].attrs["encoding"] == "bfloat16")"))
    GTEST_SKIP() << "no NumPy and h5py";
}

TEST_F(Npy, AnArchiveThatLiesAboutItsSizeIsRefused) {
  if (!python(R"(import numpy as np
np.savez_compressed("bomb.npz", x=np.zeros(10_000_000))
data = bytearray(open("bomb.npz", "rb").read())
at = data.rindex(b"PK\x01\x02")
data[at + 24:at + 28] = (0x7FFFFFF0).to_bytes(4, "little")
open("liar.npz", "wb").write(data))"))
    GTEST_SKIP() << "no NumPy";
  tests::largest_allocation = 0;
  EXPECT_THAT(refusal(path("bomb.npz")), ::testing::HasSubstr("its tensors have more than 1048576 bytes"));
  EXPECT_THAT(refusal(path("liar.npz"), 1 << 30), ::testing::HasSubstr("cannot have 2147483632 bytes in"));
  EXPECT_LT(tests::largest_allocation, 1u << 20);
}

/// Flips, cuts and repeats bytes: an error or some tensors, but no crash and no bomb.
TEST_F(Npy, DamagedArchivesAreRefusedOrRead) {
  formats::save_tensors(path("t.npz"), one_of_each());
  const std::string whole = contents(path("t.npz"));
  std::mt19937_64 random(7);
  int refused = 0;
  tests::largest_allocation = 0;
  for (int i = 0; i < 300; ++i) {
    std::string text = whole;
    const auto place = [&] { return random() % text.size(); };
    if (i % 3 == 0)
      text.resize(place());
    else if (i % 3 == 1)
      text[place()] ^= static_cast<char>(1 << random() % 8);
    else
      text.replace(place(), 16, text.substr(place(), 16));
    write("t.npz", text);
    refused += refusal(path("t.npz")).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 200);
  EXPECT_LT(tests::largest_allocation, 16u << 20);
}

using Hdf5 = Files;

TEST_F(Hdf5, ReadsWhatH5pyWritesAndRefusesTheRest) {
  if (!python(R"(import numpy as np, h5py
x = np.arange(6, dtype=np.float32).reshape(2, 3)
with h5py.File("t.h5", "w") as f:
    f["deep/er/x"] = x
    f.create_dataset("packed", data=x, compression="gzip", shuffle=True, chunks=(1, 2))
    f["big_endian"] = x.astype(">f8")
    f["half"], f["flags"], f["z"] = x.astype(np.float16), x > 2, x.astype(np.complex128)
    f["z_big_endian"] = x.astype(">c8")
    unsigned = h5py.enum_dtype({"FALSE": 0, "TRUE": 1}, basetype="u1")
    f.create_dataset("unsigned_flags", data=(x > 2).astype("u1"), dtype=unsigned)
    f["link"] = h5py.SoftLink("/half")
    f["away"] = h5py.ExternalLink("other.h5", "/x")
    f["bf"] = np.array([0x3F80], dtype=np.uint16)
    f["bf"].attrs["encoding"] = "bfloat16"
    f["short"] = np.array([0x3F80], dtype=np.uint16)
for name, value in dict(text="hello", wide=np.uint64(1)).items():
    with h5py.File(name + ".h5", "w") as f: f["x"] = value
with h5py.File("lzf.h5", "w") as f: f.create_dataset("x", data=np.zeros(4096, np.float32), compression="lzf")
with h5py.File("huge.h5", "w") as f: f.create_dataset("x", shape=(1 << 40,), dtype="f4", chunks=(1 << 20,)))"))
    GTEST_SKIP() << "no h5py";
  const auto t = formats::load_tensors(path("t.h5"), 1 << 20);
  const Tensor x = Tensor::of<float>({2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(t.size(), 10u);  // no links
  EXPECT_TRUE(equal(t.at("deep/er/x"), x));
  EXPECT_TRUE(equal(t.at("packed"), x));
  EXPECT_TRUE(equal(t.at("big_endian"), convert(x, DType::f64)));
  EXPECT_TRUE(equal(t.at("half"), convert(x, DType::f16)));
  EXPECT_EQ(t.at("flags").dtype(), DType::boolean);
  EXPECT_TRUE(equal(t.at("unsigned_flags"), t.at("flags")));
  EXPECT_EQ(t.at("z").dtype(), DType::c128);
  EXPECT_TRUE(equal(t.at("z_big_endian"), convert(x, DType::c64)));
  EXPECT_EQ(double(t.at("bf").as<bf16>()[0]), 1);
  EXPECT_TRUE(equal(t.at("short"), Tensor::of<std::uint16_t>({1}, {0x3F80})));
  EXPECT_THAT(refusal(path("text.h5")), ::testing::HasSubstr("dataset 'x' is neither numbers nor bools"));
  EXPECT_THAT(refusal(path("wide.h5")), ::testing::HasSubstr("dataset 'x' is an unsigned integer of 8 bytes"));
  EXPECT_THAT(refusal(path("lzf.h5")),
              ::testing::HasSubstr("'x' is packed with HDF5 filter 32000 (lzf), which is not"));
  EXPECT_THAT(refusal(path("huge.h5")), ::testing::HasSubstr("its tensors have more than 1048576 bytes"));
}

TEST_F(Hdf5, EveryNameIsKeptThoughHdf5DropsSlashesAndDots) {
  formats::NamedTensors tensors;
  for (const char* name : {"a",    "/a",     "//a",    "a/",       "a//",
                           "a//b", "a/b",    "/",      ".",        "..",
                           "./a",  "a/.",    "a/./b",  ".a",       "a.",
                           "%2Fa", "%252Fa", "%",      "100%",     "%2",
                           "%41",  "gpu/a",  "gpu//a", "gpu/%2Fa", "/layers/0/MatMul_output_0"})
    tensors.emplace(name, fill({DType::f32, {2}}, default_fill(DType::f32), 1, stream_of(name)));
  formats::save_tensors(path("t.h5"), tensors);
  const auto back = formats::load_tensors(path("t.h5"), 1 << 20);
  ASSERT_EQ(back.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) EXPECT_TRUE(equal(back.at(name), tensor)) << name;
  EXPECT_THAT(
      [&] {
        formats::save_tensors(path("u.h5"), {{"a/.self", Tensor({DType::f32, {2}})}});
      },
      ::testing::ThrowsMessage<Error>(::testing::HasSubstr("'a/.self' cannot be the name of a dataset")));
  EXPECT_THAT(
      [&] {
        formats::save_tensors(path("u.h5"), {{"", Tensor({DType::f32, {2}})}});
      },
      ::testing::ThrowsMessage<Error>(::testing::HasSubstr("a dataset has to have a name")));
  if (!python(R"(import h5py
f = h5py.File("t.h5", "r")
for name in ("%2Fa", "a/.self", "%2F%2Fa", "a%2F", "a/%2Fb", "%2E/a", "..", "%252Fa", "100%", "gpu/%2Fa",
             "%2Flayers/0/MatMul_output_0"): assert isinstance(f[name], h5py.Dataset), name)"))
    GTEST_SKIP() << "no h5py";
}

TEST_F(Hdf5, OtherFilesAreRefusedQuietly) {
  testing::internal::CaptureStderr();
  EXPECT_THAT(refusal(write("x.h5", "this is no HDF5 file")), ::testing::HasSubstr("is no HDF5 file, but holds text"));
  EXPECT_THAT(refusal(path("missing.h5")), ::testing::HasSubstr("No such file"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

using Materialise = Files;

TEST_F(Materialise, TakesExternalTensorsOfTheRightType) {
  const Tensor w = Tensor::of<float>({3}, {1, 2, 3});
  formats::save_tensors(path("w.npz"), {{"w", w}, {"wide", convert(w, DType::f64)}});
  const auto feeds = [&](const std::string& source) {
    return formats::materialise(
        formats::parse_graph(R"({"format": "plumb.graph/1", "params": {"p": {"type": "f32[3]", )" + source +
                                 R"(}}, "nodes": [], "results": ["p"]})",
                             folder_),
        1);
  };
  EXPECT_TRUE(equal(feeds(R"("file": "w.npz", "key": "w")").at("p"), w));
  EXPECT_THAT([&] { feeds(R"("file": "w.npz", "key": "wide")"); },
              ::testing::ThrowsMessage<Error>("param 'p': w.npz: 'wide' is f64[3], the graph wants f32[3]"));
  EXPECT_THAT([&] { feeds(R"("file": "w.npz", "key": "v")"); },
              ::testing::ThrowsMessage<Error>("param 'p': w.npz: has no tensor 'v'"));
}

TEST_F(Materialise, SourcesWithASeedOfTheirOwnDoNotFollowTheRuns) {
  const formats::GraphFile file = formats::parse_graph(R"({"format": "plumb.graph/1", "inputs": {
    "own": {"type": "f32[9]", "fill": {"distribution": "normal"}, "seed": 5},
    "runs": {"type": "f32[9]", "fill": {"distribution": "normal"}}, "plain": {"type": "i32[9]"}},
    "nodes": [], "results": ["own"]})",
                                                       folder_);
  const Feeds one = formats::materialise(file, 1), two = formats::materialise(file, 2);
  EXPECT_TRUE(equal(one.at("own"), two.at("own")));
  EXPECT_FALSE(equal(one.at("runs"), two.at("runs")));
  EXPECT_FALSE(equal(one.at("plain"), two.at("plain")));
  EXPECT_FALSE(equal(one.at("own"), one.at("runs")));
}

}  // namespace
}  // namespace plumb::ir::tensor_files_test

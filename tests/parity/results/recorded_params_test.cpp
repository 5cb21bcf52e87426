// Which numbers of params and inputs a results file keeps, and how often.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "ir/fill.hpp"
#include "parity/core/sha256.hpp"
#include "parity/results/record_hdf5.hpp"
#include "parity/results/results_schema.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::recorded_params_test {
namespace {

using ::testing::IsEmpty;
using testing::make_case;
using testing::Suspect;
using testing::verify_on;
namespace fs = std::filesystem;

/// A product whose weights take 512 KiB that cannot be packed, in the file "model.json" of a folder.
class RecordedParams : public ::testing::Test {
 protected:
  static constexpr std::int64_t width = 512, wide = 256;
  static constexpr std::uint64_t seeds = 12;

  RecordedParams() : folder_(fs::path(::testing::TempDir()) / "plumb_recorded_params") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    const ir::TensorType type{ir::DType::f32, {width, wide}};
    weights_ = ir::fill(type, ir::default_fill(type.dtype), 1, ir::stream_of("w"));
    given_ = ir::fill({ir::DType::f32, {3, width}}, ir::default_fill(type.dtype), 2, ir::stream_of("x"));
    std::ofstream(model()) << "what the weights were read from";
  }
  ~RecordedParams() override { fs::remove_all(folder_); }

  fs::path file() const { return folder_ / "out.h5"; }
  fs::path model() const { return folder_ / "model.json"; }

  /// One run a seed of the inputs that the seed makes or, with `is_given`, of the same.
  void record_seeds(results::RecordOptions with, const std::function<void(cases::Case&)>& change) {
    Suspect honest;
    results::Recorder recorder(file(), std::move(with));
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      cases::Case subject = make_case(R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[3, 512]"}},
        "params": {"w": {"type": "f32[512, 256]"}, "a/b": {"type": "f32[3, 256]", "fill": {"distribution": "normal"},
                                                           "seed": 5}},
        "nodes": [{"label": "p", "op": "matmul", "inputs": ["x", "w"]},
                  {"label": "y", "op": "binary", "function": "add", "inputs": ["p", "a/b"]}], "results": ["y"]})",
                                      seed);
      ir::formats::GraphFile changed = *subject.file;
      changed.sources.insert_or_assign("w", weights_);
      subject.feeds.insert_or_assign("w", weights_);
      subject.file = std::make_shared<const ir::formats::GraphFile>(std::move(changed));
      change(subject);
      recorder.record(verify_on(honest, subject, {.filter = "^y$", .plain = false}, recorder));
    }
    recorder.finish();
    EXPECT_THAT(results::check_schema(file()), IsEmpty());
  }
  void of_file(cases::Case& subject) const {
    subject.name = model().string();
    subject.origin.is_of_file = true;
  }
  void of_given(cases::Case& subject) const {
    ir::formats::GraphFile changed = *subject.file;
    changed.sources.insert_or_assign("x", given_);
    subject.feeds.insert_or_assign("x", given_);
    subject.origin.given.insert("x");
    subject.file = std::make_shared<const ir::formats::GraphFile>(std::move(changed));
  }
  static std::string text(const ir::hdf5::Store& store, const std::string& path, const std::string& name) {
    return std::get<std::string>(store.attributes(path).at(name));
  }
  static std::string sha256(const ir::Tensor& tensor) {
    return core::sha256({reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size()});
  }

  const fs::path folder_;
  ir::Tensor weights_, given_;
};

TEST_F(RecordedParams, AreKeptOnceWhereNoFileHasThem) {
  record_seeds({}, [](cases::Case&) {});
  EXPECT_GT(fs::file_size(file()), 400u << 10);
  EXPECT_LT(fs::file_size(file()), 900u << 10);
  const auto store = ir::hdf5::Store::open(file());
  const auto sets = store.children("/params");
  ASSERT_EQ(sets.size(), 1u);
  for (std::uint64_t run = 0; run < seeds; ++run) {
    const auto inputs = ir::cat("/inputs/", run);
    EXPECT_EQ(text(store, inputs, "params"), sets[0]);
    EXPECT_EQ(store.children(inputs), std::vector<std::string>{"x"});
    EXPECT_EQ(store.attributes(inputs + "/x").at("seed"), ir::hdf5::StoredValue(run + 1));
  }
  const std::string set = "/params/" + sets[0];
  EXPECT_EQ(store.form(set + "/w").extents, (std::vector<std::uint64_t>{512, 256}));
  EXPECT_EQ(text(store, set + "/w", "sha256"), sha256(weights_));
  EXPECT_EQ(text(store, set + "/a%2Fb", "generator"), "philox4x32");
  EXPECT_FALSE(store.attributes(set).contains("file_sha256"));
}

TEST_F(RecordedParams, AreLeftToTheFileThatIsNamedWithItsHash) {
  record_seeds({}, [this](cases::Case& subject) { of_file(subject); });
  EXPECT_LT(fs::file_size(file()), 250u << 10);
  const auto store = ir::hdf5::Store::open(file());
  ASSERT_EQ(store.children("/params").size(), 1u);
  const std::string set = "/params/" + store.children("/params")[0];
  EXPECT_EQ(text(store, set, "file"), "model.json");
  EXPECT_EQ(text(store, set, "file_sha256"), core::sha256("what the weights were read from"));
  EXPECT_EQ(text(store, set + "/w", "sha256"), sha256(weights_));
  EXPECT_THAT(store.children(set + "/w"), IsEmpty());
  // A tensor given in place of the file's is not the file's, nor is one that an exact fill made.
  record_seeds({}, [this](cases::Case& subject) {
    of_file(subject);
    subject.origin.given.insert("w");
  });
  EXPECT_GT(fs::file_size(file()), 400u << 10);
  record_seeds({}, [this](cases::Case& subject) {
    of_file(subject);
    subject.fill = core::FillKind::exact;
  });
  EXPECT_GT(fs::file_size(file()), 400u << 10);
  // Who asks for all tensors gets them, once.
  record_seeds({.tensors = results::KeepTensors::all}, [this](cases::Case& subject) { of_file(subject); });
  const auto all = ir::hdf5::Store::open(file());
  ASSERT_EQ(all.children("/params").size(), 1u);
  EXPECT_EQ(all.form("/params/" + all.children("/params")[0] + "/w").extents.size(), 2u);
  EXPECT_EQ(all.form("/params/" + all.children("/params")[0] + "/a%2Fb").extents.size(), 2u);
  EXPECT_EQ(all.form("/inputs/7/x").extents, (std::vector<std::uint64_t>{3, 512}));
}

TEST_F(RecordedParams, InputsThatWereGivenAreKeptOnceOrNotAtAll) {
  const auto given = [this](cases::Case& subject) {
    of_file(subject);
    of_given(subject);
  };
  record_seeds({}, given);
  const auto with = fs::file_size(file());
  EXPECT_LT(with, 250u << 10);
  {
    const auto store = ir::hdf5::Store::open(file());
    for (const char* run : {"0", "11"}) {
      const std::string x = std::string("/inputs/") + run + "/x";
      EXPECT_EQ(store.form(x).extents, (std::vector<std::uint64_t>{3, 512}));
      EXPECT_EQ(text(store, x, "sha256"), sha256(given_));
    }
  }
  for (const auto tensors : {results::KeepTensors::never, results::KeepTensors::all}) {
    record_seeds({.tensors = tensors, .keeps_inputs = false}, given);
    const auto store = ir::hdf5::Store::open(file());
    EXPECT_EQ(text(store, "/inputs/3/x", "sha256"), sha256(given_));
    EXPECT_THAT(store.children("/inputs/3/x"), IsEmpty());  // a group: no numbers
    if (tensors == results::KeepTensors::never) {
      EXPECT_LT(fs::file_size(file()), with);
    }
  }
}

}  // namespace
}  // namespace plumb::parity::recorded_params_test

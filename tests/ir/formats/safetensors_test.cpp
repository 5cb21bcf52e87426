#include "ir/formats/safetensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/noise.hpp"

namespace plumb::ir::safetensors_test {
namespace {

using ::testing::HasSubstr;

class Safetensors : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("plumb_safetensors_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& bytes) const {
    const auto path = folder_ / "x.safetensors";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  static std::string file(const std::string& header, const std::string& data, std::uint64_t more = 0) {
    std::string bytes;
    for (std::uint64_t k = 0, length = header.size() + more; k < 8; ++k)
      bytes += static_cast<char>(length >> (8 * k) & 0xFF);
    return bytes + header + data;
  }
  std::string refusal(const std::string& bytes) const { return refusal_of(write(bytes)); }
  static std::string refusal_of(const std::filesystem::path& path) {
    return tests::message_of([&] { formats::load_tensors(path, 1 << 20); });
  }

  std::filesystem::path folder_;
};

std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"dtype": ")" + dtype + R"(", "shape": )" + shape + R"(, "data_offsets": )" + offsets + "}";
}

TEST_F(Safetensors, TensorsAreReadByNameAndMetadataIsNone) {
  const std::string header = R"({"__metadata__": {"format": "pt"}, "a.b": )" + entry("U8", "[2, 1]", "[0, 2]") +
                             R"(, "s": )" + entry("I16", "[]", "[2, 4]") + R"(, "none": )" +
                             entry("F32", "[0, 3]", "[4, 4]") + "}  ";
  const auto tensors = formats::load_tensors(write(file(header, "\x07\x09\x02\x01")), 1 << 20);
  ASSERT_EQ(tensors.size(), 3U);
  EXPECT_EQ(tensors.at("a.b").type(), (TensorType{DType::u8, {2, 1}}));
  EXPECT_EQ(tensors.at("a.b").bytes()[1], std::byte{9});
  EXPECT_EQ(tensors.at("s").bytes()[1], std::byte{1});
  EXPECT_EQ(tensors.at("none").type(), (TensorType{DType::f32, {0, 3}}));
}

TEST_F(Safetensors, HostileFilesAreRefused) {
  const auto one = [](const std::string& text) { return file("{\"x\": " + text + "}", "abcd"); };
  EXPECT_THAT(refusal("abc"), HasSubstr("ends early"));
  EXPECT_THAT(refusal(std::string(8, '\xFF') + "{}"), HasSubstr("has a header of 18446744073709551615 bytes"));
  EXPECT_THAT(refusal(file("{}", "", 1)), HasSubstr("has a header of 3 bytes in a file of 10"));
  EXPECT_THAT(refusal(file("{", "")), HasSubstr("not JSON"));
  EXPECT_THAT(refusal(file("[]", "")), HasSubstr("wanted an object"));
  EXPECT_THAT(refusal(one("3")), HasSubstr("tensor 'x' is a whole number"));
  EXPECT_THAT(refusal(one(entry("F8_E4M3", "[4]", "[0, 4]"))), HasSubstr("'F8_E4M3'"));
  EXPECT_THAT(refusal(one(entry("U8", "[4]", "[1, 5]"))), HasSubstr("has the offsets 1 to 5"));
  EXPECT_THAT(refusal(one(entry("U8", "[4]", "[4, 0]"))), HasSubstr("has the offsets 4 to 0"));
  EXPECT_THAT(refusal(one(entry("U8", "[4]", "[0, 3]"))), HasSubstr("has 3 bytes of elements"));
  EXPECT_THAT(refusal(one(entry("U8", "[-4]", "[0, 4]"))), HasSubstr("'shape'"));
  EXPECT_THAT(refusal(one(entry("U8", "[4]", "[4]"))), HasSubstr("wanted 2"));
  EXPECT_NE(refusal(one(entry("F64", "[4294967296, 4294967296]", "[0, 0]"))), "");
  EXPECT_THAT(refusal(one(entry("BOOL", "[4]", "[0, 4]"))), HasSubstr("neither 0 nor 1"));
  EXPECT_THAT(refusal(file("{\"x\": " + entry("U8", "[3]", "[0, 3]") + ", \"y\": " + entry("U8", "[2]", "[2, 4]") + "}",
                           "abcd")),
              HasSubstr("tensors 'x' and 'y' overlap"));
}

TEST_F(Safetensors, AFolderOfNpyFilesHasOneTensorAFile) {
  std::filesystem::create_directories(folder_ / "in" / "a");
  const Tensor x({DType::f32, {2}});
  formats::save_tensors(folder_ / "outside.npy", {{"x", x}});
  EXPECT_THAT(refusal_of(folder_ / "in"), HasSubstr("a folder without a .npy file"));
  formats::save_tensors(folder_ / "in" / "a" / "b.npy", {{"x", x}});
  std::ofstream(folder_ / "in" / "notes.txt") << "none";
  std::filesystem::create_symlink(folder_ / "outside.npy", folder_ / "in" / "link.npy");
  const auto tensors = formats::load_tensors(folder_ / "in", 1 << 20);
  ASSERT_EQ(tensors.size(), 1U);
  EXPECT_EQ(tensors.at("a/b").type(), x.type());
  std::ofstream(folder_ / "in" / "bad.npy") << "none";
  EXPECT_THAT(refusal_of(folder_ / "in"), HasSubstr("tensor 'bad'"));
}

}  // namespace
}  // namespace plumb::ir::safetensors_test

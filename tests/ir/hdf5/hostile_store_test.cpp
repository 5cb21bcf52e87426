// Datasets that claim more than there is, and groups without an end.
#define H5_USE_110_API  // later releases keep these names
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <functional>

#include "ir/hdf5/id.hpp"
#include "ir/hdf5/store.hpp"
#include "tests/support/noise.hpp"

namespace plumb::hostile_store_test {
namespace {

using ir::hdf5::Id;
using ir::hdf5::Store;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class HostileStore : public ::testing::Test {
 protected:
  HostileStore() {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = fs::path(::testing::TempDir()) / (std::string("plumb_hostile_") + test->name() + ".h5");
    fs::remove(path_);
  }
  ~HostileStore() override { fs::remove(path_); }

  /// Writes a file with the dataset /x of this type, in chunks none of which is written.
  void make_unwritten(hid_t type, const std::vector<std::uint64_t>& extents) const {
    const std::vector<hsize_t> chunk(extents.size(), 16);
    const Id file(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    const Id list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), space = ir::hdf5::space_of(extents);
    ir::hdf5::expect(H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data()), "choose chunks");
    const Id dataset(H5Dcreate2(file, "/x", type, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose);
  }

  std::string refusal(const std::function<void(const Store&)>& act) const {
    return tests::message_of([&] { act(Store::open(path_)); });
  }
  std::string refusal_of_bytes() const {
    return refusal([](const Store& store) { static_cast<void>(store.read_bytes("/x")); });
  }

  fs::path path_;
};

/// The first has 8 bytes in arithmetic modulo 2^64, the second 0.
TEST_F(HostileStore, BytesBeyondThoseOfAnyMemoryAreNotRead) {
  for (const std::vector<std::uint64_t>& extents :
       {std::vector<std::uint64_t>{(std::uint64_t{1} << 61) + 1}, {std::uint64_t{1} << 31, std::uint64_t{1} << 30}}) {
    make_unwritten(H5T_IEEE_F64LE, extents);
    EXPECT_THAT(refusal_of_bytes(), HasSubstr("/x: claims more rows than there can be"));
  }
}

TEST_F(HostileStore, BytesOfWhichNoneAreStoredAreNotRead) {
  make_unwritten(H5T_IEEE_F64LE, {1000});
  EXPECT_THAT(refusal_of_bytes(), HasSubstr("/x: claims 8000 bytes of rows, of which 0 are stored"));
  make_unwritten(H5T_IEEE_F64LE, {0});
  EXPECT_EQ(refusal_of_bytes(), "");
}

TEST_F(HostileStore, PointersAreNotReadAsBytes) {
  const Id list(H5Tvlen_create(H5T_IEEE_F64LE), H5Tclose);
  make_unwritten(list, {1000});
  EXPECT_THAT(refusal_of_bytes(), HasSubstr("/x is of texts, of lists or of references"));
}

TEST_F(HostileStore, AGroupWithinItselfEnds) {
  const fs::path copy = path_.string() + ".copy.h5";
  Store store = Store::create(path_);
  store.make_group("/a");
  store.link("/a/a", "/a");
  store.close();
  const std::string why = refusal([&](const Store& from) {
    Store to = Store::create(copy);
    to.copy("/a", from, "/a");
  });
  fs::remove(copy);
  EXPECT_THAT(why, HasSubstr("... lies in more than 32 groups"));
}

}  // namespace
}  // namespace plumb::hostile_store_test

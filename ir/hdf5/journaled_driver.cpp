// The HDF5 file driver that writes through a journal (HDF5 Virtual File Layer).
#include "ir/hdf5/journaled_driver.hpp"

#define H5_USE_110_API  // later releases keep these names
#include <hdf5.h>

#include <limits>
#include <memory>

#include "ir/error.hpp"
#include "ir/hdf5/id.hpp"
#include "ir/hdf5/journaled_file.hpp"

namespace plumb::ir::hdf5 {
namespace {

/// HDF5 knows the first member, and hands it back.
struct Opened {
  H5FD_t known;
  haddr_t end;  ///< where HDF5 has given out no addresses yet
  JournaledFile file;
};

Opened& opened(H5FD_t* file) { return *reinterpret_cast<Opened*>(file); }
const Opened& opened(const H5FD_t* file) { return *reinterpret_cast<const Opened*>(file); }

/// An exception becomes an entry of HDF5's error stack, in the words of its own drivers.
template <class Act>
herr_t guarded(const Act& act) {
  try {
    act();
    return 0;
  } catch (const std::exception& error) {
    H5Epush2(H5E_DEFAULT, __FILE__, "journal", 0, H5E_ERR_CLS, H5E_IO, H5E_WRITEERROR, "error message = '%s'",
             error.what());
    return -1;
  }
}

H5FD_t* open_file(const char* name, unsigned flags, hid_t, haddr_t) {
  std::unique_ptr<Opened> made;
  const herr_t status = guarded([&] {
    const auto how = (flags & H5F_ACC_TRUNC) != 0  ? JournaledFile::Open::create
                     : (flags & H5F_ACC_RDWR) != 0 ? JournaledFile::Open::write
                                                   : JournaledFile::Open::read;
    made.reset(new Opened{.known = {}, .end = 0, .file = JournaledFile(name, how)});
  });
  return status < 0 ? nullptr : &made.release()->known;
}

herr_t close_file(H5FD_t* file) {
  const std::unique_ptr<Opened> owned(&opened(file));
  return guarded([&] {
    if ((owned->known.access_flags & H5F_ACC_RDWR) != 0) owned->file.commit();
  });
}

/// Which of two open files comes first; 0 for the same. A file that took the place of an open one has its name, and is
/// another.
int compare(const H5FD_t* a, const H5FD_t* b) {
  const auto first = opened(a).file.identity(), second = opened(b).file.identity();
  return first < second ? -1 : first > second ? 1 : 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t end_of_addresses(const H5FD_t* file, H5FD_mem_t) { return opened(file).end; }
herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  opened(file).end = end;
  return 0;
}
haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return opened(file).file.size(); }

herr_t handle(H5FD_t* file, hid_t, void** found) {
  *found = &opened(file);
  return 0;
}

herr_t read_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, void* buffer) {
  return guarded([&] { opened(file).file.read(at, {static_cast<std::byte*>(buffer), size}); });
}

herr_t write_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, const void* buffer) {
  return guarded([&] { opened(file).file.write(at, {static_cast<const std::byte*>(buffer), size}); });
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  opened(file).file.resize(opened(file).end);
  return 0;
}

const H5FD_class_t& driver_class() {
  static const H5FD_class_t one = [] {
    H5FD_class_t driver = {};
#ifdef H5FD_CLASS_VERSION
    driver.version = H5FD_CLASS_VERSION;
    driver.value = static_cast<H5FD_class_value_t>(700);  // any above those that HDF5 registers
#endif
    driver.name = "plumbline journal";
    driver.maxaddr = std::numeric_limits<std::int64_t>::max();
    driver.fc_degree = H5F_CLOSE_WEAK;
    driver.open = open_file;
    driver.close = close_file;
    driver.cmp = compare;
    driver.query = query;
    driver.get_eoa = end_of_addresses;
    driver.set_eoa = set_end_of_addresses;
    driver.get_eof = end_of_file;
    driver.get_handle = handle;
    driver.read = read_bytes;
    driver.write = write_bytes;
    driver.truncate = truncate;
    for (H5FD_mem_t& kind : driver.fl_map) kind = H5FD_MEM_SUPER;  // one list of free space for all kinds of data
    return driver;
  }();
  return one;
}

}  // namespace

void use_journal(std::int64_t access_list) {
  const Id driver(H5FDregister(&driver_class()), H5FDunregister);
  expect(H5Pset_driver(access_list, driver, nullptr), "choose its driver");
}

void commit_journal(std::int64_t file) {
  void* found = nullptr;
  expect(H5Fget_vfd_handle(file, H5P_DEFAULT, &found), "find its driver");
  static_cast<Opened*>(found)->file.commit();
}

}  // namespace plumb::ir::hdf5

// Whatever a candidate answers in its exchange, and whatever a map of names says, it is read or refused by Error.

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "ir/error.hpp"
#include "parity/foreign/exec_answer.hpp"
#include "parity/foreign/exec_files.hpp"
#include "parity/foreign/name_map.hpp"
#include "tests/fuzz/limits.hpp"

namespace {

namespace foreign = plumb::parity::foreign;

/// The folder of an exchange, with a tensor in it; its response.json is written anew for each input.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("plumb_fuzz_answers_" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_ / "out");
    std::ofstream(path_ / "out/1.bin", std::ios::binary) << std::string(8, '\1');
    descriptor_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0) __builtin_trap();
    foreign::write_new(descriptor_, "out/0.npy", plumb::ir::Tensor({plumb::ir::DType::f32, {1, 2}}));
  }
  ~Folder() {
    close(descriptor_);
    std::filesystem::remove_all(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void answer(const std::string& text) const { std::ofstream(path_ / "response.json", std::ios::trunc) << text; }
  int descriptor() const { return descriptor_; }

 private:
  const std::filesystem::path path_;
  int descriptor_ = -1;
};

/// Whether it is taken; an Error is what anything else has to end in.
template <class Read>
bool is_taken(plumb::fuzz::Tally& tally, const Read& read) {
  try {
    read();
    return true;
  } catch (const plumb::ir::Error& error) {
    tally.refuse(error.what());
    return false;
  }
}

void read_answer(const Folder& folder) {
  for (const foreign::ExecAnswer& answer : foreign::read_answers(folder.descriptor(), 1))
    for (const foreign::AnsweredTensor& value : answer.values) {
      foreign::check_tensor(folder.descriptor(), value);
      foreign::read_tensor(folder.descriptor(), value);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static plumb::fuzz::Tally tally;
  static const Folder folder;
  const plumb::fuzz::WithinLimits limits;
  const std::string text(reinterpret_cast<const char*>(data), size);
  bool is_read = is_taken(tally, [&] { foreign::parse_map(text, "map.toml"); });
  folder.answer(text);
  is_read |= is_taken(tally, [] { foreign::read_description(folder.descriptor()); });
  is_read |= is_taken(tally, [] { foreign::read_refusals(folder.descriptor(), {"h", "y"}); });
  is_read |= is_taken(tally, [] { read_answer(folder); });
  if (is_read) ++tally.read;
  return 0;
}

// Gives the tensors of a GGUF file to whoever reads tensors by name.
#include "ir/formats/gguf_tensors.hpp"

#include <fstream>

#include "ir/files/file_kind.hpp"
#include "ir/formats/gguf/gguf.hpp"

namespace plumb::ir::formats {
namespace {

class GgufTensors final : public TensorFile {
 public:
  explicit GgufTensors(const std::filesystem::path& path) : file_(gguf::Gguf::open(path)) {}

  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const gguf::TensorInfo& tensor : file_.tensors()) names.emplace_back(tensor.name);
    return names;
  }
  bool contains(std::string_view name) const override { return file_.tensor(name) != nullptr; }
  TensorType type(std::string_view name) const override { return find(name).type; }
  Tensor read(std::string_view name) const override { return file_.read(find(name)); }

 private:
  const gguf::TensorInfo& find(std::string_view name) const {
    const auto* const found = file_.tensor(name);
    require(found != nullptr, "has no tensor '", name, "'");
    return *found;
  }

  gguf::Gguf file_;
};

}  // namespace

bool is_gguf(const std::filesystem::path& path) {
  if (files::has_extension(path, ".gguf")) return true;
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem)) return false;  // a pipe would wait for whoever writes it
  constexpr std::string_view magic = "GGUF";
  std::string begin(magic.size(), '\0');
  std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == magic;
}

std::unique_ptr<TensorFile> open_gguf_tensors(const std::filesystem::path& path) {
  return std::make_unique<GgufTensors>(path);
}

}  // namespace plumb::ir::formats

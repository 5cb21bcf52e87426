// Reads a graph or a model, with the shapes that a user gives it.
#include "library/model.hpp"

#include <charconv>
#include <map>

#include "ir/files/file_kind.hpp"
#include "ir/formats/gguf/architectures/read_gguf.hpp"
#include "ir/formats/gguf_tensors.hpp"
#include "ir/raw/float_environment.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::library {
namespace {

/// "batch=8,3" taken apart.
struct NamedShape {
  std::string name;
  std::vector<std::int64_t> extents;
};

NamedShape parse_shape(const std::string& text, std::string_view flag) {
  const auto require = [&](bool holds) { ir::require(holds, flag, " wants name=extent,extent,..., got '", text, "'"); };
  const auto equals = text.find('=');
  require(equals != std::string::npos && equals != 0);
  NamedShape shape{text.substr(0, equals), {}};
  std::string_view rest = std::string_view(text).substr(equals + 1);
  while (!rest.empty()) {
    const auto comma = std::min(rest.find(','), rest.size());
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + comma, extent);
    require(error == std::errc{} && end == rest.data() + comma && extent >= 0);
    shape.extents.push_back(extent);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return shape;
}

}  // namespace

ir::formats::OnnxOptions onnx_options(const std::vector<std::string>& shapes, std::string_view flag) {
  // Folds what only shapes a graph; small tensors, for which threads do not pay.
  static ref_cpu::CpuExecutor executor({.threads = 1});
  ir::formats::OnnxOptions options{.evaluate = ir::formats::evaluate_with(executor)};
  std::map<std::string, std::pair<std::vector<std::int64_t>, std::string>> known;  // and the text, by name
  for (const std::string& text : shapes) {
    NamedShape shape = parse_shape(text, flag);
    ir::require(shape.name != all_that_is_open || shape.extents.size() == 1, flag,
                " '*=1' wants one extent, for all that is open, got '", text, "'");
    const auto [held, is_new] = known.try_emplace(shape.name, std::pair(shape.extents, text));
    ir::require(is_new || held->second.first == shape.extents, flag, " ", text, " contradicts ", flag, " ",
                held->second.second);
    if (shape.name == all_that_is_open)
      options.rest = shape.extents[0];
    else
      options.shapes.insert_or_assign(shape.name, std::move(shape.extents));
  }
  return options;
}

Model read_model(const std::filesystem::path& path, const ModelOptions& options) {
  const ir::raw::FloatEnvironment own;  // decimals are rounded as numbers are
  Model model{.path = path.string(), .file = nullptr, .shapes = options.shapes, .is_of_file = options.given.empty()};
  if (!ir::files::has_extension(path, ".onnx")) {
    ir::require(options.shapes.empty(), model.path, ": shapes go with ONNX models, and this is not one");
    if (ir::formats::is_gguf(path)) {
      auto gguf = ir::formats::gguf::architectures::read_gguf(path);
      model.notes = std::move(gguf.notes);
      model.file = std::make_shared<const ir::formats::GraphFile>(std::move(gguf.file));
      return model;
    }
    model.file = std::make_shared<const ir::formats::GraphFile>(ir::formats::read_graph(path));
    return model;
  }
  ir::formats::OnnxOptions onnx = onnx_options(options.shapes, "a shape");
  for (const auto& [name, tensor] : options.given) onnx.given.insert_or_assign(name, tensor);
  ir::formats::OnnxModel read = ir::formats::read_onnx(path, onnx);
  model.notes = std::move(read.notes);
  model.file = std::make_shared<const ir::formats::GraphFile>(std::move(read.file));
  return model;
}

}  // namespace plumb::library

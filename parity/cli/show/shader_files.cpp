// The shaders of a plan as files, for people and for other compilers and disassemblers.
#include "parity/cli/show/shader_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "gpu_vulkan/kernels/common/shader_blobs.hpp"
#include "gpu_vulkan/region/compile.hpp"
#include "gpu_vulkan/region/glslang.hpp"
#include "ir/files/output_file.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::cli::show {
namespace {

namespace fs = std::filesystem;
namespace region = gpu_vulkan::region;
using gpu_vulkan::plan::Dispatch;

/// The label as a part of a file's name.
std::string file_name(std::string_view label) {
  constexpr std::size_t most = 100;
  std::string name(label.substr(0, most));
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_') c = '_';
  return name;
}

/// A shader of the library by the name of its module, "softmax.f32": its text, and the variant.
struct BuiltShader {
  std::string_view text, variant;
};

BuiltShader built_shader(std::string_view module) {
  const std::string_view stem = module.substr(0, module.find('.'));
  const auto files = region::comp_files();
  const auto found = std::ranges::find_if(
      files, [&](const region::GlslFile& file) { return file.name.ends_with(ir::cat('/', stem, ".comp")); });
  ir::require(found != files.end(), "the shader '", module, "' has no source");
  return {.text = found->text, .variant = stem.size() == module.size() ? "" : module.substr(stem.size() + 1)};
}

/// The line behind `#version`, at which macros may be defined.
std::size_t behind_version(std::string_view text) {
  const auto version = text.find("#version");
  ir::require(version != text.npos, "a shader does not begin with its version");
  return text.find('\n', version) + 1;
}

/// GLSL that compiles to the module of the dispatch; "" where nobody has it.
std::string source_of(const Dispatch& dispatch) {
  if (dispatch.shader.words != nullptr) return region::RegionCompiler::source_of(dispatch.shader.words);
  const BuiltShader built = built_shader(dispatch.shader.name);
  std::string text(built.text);
  if (!built.variant.empty()) text.insert(behind_version(text), ir::cat("#define VARIANT_", built.variant, " 1\n"));
  return text;
}

/// Comments that say what the dispatch is of the plan.
std::string head_of(const gpu_vulkan::plan::Plan& plan, const ir::Graph& graph, std::size_t number) {
  const Dispatch& dispatch = plan.schedule.dispatches[number];
  std::string text = fmt::format("// {}\n", core::terminal::printable(gpu_vulkan::plan::name_of(plan, graph, number)));
  std::size_t id = 0;
  for (const auto& constant : dispatch.shader.constants.all())
    text += fmt::format("// constant_id {}, {} = {}\n", id++, constant.name(), constant.value());
  text += fmt::format("// workgroups {} x {} x {}\n", dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]);
  if (dispatch.shader.subgroup_size != 0) text += fmt::format("// subgroups of {}\n", dispatch.shader.subgroup_size);
  text += fmt::format("// bindings 0 to {} are read, {} to {} written\n", dispatch.reads.size() - 1,
                      dispatch.reads.size(), dispatch.reads.size() + dispatch.writes.size() - 1);
  if (!dispatch.steps.empty()) text += fmt::format("// computes {}\n", dispatch.steps);
  return text;
}

/// Texts of files by their names.
using Files = std::map<std::string_view, std::string_view>;

/// Adds the files that a text includes, and those that they include.
void add_included(std::string_view text, Files& included) {
  constexpr std::string_view begin = "#include \"";
  for (std::size_t at = 0; (at = text.find(begin, at)) != text.npos;) {
    at += begin.size();
    const std::string_view name = text.substr(at, text.find('"', at) - at);
    const auto files = region::glsl_files();
    const auto found = std::ranges::find(files, name, &region::GlslFile::name);
    ir::require(found != files.end(), "there is no file '", name, "' to include");
    if (included.emplace(found->name, found->text).second) add_included(found->text, included);
  }
}

/// Whether this writes files that are called so: "12-softmax.spv".
bool is_of_dispatch(const fs::path& path) {
  const std::string name = path.filename().string();
  const auto dash = name.find_first_not_of("0123456789");
  return dash != 0 && dash != name.npos && name[dash] == '-' &&
         (path.extension() == ".spv" || path.extension() == ".comp");
}

}  // namespace

std::size_t write_shaders(const fs::path& folder, const gpu_vulkan::plan::Plan& plan, const ir::Graph& graph) {
  flags::make_folder("--shaders", folder);
  flags::remove_files(folder, is_of_dispatch);
  Files included;
  const auto write = [&](const std::string& name, const auto& bytes) {
    ir::files::write_file(folder / name, ir::files::FileKind::other, bytes);
  };
  const auto& dispatches = plan.schedule.dispatches;
  for (std::size_t d = 0; d < dispatches.size(); ++d) {
    const std::string name = fmt::format("{:03}-{}", d, file_name(graph.nodes()[dispatches[d].node].label));
    write(name + ".spv", std::as_bytes(gpu_vulkan::kernels::common::words_of(dispatches[d].shader)));
    const std::string source = source_of(dispatches[d]);
    if (source.empty()) continue;
    add_included(source, included);
    write(name + ".comp", head_of(plan, graph, d) + source);
  }
  for (const auto& [name, text] : included) {
    flags::make_folder("--shaders", (folder / name).parent_path());
    write(std::string(name), text);
  }
  return dispatches.size();
}

}  // namespace plumb::parity::cli::show

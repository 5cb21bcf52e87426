// Loads ops from files that a user names.
#include "library/load_ops.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "ir/files/file_kind.hpp"
#include "ir/raw/float_environment.hpp"
#include "library/foreign_op.hpp"
#include "library/register_op.hpp"
#include "parity/foreign/spec.hpp"

namespace plumb::library {
namespace {

/// Registers what a library hands over, until one of its ops is refused.
struct Taking {
  std::string problem = {};
  std::size_t count = 0;

  int take(const plumb_op_v1* op) noexcept try {
    register_tried_op(new_op_of(op));
    ++count;
    return 0;
  } catch (const std::exception& error) {
    problem = error.what();
    return 1;
  }
};

void load_library(const std::string& path) {
  parity::foreign::require_trusted_library(path);
  const ir::raw::FloatEnvironment own;  // one that was linked with -ffast-math changes it
  void* const handle = dlopen(std::filesystem::canonical(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* const reason = handle == nullptr ? dlerror() : nullptr;
  ir::require(handle != nullptr, "cannot be loaded: ", reason != nullptr ? reason : "");
  const auto entry = reinterpret_cast<decltype(&plumb_ops_entry)>(dlsym(handle, "plumb_ops_entry"));
  ir::require(entry != nullptr, "exports no plumb_ops_entry (plumbline.h)");
  Taking taking;
  plumb_ops_args args{};
  args.struct_size = sizeof args;
  args.abi = PLUMB_ABI;
  args.context = &taking;
  args.take = [](void* self, const plumb_op_v1* op) { return static_cast<Taking*>(self)->take(op); };
  const int code = entry(&args);
  ir::require(taking.problem.empty(), taking.problem);
  ir::require(code == 0, "plumb_ops_entry returns ", code);
  ir::require(taking.count > 0, "plumb_ops_entry hands over no op");
}

}  // namespace

void load_ops(const std::string& path) {
  if (ir::files::has_extension(path, ".json")) return ir::register_ops_of(path);
  try {
    load_library(path);
  } catch (const ir::Error& error) {
    ir::fail("--ops ", path, ": ", error.what());
  }
}

}  // namespace plumb::library

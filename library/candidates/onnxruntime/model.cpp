// Compiles models, with more outputs where values are looked at, and runs them.
#include "library/candidates/onnxruntime/model.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "ir/error.hpp"
#include "library/candidates/onnxruntime/expose.hpp"

namespace plumb::library::candidates::onnxruntime {
namespace {

namespace fs = std::filesystem;

/// A dtype as ONNX numbers it, as plumb does, and the bytes of an element.
struct Dtype {
  int onnx = 0, plumb = 0;
  std::size_t bytes = 0;
};

constexpr std::array<Dtype, 14> dtypes = {{{1, PLUMB_F32, 4},
                                           {2, PLUMB_U8, 1},
                                           {3, PLUMB_I8, 1},
                                           {4, PLUMB_U16, 2},
                                           {5, PLUMB_I16, 2},
                                           {6, PLUMB_I32, 4},
                                           {7, PLUMB_I64, 8},
                                           {9, PLUMB_BOOL, 1},
                                           {10, PLUMB_F16, 2},
                                           {11, PLUMB_F64, 8},
                                           {12, PLUMB_U32, 4},
                                           {14, PLUMB_C64, 8},
                                           {15, PLUMB_C128, 16},
                                           {16, PLUMB_BF16, 2}}};

std::string read(const std::string& path) {
  std::error_code problem;
  const std::uintmax_t size = fs::file_size(path, problem);
  ir::require(!problem, path, ": cannot be read: ", problem.message());
  ir::require(size < std::uintmax_t{1} << 31U, path, ": is too large to be watched: protobuf takes 2 GiB");
  std::string bytes(size, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(size));
  ir::require(in.good() && static_cast<std::uintmax_t>(in.gcount()) == size, path, ": cannot be read");
  return bytes;
}

/// A file that goes with its owner.
struct ScratchFile {
  std::string path;

  explicit ScratchFile(std::string where) : path(std::move(where)) {}
  ~ScratchFile() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
};

/// `source`, which is the user's file or what became of it, with all values of the file as outputs that are in it.
std::string with_values(std::string_view source, std::string_view file) {
  const ModelNames ours = names_of(file), theirs = names_of(source);
  std::set<std::string_view> present(theirs.computed.begin(), theirs.computed.end());
  for (const auto& [name, tensor] : theirs.stored) present.insert(name);
  std::vector<std::string_view> names, lost;
  std::ranges::copy_if(ours.computed, std::back_inserter(names), [&](auto name) { return present.contains(name); });
  // Files of old versions list stored tensors as inputs, too. Folding removes these tensors, but not the inputs.
  for (const std::string_view input : theirs.inputs)
    if (const auto tensor = ours.stored.find(input); tensor != ours.stored.end() && !present.contains(input))
      lost.push_back(tensor->second);
  return exposed(source, names, lost);
}

}  // namespace

Model::Model(const Api& api, const Env* env, const Options& options, const std::string& onnx, const std::string& folder,
             Taps taps)
    : api_(api), threads_(options.threads), session_(api.own<Session>(nullptr)) {
  const auto settings = session_options(options.level, onnx);
  if (taps == Taps::all) {
    const std::string file = read(onnx);
    session_ = watched(env, options.level, onnx, file, file);
  } else {
    const ScratchFile optimised((fs::path(folder) / "optimised.onnx").string());
    if (taps == Taps::surviving) api_(entry::set_optimized_model_path, settings.get(), optimised.path.c_str());
    Session* made = nullptr;
    api_(entry::create_session, env, onnx.c_str(), settings.get(), &made);
    session_ = api_.own(made);
    if (taps == Taps::surviving) session_ = watched(env, 0, onnx, read(optimised.path), read(onnx));
  }
  inputs_ = session_names(false);
  outputs_ = session_names(true);
}

Owned<SessionOptions> Model::session_options(int level, const std::string& onnx) const {
  SessionOptions* made = nullptr;
  api_(entry::create_session_options, &made);
  Owned<SessionOptions> options = api_.own(made);
  api_(entry::set_optimization_level, made, level);
  api_(entry::set_threads, made, threads_);
  api_(entry::add_session_config, made, "session.set_denormal_as_zero", "0");
  // Tensors outside the file are found from bytes, too. Old versions know no such key, and most models have none.
  const std::string folder = fs::path(onnx).parent_path().string();
  try {
    api_(entry::add_session_config, made, "session.model_external_initializers_file_folder_path", folder.c_str());
  } catch (const ir::Error&) {
  }
  return options;
}

/// A session of `source`, which is the user's file or what became of it.
Owned<Session> Model::watched(const Env* env, int level, const std::string& onnx, std::string_view source,
                              std::string_view file) const {
  std::string bytes;
  try {
    bytes = with_values(source, file);
  } catch (const ir::Error& error) {
    ir::fail(onnx, " ", error.what());
  }
  const auto settings = session_options(level, onnx);
  Session* made = nullptr;
  api_(entry::create_session_of, env, bytes.data(), bytes.size(), settings.get(), &made);
  return api_.own(made);
}

std::vector<std::string> Model::session_names(bool are_outputs) const {
  Allocator* allocator = nullptr;
  api_(entry::default_allocator, &allocator);
  std::size_t count = 0;
  if (are_outputs)
    api_(entry::output_count, session_.get(), &count);
  else
    api_(entry::input_count, session_.get(), &count);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    char* name = nullptr;
    if (are_outputs)
      api_(entry::output_name, session_.get(), i, allocator, &name);
    else
      api_(entry::input_name, session_.get(), i, allocator, &name);
    names.emplace_back(name);
    api_(entry::free_of_allocator, allocator, name);
  }
  return names;
}

void Model::run(const plumb_candidate_tensor* inputs, std::size_t count, const plumb_candidate_sink& sink) const {
  MemoryInfo* memory = nullptr;
  api_(entry::create_cpu_memory_info, 0, 0, &memory);
  const Owned<MemoryInfo> owned_memory = api_.own(memory);
  std::vector<Owned<Value>> owned;
  std::vector<const Value*> given;
  std::vector<const char*> given_names, wanted;
  const std::int64_t no_extents = 0;
  std::max_align_t no_bytes = {};
  for (const std::string& name : inputs_) {
    const auto input = std::find_if(inputs, inputs + count, [&](const auto& tensor) { return tensor.name == name; });
    ir::require(input != inputs + count, "takes an input '", name, "', which the graph does not have");
    const auto dtype = std::ranges::find(dtypes, input->dtype, &Dtype::plumb);
    ir::require(dtype != dtypes.end(), "input '", name, "' has dtype ", input->dtype, ", which ONNX does not have");
    Value* made = nullptr;
    // ONNX Runtime has no pointer to constants there, and does not write to inputs.
    api_(entry::create_tensor, memory, input->bytes > 0 ? const_cast<void*>(input->data) : &no_bytes, input->bytes,
         input->rank > 0 ? input->shape : &no_extents, static_cast<std::size_t>(input->rank), dtype->onnx, &made);
    given.push_back(owned.emplace_back(api_.own(made)).get());
    given_names.push_back(name.c_str());
  }
  for (const std::string& name : outputs_)
    if (sink.wants(sink.context, name.c_str()) == 1) wanted.push_back(name.c_str());
  if (wanted.empty()) return;
  std::vector<Value*> made(wanted.size(), nullptr);
  api_(entry::run, session_.get(), nullptr, given_names.data(), given.data(), given.size(), wanted.data(),
       wanted.size(), made.data());
  for (Value* value : made) owned.push_back(api_.own(value));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (made[i] != nullptr) hand_over(wanted[i], made[i], sink);
}

void Model::hand_over(const std::string& name, Value* value, const plumb_candidate_sink& sink) const {
  int is_there = 0, is_tensor = 0, type = 0;
  api_(entry::has_value, value, &is_there);
  if (is_there == 0) return;
  api_(entry::is_tensor, value, &is_tensor);
  if (is_tensor == 0) return;
  TypeAndShape* made = nullptr;
  api_(entry::type_and_shape, value, &made);
  const Owned<TypeAndShape> shape = api_.own(made);
  api_(entry::element_type, made, &type);
  const auto dtype = std::ranges::find(dtypes, type, &Dtype::onnx);
  if (dtype == dtypes.end()) return;
  std::size_t rank = 0;
  api_(entry::rank, made, &rank);
  std::vector<std::int64_t> extents(rank);
  if (rank > 0) api_(entry::extents, made, extents.data(), rank);
  std::size_t bytes = dtype->bytes;
  for (const std::int64_t extent : extents) bytes *= static_cast<std::size_t>(extent);
  void* data = nullptr;
  api_(entry::tensor_data, value, &data);
  const plumb_candidate_tensor tensor = {
      sizeof tensor, dtype->plumb, static_cast<std::int32_t>(rank), extents.data(), data, bytes, name.c_str()};
  sink.value(sink.context, &tensor);
}

}  // namespace plumb::library::candidates::onnxruntime

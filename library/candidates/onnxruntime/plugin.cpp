// ONNX Runtime as a plugin of plumb: the calls of library/plumbline_candidate.h.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "ir/error.hpp"
#include "library/candidates/onnxruntime/api.hpp"
#include "library/candidates/onnxruntime/model.hpp"
#include "library/candidates/onnxruntime/options.hpp"
#include "library/plumbline_candidate.h"

namespace plumb::library::candidates::onnxruntime {
namespace {

/// ONNX Runtime has no complex numbers, and answers to such a model by the status that a broken one has. Inner values
/// may be complex: plumb makes such of a model's STFT.
void refuse_complex_results(const plumb_candidate_value* values, std::size_t count) {
  const auto found = std::find_if(values, values + count, [](const plumb_candidate_value& value) {
    return value.dtype == PLUMB_C64 || value.dtype == PLUMB_C128;
  });
  if (found != values + count) throw ir::Unsupported(ir::cat("has no complex numbers, which '", found->name, "' has"));
}

/// An opened ONNX Runtime, as `create` makes it.
class Plugin {
 public:
  Plugin(const plumb_candidate_host* host, std::string_view args)
      : host_(host), options_(options_of(args)), api_(options_.library), env_(api_.own<Env>(nullptr)) {
    description_ = ir::cat(R"({"name": "onnxruntime", "version": ")", api_.version(),
                           R"(", "device": "cpu", "models": ["onnx"], "taps": ["results", "surviving", "all"], )",
                           R"("subnormals": "kept"})");
  }

  const plumb_candidate_host* host() const { return host_; }
  const std::string& description() const { return description_; }

  std::unique_ptr<Model> compile(const plumb_candidate_compile_args& args) {
    if (args.onnx == nullptr) throw ir::Unsupported("takes files of ONNX alone, and what runs here is none");
    refuse_complex_results(args.results, args.result_count);
    const std::string_view taps = args.taps != nullptr ? args.taps : "results";
    ir::require(taps == "results" || taps == "surviving" || taps == "all", "there are no taps '", taps, "'");
    const Taps which = taps == "results" ? Taps::results : taps == "all" ? Taps::all : Taps::surviving;
    const auto folder = std::filesystem::path(args.graph != nullptr ? args.graph : "").parent_path();
    if (env_ == nullptr) {  // it takes half of the time of a small model, and a description needs none
      constexpr int errors_alone = 3;
      Env* made = nullptr;
      api_(entry::create_env, errors_alone, "plumb", &made);
      env_ = api_.own(made);
    }
    return std::make_unique<Model>(api_, env_.get(), options_, args.onnx, folder.string(), which);
  }

 private:
  const plumb_candidate_host* const host_;
  const Options options_;
  const Api api_;
  Owned<Env> env_;
  std::string description_;
};

/// Does the work of a call, out of which no exception may come.
template <class Work>
int call(const plumb_candidate_host* host, const Work& work) {
  try {
    work();
    return PLUMB_OK;
  } catch (const ir::Unsupported& refusal) {
    host->fail(host, refusal.what());
    return PLUMB_UNSUPPORTED;
  } catch (const std::exception& error) {
    host->fail(host, error.what());
    return PLUMB_ERROR;
  }
}

int create(plumb_candidate_create_args* args) {
  return call(args->host, [&] {
    args->self = std::make_unique<Plugin>(args->host, args->args != nullptr ? args->args : "").release();
  });
}

int describe(plumb_candidate_describe_args* args) {
  args->json = static_cast<const Plugin*>(args->self)->description().c_str();
  return PLUMB_OK;
}

int compile(plumb_candidate_compile_args* args) {
  auto& plugin = *static_cast<Plugin*>(args->self);
  return call(plugin.host(), [&] { args->executable = plugin.compile(*args).release(); });
}

int run(plumb_candidate_run_args* args) {
  return call(static_cast<const Plugin*>(args->self)->host(),
              [&] { static_cast<const Model*>(args->executable)->run(args->inputs, args->input_count, *args->sink); });
}

void release(void* /*self*/, void* executable) { delete static_cast<Model*>(executable); }

void destroy(void* self) { delete static_cast<Plugin*>(self); }

constexpr plumb_candidate_v1 calls = {
    sizeof calls, PLUMB_CANDIDATE_ABI, create, describe, nullptr, compile, run, release, destroy};

}  // namespace
}  // namespace plumb::library::candidates::onnxruntime

extern "C" __attribute__((visibility("default"))) const plumb_candidate_v1* plumb_candidate_entry(
    std::uint32_t newest_abi) {
  return newest_abi >= PLUMB_CANDIDATE_ABI ? &plumb::library::candidates::onnxruntime::calls : nullptr;
}

// Executors and candidates of the ABI: opened, called back, compiled for and run.
#include <algorithm>
#include <charconv>
#include <functional>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/formats/dumps/dumped_runs.hpp"
#include "ir/formats/result_names.hpp"
#include "library/abi/errors.hpp"
#include "library/abi/handles.hpp"
#include "library/abi/structs.hpp"
#include "library/log.hpp"
#include "parity/cases/case.hpp"
#include "parity/core/candidate_error.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/foreign/callback.hpp"
#include "ref_cpu/cpu_executor.hpp"

using namespace plumb;

namespace plumb::library::abi {
namespace {

namespace foreign = parity::foreign;

foreign::Taps taps_of(const char* text) {
  const std::string name = text_or(text, "surviving");
  const auto taps = ir::enum_value<foreign::Taps>(name);
  ir::require(taps.has_value(), "taps: is results, surviving or all, got '", name, "'");
  return *taps;
}

/// The tensors that a callback handed over, or how it failed, which no exception may carry through it.
struct Answering {
  foreign::AnsweredValues values = {};
  std::exception_ptr problem = {};

  static int give(void* context, const plumb_tensor* tensor) {
    auto& self = *static_cast<Answering*>(context);
    try {
      const plumb_tensor one = read(tensor, "gave a tensor");
      const std::string name = text_of(one.name, "gave a tensor without a name: it");
      self.values.emplace_back(name, copy_of(one, "gave '" + name + "'"));
      return 0;
    } catch (const ir::Error& error) {
      self.keep(std::make_exception_ptr(parity::core::CandidateError(error.what())));
    } catch (...) {
      self.keep(std::current_exception());
    }
    return PLUMB_ERROR_INVALID;
  }

  static int fail(void* context, int kind, const char* text) {
    auto& self = *static_cast<Answering*>(context);
    try {
      const std::string words = text_or(text, "the callback failed");
      if (kind == PLUMB_ERROR_STOPPED) throw Stopped();
      if (kind == PLUMB_ERROR_UNSUPPORTED) throw ir::Unsupported(words);
      if (kind == PLUMB_ERROR_MEMORY) throw std::bad_alloc();
      if (kind == 1) throw parity::core::CandidateError(words);
      throw ir::DeviceError(words);
    } catch (...) {
      self.keep(std::current_exception());
    }
    return kind != 0 ? kind : PLUMB_ERROR_INVALID;
  }

  void keep(std::exception_ptr what) {
    if (!problem) problem = std::move(what);
  }
};

/// Inputs and questions as C sees them.
foreign::AnsweredValues ask(const plumb_callback& callback, ir::Feeds& inputs, std::vector<foreign::AskedValue> asked) {
  const auto is_required = [](const foreign::AskedValue& one) { return one.is_required; };
  std::stable_partition(asked.begin(), asked.end(), is_required);  // clang 14 has none of ranges
  std::vector<plumb_tensor> given, wanted;
  for (auto& [name, tensor] : inputs) given.push_back(shown(tensor, name.c_str()));
  for (const foreign::AskedValue& value : asked) wanted.push_back(described(value.type, value.name.c_str()));
  Answering answering;
  plumb_call call{};
  call.struct_size = sizeof call;
  call.input_count = static_cast<std::uint32_t>(given.size());
  call.asked_count = static_cast<std::uint32_t>(wanted.size());
  call.required_count = static_cast<std::uint32_t>(std::ranges::count_if(asked, is_required));
  call.inputs = given.data();
  call.asked = wanted.data();
  call.context = &answering;
  call.give = Answering::give;
  call.fail = Answering::fail;
  const int code = callback.run(callback.user, &call);
  if (answering.problem) std::rethrow_exception(answering.problem);
  if (code != 0) throw ir::DeviceError(ir::cat("the callback returned ", code, " and did not say why"));
  return std::move(answering.values);
}

CandidateOptions options_of(const plumb_candidate_options& given) {
  CandidateOptions made;
  const auto set = [](std::string& to, const char* text) {
    if (text != nullptr) to = text;
  };
  set(made.taps, given.taps);
  set(made.names, given.names);
  set(made.pair, given.pair);
  set(made.keep_exchange, given.keep_exchange);
  set(made.framework, given.framework);
  set(made.arguments, given.arguments);
  set(made.device, given.device);
  if (given.timeout != 0) made.timeout = given.timeout;
  made.returns = given.returns != 0;
  ir::require(given.threads >= 0, "threads: is ", given.threads);
  made.threads = given.threads;
  made.align = given.align;
  set(made.storage, given.storage);
  return made;
}

/// Calls `set` with the name and the value of each setting; its errors get the setting's place.
void for_each_setting(const plumb_setting* settings, std::size_t count,
                      const std::function<void(const std::string& name, const std::string& value)>& set) {
  if (count > 0) require_sized(settings, "settings");
  for (std::size_t k = 0; k < count; ++k) {
    const plumb_setting one = read_element(settings, k);
    const std::string place = ir::cat("settings[", k, "]");
    const std::string name = text_of(one.name, place + ".name"), value = text_of(one.value, place + ".value");
    try {
      set(name, value);
    } catch (const ir::Error& error) {
      ir::fail(place, ": ", error.what());
    }
  }
}

int threads_in(const std::string& text) {
  int threads = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), threads);
  ir::require(problem == std::errc() && end == text.data() + text.size() && threads >= 0 && threads <= 4096,
              "threads is a whole number from 0 to 4096, got '", text, "'");
  return threads;
}

/// An executable to be, of the values of these names, or of the results.
std::unique_ptr<plumb_executable> executable_of(const plumb_executor& by, const plumb_graph& graph,
                                                const char* const* names, std::size_t count) {
  auto made = std::make_unique<plumb_executable>();
  made->opened = by.opened;
  made->model = graph.model;
  ir::require(names != nullptr || count == 0, "wanted: is NULL");
  for (std::size_t k = 0; k < count; ++k) {
    made->names.push_back(text_of(names[k], ir::cat("wanted[", k, "]")));
    const auto value = ir::formats::find_computed(graph.model.file->graph, made->names[k]);
    ir::require(value.has_value(), "wanted: the graph computes no value '", made->names[k], "'",
                parity::core::did_you_mean(made->names[k], graph.names[PLUMB_COMPUTED]));
    made->wanted.push_back(*value);
  }
  if (count == 0) {
    made->names = graph.names[PLUMB_RESULTS];
    made->wanted = graph.values[PLUMB_RESULTS];
  }
  return made;
}

/// The params that are given, and the file's.
ir::Feeds params_of(const plumb_graph& graph, ir::Feeds given) {
  const ir::formats::GraphFile& file = *graph.model.file;
  for (const auto& one : given) {
    const std::string& name = one.first;
    const bool is_param = std::ranges::find(file.graph.params(), name) != file.graph.params().end();
    ir::require(is_param, "params: the graph has no param '", name, "'");
  }
  if (given.size() == file.graph.params().size()) return given;
  ir::Feeds own = ir::formats::materialise(file, 1);
  for (const std::string& name : file.graph.params())
    if (!given.contains(name)) given.emplace(name, std::move(own.at(name)));
  return given;
}

plumb_executor* executor_of(OpenedCandidate opened) {
  auto made = std::make_unique<plumb_executor>();
  made->name = opened.executor->name();
  made->opened = std::make_shared<OpenedCandidate>(std::move(opened));
  return made.release();
}

/// Tells a candidate that is not ours which graph it will be asked for.
void begin(ir::Executor& executor, const Model& model) {
  auto* const candidate = dynamic_cast<foreign::Candidate*>(&executor);
  if (candidate == nullptr) return;
  parity::cases::Case subject{.name = model.path, .file = model.file};
  subject.feeds = ir::formats::materialise(*model.file, subject.seed);
  subject.origin.is_of_file = true;
  candidate->begins(subject);
}

}  // namespace
}  // namespace plumb::library::abi

using library::abi::guarded;

plumb_error* plumb_candidate(const char* spec, const plumb_candidate_options* options, plumb_executor** executor) {
  return guarded([&] {
    library::abi::require_place(executor, "executor");
    const auto given = library::abi::options_of(library::abi::read(options, "options"));
    *executor = library::abi::executor_of(library::open_candidate(library::abi::text_of(spec, "spec"), given));
  });
}

plumb_error* plumb_cpu(const plumb_setting* settings, size_t count, plumb_executor** executor) {
  return guarded([&] {
    library::abi::require_place(executor, "executor");
    ir::formats::dump_runs();
    ref_cpu::CpuOptions options = ref_cpu::options_from_environment();
    library::abi::for_each_setting(settings, count, [&](const std::string& name, const std::string& value) {
      ir::require(name == "threads", "the CPU executor has no knob '", name, "'; it has threads");
      options.threads = library::abi::threads_in(value);
    });
    *executor = library::abi::executor_of({std::make_unique<ref_cpu::CpuExecutor>(options)});
  });
}

plumb_error* plumb_vulkan(const plumb_setting* settings, size_t count, plumb_executor** executor) {
  return guarded([&] {
    library::abi::require_place(executor, "executor");
    ir::formats::dump_runs();
    gpu_vulkan::device::VulkanOptions options = gpu_vulkan::device::options_from_environment();
    options.fallback = gpu_vulkan::device::Fallback::allow;
    library::abi::for_each_setting(settings, count, [&](const std::string& name, const std::string& value) {
      gpu_vulkan::device::set_option(options, name, value);
    });
    options.on_doubt = library::tell;
    options.host = std::make_shared<ref_cpu::CpuExecutor>();
    *executor = library::abi::executor_of({std::make_unique<gpu_vulkan::VulkanExecutor>(std::move(options))});
  });
}

plumb_error* plumb_callbacks(const plumb_callback* callback, plumb_executor** executor) {
  return guarded([&] {
    library::abi::require_place(executor, "executor");
    library::abi::require_sized(callback, "callback");
    const auto given = library::abi::read(callback, "callback");
    ir::require(given.run != nullptr, "callback.run: is NULL");
    const auto run = [given](ir::Feeds& inputs, const std::vector<parity::foreign::AskedValue>& asked) {
      return library::abi::ask(given, inputs, asked);
    };
    *executor = library::abi::executor_of({parity::foreign::candidate_of(
        run, {.name = library::abi::text_or(given.name, "callback"),
              .taps = library::abi::taps_of(given.taps),
              .keeps_subnormals = given.keeps_subnormals != 0,
              .storage = library::storage_of(library::abi::text_or(given.storage, "graph"))})});
  });
}

const char* plumb_executor_name(const plumb_executor* executor) {
  return executor != nullptr ? executor->name.c_str() : "";
}

void plumb_executor_free(plumb_executor* executor) { delete executor; }

plumb_error* plumb_compile(plumb_executor* executor, const plumb_graph* graph, const plumb_tensor* params,
                           size_t param_count, const char* const* wanted, size_t wanted_count,
                           plumb_executable** executable) {
  return guarded([&] {
    library::abi::require_place(executable, "executable");
    const plumb_executor& by = library::abi::require_handle(executor, "executor");
    const plumb_graph& of = library::abi::require_handle(graph, "graph");
    auto made = library::abi::executable_of(by, of, wanted, wanted_count);
    const ir::Feeds fed = library::abi::params_of(of, library::abi::feeds_of(params, param_count, "params"));
    library::abi::begin(*by.opened->executor, of.model);
    made->executable = by.opened->executor->compile(of.model.file->graph, fed, {made->wanted});
    *executable = made.release();
  });
}

plumb_error* plumb_compile_held(plumb_executor* executor, const plumb_graph* graph, const plumb_params* params,
                                const char* const* wanted, size_t wanted_count, const char* const* replaceable,
                                size_t replaceable_count, plumb_executable** executable) {
  return guarded([&] {
    library::abi::require_place(executable, "executable");
    const plumb_executor& by = library::abi::require_handle(executor, "executor");
    const plumb_graph& of = library::abi::require_handle(graph, "graph");
    const plumb_params& held = library::abi::require_handle(params, "params");
    auto made = library::abi::executable_of(by, of, wanted, wanted_count);
    ir::CompileOptions options{.capture = {.wanted = made->wanted}};
    ir::require(replaceable != nullptr || replaceable_count == 0, "replaceable: is NULL");
    for (std::size_t k = 0; k < replaceable_count; ++k)
      options.replaceable.push_back(library::abi::text_of(replaceable[k], ir::cat("replaceable[", k, "]")));
    made->executable = by.opened->executor->compile(of.model.file->graph, held.params, options);
    *executable = made.release();
  });
}

plumb_error* plumb_run(plumb_executable* executable, const plumb_tensor* inputs, size_t input_count,
                       plumb_tensor* results, size_t result_count) {
  return guarded([&] {
    plumb_executable& of = library::abi::require_handle(executable, "executable");
    ir::require(result_count == of.wanted.size(), "results: ", result_count, " are given, and ", of.wanted.size(),
                " are wanted");
    if (result_count > 0) library::abi::require_sized(results, "results");
    const ir::Graph& graph = of.model.file->graph;
    for (std::size_t k = 0; k < result_count; ++k) {  // before anything runs
      const std::string argument = ir::cat("results[", k, "]");
      const ir::TensorType type = library::abi::type_of(library::abi::read_element(results, k), argument);
      ir::require(type == graph.type(of.wanted[k]), argument, ": is ", type, ", and the value ",
                  graph.type(of.wanted[k]));
    }
    const ir::Tensors made = of.executable->run(library::abi::feeds_of(inputs, input_count, "inputs"));
    for (std::size_t k = 0; k < result_count; ++k)
      library::abi::copy_into(made.at(of.wanted[k]), library::abi::read_element(results, k),
                              ir::cat("results[", k, "]"));
  });
}

plumb_error* plumb_executable_bytes(const plumb_executable* executable, uint64_t* bytes) {
  return guarded([&] {
    const plumb_executable& of = library::abi::require_handle(executable, "executable");
    ir::require(bytes != nullptr, "bytes: is NULL");
    *bytes = of.executable->bytes();
  });
}

void plumb_executable_free(plumb_executable* executable) { delete executable; }

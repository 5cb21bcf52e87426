// The options of the Vulkan executor, with one list of fields that flags, help texts and the environment follow from.
#pragma once

#include <functional>
#include <memory>

#include "gpu_vulkan/device/kernel_family.hpp"
#include "ir/dumps/run_dumper.hpp"
#include "ir/executor.hpp"

namespace plumb::gpu_vulkan::plan {
struct Plan;
}

namespace plumb::gpu_vulkan::device {

/// Whether the host may run nodes that the device cannot run; else they are an error.
enum class Fallback { forbid, allow };
constexpr auto enum_names(Fallback) { return std::array<std::string_view, 2>{"forbid", "allow"}; }

/// How inputs and results get to and from device memory.
enum class Staging { automatic, always };
constexpr auto enum_names(Staging) { return std::array<std::string_view, 2>{"automatic", "always"}; }

/// The GPU times that are measured. A timestamp waits for the work before it, so each costs time.
enum class Timestamps { off, run, nodes };
constexpr auto enum_names(Timestamps) { return std::array<std::string_view, 3>{"off", "run", "nodes"}; }

/// Where an option that is off its default is said of a run.
enum class SaidIn {
  options,  ///< among the options that name the run, and in the command that repeats it
  repro,    ///< in that command alone: which device it is, and a file, which is named by what it holds
  nothing,  ///< nowhere: limits of time, checks, measurements and caches change no result
};

/// An option: its name, what it means, and where it is said of a run.
template <class Options, class T>
struct Knob {
  std::string_view name;
  T Options::*member;
  std::string_view doc;
  SaidIn said_in = SaidIn::options;

  constexpr Knob(std::string_view knob_name, T Options::*knob, std::string_view meaning, SaidIn where = SaidIn::options)
      : name(knob_name), member(knob), doc(meaning), said_in(where) {}
};

/// Everything that can be chosen about a VulkanExecutor.
struct VulkanOptions {
  std::string device = {};
  bool validation = false;
  Fallback fallback = Fallback::forbid;
  Staging staging = Staging::automatic;
  std::int64_t direct_results = 1 << 16;
  Timestamps timestamps = Timestamps::nodes;
  double timeout = 600;
  std::string pipeline_cache = {};
  std::string calibration = {};
  std::string tile = {};
  bool cooperative = true;
  KernelFamilies without = {};
  std::int64_t alternative = 0;
  std::int64_t max_buffer = 0;
  bool poison = false;
  bool poison_bools = false;  ///< as the one who compiles a graph asks (ir::Capture): no option of its own
  bool lifetimes = false;
  bool redzone = false;
  bool no_reuse = false;
  bool full_barriers = false;
  bool in_place = true;
  bool step = false;
  bool fuse = true;
  bool regions = true;
  std::string dump = {};
  bool dump_stats = false;
  std::string dump_runs = "0";

  /// Runs the nodes that fall back; it needs no copy of its own for each executor.
  std::shared_ptr<ir::Executor> host = {};
  /// Tries cooperative matrices before a plan first runs them (self_test.hpp); off where times alone are wanted.
  bool self_test = true;
  /// Told when cooperative matrices turn out wrong, or had in an earlier process, so that no kernel uses them.
  std::function<void(const std::string&)> on_doubt = {};
  /// Called with every plan before it is recorded, to look at it, or to break it in a test.
  std::function<void(plan::Plan&)> on_plan = {};

  static constexpr auto fields = std::tuple{
      Knob{"device", &VulkanOptions::device,
           "index, UUID or name (* and ? match) as `plumb devices` lists them, or cpu; empty: the first of the "
           "kind discrete, integrated, virtual, software",
           SaidIn::repro},
      Knob{"validation", &VulkanOptions::validation,
           "Khronos validation layer with synchronization validation; any of its messages is an error",
           SaidIn::nothing},
      Knob{"fallback", &VulkanOptions::fallback, "nodes that the device cannot run: an error, or run by the host"},
      Knob{"staging", &VulkanOptions::staging,
           "automatic: straight into device memory where the host can map it; always: through staging buffers"},
      Knob{"direct_results", &VulkanOptions::direct_results,
           "results up to so many bytes, which no kernel reads, are written straight into the host's memory"},
      Knob{"timestamps", &VulkanOptions::timestamps,
           "GPU time that is measured: none, of a whole run, or of every node, about 1 us slower a kernel",
           SaidIn::nothing},
      Knob{"timeout", &VulkanOptions::timeout, "seconds to wait for one submit before the device counts as lost",
           SaidIn::nothing},
      Knob{"pipeline_cache", &VulkanOptions::pipeline_cache,
           "folder of the pipeline cache, of generated shaders and of what self-tests came to; empty: "
           "plumbline in $XDG_CACHE_HOME or ~/.cache; off: none",
           SaidIn::nothing},
      Knob{"calibration", &VulkanOptions::calibration,
           "file of what `plumb calibrate` measured; empty: this device's in plumbline in $XDG_CACHE_HOME or "
           "~/.cache, where there is one; off: none",
           SaidIn::repro},
      Knob{"tile", &VulkanOptions::tile,
           "tile of matrix products to take wherever a kernel has it and it fits, such as 64x64x16; empty: the "
           "fastest by the calibration, or by a model of the device"},
      Knob{"cooperative", &VulkanOptions::cooperative,
           "kernels by cooperative matrices, which f16 and bf16 graphs get where the device has them"},
      Knob{"without", &VulkanOptions::without,
           "families of kernels that are not used, such as coopmat,tiled_wide; the next that can takes their place"},
      Knob{"alternative", &VulkanOptions::alternative,
           "which of the kernels and tiles that can compute a node it gets: 0 the best, 1 the one after it, ...; "
           "the best where there are not so many"},
      Knob{"max_buffer", &VulkanOptions::max_buffer,
           "largest buffer in bytes, where the device's own limit is higher; 0: the device's own"},
      Knob{"poison", &VulkanOptions::poison, "fill every tensor with NaN before its node writes it"},
      Knob{"lifetimes", &VulkanOptions::lifetimes,
           "fill every tensor with NaN after the last node that reads it, unless the host reads it then"},
      Knob{"redzone", &VulkanOptions::redzone,
           "surround every tensor with guard bytes, checked after the run; no memory is shared then"},
      Knob{"no_reuse", &VulkanOptions::no_reuse, "give every tensor memory of its own"},
      Knob{"full_barriers", &VulkanOptions::full_barriers, "a barrier before every dispatch"},
      Knob{"in_place", &VulkanOptions::in_place,
           "tensor_scatter and the like write over an operand that nobody else reads; else they copy it"},
      Knob{"step", &VulkanOptions::step, "one submit for every dispatch, so that an error names its node"},
      Knob{"fuse", &VulkanOptions::fuse,
           "passes over the graph: norms folded, layer_norm, gelu, attention and biases recognised"},
      Knob{"regions", &VulkanOptions::regions,
           "one of these passes: chains of elementwise nodes become one kernel, compiled when the graph is"},
      Knob{"dump", &VulkanOptions::dump,
           "RE[:FILE]: each executable writes the inputs and the nodes of such labels, as its first run has them, to "
           "this .h5 or .npz, by default plumb_dump.h5; further executables to plumb_dump-2.h5 and so on",
           SaidIn::nothing},
      Knob{"dump_stats", &VulkanOptions::dump_stats, "these files are JSON of min, max, mean and so on of each tensor",
           SaidIn::nothing},
      Knob{"dump_runs", &VulkanOptions::dump_runs,
           "the runs of an executable that are dumped, from 0, as 0-3 or 0,5; each to a file, plumb_dump.run3.h5",
           SaidIn::nothing},
  };
};

/// One entry of VulkanOptions::fields, for flags, help texts and the environment.
struct OptionInfo {
  std::string_view name, kind, doc;
  std::string preset;                     ///< the default, as it would be written
  std::vector<std::string_view> choices;  ///< for an enum, or for a list of its names
  std::string variable;                   ///< "PLUMB_NO_REUSE"
};

std::vector<OptionInfo> vulkan_option_infos();

/// An option and its value, as set_option takes them.
struct Setting {
  std::string name, value;
  SaidIn said_in = SaidIn::options;
};

/// Options that are not as `usual` has them, in the order of VulkanOptions::fields.
std::vector<Setting> settings_of(const VulkanOptions& options, const VulkanOptions& usual = {});

/// Sets an option by name: true, false, 1 and 0 for a bool. Throws Error when there is no
/// such option or its text is not of its kind.
void set_option(VulkanOptions& options, std::string_view name, std::string_view text);

/// Those of them that say what is left in files of runs.
ir::DumpOptions dump_options(const VulkanOptions& options);

/// The defaults, with what the environment says: PLUMB_VALIDATION=1 and so on.
VulkanOptions options_from_environment();

}  // namespace plumb::gpu_vulkan::device

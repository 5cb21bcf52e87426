#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "gpu_vulkan/plan/constants.hpp"
#include "ir/graph.hpp"

namespace plumb::gpu_vulkan::plan {

/// A range of device memory in the schedule; an index into Schedule::slots.
using Slot = std::size_t;

/// A shader module that was made when a graph was compiled.
using ShaderWords = std::shared_ptr<const std::vector<std::uint32_t>>;

/// The computation of a module with cooperative matrices. Its self-test before its first run in a plan goes by these
/// fields, and not by its name (self_test/self_test.hpp).
struct CooperativeKernel {
  enum class Kind { product, convolution, halo_convolution, attention, coopmat2_attention };
  Kind kind = Kind::product;
  ir::DType operands = ir::DType::f16, accumulator = ir::DType::f32, result = ir::DType::f16;
  std::string tile = {};  ///< the tile of the constants: "64x64x64 by elements"
  auto operator<=>(const CooperativeKernel&) const = default;
};

/// "matmul_cooperative.f16_f32 64x64x64", for people and files.
std::string to_text(const CooperativeKernel& kernel);

/// The kind of an elementwise shader, for faults that are planted in plans.
enum class Elementwise { none, unary, binary };

/// The shader module ("softmax.f32") and its specialization constants: all that a pipeline depends on.
struct Shader {
  std::string name;
  Constants constants;
  std::uint32_t subgroup_size = 0;                    ///< required, with full subgroups; 0 when any will do
  ShaderWords words = {};                             ///< for a module that the library does not have
  std::optional<CooperativeKernel> cooperative = {};  ///< for a module with cooperative matrices
  Elementwise elementwise = Elementwise::none;
  auto operator<=>(const Shader&) const = default;
};

using Groups = std::array<std::uint32_t, 3>;

/// Push constants: up to 128 bytes, the least every Vulkan device offers.
class Push {
 public:
  Push() = default;
  template <class T>
  Push(const T& block) : size_(sizeof(T)) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 128 && sizeof(T) % 4 == 0);
    std::memcpy(bytes_.data(), &block, sizeof(T));
  }
  std::span<const std::byte> bytes() const { return {bytes_.data(), size_}; }

 private:
  std::array<std::byte, 128> bytes_{};
  std::size_t size_ = 0;
};

/// One shader launch. Binding k of set 0 is slot reads[k]; the writes follow.
struct Dispatch {
  Shader shader;
  std::vector<Slot> reads, writes;
  Push push;
  Groups groups{1, 1, 1};
  std::string steps = {};  ///< the ops of a generated kernel, "add, gelu, cast", for people; else empty
  std::size_t node = 0;    ///< the planned graph's node; set by the planner
};

/// How long the bytes of a slot live.
enum class Residence {
  transient,  ///< from its first use to its last; shares memory with others
  resident,   ///< uploaded once, when the graph is compiled: params, constants, tables
};

/// A whole graph as launches over slots. Plain data: no Vulkan in it.
struct Schedule {
  struct Range {
    std::size_t bytes = 0;
    Residence residence = Residence::transient;
    std::vector<std::byte> content;  ///< the bytes of a table; else empty
  };

  std::vector<Range> slots;
  std::vector<Dispatch> dispatches;

  Slot slot(std::size_t bytes, Residence residence = Residence::transient);

  /// The bytes of a slot that are bound, copied and filled: whole words, and at
  /// least one, as Vulkan has no empty range.
  std::size_t bound_bytes(Slot slot) const;
};

}  // namespace plumb::gpu_vulkan::plan

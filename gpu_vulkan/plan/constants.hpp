#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <vector>

namespace plumb::gpu_vulkan::plan {

/// One specialization constant: the name that the shader gives it, as a literal, and its value. Booleans are 0 and 1,
/// enumerators their numbers.
class Constant {
 public:
  template <std::size_t size, class T>
  requires std::same_as<T, bool> || std::same_as<T, std::uint32_t> || std::is_enum_v<T>
  constexpr Constant(const char (&name)[size], T value)
      : name_(name, size - 1), value_(static_cast<std::uint32_t>(value)) {}

  constexpr std::string_view name() const { return name_; }
  constexpr std::uint32_t value() const { return value_; }
  auto operator<=>(const Constant&) const = default;

 private:
  friend class Constants;
  std::string_view name_;
  std::uint32_t value_;
};

/// The specialization constants of a shader in the order of their constant_id, from 0 on, without gaps. The test of the
/// shaders' interfaces holds the names against those in the SPIR-V; the first, when it is the size of a workgroup
/// (local_size_x_id) and has no name there, is called "invocations".
class Constants {
 public:
  Constants() = default;
  Constants(std::initializer_list<Constant> all) : all_(all) {}

  /// These, those of a file that shaders include, and then the shader's own.
  Constants then(const Constants& own) const;

  /// The value of the first constant of this name. Throws std::out_of_range when there is none.
  std::uint32_t operator[](std::string_view name) const;
  /// Changes all constants of this name.
  void set(std::string_view name, std::uint32_t value);

  const std::vector<Constant>& all() const { return all_; }
  std::vector<std::uint32_t> values() const;

  auto operator<=>(const Constants&) const = default;

 private:
  std::vector<Constant> all_;
};

}  // namespace plumb::gpu_vulkan::plan

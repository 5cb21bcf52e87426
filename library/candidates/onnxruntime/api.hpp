// The C interface of ONNX Runtime, as far as it is used here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "library/host/library_file.hpp"

namespace plumb::library::candidates::onnxruntime {

// Types that only ONNX Runtime knows.
struct Status;
struct Env;
struct MemoryInfo;
struct Session;
struct Value;
struct RunOptions;
struct TypeAndShape;
struct SessionOptions;
struct Allocator;

/// A function of ONNX Runtime's table by its number, which no version changes. It returns a status, null for success.
template <std::size_t number, class... Arguments>
struct Entry {};

namespace entry {

inline constexpr Entry<3, int, const char*, Env**> create_env;
inline constexpr Entry<7, const Env*, const char*, const SessionOptions*, Session**> create_session;
inline constexpr Entry<8, const Env*, const void*, std::size_t, const SessionOptions*, Session**> create_session_of;
inline constexpr Entry<9, Session*, const RunOptions*, const char* const*, const Value* const*, std::size_t,
                       const char* const*, std::size_t, Value**>
    run;
inline constexpr Entry<10, SessionOptions**> create_session_options;
inline constexpr Entry<11, SessionOptions*, const char*> set_optimized_model_path;
inline constexpr Entry<23, SessionOptions*, int> set_optimization_level;
inline constexpr Entry<24, SessionOptions*, int> set_threads;
inline constexpr Entry<30, const Session*, std::size_t*> input_count;
inline constexpr Entry<31, const Session*, std::size_t*> output_count;
inline constexpr Entry<36, const Session*, std::size_t, Allocator*, char**> input_name;
inline constexpr Entry<37, const Session*, std::size_t, Allocator*, char**> output_name;
inline constexpr Entry<49, const MemoryInfo*, void*, std::size_t, const std::int64_t*, std::size_t, int, Value**>
    create_tensor;
inline constexpr Entry<50, const Value*, int*> is_tensor;
inline constexpr Entry<51, Value*, void**> tensor_data;
inline constexpr Entry<60, const TypeAndShape*, int*> element_type;
inline constexpr Entry<61, const TypeAndShape*, std::size_t*> rank;
inline constexpr Entry<62, const TypeAndShape*, std::int64_t*, std::size_t> extents;
inline constexpr Entry<65, const Value*, TypeAndShape**> type_and_shape;
inline constexpr Entry<69, int, int, MemoryInfo**> create_cpu_memory_info;
inline constexpr Entry<76, Allocator*, void*> free_of_allocator;
inline constexpr Entry<78, Allocator**> default_allocator;
inline constexpr Entry<130, SessionOptions*, const char*, const char*> add_session_config;
inline constexpr Entry<192, const Value*, int*> has_value;

}  // namespace entry

/// The number of the function that releases a type.
template <class Type>
inline constexpr std::size_t release_of = 0;
template <>
inline constexpr std::size_t release_of<Env> = 92;
template <>
inline constexpr std::size_t release_of<Status> = 93;
template <>
inline constexpr std::size_t release_of<MemoryInfo> = 94;
template <>
inline constexpr std::size_t release_of<Session> = 95;
template <>
inline constexpr std::size_t release_of<Value> = 96;
template <>
inline constexpr std::size_t release_of<TypeAndShape> = 99;
template <>
inline constexpr std::size_t release_of<SessionOptions> = 100;

/// An object of ONNX Runtime's, released with its owner.
template <class Type>
using Owned = std::unique_ptr<Type, void (*)(Type*)>;

/// A loaded ONNX Runtime.
class Api {
 public:
  /// Throws Error where the library is not loaded (LibraryFile), is no ONNX Runtime, or is older than 1.17.
  explicit Api(const std::string& library);

  /// As the library says, "1.30.0", without letters that a version does not have.
  const std::string& version() const { return version_; }

  /// Calls a function. Throws Unsupported where it is not implemented, and Error where it fails, in its words.
  template <std::size_t number, class... Arguments>
  void operator()(Entry<number, Arguments...> /*entry*/, std::type_identity_t<Arguments>... arguments) const {
    check(function<Status*(Arguments...)>(number)(arguments...));
  }

  /// Takes over what a function made.
  template <class Type>
  Owned<Type> own(Type* made) const {
    return {made, function<void(Type*)>(release_of<Type>)};
  }

 private:
  template <class Function>
  Function* function(std::size_t number) const {
    return reinterpret_cast<Function*>(table_[number]);
  }
  void check(Status* status) const;

  host::LibraryFile library_;
  void* const* table_ = nullptr;
  std::string version_;
};

}  // namespace plumb::library::candidates::onnxruntime

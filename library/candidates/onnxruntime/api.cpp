// Opens ONNX Runtime and makes exceptions of its statuses.
#include "library/candidates/onnxruntime/api.hpp"

#include <string_view>

#include "ir/error.hpp"

namespace plumb::library::candidates::onnxruntime {
namespace {

/// OrtGetApiBase returns a pointer to one.
struct Base {
  void* const* (*table)(std::uint32_t version);
  const char* (*version)();
};

constexpr std::uint32_t oldest_version = 17;  // That of 1.17: later ones have its table, too.
constexpr std::size_t code_of_status = 1, message_of_status = 2;
constexpr int not_implemented = 9;

}  // namespace

Api::Api(const std::string& library) : library_(library) {
  const auto base_of = reinterpret_cast<const Base* (*)()>(library_.find("OrtGetApiBase"));
  ir::require(base_of != nullptr, "'", library, "' has no OrtGetApiBase: it is no ONNX Runtime");
  const Base* const base = base_of();
  ir::require(base != nullptr, "'", library, "' has no functions");
  const char* const version = base->version();
  if (version != nullptr) version_ = std::string_view(version).substr(0, 64);
  std::erase_if(version_, [](char c) {
    constexpr std::string_view others = ".+-_";
    return !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
           others.find(c) == std::string_view::npos;
  });
  table_ = base->table(oldest_version);
  ir::require(table_ != nullptr, "'", library, "' is ONNX Runtime ", version_, ", which is older than 1.",
              oldest_version);
}

void Api::check(Status* status) const {
  if (status == nullptr) return;
  const Owned<Status> owned = own(status);
  const int code = function<int(const Status*)>(code_of_status)(status);
  const char* const message = function<const char*(const Status*)>(message_of_status)(status);
  const std::string words = message != nullptr ? message : ir::cat("ONNX Runtime failed with ", code);
  if (code == not_implemented) throw ir::Unsupported(words);
  ir::fail(words);
}

}  // namespace plumb::library::candidates::onnxruntime

// Names and types of an ONNX file as they may be shown.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>

namespace plumb::ir::from_onnx {

/// A name as it may be shown: control characters and broken UTF-8 replaced by '?', not too long.
std::string clean(std::string_view name);

/// "f32[batch, 3, 224, 224]", "sequence", ...
std::string type_text(const ::onnx::TypeProto& type);

/// Whether the domain is that of ONNX itself, which has two names.
inline bool is_default(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

/// A domain by the one name that it has here.
inline std::string domain_of(const std::string& domain) { return is_default(domain) ? std::string() : domain; }

}  // namespace plumb::ir::from_onnx

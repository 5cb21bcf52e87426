// Options that a user writes behind `onnxruntime:`.
#pragma once

#include <string>
#include <string_view>

namespace plumb::library::candidates::onnxruntime {

/// The library and how sessions of it are made.
struct Options {
  std::string library;
  int level = 99;  ///< how much is optimised, as ONNX Runtime numbers it
  int threads = 2;
};

/// Reads LIB[,opt=all|extended|basic|off][,threads=N][,provider=cpu]. Throws Error where a key or a value is none of
/// these, or a key is there twice, and names the nearest one.
Options options_of(std::string_view text);

}  // namespace plumb::library::candidates::onnxruntime

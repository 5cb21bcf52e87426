#pragma once

#include <string>

/// A test program in which helpers of the layer ir can be made faulty: the linker puts the functions of seams.cpp in
/// their place (ld's --wrap), which call them and, where they are told to, spoil what comes.
namespace plumb::seams {

/// Spoils one helper, by its name, as long as this lives.
class Fault {
 public:
  explicit Fault(std::string helper);
  ~Fault();
  Fault(const Fault&) = delete;
  Fault& operator=(const Fault&) = delete;

  /// How often the helper was asked since then.
  int uses() const;
};

}  // namespace plumb::seams

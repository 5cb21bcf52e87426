// Exactness of the log-mel spectrogram: logarithms round.
#include "ir/ops/log_mel.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::LogMel&, ir::Types, ir::Types) { return rounds("logarithms are rounded"); }

}  // namespace plumb::parity::exact

// States that decay by factors carry their errors along.
#include "ir/ops/selective_scan.hpp"

#include "parity/judges/scans/decayed_scan.hpp"

namespace plumb::parity::judges {

std::optional<Judge> judge_of(const ir::ops::SelectiveScan& op) {
  return judge_of_decayed_scan([op](ir::Types in) { return op.scan(in); });
}

}  // namespace plumb::parity::judges

#pragma once

#include "ref_cpu/panel_product.hpp"

namespace plumb::ref_cpu::packed {

/// The kernel that run() of ref_cpu/panel_product.hpp calls.
void run(const PanelProduct& product, Call& call);

}  // namespace plumb::ref_cpu::packed

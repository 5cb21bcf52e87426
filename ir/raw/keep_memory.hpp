#pragma once

namespace plumb::ir::raw {

/// For programs that make and drop tensors all the time: what is freed stays with the process, up to 1 GiB, so that the
/// kernel need not clear it again. Nothing where the C library has no such setting.
void keep_freed_memory();

/// For programs that must stay below a size: larger pieces go back to the system when they are freed, whatever was said
/// before.
void return_freed_memory();

}  // namespace plumb::ir::raw

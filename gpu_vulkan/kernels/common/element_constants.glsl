// The constants that shaders of an ElementTile begin with (tiles.hpp): a workgroup has a tile of rows x columns
// elements and stages `depth` terms at a time, an invocation computes rows_each x columns_each elements.
#ifndef PLUMB_ELEMENT_CONSTANTS_GLSL
#define PLUMB_ELEMENT_CONSTANTS_GLSL

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint rows = 64;
layout(constant_id = 2) const uint columns = 64;
layout(constant_id = 3) const uint depth = 16;
layout(constant_id = 4) const uint rows_each = 4;
layout(constant_id = 5) const uint columns_each = 4;

#endif

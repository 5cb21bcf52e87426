// Philox 4x32-10 (ops.md B.1): the four words of a counter and a key.
#ifndef PLUMB_PHILOX_GLSL
#define PLUMB_PHILOX_GLSL

uvec4 philox(uvec4 c, uvec2 key) {
  for (uint turn = 0u; turn < 10u; ++turn) {
    uint high0, low0, high1, low1;
    umulExtended(0xD2511F53u, c.x, high0, low0);
    umulExtended(0xCD9E8D57u, c.z, high1, low1);
    c = uvec4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
    key += uvec2(0x9E3779B9u, 0xBB67AE85u);
  }
  return c;
}

#endif

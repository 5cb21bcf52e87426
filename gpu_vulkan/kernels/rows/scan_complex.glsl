// Products of cumulative.comp over complex numbers. Their sums are those of their parts.
#ifdef VARIANT_c128
#define STORED dvec2
#else
#define STORED vec2
#endif
#define HELD STORED

HELD neutral(uint how) { return HELD(1.0, 0.0); }

precise HELD combine(HELD a, HELD b, uint how) { return HELD(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

HELD term(STORED x, uint how, HELD peak) { return x; }

HELD finish(HELD folded, float count) { return folded; }

HELD load(STORED x) { return x; }
STORED store(HELD x) { return x; }

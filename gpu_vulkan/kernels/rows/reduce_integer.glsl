// Folds of reduce.comp over integers, which wrap, and over bool as 0 and 1.
#if defined(VARIANT_bool)
#define HELD uint
const uint lowest = 0u, highest = 1u;
#elif defined(VARIANT_u8)
#define HELD uint
const uint lowest = 0u, highest = 255u;
#elif defined(VARIANT_u16)
#define HELD uint
const uint lowest = 0u, highest = 65535u;
#elif defined(VARIANT_u32)
#define HELD uint
const uint lowest = 0u, highest = 0xFFFFFFFFu;
#elif defined(VARIANT_i8)
#define HELD int
const int lowest = -128, highest = 127;
#elif defined(VARIANT_i16)
#define HELD int
const int lowest = -32768, highest = 32767;
#elif defined(VARIANT_i32)
#define HELD int
const int lowest = int(0x80000000u), highest = 0x7FFFFFFF;
#else
#define HELD int64_t
const int64_t lowest = int64_t(1) << 63, highest = ~(int64_t(1) << 63);
#endif

HELD neutral(uint how) {
  if (how == MAX) return lowest;
  if (how == MIN) return highest;
  return HELD(how == PRODUCT ? 1 : 0);
}

HELD combine(HELD a, HELD b, uint how) {
  if (how == MAX) return a > b ? a : b;
  if (how == MIN) return a < b ? a : b;
  return how == PRODUCT ? a * b : a + b;
}

HELD term(COMPUTED value, uint how, HELD peak) {
  HELD x = HELD(value);
  if (how == SUM_SQUARE) return x * x;
  return how == L1 && x < HELD(0) ? HELD(0) - x : x;
}

HELD partial_term(HELD partial, uint how, HELD peak) { return partial; }

COMPUTED finish(HELD folded, uint count) { return COMPUTED(folded); }

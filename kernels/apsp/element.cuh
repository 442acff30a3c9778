// What distances of all pairs are added and compared as: a type of element, the word that a
// thread works on, and the two operations of the product.
//
// One of ELEMENT_I32, ELEMENT_U16, ELEMENT_I64, ELEMENT_F32, ELEMENT_F32_SIGNED, ELEMENT_F64 is
// defined by modules.toml. A word has 32 bits, or 64; it is one element, or two neighbours of a
// row in 16 bits.
#pragma once

using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;

#define JOIN_TOKENS(a, b) a##_##b
#define JOIN(a, b) JOIN_TOKENS(a, b)
// The name of an entry for this type: ENTRY(update) is update_i32.
#define ENTRY(name) JOIN(name, ELEMENT_NAME)

#if defined(ELEMENT_I64) || defined(ELEMENT_F64)
using Word = u64;
#else
using Word = u32;
#endif

// Elements of a word.
#if defined(ELEMENT_U16)
constexpr u32 lanes = 2;
#else
constexpr u32 lanes = 1;
#endif

#if defined(ELEMENT_I32)

#define ELEMENT_NAME i32
using Element = int;
// Twice as much still fits.
constexpr Element infinite = 0x7fffffff / 2;
constexpr Word infinite_word = infinite;

// c, or a0 + b0 or a1 + b1 where one of these is less. One instruction each on devices of
// compute capability 9.0.
__device__ __forceinline__ u32 relax(u32 c, u32 a0, u32 b0, u32 a1, u32 b1) {
    int least = __viaddmin_s32(static_cast<int>(a0), static_cast<int>(b0), static_cast<int>(c));
    least = __viaddmin_s32(static_cast<int>(a1), static_cast<int>(b1), least);
    return static_cast<u32>(least);
}

// c, or a + b where that is less.
__device__ __forceinline__ u32 relax(u32 c, u32 a, u32 b) {
    return static_cast<u32>(
        __viaddmin_s32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)));
}

#elif defined(ELEMENT_U16)

#define ELEMENT_NAME u16
using Element = u16;
// No sum of two elements wraps.
constexpr Element infinite = 32767;
constexpr Word infinite_word = infinite * 0x10001u;

// Both elements of the word at once; `a` holds the same one twice.
__device__ __forceinline__ u32 relax(u32 c, u32 a0, u32 b0, u32 a1, u32 b1) {
    return __viaddmin_u16x2(a1, b1, __viaddmin_u16x2(a0, b0, c));
}

__device__ __forceinline__ u32 relax(u32 c, u32 a, u32 b) { return __viaddmin_u16x2(a, b, c); }

#elif defined(ELEMENT_I64)

#define ELEMENT_NAME i64
using Element = long long;
constexpr Element infinite = 0x7fffffffffffffff / 2;
constexpr Word infinite_word = infinite;

__device__ __forceinline__ Word relax(Word c, Word a, Word b) {
    const Element sum = static_cast<Element>(a + b);
    return static_cast<Word>(min(static_cast<Element>(c), sum));
}

__device__ __forceinline__ Word relax(Word c, Word a0, Word b0, Word a1, Word b1) {
    return relax(relax(c, a0, b0), a1, b1);
}

#elif defined(ELEMENT_F64)

#define ELEMENT_NAME f64
using Element = double;
constexpr Element infinite = __builtin_huge_val();
constexpr Word infinite_word = 0x7ff0000000000000;

// No number is a NaN here, so that a comparison does what a minimum would.
__device__ __forceinline__ Word relax(Word c, Word a, Word b) {
    const double sum = __longlong_as_double(a) + __longlong_as_double(b), least = __longlong_as_double(c);
    return __double_as_longlong(sum < least ? sum : least);
}

__device__ __forceinline__ Word relax(Word c, Word a0, Word b0, Word a1, Word b1) {
    return relax(relax(c, a0, b0), a1, b1);
}

#elif defined(ELEMENT_F32) || defined(ELEMENT_F32_SIGNED)

using Element = float;
constexpr Element infinite = static_cast<Element>(__builtin_huge_val());
constexpr Word infinite_word = 0x7f800000;

#if defined(ELEMENT_F32)
#define ELEMENT_NAME f32
// Floats that are not negative compare as the integers of their bits, and of these there is
// a minimum of three. The integers are signed: a zero with a sign is then the least of all,
// as unsigned it would be more than infinity.
__device__ __forceinline__ u32 relax(u32 c, u32 a0, u32 b0, u32 a1, u32 b1) {
    const float first = __uint_as_float(a0) + __uint_as_float(b0);
    const float second = __uint_as_float(a1) + __uint_as_float(b1);
    return static_cast<u32>(__vimin3_s32(
        static_cast<int>(c), __float_as_int(first), __float_as_int(second)));
}

__device__ __forceinline__ u32 relax(u32 c, u32 a, u32 b) {
    const float sum = __uint_as_float(a) + __uint_as_float(b);
    return static_cast<u32>(min(static_cast<int>(c), __float_as_int(sum)));
}
#else
#define ELEMENT_NAME f32_signed
__device__ __forceinline__ u32 relax(u32 c, u32 a0, u32 b0, u32 a1, u32 b1) {
    const float first = __uint_as_float(a0) + __uint_as_float(b0);
    const float second = __uint_as_float(a1) + __uint_as_float(b1);
    return __float_as_uint(fminf(__uint_as_float(c), fminf(first, second)));
}

__device__ __forceinline__ u32 relax(u32 c, u32 a, u32 b) {
    return __float_as_uint(fminf(__uint_as_float(c), __uint_as_float(a) + __uint_as_float(b)));
}
#endif

#else
#error "define one of the elements named above"
#endif

// A word in which every element is the one of `word` that has this place.
__device__ __forceinline__ Word spread(Word word, u32 place) {
#if defined(ELEMENT_U16)
    return __byte_perm(word, 0, place ? 0x3232 : 0x1010);
#else
    return word;
#endif
}

// A weight, which the host writes as the bits of a word, as an element.
__device__ __forceinline__ Element element_of(Word word) {
#if defined(ELEMENT_I32) || defined(ELEMENT_U16) || defined(ELEMENT_I64)
    return static_cast<Element>(word);
#elif defined(ELEMENT_F64)
    return __longlong_as_double(word);
#else
    return __uint_as_float(word);
#endif
}

// Whether a distance is one.
__device__ __forceinline__ bool is_reached(Element distance) {
#if defined(ELEMENT_I32) || defined(ELEMENT_I64)
    // negative arcs make less of what stands for none
    return distance < infinite / 2;
#else
    return distance < infinite;
#endif
}

// Whether `sum` is `a` + `b`, in the arithmetic of the matrix.
__device__ __forceinline__ bool is_sum(Element sum, Element a, Element b) { return sum == a + b; }

#if defined(ELEMENT_U16)
using CasBits = u16;
__device__ __forceinline__ Element element_from(CasBits bits) { return bits; }
__device__ __forceinline__ CasBits bits_of(Element value) { return value; }
#elif defined(ELEMENT_F64)
using CasBits = u64;
__device__ __forceinline__ Element element_from(CasBits bits) { return __longlong_as_double(bits); }
__device__ __forceinline__ CasBits bits_of(Element value) { return __double_as_longlong(value); }
#elif !defined(ELEMENT_I32) && !defined(ELEMENT_I64)
using CasBits = u32;
__device__ __forceinline__ Element element_from(CasBits bits) { return __uint_as_float(bits); }
__device__ __forceinline__ CasBits bits_of(Element value) { return __float_as_uint(value); }
#endif

// Lowers an element that other threads may lower too.
__device__ __forceinline__ void lower(Element* element, Word word) {
    const Element to = element_of(word);
#if defined(ELEMENT_I32) || defined(ELEMENT_I64)
    atomicMin(element, to);
#else
    CasBits* bits = reinterpret_cast<CasBits*>(element);
    CasBits seen = *bits;
    while (to < element_from(seen)) {
        const CasBits before = atomicCAS(bits, seen, bits_of(to));
        if (before == seen) break;
        seen = before;
    }
#endif
}

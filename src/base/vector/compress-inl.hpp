// Keeps the chosen lanes of vectors of 32-bit numbers. Highway 1.0.3's CompressStore under GCC 12 copies its table to
// the stack at every call and computes the lanes' bits anew for every vector.
#if defined(MACMI_BASE_COMPRESS) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_BASE_COMPRESS
#undef MACMI_BASE_COMPRESS
#else
#define MACMI_BASE_COMPRESS
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>

#include "base/vector/compress_table.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::base::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The lanes to keep, for any number of vectors.
class Kept {
 public:
  using Tag = hn::ScalableTag<std::int32_t>;
  using V = hn::Vec<Tag>;

  explicit HWY_INLINE Kept(hn::Mask<Tag> mask) : mask_(mask) {
    if constexpr (in_register) {
      count_ = hn::CountTrue(Tag(), mask);
    } else {
      std::uint8_t bytes[8] = {};
      hn::StoreMaskBits(Tag(), mask, bytes);
      bits_ = static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8;
      count_ = static_cast<std::size_t>(std::popcount(bits_));
    }
  }

  std::size_t count() const { return count_; }

  /// Writes the kept lanes to `out`; what follows them, up to a whole vector, is overwritten.
  HWY_INLINE void store(V values, std::int32_t* out) const {
    const Tag tag;
    if constexpr (hn::MaxLanes(tag) == 8 || hn::MaxLanes(tag) == 4)
      hn::StoreU(hn::TableLookupLanes(values, hn::SetTableIndices(tag, compress_table.lanes[bits_])), tag, out);
    else if constexpr (in_register)
      hn::StoreU(hn::Compress(values, mask_), tag, out);  // storing part of a vector takes several times as long
    else
      hn::CompressStore(values, mask_, tag, out);
  }

 private:
  static constexpr bool in_register = hn::MaxLanes(Tag()) == 16;
  hn::Mask<Tag> mask_;
  std::uint32_t bits_ = 0;
  std::size_t count_;
};

}  // namespace macmi::base::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

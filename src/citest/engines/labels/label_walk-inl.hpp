// How many of the samples nearest to a place have a label, for 64 permutations.
#if defined(MACMI_CITEST_LABEL_WALK) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_CITEST_LABEL_WALK
#undef MACMI_CITEST_LABEL_WALK
#else
#define MACMI_CITEST_LABEL_WALK
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <vector>

#include "base/vector/aligned.hpp"
#include "citest/engines/labels/label_lanes.hpp"
#include "citest/engines/labels/sorted_near-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE::labels {
namespace hn = hwy::HWY_NAMESPACE;

/// How many of the nearest samples have the label that each permutation gives to one centre. Counts are kept at the end
/// of every block of 16 samples, and the rest of a block is counted one by one.
template <class T, class Key>
class LabelWalk {
 public:
  static constexpr std::size_t block = 16;

  /// Counts along the first `end` samples; stops where every one of some permutations has met `enough`, after the last
  /// sample that is as far.
  void count(const SortedNear<Key>& near, std::size_t end, const T* labels, const T* own, std::uint32_t enough,
             std::uint64_t lanes = ~std::uint64_t{0}) {
    near_ = &near;
    labels_ = labels;
    own_ = own;
    reached_ = 0;
    const hn::ScalableTag<T> tag;
    counts_.resize((end / block + 2) * label_batch);
    std::fill_n(counts_.begin(), label_batch, 0u);
    alignas(64) T met[label_batch];
    alignas(64) std::uint32_t unasked[label_batch];
    for (std::size_t l = 0; l < label_batch; ++l) unasked[l] = (lanes >> l & 1) != 0 ? 0 : ~std::uint32_t{0};
    for (std::size_t b = 0; reached_ < end; ++b) {
      const std::size_t last = std::min(end, reached_ + block);
      for (std::size_t g = 0; g < label_batch; g += hn::Lanes(tag)) {
        const auto mine = hn::Load(tag, own + g);
        auto sum = hn::Zero(tag);
        for (std::size_t e = reached_; e < last; ++e)
          sum = hn::Sub(sum, hn::VecFromMask(tag, hn::Eq(hn::Load(tag, labels + near.id(e) * label_batch + g), mine)));
        hn::Store(sum, tag, met + g);
      }
      const std::uint32_t* before = counts_.data() + b * label_batch;
      std::uint32_t *after = counts_.data() + (b + 1) * label_batch, fewest = ~std::uint32_t{0};
      for (std::size_t l = 0; l < label_batch; ++l) {
        after[l] = before[l] + static_cast<std::uint32_t>(met[l]);
        fewest = std::min(fewest, after[l] | unasked[l]);
      }
      reached_ = last;
      if (fewest >= enough) end = near.first_farther(reached_ - 1);
    }
  }

  std::size_t reached() const { return reached_; }
  bool has_label(std::size_t rank, std::size_t lane) const {
    return labels_[near_->id(rank) * label_batch + lane] == own_[lane];
  }
  /// Of the first `end` samples, at most reached().
  std::uint32_t met(std::size_t end, std::size_t lane) const {
    std::uint32_t count = counts_[end / block * label_batch + lane];
    for (std::size_t e = end / block * block; e < end; ++e) count += has_label(e, lane);
    return count;
  }
  /// The rank at which `wanted` are met. There must be as many.
  std::size_t rank_of(std::uint32_t wanted, std::size_t lane) const {
    std::size_t low = 0, high = (reached_ + block - 1) / block;  // counts at low are too few, at high enough
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (counts_[middle * label_batch + lane] < wanted ? low : high) = middle;
    }
    std::uint32_t missing = wanted - counts_[low * label_batch + lane];
    for (std::size_t e = low * block;; ++e)
      if (has_label(e, lane) && --missing == 0) return e;
  }

 private:
  const SortedNear<Key>* near_ = nullptr;
  const T *labels_ = nullptr, *own_ = nullptr;
  std::size_t reached_ = 0;
  std::vector<std::uint32_t> counts_;  ///< [block][lane]: in all blocks before
};

}  // namespace macmi::citest::HWY_NAMESPACE::labels
HWY_AFTER_NAMESPACE();
#endif

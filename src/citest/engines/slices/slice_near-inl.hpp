// The samples near one sample, with the x of all their choices.
#if defined(MACMI_CITEST_SLICE_NEAR) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_CITEST_SLICE_NEAR
#undef MACMI_CITEST_SLICE_NEAR
#else
#define MACMI_CITEST_SLICE_NEAR
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "base/vector/compress-inl.hpp"
#include "citest/engines/near_scan-inl.hpp"
#include "citest/engines/slices/slice_kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE::slices {
namespace hn = hwy::HWY_NAMESPACE;
using base::HWY_NAMESPACE::Kept;

class SliceNear {
 public:
  using I32 = hn::ScalableTag<std::int32_t>;
  using V = hn::Vec<I32>;

  explicit SliceNear(const SliceTask& task)
      : task_(task), scan_(*task.problem, *task.fixed), columns_(task.problem->sample.x.columns.size()) {
    for (auto* v : {&id_, &z_, &yz_, &first_, &outer_id_, &outer_z_}) v->resize(capacity());
    x_.resize(columns_ * task.choices->most * capacity());
  }

  std::size_t capacity() const { return scan_.capacity() + 64; }

  /// All samples within `radius` of sample i in z.
  void find(std::size_t i, std::int32_t radius) {
    i_ = i;
    scan_.find(i, radius);
    keep(radius);
  }

  /// Of those found, the ones within a smaller radius: those near in (y, z) first, both parts padded with samples that
  /// are far from everything.
  void keep(std::int32_t radius) {
    const I32 tag;
    const std::size_t lanes = hn::Lanes(tag);
    const V beyond = hn::Set(tag, radius + 1);
    std::size_t inner = 0, outer = 0;
    for (std::size_t e = 0; e < scan_.size(); e += lanes) {
      const V id = hn::LoadU(tag, scan_.id() + e), z = hn::LoadU(tag, scan_.z() + e),
              yz = hn::LoadU(tag, scan_.yz() + e);
      const auto real = hn::And(hn::FirstN(tag, scan_.size() - e), hn::Lt(z, beyond));
      const auto inside = hn::And(real, hn::Lt(yz, beyond)), outside = hn::AndNot(inside, real);
      const Kept in(inside), out(outside);
      in.store(id, id_.data() + inner);
      in.store(z, z_.data() + inner);
      in.store(yz, yz_.data() + inner);
      inner += in.count();
      out.store(id, outer_id_.data() + outer);
      out.store(z, outer_z_.data() + outer);
      outer += out.count();
    }
    inner_ = inner;
    inner_end_ = padded(inner);
    pad(inner, inner_end_);
    std::copy_n(outer_id_.data(), outer, id_.data() + inner_end_);
    std::copy_n(outer_z_.data(), outer, z_.data() + inner_end_);
    end_ = inner_end_ + padded(outer);
    pad(inner_end_ + outer, end_);
    gather_x();
  }

  std::size_t inner() const { return inner_; }          ///< near in (y, z)
  std::size_t inner_end() const { return inner_end_; }  ///< the same with padding; all others follow
  std::size_t end() const { return end_; }
  std::size_t numbers() const { return numbers_; }  ///< choices that some near sample has
  const std::int32_t* z() const { return z_.data(); }
  const std::int32_t* yz() const { return yz_.data(); }
  const std::int32_t* first() const { return first_.data(); }  ///< choice of each sample
  /// Of sample i itself, by its choice.
  std::int32_t own_x(std::size_t column, std::size_t slot) const {
    return task_.x[(column * task_.choices->most + slot) * task_.fixed->n + i_];
  }

  /// The choices of one number, all columns.
  struct Column {
    const std::int32_t* x;
    std::size_t to_next, columns;

    /// From the x of a slot of sample i to a vector of choices.
    HWY_INLINE V distance(const std::int32_t* own, std::size_t e) const {
      const I32 tag;
      V d = hn::Abs(hn::Sub(hn::Load(tag, x + e), hn::Set(tag, own[0])));
      for (std::size_t c = 1; c < columns; ++c)
        d = hn::Max(d, hn::Abs(hn::Sub(hn::Load(tag, x + c * to_next + e), hn::Set(tag, own[c]))));
      return d;
    }
  };
  Column x(std::size_t number) const {
    return {x_.data() + number * capacity(), task_.choices->most * capacity(), columns_};
  }

 private:
  static std::size_t padded(std::size_t size) {
    const std::size_t lanes = hn::Lanes(I32());
    return (size + lanes - 1) / lanes * lanes;
  }

  void pad(std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      id_[e] = static_cast<std::int32_t>(i_);
      z_[e] = yz_[e] = SliceTask::far;
    }
  }

  void gather_x() {
    const I32 tag;
    const std::size_t lanes = hn::Lanes(tag), n = task_.fixed->n;
    numbers_ = 0;
    for (std::size_t c = 0; c < task_.choices->most; ++c) {
      bool any = false;
      for (std::size_t d = 0; d < columns_; ++d) {
        const std::int32_t* from = task_.x.data() + (d * task_.choices->most + c) * n;
        std::int32_t* to = x_.data() + (d * task_.choices->most + c) * capacity();
        auto used = hn::Zero(tag);
        for (std::size_t e = 0; e < end_; e += lanes) {
          const V x = hn::GatherIndex(tag, from, hn::Load(tag, id_.data() + e));
          used = hn::Or(used, hn::VecFromMask(tag, hn::Ne(x, hn::Set(tag, SliceTask::far))));
          hn::Store(x, tag, to + e);
        }
        any = any || !hn::AllTrue(tag, hn::Eq(used, hn::Zero(tag)));
      }
      if (any) numbers_ = c + 1;
    }
    const auto* first = reinterpret_cast<const std::int32_t*>(task_.choices->first.data());
    for (std::size_t e = 0; e < end_; e += lanes)
      hn::Store(hn::GatherIndex(tag, first, hn::Load(tag, id_.data() + e)), tag, first_.data() + e);
  }

  const SliceTask& task_;
  NearScan scan_;
  std::size_t columns_, i_ = 0;
  std::size_t inner_ = 0, inner_end_ = 0, end_ = 0, numbers_ = 0;
  base::AlignedVector<std::int32_t> id_, z_, yz_, first_, x_, outer_id_, outer_z_;
};

}  // namespace macmi::citest::HWY_NAMESPACE::slices
HWY_AFTER_NAMESPACE();
#endif

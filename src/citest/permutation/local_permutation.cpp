#include "citest/permutation/local_permutation.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>

#include "base/parallel.hpp"
#include "knn/kd_tree.hpp"
#include "knn/kth_distance.hpp"

namespace macmi::citest {
namespace {

/// Uniform on 0 … n-1 from 32 random bits; the bias is below n / 2³².
std::uint32_t scale(std::uint32_t bits, std::size_t n) {
  return static_cast<std::uint32_t>((std::uint64_t{bits} * n) >> 32);
}

/// Two 32-bit draws from every 64-bit one.
class HalfWords {
 public:
  explicit HalfWords(base::RandomStream& random) : random_(random) {}
  std::uint32_t operator()() {
    if (full_) {
      full_ = false;
      return static_cast<std::uint32_t>(word_ >> 32);
    }
    word_ = random_();
    full_ = true;
    return static_cast<std::uint32_t>(word_);
  }

 private:
  base::RandomStream& random_;
  std::uint64_t word_ = 0;
  bool full_ = false;
};

void shuffle(std::span<std::uint32_t> values, HalfWords& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[scale(random(), i)]);
}

/// The samples of each combination of categories, and then of each value of z.
using Groups = std::vector<std::vector<std::uint32_t>>;

Groups split_by_category(const LatticeBlock& z, std::size_t n) {
  std::map<std::int32_t, std::vector<std::uint32_t>> members;
  for (std::size_t i = 0; i < n; ++i)
    members[z.category.empty() ? 0 : z.category[i]].push_back(static_cast<std::uint32_t>(i));
  Groups groups;
  for (auto& [category, group] : members) groups.push_back(std::move(group));
  return groups;
}

Groups split_by_value(const LatticeBlock& z, std::vector<std::uint32_t> samples) {
  const auto compare = [&](std::uint32_t a, std::uint32_t b) {
    for (const auto& column : z.columns)
      if (column[a] != column[b]) return column[a] < column[b] ? -1 : 1;
    return 0;
  };
  std::stable_sort(samples.begin(), samples.end(), [&](auto a, auto b) { return compare(a, b) < 0; });
  Groups groups;
  for (const std::uint32_t sample : samples) {
    if (groups.empty() || compare(groups.back().front(), sample) != 0) groups.emplace_back();
    groups.back().push_back(sample);
  }
  return groups;
}

using Tree = knn::KdTree<double>;

/// Calls found(sample, distance) for every sample within `radius`.
template <class Found>
void visit(const Tree& tree, std::uint32_t index, const std::vector<double>& query, double radius, Found&& found) {
  const Tree::Node& node = tree.node(index);
  for (std::size_t d = 0; d < query.size(); ++d)
    if (std::max(tree.low(index)[d] - query[d], query[d] - tree.high(index)[d]) > radius) return;
  if (!node.is_leaf()) {
    visit(tree, index + 1, query, radius, found);
    visit(tree, node.right, query, radius, found);
    return;
  }
  for (std::uint32_t p = 0; p < node.count(); ++p) {
    double distance = 0;
    for (std::size_t d = 0; d < query.size(); ++d)
      distance = std::max(distance, std::abs(tree.rows(node)[d * Tree::row_length(node) + p] - query[d]));
    if (distance <= radius) found(tree.order()[node.begin + p], distance);
  }
}

/// Beside a large class of equal z, every point would list all of it. So many, evenly spread, are enough to draw from,
/// and memory stays in proportion to the samples.
constexpr std::size_t most_tied = 64;

/// Samples at the largest distance of a point, and how many of them are neighbours in one permutation.
struct Ties {
  std::vector<std::uint32_t> tied;
  std::size_t places = 0;
};

void thin_out(std::vector<std::uint32_t>& tied, std::size_t point) {
  const std::size_t size = tied.size(), start = point % size;
  if (size <= most_tied) return;
  std::vector<std::uint32_t> kept;
  for (std::size_t t = 0; t < most_tied; ++t) kept.push_back(tied[(start + t * size / most_tied) % size]);
  std::sort(kept.begin(), kept.end());
  tied = std::move(kept);
}

}  // namespace

LocalPermutations::LocalPermutations(const LatticeBlock& z, std::size_t n, std::size_t neighbours,
                                     std::size_t threads) {
  for (auto& group : split_by_category(z, n))
    for (auto& same : split_by_value(z, std::move(group))) {
      if (same.size() >= neighbours || (z.columns.empty()))
        classes_.push_back(std::move(same));
      else
        points_.insert(points_.end(), same.begin(), same.end());
    }
  std::sort(points_.begin(), points_.end());
  if (!points_.empty()) find_neighbours(z, n, neighbours, threads);
}

void LocalPermutations::find_neighbours(const LatticeBlock& z, std::size_t n, std::size_t neighbours,
                                        std::size_t threads) {
  std::vector<std::vector<double>> columns;
  for (const auto& column : z.columns) columns.emplace_back(column.begin(), column.end());
  const std::vector<std::span<const double>> views(columns.begin(), columns.end());
  std::vector<std::size_t> position(n, n);
  for (std::size_t p = 0; p < points_.size(); ++p) position[points_[p]] = p;

  std::vector<std::vector<std::uint32_t>> near(points_.size());
  std::vector<Ties> ties(points_.size());
  std::vector<double> radius(n);
  for (const auto& group : split_by_category(z, n)) {
    const std::size_t wanted = std::min(neighbours, group.size());
    knn::kth_neighbour_distances(views, group, wanted - 1, threads, radius);
    const Tree tree(views, group, 16, 1e300);
    base::parallel_for(group.size(), 256, threads, [&](std::size_t begin, std::size_t end) {
      std::vector<double> query(columns.size());
      for (std::size_t g = begin; g < end; ++g) {
        const std::uint32_t sample = tree.order()[g];
        const std::size_t p = position[sample];
        if (p == n) continue;
        for (std::size_t d = 0; d < query.size(); ++d) query[d] = columns[d][sample];
        visit(tree, 0, query, radius[sample], [&](std::uint32_t other, double distance) {
          (distance < radius[sample] ? near[p] : ties[p].tied).push_back(other);
        });
        ties[p].places = wanted - near[p].size();
        if (ties[p].tied.size() > ties[p].places) {
          std::sort(ties[p].tied.begin(), ties[p].tied.end());
          thin_out(ties[p].tied, p);
        } else {
          near[p].insert(near[p].end(), ties[p].tied.begin(), ties[p].tied.end());
          ties[p] = {};
        }
        std::sort(near[p].begin(), near[p].end());
      }
    });
  }
  begin_.push_back(0);
  for (const auto& list : near) {
    near_.insert(near_.end(), list.begin(), list.end());
    begin_.push_back(static_cast<std::uint32_t>(near_.size()));
  }
  if (std::none_of(ties.begin(), ties.end(), [](const Ties& t) { return t.places > 0; })) return;
  tied_begin_.push_back(0);
  for (const Ties& t : ties) {
    places_.push_back(static_cast<std::uint32_t>(t.places));
    tied_.insert(tied_.end(), t.tied.begin(), t.tied.end());
    tied_begin_.push_back(static_cast<std::uint32_t>(tied_.size()));
  }
}

namespace {

/// choice[mask][r]: the r-th of up to 8 neighbours that `mask` does not mark as used, of which there are unused[mask].
struct Choices {
  std::array<std::array<std::uint8_t, 8>, 256> choice{};
  std::array<std::uint8_t, 256> unused{};
  constexpr Choices() {
    for (unsigned mask = 0; mask < 256; ++mask) {
      std::size_t r = 0;
      for (std::uint8_t s = 0; s < 8; ++s)
        if (!(mask >> s & 1)) choice[mask][r++] = s;
      unused[mask] = static_cast<std::uint8_t>(r);
    }
  }
};
constexpr Choices choices;

}  // namespace

inline std::uint32_t LocalPermutations::pick(std::size_t p, std::uint32_t random, const std::uint8_t* used) const {
  const std::uint32_t* near = near_.data() + begin_[p];
  const std::size_t count = begin_[p + 1] - begin_[p];
  if (count <= 8) {
    const unsigned beyond = 0xFFu << count & 0xFFu;
    unsigned mask = beyond;
    if (count == 5)  // as ever by default: without a loop
      mask |= static_cast<unsigned>(used[near[0]] | used[near[1]] << 1 | used[near[2]] << 2 | used[near[3]] << 3 |
                                    used[near[4]] << 4);
    else
      for (std::size_t s = 0; s < count; ++s) mask |= static_cast<unsigned>(used[near[s]]) << s;
    if (mask == 0xFF) mask = beyond;
    return near[choices.choice[mask][scale(random, choices.unused[mask])]];
  }
  const auto unused =
      static_cast<std::size_t>(std::count_if(near, near + count, [&](std::uint32_t s) { return !used[s]; }));
  if (unused == 0) return near[scale(random, count)];
  std::uint32_t rest = scale(random, unused);
  for (;; ++near)
    if (!used[*near] && rest-- == 0) return *near;
}

namespace {

/// Points compete with those near in z alone, which are near in the order of space: so many at a time come in random
/// order, and what they need stays in the cache.
constexpr std::size_t in_random_order = 8192;

}  // namespace

void LocalPermutations::draw(const base::StreamKey& stream, std::uint64_t index, std::span<std::uint32_t> source,
                             Scratch& scratch) const {
  base::RandomStream random(stream.with(index));
  HalfWords halves(random);
  std::vector<std::uint32_t>& order = scratch.order;
  for (const auto& same : classes_) {
    order = same;
    shuffle(order, halves);
    for (std::size_t i = 0; i < same.size(); ++i) source[same[i]] = order[i];
  }
  if (points_.empty()) return;

  std::vector<std::uint8_t>& used = scratch.used;
  used.assign(source.size(), 0);  // by these points: else those beside a large class kept their own x
  order.resize(points_.size());
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t begin = 0; begin < order.size(); begin += in_random_order)
    shuffle(std::span(order).subspan(begin, std::min(in_random_order, order.size() - begin)), halves);
  for (const std::uint32_t p : order) {
    const bool edge = !places_.empty() && places_[p] > 0;
    const std::uint32_t taken =
        edge ? pick_among_ties(p, random, used.data(), scratch.candidates) : pick(p, halves(), used.data());
    used[taken] = 1;
    source[points_[p]] = taken;
  }
}

void LocalPermutations::draw(const base::StreamKey& stream, std::uint64_t index,
                             std::span<std::uint32_t> source) const {
  Scratch scratch;
  draw(stream, index, source, scratch);
}

std::uint32_t LocalPermutations::pick_among_ties(std::size_t p, base::RandomStream& random, const std::uint8_t* used,
                                                 std::vector<std::uint32_t>& candidates) const {
  const std::size_t first = begin_[p + 1] - begin_[p], places = places_[p];
  if (candidates.size() < first + places) candidates.resize(first + places);
  std::uint32_t* end = std::copy(near_.begin() + begin_[p], near_.begin() + begin_[p + 1], candidates.data());
  // Floyd's sampling without replacement: `places` of the tied ones.
  const std::uint32_t *tied = tied_.data() + tied_begin_[p], *drawn_first = end;
  const std::size_t tied_count = tied_begin_[p + 1] - tied_begin_[p];
  for (std::size_t top = tied_count - places; top < tied_count; ++top) {
    const std::uint32_t drawn = tied[random.below(top + 1)];
    const bool repeated = std::find(drawn_first, static_cast<const std::uint32_t*>(end), drawn) != end;
    *end++ = repeated ? tied[top] : drawn;
  }
  std::uint32_t* free_end = std::partition(candidates.data(), end, [&](std::uint32_t s) { return !used[s]; });
  const auto free_count = static_cast<std::size_t>(free_end - candidates.data());
  return candidates[random.below(free_count ? free_count : first + places)];
}

}  // namespace macmi::citest

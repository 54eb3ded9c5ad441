#include "interactions/find_pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "base/random.hpp"
#include "interactions/chi_square.hpp"
#include "interactions/pair_scan.hpp"

namespace macmi::interactions {
namespace {

constexpr std::size_t looks = 2;           // in four levels, and in halves
constexpr double tail_size = 400;          // pairs expected in the tail of all permuted scans, by χ²
constexpr double pairs_of_the_null = 2e6;  // enough for a tail whatever the number of columns
constexpr std::size_t fewest_scans = 4, most_scans = 64;

using Surprises = std::array<double, looks>;

/// The scale on which pairs of columns with different numbers of levels compare.
class Scale {
 public:
  explicit Scale(const QuantisedSamples& samples) : table(samples.samples()) {
    const std::size_t classes = level_count(samples.target);
    for (std::size_t a = 2; a <= most_levels; ++a)
      for (std::size_t b = 2; b <= most_levels; ++b) freedom_[a][b] = (a - 1) * (b - 1) * (classes - 1);
    for (const Levels& column : samples.columns) levels_.push_back(level_count(column));
  }
  PairCuts cuts(double surprise) const {
    PairCuts cuts;
    cuts.halves = table.from_nats(chi_square_reaching(surprise, 1) / 2);
    for (std::size_t a = 2; a <= most_levels; ++a)
      for (std::size_t b = 2; b <= most_levels; ++b)
        cuts.quarters[a][b] = table.from_nats(chi_square_reaching(surprise, freedom_[a][b]) / 2);
    return cuts;
  }
  std::size_t freedom(const PairHit& hit) const { return freedom_[levels_[hit.a]][levels_[hit.b]]; }
  Surprises surprises(const PairHit& hit) const {
    return {chi_square_surprise(2 * table.to_nats(hit.sums.quarters), freedom(hit)),
            chi_square_surprise(2 * table.to_nats(hit.sums.halves), 1)};
  }

  LogTable table;

 private:
  std::size_t freedom_[most_levels + 1][most_levels + 1] = {};
  std::vector<std::size_t> levels_;
};

/// The tail of the surprises of one look under permuted targets.
class Tail {
 public:
  Tail(double from, std::size_t scans) : from_(from), scans_(static_cast<double>(scans)) {}
  void add(double surprise) {
    if (surprise >= from_) excess_.push_back(surprise - from_);
  }
  /// ln of the number of pairs as surprising as this that a scan without interactions is expected to show.
  double log_expected(double surprise) const {
    return std::log(std::max<double>(1, static_cast<double>(excess_.size())) / scans_) - (surprise - from_) / scale_;
  }
  void fit() {
    std::sort(excess_.begin(), excess_.end());  // the sum does not depend on the order of columns
    double sum = 0;
    for (const double e : excess_) sum += e;
    scale_ = std::max(1.0, sum / std::max<double>(1, static_cast<double>(excess_.size())));
  }

 private:
  double from_, scans_, scale_ = 1;
  std::vector<double> excess_;
};

Levels permuted(const Levels& target, std::uint64_t seed, std::size_t scan) {
  base::RandomStream random(base::StreamKey(seed).with("pairs under a permuted target").with(scan));
  Levels levels = target;
  for (std::size_t i = levels.size(); i > 1; --i) std::swap(levels[i - 1], levels[random.below(i)]);
  return levels;
}

/// I(column; target) in nats, less what chance adds on average.
double alone(const Levels& column, const Levels& target, std::size_t levels_together) {
  double counts[most_levels][most_levels] = {}, of_column[most_levels] = {}, of_target[most_levels] = {};
  const auto n = static_cast<double>(target.size());
  for (std::size_t i = 0; i < target.size(); ++i) {
    const std::size_t a = column[i] / levels_together, y = target[i] / levels_together;
    ++counts[a][y], ++of_column[a], ++of_target[y];
  }
  double sum = 0, columns = -1, classes = -1;
  for (std::size_t a = 0; a < most_levels; ++a) columns += of_column[a] > 0, classes += of_target[a] > 0;
  for (std::size_t a = 0; a < most_levels; ++a)
    for (std::size_t y = 0; y < most_levels; ++y)
      if (counts[a][y] > 0) sum += counts[a][y] / n * std::log(counts[a][y] * n / (of_column[a] * of_target[y]));
  return std::max(0.0, sum - columns * classes / (2 * n));
}

struct Found {
  FeaturePair pair;
  double log_expected;
};

Found found(const QuantisedSamples& samples, const std::vector<std::string>& names, const Scale& scale,
            const PairHit& hit, const std::array<double, looks>& log_expected) {
  const bool halves = log_expected[1] < log_expected[0];
  const double nats = scale.table.to_nats(halves ? hit.sums.halves : hit.sums.quarters);
  const auto freedom = static_cast<double>(halves ? 1 : scale.freedom(hit));
  const std::size_t together = halves ? 2 : 1;
  std::size_t a = hit.a, b = hit.b;
  if (names[samples.feature[b]] < names[samples.feature[a]]) std::swap(a, b);
  return {{names[samples.feature[a]], names[samples.feature[b]],
           (nats - freedom / 2) / static_cast<double>(samples.samples()),
           alone(samples.columns[a], samples.target, together), alone(samples.columns[b], samples.target, together)},
          std::min(log_expected[0], log_expected[1])};
}

}  // namespace

std::size_t pair_count(const QuantisedSamples& samples) {
  std::map<std::size_t, std::size_t> columns_of;
  for (const std::size_t feature : samples.feature) ++columns_of[feature];
  std::size_t pairs =
      samples.columns.size() * (samples.columns.size() - std::min<std::size_t>(1, samples.columns.size()));
  for (const auto& [feature, columns] : columns_of) pairs -= columns * (columns - 1);
  return pairs / 2;
}

std::size_t permuted_scans(std::size_t pairs) {
  const double wanted = pairs_of_the_null / std::max<double>(1, static_cast<double>(pairs));
  return std::clamp(static_cast<std::size_t>(wanted), fewest_scans, most_scans);
}

std::vector<FeaturePair> find_pairs(const QuantisedSamples& samples, const std::vector<std::string>& names,
                                    const PairSearch& search) {
  const std::size_t pairs = pair_count(samples), scans = permuted_scans(pairs), columns = samples.columns.size();
  if (pairs == 0 || level_count(samples.target) < 2) return {};
  const double pooled = static_cast<double>(pairs) * static_cast<double>(scans);
  const double from = std::log(std::max(10.0, pooled / tail_size));
  const Scale scale(samples);
  const PairCuts cuts = scale.cuts(from);
  const auto scan = [&](const Levels& target, std::size_t number) {
    return scan_pairs(samples, target, scale.table, cuts, search.threads, [&](std::size_t done) {
      const double part = static_cast<double>(done) / static_cast<double>(columns);
      return !search.go_on || search.go_on((static_cast<double>(number) + part) / static_cast<double>(scans + 1));
    });
  };
  std::array<Tail, looks> tails = {Tail(from, scans), Tail(from, scans)};
  for (std::size_t s = 0; s < scans; ++s)
    for (const PairHit& hit : scan(permuted(samples.target, search.seed, s), s)) {
      const Surprises surprises = scale.surprises(hit);
      for (std::size_t look = 0; look < looks; ++look) tails[look].add(surprises[look]);
    }
  for (Tail& tail : tails) tail.fit();

  std::map<std::pair<std::string, std::string>, Found> best;  // of the pairs of columns of two features
  for (const PairHit& hit : scan(samples.target, scans)) {
    const Surprises surprises = scale.surprises(hit);
    std::array<double, looks> expected{};
    for (std::size_t look = 0; look < looks; ++look) expected[look] = tails[look].log_expected(surprises[look]);
    if (std::min(expected[0], expected[1]) > std::log(search.level / static_cast<double>(looks))) continue;
    Found one = found(samples, names, scale, hit, expected);
    const auto key = std::pair(one.pair.a, one.pair.b);
    const auto place = best.try_emplace(key, one).first;
    const auto order = [](const Found& f) {
      return std::tuple(f.log_expected, -f.pair.information, f.pair.alone_a, f.pair.alone_b);
    };
    if (order(one) < order(place->second)) place->second = std::move(one);
  }
  std::vector<Found> all;
  for (auto& [key, one] : best) all.push_back(std::move(one));
  std::stable_sort(all.begin(), all.end(),
                   [](const Found& a, const Found& b) { return a.log_expected < b.log_expected; });
  std::vector<FeaturePair> result;
  for (Found& one : all) result.push_back(std::move(one.pair));
  return result;
}

}  // namespace macmi::interactions

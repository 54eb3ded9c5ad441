#include "evaluate/summary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "evaluate/metrics.hpp"

namespace macmi::evaluate {
namespace {

class Summary {
 public:
  Summary(const Parts& parts, const std::vector<ScoredSet>& sets, std::uint64_t bootstrap)
      : parts_(parts), sets_(sets), bootstrap_(bootstrap) {
    const std::vector<std::int32_t> numbers = parts.data.unit_numbers();
    for (std::size_t i = 0; i < parts.part_of.size(); ++i) {
      const std::size_t unit = numbers.empty() ? i : static_cast<std::size_t>(numbers[i]);
      if (unit == units_.size()) units_.emplace_back();  // numbered by their first sample
      units_[unit].push_back(i);
    }
  }

  Evaluation run() const {
    Evaluation e;
    e.target = parts_.data.target.name;
    e.two_classes = parts_.data.target_is_categorical();
    e.parts = parts_.parts;
    e.samples = parts_.data.samples();
    e.seed = parts_.seed;
    for (const ScoredSet& set : sets_) e.sets.push_back(summary(set));
    merge_random(e);
    add_differences(e);
    return e;
  }

 private:
  bool positive(std::size_t i) const { return parts_.data.target.columns[0].codes[i] == 1; }

  /// Mean over the parts of a measure of the samples drawn (each sample so many times).
  template <class Measure>
  double mean_of_parts(const ScoredSet& column, const std::vector<std::vector<std::size_t>>& drawn,
                       Measure&& measure) const {
    double sum = 0;
    for (const std::vector<std::size_t>& part : drawn) {
      Scored scored;
      for (const std::size_t i : part) {
        scored.score.push_back(column.score[i]);
        scored.positive.push_back(positive(i));
      }
      sum += measure(scored);
    }
    return sum / static_cast<double>(drawn.size());
  }

  std::vector<std::vector<std::size_t>> by_part() const {
    std::vector<std::vector<std::size_t>> parts(parts_.parts);
    for (std::size_t i = 0; i < parts_.part_of.size(); ++i)
      parts[static_cast<std::size_t>(parts_.part_of[i])].push_back(i);
    return parts;
  }

  std::vector<std::vector<std::size_t>> units_by_part() const {
    std::vector<std::vector<std::size_t>> parts(parts_.parts);
    for (std::size_t u = 0; u < units_.size(); ++u)
      parts[static_cast<std::size_t>(parts_.part_of[units_[u].front()])].push_back(u);
    return parts;
  }

  EvaluatedSet summary(const ScoredSet& c) const {
    EvaluatedSet set;
    set.name = c.name;
    set.features = c.features;
    for (const std::vector<std::string>& names : c.features)
      set.size += static_cast<double>(names.size()) / static_cast<double>(c.features.size());
    const double n = static_cast<double>(c.gain.size());
    set.gain = std::accumulate(c.gain.begin(), c.gain.end(), 0.0) / n;
    double squares = 0;
    for (const std::vector<std::size_t>& unit : units_) {
      double sum = 0;
      for (const std::size_t i : unit) sum += c.gain[i] - set.gain;
      squares += sum * sum;
    }
    set.gain_error = std::sqrt(squares / n / n);
    if (!parts_.data.target_is_categorical()) {
      set.r_squared = r_squared(c);
      return set;
    }
    set.auc = mean_of_parts(c, by_part(), area_under_roc);
    set.average_precision = mean_of_parts(c, by_part(), average_precision);
    Scored pooled{ranks_within(c.score, parts_.part_of), {}};
    for (std::size_t i = 0; i < c.score.size(); ++i) pooled.positive.push_back(positive(i));
    set.roc = shortened(roc_curve(pooled));
    return set;
  }

  /// Scores of a number are standardised by the training samples: correlation is what they can be compared by.
  double r_squared(const ScoredSet& c) const {
    const std::vector<double>& y = parts_.data.target.columns[0].values;
    double sums = 0;
    for (const auto& part : by_part()) {
      double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
      for (const std::size_t i : part) mx += c.score[i], my += y[i];
      mx /= static_cast<double>(part.size()), my /= static_cast<double>(part.size());
      for (const std::size_t i : part)
        xx += (c.score[i] - mx) * (c.score[i] - mx), yy += (y[i] - my) * (y[i] - my),
            xy += (c.score[i] - mx) * (y[i] - my);
      sums += xx * yy > 0 ? xy * xy / (xx * yy) : 0;
    }
    return sums / static_cast<double>(parts_.parts);
  }

  /// At most a few hundred points, the ends among them.
  static std::vector<std::pair<double, double>> shortened(const std::vector<RocPoint>& curve) {
    constexpr std::size_t most = 200;
    const std::size_t step = std::max<std::size_t>(1, curve.size() / most);
    std::vector<std::pair<double, double>> points;
    for (std::size_t p = 0; p < curve.size(); p += step)
      points.emplace_back(curve[p].false_positive, curve[p].true_positive);
    if (points.back() != std::pair(1.0, 1.0)) points.emplace_back(1, 1);
    return points;
  }

  /// The random sets as one: means of their measures, the curve and features of the first.
  static void merge_random(Evaluation& e) {
    const auto is_random = [](const EvaluatedSet& s) { return s.name.starts_with("random "); };
    const auto first = std::find_if(e.sets.begin(), e.sets.end(), is_random);
    if (first == e.sets.end()) return;
    EvaluatedSet merged = *first;
    merged.name = "random";
    merged.size = merged.auc = merged.average_precision = merged.gain = merged.gain_error = merged.r_squared = 0;
    const double count = static_cast<double>(std::count_if(e.sets.begin(), e.sets.end(), is_random));
    for (const EvaluatedSet& s : e.sets) {
      if (!is_random(s)) continue;
      merged.size += s.size / count;
      merged.auc += s.auc / count;
      merged.average_precision += s.average_precision / count;
      merged.gain += s.gain / count;
      merged.gain_error += s.gain_error / count;
      merged.r_squared += s.r_squared / count;
    }
    std::erase_if(e.sets, is_random);
    e.sets.push_back(std::move(merged));
  }

  /// Selected against every other way, on the same resampled units.
  void add_differences(Evaluation& e) const {
    const auto at = std::find_if(sets_.begin(), sets_.end(), [](const ScoredSet& c) { return c.name == "selected"; });
    struct Other {
      std::string name;
      std::vector<const ScoredSet*> sets;  ///< the random ones count by their mean
    };
    std::vector<Other> others;
    for (const ScoredSet& c : sets_) {
      const std::string name = c.name.starts_with("random ") ? "random" : c.name;
      if (&c == &*at) continue;
      if (others.empty() || others.back().name != name) others.push_back({name, {}});
      others.back().sets.push_back(&c);
    }
    const auto measure_one = [&](const ScoredSet& c, const std::vector<std::vector<std::size_t>>& drawn) {
      if (parts_.data.target_is_categorical()) return mean_of_parts(c, drawn, area_under_roc);
      double sum = 0, count = 0;
      for (const auto& part : drawn)
        for (const std::size_t i : part) sum += c.gain[i], ++count;
      return sum / count;
    };
    const auto measure = [&](const Other& other, const std::vector<std::vector<std::size_t>>& drawn) {
      double sum = 0;
      for (const ScoredSet* c : other.sets) sum += measure_one(*c, drawn);
      return sum / static_cast<double>(other.sets.size());
    };
    std::vector<std::vector<double>> resampled(others.size());
    for (std::uint64_t b = 0; b < bootstrap_; ++b) {
      const auto drawn = resample(b);
      const double own = measure_one(*at, drawn);
      for (std::size_t c = 0; c < others.size(); ++c) resampled[c].push_back(own - measure(others[c], drawn));
    }
    for (std::size_t c = 0; c < others.size(); ++c) {
      std::sort(resampled[c].begin(), resampled[c].end());
      const auto quantile = [&](double q) {
        return resampled[c].empty()
                   ? std::nan("")
                   : resampled[c]
                              [static_cast<std::size_t>(std::lround(q * static_cast<double>(resampled[c].size() - 1)))];
      };
      e.differences.push_back({"selected", others[c].name, parts_.data.target_is_categorical() ? "auc" : "gain",
                               measure_one(*at, by_part()) - measure(others[c], by_part()), quantile(0.025),
                               quantile(0.975)});
    }
  }

  /// Units drawn with replacement within their part and class.
  std::vector<std::vector<std::size_t>> resample(std::uint64_t b) const {
    base::RandomStream random(base::StreamKey(parts_.seed).with("bootstrap").with(b));
    std::vector<std::vector<std::size_t>> drawn;
    for (const auto& part : units_by_part()) {
      std::vector<const std::vector<std::size_t>*> classes[2];  // units, by the class of their first sample
      for (const std::size_t u : part) {
        const bool second = parts_.data.target_is_categorical() && positive(units_[u].front());
        classes[second ? 1 : 0].push_back(&units_[u]);
      }
      auto& taken = drawn.emplace_back();
      for (const auto& members : classes)
        for (std::size_t k = 0; k < members.size(); ++k) {
          const std::vector<std::size_t>& unit = *members[random.below(members.size())];
          taken.insert(taken.end(), unit.begin(), unit.end());
        }
    }
    return drawn;
  }

  const Parts& parts_;
  const std::vector<ScoredSet>& sets_;
  std::uint64_t bootstrap_;
  std::vector<std::vector<std::size_t>> units_;  ///< samples of each, in order of their first
};

}  // namespace

Evaluation summarise(const Parts& parts, const std::vector<ScoredSet>& sets, std::uint64_t bootstrap) {
  return Summary(parts, sets, bootstrap).run();
}

}  // namespace macmi::evaluate

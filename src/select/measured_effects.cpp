#include "select/measured_effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "macmi/error.hpp"

namespace macmi::select {
namespace {

constexpr std::size_t most_samples = 10000;    // more take long and change little
constexpr std::size_t least_samples = 50;      // fewer predict nothing
constexpr std::size_t samples_per_column = 5;  // of what is given

using Places = std::vector<std::size_t>;
using Rows = std::vector<std::size_t>;

std::size_t columns(const PreparedFeature& f) {
  return f.variable.numeric().size() + f.variable.categorical().size();
}

/// Densities of the target on one set of rows, given any features.
class RowsMeter {
 public:
  RowsMeter(const PreparedSamples& samples, const Rows& rows, std::uint64_t seed)
      : samples_(samples),
        rows_(rows),
        target_(samples.target.variable, rows),
        units_(samples.units_on(rows)),
        info_(target_.variable(), seed, units_) {}

  /// Takes the scales on which these features tell most, and gives the density given them.
  std::vector<double> choose_scales(const Places& features, std::size_t threads) {
    const Joined joined(*this, features);
    return info_.choose_scales(joined.variable, threads).log_density;
  }
  std::vector<double> log_density(const Places& features) const {
    const Joined joined(*this, features);
    return info_.log_density(joined.variable);
  }
  predict::Information mean_difference(const std::vector<double>& more, const std::vector<double>& fewer) const {
    return predict::mean_difference(more, fewer, units_);
  }
  bool target_varies() const { return varies(target_.variable()); }

 private:
  /// The features' columns on these rows, in the order of their contents.
  struct Joined {
    Joined(const RowsMeter& meter, Places features) {
      const auto& all = meter.samples_.features;
      std::sort(features.begin(), features.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(all[a].content, a) < std::pair(all[b].content, b);
      });
      copies.reserve(features.size());
      for (const std::size_t f : features) variable.add(copies.emplace_back(all[f].variable, meter.rows_).variable());
    }
    std::vector<RowCopy> copies;
    Variable variable;
  };
  const PreparedSamples& samples_;
  const Rows& rows_;
  RowCopy target_;
  std::vector<std::int32_t> units_;
  predict::PredictiveInformation info_;
};

class Measurement {
 public:
  Measurement(const PreparedSamples& samples, const EffectQuestions& questions) : samples_(samples), q_(questions) {}

  std::vector<MeasuredEffect> run() {
    std::vector<MeasuredEffect> all(q_.asked.size());
    // Features with the same missing values are asked on the same rows.
    std::map<Rows, Places> asked_on;  // places in q_.asked
    for (std::size_t a = 0; a < q_.asked.size(); ++a) asked_on[complete_with(q_.asked[a])].push_back(a);
    for (const auto& [rows, places] : asked_on) measure(rows, places, all);
    return all;
  }

 private:
  bool is_member(std::size_t feature) const {
    return std::find(q_.members.begin(), q_.members.end(), feature) != q_.members.end();
  }

  Rows complete_with(std::size_t feature) const {
    std::vector<const PreparedFeature*> needed{&samples_.target, &samples_.features[feature]};
    for (const std::size_t m : q_.members) needed.push_back(&samples_.features[m]);
    std::erase_if(needed, [](const PreparedFeature* f) { return f->complete.empty(); });
    Rows rows;
    for (std::size_t i = 0; i < samples_.samples; ++i)
      if (std::all_of(needed.begin(), needed.end(), [&](const PreparedFeature* f) { return f->complete[i]; }))
        rows.push_back(i);
    return thinned(std::move(rows), most_samples, q_.seed);
  }

  /// Maps of different folds have nothing in common: each is measured by itself, and the mean taken.
  void measure(const Rows& rows, const Places& places, std::vector<MeasuredEffect>& all) const {
    std::map<std::int32_t, Rows> folds;
    for (const std::size_t i : rows) folds[samples_.folds.empty() ? 0 : samples_.folds[i]].push_back(i);
    std::vector<predict::Information> given(places.size(), {0, 0}), alone = given;
    for (const auto& [fold, part] : folds) {
      const double share = static_cast<double>(part.size()) / static_cast<double>(rows.size());
      const std::vector<MeasuredEffect> here = on_rows(part, places);
      for (std::size_t p = 0; p < places.size(); ++p) {
        add(here[p].given_members, share, given[p]);
        add(here[p].alone, share, alone[p]);
        all[places[p]].remark = here[p].remark;
      }
    }
    for (std::size_t p = 0; p < places.size(); ++p) {
      all[places[p]].given_members = {given[p].nats, std::sqrt(given[p].error)};
      all[places[p]].alone = {alone[p].nats, std::sqrt(alone[p].error)};
    }
  }

  static void add(const predict::Information& part, double share, predict::Information& sum) {
    sum.nats += share * part.nats;
    sum.error += share * share * part.error * part.error;
  }

  std::vector<MeasuredEffect> on_rows(const Rows& rows, const Places& places) const {
    std::vector<MeasuredEffect> result(places.size());
    RowsMeter meter(samples_, rows, q_.seed);
    if (rows.size() < least_samples || !meter.target_varies()) {
      for (MeasuredEffect& r : result) r.remark = fmt::format("too few samples to measure it ({})", rows.size());
      return result;
    }
    std::map<Places, std::vector<double>> density;  // of the target given these features
    density[{}];
    density[q_.members] = meter.choose_scales(q_.members, q_.threads);
    std::vector<std::pair<Places, Places>> compared(places.size());  // with it, without it
    for (std::size_t p = 0; p < places.size(); ++p) {
      const std::size_t feature = q_.asked[places[p]];
      density[{feature}];
      Places without = q_.members, with = q_.members;
      is_member(feature) ? static_cast<void>(std::erase(without, feature)) : with.push_back(feature);
      std::size_t given = 0;
      for (const std::size_t f : without) given += columns(samples_.features[f]);
      if (given * samples_per_column > rows.size()) {
        result[p].remark =
            fmt::format("the other selected features have {} columns: too many for {} samples to tell what it adds",
                        given, rows.size());
        continue;
      }
      density[with], density[without];
      compared[p] = {with, without};
    }
    std::vector<std::pair<const Places*, std::vector<double>*>> tasks;
    for (auto& [features, values] : density)
      if (values.empty()) tasks.emplace_back(&features, &values);
    base::parallel_for(tasks.size(), 1, q_.threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t t = begin; t < end; ++t) {
        if (q_.cancelled && q_.cancelled()) throw Cancelled();
        *tasks[t].second = meter.log_density(*tasks[t].first);
      }
    });
    for (std::size_t p = 0; p < places.size(); ++p) {
      result[p].alone = meter.mean_difference(density[{q_.asked[places[p]]}], density[{}]);
      if (!result[p].remark.empty()) continue;
      result[p].given_members = meter.mean_difference(density[compared[p].first], density[compared[p].second]);
    }
    return result;
  }

  const PreparedSamples& samples_;
  const EffectQuestions& q_;
};

}  // namespace

std::vector<std::size_t> thinned(std::vector<std::size_t> rows, std::size_t most, std::uint64_t seed) {
  if (rows.size() <= most) return rows;
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (const std::size_t i : rows) order.emplace_back(base::StreamKey(seed).with("rows").with(i).value(), i);
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end());
  rows.clear();
  for (std::size_t r = 0; r < most; ++r) rows.push_back(order[r].second);
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<MeasuredEffect> measure_effects(const PreparedSamples& samples, const EffectQuestions& questions) {
  return Measurement(samples, questions).run();
}

}  // namespace macmi::select

#include "select/second_pass.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>

#include "base/parallel.hpp"
#include "macmi/error.hpp"
#include "select/measured_effects.hpp"

namespace macmi::select {
namespace {

using Places = std::vector<std::size_t>;  // of features in the data set

/// True for a feature that was searched by itself: copies and features of --never have no numbers of their own.
bool searched(const FeatureVerdict& f) {
  return f.same_as.empty() && f.reason != Reason::forbidden && f.reason != Reason::not_reached;
}

double marginal_effect(const FeatureVerdict& f) {
  return f.marginal && !std::isnan(f.marginal->effect) ? f.marginal->effect : -1;
}

/// Members, and of the others those that tell most alone.
std::vector<FeatureVerdict*> to_be_measured(Blanket& blanket) {
  std::vector<FeatureVerdict*> members, others;
  for (FeatureVerdict& f : blanket.features)
    if (searched(f)) (f.role == Role::excluded ? others : members).push_back(&f);
  std::stable_sort(others.begin(), others.end(), [](const FeatureVerdict* a, const FeatureVerdict* b) {
    return marginal_effect(*a) > marginal_effect(*b);
  });
  if (others.size() > excluded_measured) others.resize(excluded_measured);
  members.insert(members.end(), others.begin(), others.end());
  return members;
}

/// The p-value of a feature given the members as far as the search knows it; for those that are not measured.
double search_p(const FeatureVerdict& f) {
  if (f.deciding) return resolved_p(f.deciding->result);
  return f.marginal ? resolved_p(*f.marginal) : std::nan("");
}

void add_q_values(Blanket& blanket) {
  std::vector<FeatureVerdict*> asked;
  std::vector<double> p_values;
  for (FeatureVerdict& f : blanket.features) {
    if (!searched(f)) continue;
    asked.push_back(&f);
    p_values.push_back(f.measured ? f.measured->p_value : search_p(f));
  }
  const std::vector<double> q_values = adjusted_p_values(p_values);
  for (std::size_t a = 0; a < asked.size(); ++a)
    if (asked[a]->measured) asked[a]->measured->q_value = q_values[a];
}

}  // namespace

SelectOptions without_early_stops(SelectOptions resolved) {
  resolved.test.stop = StopRule::never;
  return resolved;
}

std::vector<double> adjusted_p_values(const std::vector<double>& p_values) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p_values.size(); ++i)
    if (!std::isnan(p_values[i])) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p_values[a] > p_values[b]; });
  std::vector<double> adjusted(p_values.size(), std::nan(""));
  double smallest = 1;
  for (std::size_t r = 0; r < order.size(); ++r) {
    const auto rank = static_cast<double>(order.size() - r);
    smallest = std::min(smallest, p_values[order[r]] * static_cast<double>(order.size()) / rank);
    adjusted[order[r]] = smallest;
  }
  return adjusted;
}

void measure_selection(Selection& selection, const TestedSamples& samples, const SecondPass& pass) {
  const std::vector<FeatureVerdict*> measured = to_be_measured(selection.blanket);
  EffectQuestions questions{{}, {}, selection.seed, pass.threads, pass.cancelled};
  std::map<std::string, std::size_t> place;
  const std::vector<std::string> names = samples.data.feature_names();
  for (std::size_t f = 0; f < names.size(); ++f) place[names[f]] = f;
  std::vector<std::string> members;
  for (const FeatureVerdict& f : selection.blanket.features)
    if (f.role != Role::excluded && f.same_as.empty()) members.push_back(f.name);
  for (const std::string& name : members) questions.members.push_back(place.at(name));
  for (const FeatureVerdict* f : measured) questions.asked.push_back(place.at(f->name));

  std::mutex one_at_a_time;
  std::size_t finished = 0;
  bool stopped = false;
  const auto keep_going = [&](const std::string& feature, std::size_t more) {
    const std::lock_guard lock(one_at_a_time);
    finished += more;
    const std::size_t before = selection.blanket.tests;
    SearchProgress now{"evidence of the result", before + finished, before + measured.size(), before + measured.size(),
                       members.size()};
    now.feature = feature;
    stopped = stopped || (pass.on_progress && !pass.on_progress(now));
    if (stopped) throw Cancelled();
  };
  base::parallel_for(measured.size(), 1, pass.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t m = begin; m < end; ++m) {
      FeatureVerdict& f = *measured[m];
      keep_going(f.name, 0);
      MeasuredFeature found;
      Places given;
      for (const std::string& name : members)
        if (name != f.name) found.given.push_back(name), given.push_back(place.at(name));
      // The permutations that the search drew for the same question are not drawn again.
      const bool asked_before = f.deciding && f.deciding->given == found.given;
      found.test = asked_before ? pass.test.test_again(place.at(f.name), given, f.deciding->result)
                                : pass.test.test(place.at(f.name), given);
      found.p_value = resolved_p(found.test);
      f.measured = std::move(found);
      keep_going(f.name, 1);
    }
  });
  add_q_values(selection.blanket);
  const std::vector<MeasuredEffect> effects =
      measure_effects(prepare_samples(samples.data, false, samples.folds), questions);
  for (std::size_t m = 0; m < measured.size(); ++m) {
    MeasuredFeature& found = *measured[m]->measured;
    found.effect = effects[m].given_members.nats, found.effect_error = effects[m].given_members.error;
    found.alone = effects[m].alone.nats, found.alone_error = effects[m].alone.error;
    found.remark = effects[m].remark;
  }
}

}  // namespace macmi::select

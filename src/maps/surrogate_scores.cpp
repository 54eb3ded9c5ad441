#include "maps/surrogate_scores.hpp"

#include <algorithm>
#include <cmath>

#include "base/vector/elementary.hpp"
#include "maps/network/surrogate_network.hpp"

namespace macmi {
namespace {

constexpr std::size_t rows_at_once = 256;
constexpr std::size_t most_remembered = std::size_t{1} << 24;  // numbers: 64 MB

}  // namespace

std::vector<float> SurrogateScores::predict(const Mask& kept) const {
  std::vector<float> result(s_.samples);
  maps::MaskRows masks;
  masks.add(0, kept);
  for (std::size_t j = 0; j < s_.models.size(); ++j) {
    std::vector<maps::SurrogateRow> rows;
    for (std::uint32_t i = 0; i < s_.samples; ++i)
      if (s_.model[i] == static_cast<std::int32_t>(j)) rows.push_back({0, i});
    if (kept.empty()) {
      for (const maps::SurrogateRow& row : rows) result[row.sample] = s_.models[j].marginal[0];
      continue;
    }
    maps::SurrogateNetwork network(s_.first_column, s_.width, s_.predictions, s_.activation);
    network.load(s_.models[j].parameters.data());
    for (std::size_t begin = 0; begin < rows.size(); begin += rows_at_once) {
      const auto part =
          std::span<const maps::SurrogateRow>(rows).subspan(begin, std::min(rows_at_once, rows.size() - begin));
      network.forward(part, masks, s_.maps.data());
      for (std::size_t r = 0; r < part.size(); ++r) result[part[r].sample] = network.out(r)[0];
    }
  }
  return result;
}

std::shared_ptr<const std::vector<float>> SurrogateScores::predicted(const Mask& kept) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(kept); found != known_.end()) return found->second;
  }
  auto made = std::make_shared<const std::vector<float>>(predict(kept));
  const std::lock_guard lock(mutex_);
  if ((known_.size() + 1) * s_.samples > most_remembered) known_.clear();
  return known_.emplace(kept, std::move(made)).first->second;
}

SurrogateScores::Mask SurrogateScores::mask_of(std::span<const std::size_t> features) const {
  Mask mask;
  for (const std::size_t f : features)
    if (s_.place[f] >= 0) mask.push_back(static_cast<std::uint32_t>(s_.place[f]));
  std::sort(mask.begin(), mask.end());
  mask.erase(std::unique(mask.begin(), mask.end()), mask.end());
  return mask;
}

double SurrogateScores::gain(std::span<const std::size_t> given, std::span<const std::int32_t> classes) const {
  const auto after = predicted(mask_of(given)), before = predicted({});
  const auto log_likelihood = [](double logit, bool second) {
    return -base::exact_log(1 + base::exact_exp(second ? -logit : logit));
  };
  double sum = 0;
  for (std::size_t i = 0; i < s_.samples; ++i)
    sum += log_likelihood((*after)[i], classes[i] == 1) - log_likelihood((*before)[i], classes[i] == 1);
  return sum / static_cast<double>(s_.samples);
}

std::vector<double> SurrogateScores::score(std::size_t x, std::span<const std::size_t> given) const {
  if (given.size() + 1 > s_.most_kept) return {};
  std::vector<std::size_t> all(given.begin(), given.end());
  all.push_back(x);
  const auto after = predicted(mask_of(all)), before = predicted(mask_of(given));
  std::vector<double> difference(s_.samples);
  for (std::size_t i = 0; i < s_.samples; ++i)
    difference[i] = static_cast<double>((*after)[i]) - static_cast<double>((*before)[i]);
  return difference;
}

}  // namespace macmi

namespace macmi::maps {

SurrogateSamples SurrogateSamples::on(std::span<const std::size_t> rows) const {
  SurrogateSamples part = *this;
  part.samples = rows.size();
  part.model.clear();
  part.maps.clear();
  for (const std::size_t i : rows) {
    part.model.push_back(model[i]);
    const auto begin = maps.begin() + static_cast<std::ptrdiff_t>(i * columns());
    part.maps.insert(part.maps.end(), begin, begin + static_cast<std::ptrdiff_t>(columns()));
  }
  return part;
}

}  // namespace macmi::maps

#include "select/surrogate_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace macmi::select {
namespace {

constexpr double clear = 4;          // standard errors; several questions are asked of one surrogate
constexpr double least_nats = 0.01;  // of a disagreement worth a remark

/// Where the surrogate and the k-NN test contradict each other, in words; empty where they do not.
std::string disagreement(const CiResult& r, double alpha) {
  if (std::isnan(r.gain) || std::isnan(r.p_value)) return {};
  const bool dependent = r.p_value <= alpha;
  if (!dependent && r.gain > clear * r.gain_error && r.gain > least_nats)
    return fmt::format(
        "the surrogate predicts new samples better with it, by {:.3f} nats (standard error {:.3f}), where the test "
        "sees no dependence: more samples may decide",
        r.gain, r.gain_error);
  if (dependent && r.effect > least_nats && r.gain + clear * r.gain_error < r.effect / 2)
    return fmt::format(
        "the test sees {:.3f} nats and the surrogate gains only {:.3f} on new samples (standard error {:.3f}): "
        "one surrogate that all sets share may not fit this dependence",
        r.effect, r.gain, r.gain_error);
  return {};
}

/// Samples in a picture: enough to see its shape.
constexpr std::size_t samples_in_picture = 600;

/// Where the maps of the selected features send the samples. With folds, of the first one: others have maps of their
/// own.
std::vector<MapPicture> pictures(const Selection& selection, const LearnedMaps& maps) {
  const Dataset& mapped = maps.mapped();
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < mapped.samples(); ++i)
    if (maps.folds().empty() || maps.folds()[i] == 0) rows.push_back(i);
  const std::size_t step = std::max<std::size_t>(1, rows.size() / samples_in_picture);
  std::vector<std::size_t> shown;
  for (std::size_t r = 0; r < rows.size(); r += step) shown.push_back(rows[r]);
  const auto values = [&](const DataColumn& column) {
    std::vector<double> taken;
    for (const std::size_t i : shown) taken.push_back(column.values.empty() ? column.codes[i] : column.values[i]);
    return taken;
  };
  std::vector<MapPicture> all;
  std::vector<std::size_t> features;
  for (const FeatureVerdict& verdict : selection.blanket.features) {
    const Feature& feature = mapped.features[mapped.feature_index(verdict.name)];
    const auto is_this = [&](const MapSummary& m) { return m.name == verdict.name && m.encoder != "as it is"; };
    if (verdict.role == Role::excluded || !std::any_of(selection.maps.begin(), selection.maps.end(), is_this)) continue;
    MapPicture picture{verdict.name, {}, values(mapped.target.columns.front()), {}, {}};
    if (mapped.target_is_categorical()) picture.classes = mapped.classes();
    for (const DataColumn& column : feature.columns) picture.coordinates.push_back(values(column));
    all.push_back(std::move(picture));
    features.push_back(mapped.feature_index(verdict.name));
  }
  const auto surfaces = maps.surfaces(features);
  for (std::size_t p = 0; p < all.size(); ++p) all[p].surface = surfaces[p];
  return all;
}

}  // namespace

void add_maps(Selection& selection, const LearnedMaps& maps, const Dataset& data) {
  std::vector<GainQuestion> questions;
  std::vector<CiResult*> places;
  const auto ask = [&](const std::string& feature, const std::vector<std::string>& given, CiResult& result) {
    GainQuestion question{data.feature_index(feature), {}};
    for (const std::string& name : given) question.given.push_back(data.feature_index(name));
    questions.push_back(std::move(question));
    places.push_back(&result);
  };
  for (FeatureVerdict& verdict : selection.blanket.features) {
    if (verdict.marginal) ask(verdict.name, {}, *verdict.marginal);
    // Given several features the surrogate is not calibrated: it is trained mostly on single ones (docs/maps.md).
    if (verdict.deciding && verdict.deciding->given.empty()) ask(verdict.name, {}, verdict.deciding->result);
  }
  const std::vector<LikelihoodGain> gains = maps.gains(questions);
  for (std::size_t q = 0; q < gains.size(); ++q) {
    places[q]->gain = gains[q].gain;
    places[q]->gain_error = gains[q].error;
    if (std::string remark = disagreement(*places[q], selection.alpha); !remark.empty())
      places[q]->notes.push_back(std::move(remark));
  }
  selection.maps = maps.features();
  std::sort(selection.maps.begin(), selection.maps.end(),
            [](const MapSummary& a, const MapSummary& b) { return a.name < b.name; });
  selection.folds = maps.folds().empty()
                        ? 1
                        : static_cast<std::uint64_t>(1 + *std::max_element(maps.folds().begin(), maps.folds().end()));
  selection.validation_gain = maps.validation_gain();
  selection.training_gain = maps.training_gain();
  selection.map_pictures = pictures(selection, maps);
  selection.training = maps.curves();
  for (const std::string& note : maps.notes()) selection.blanket.notes.push_back(note);
  for (FeatureVerdict& verdict : selection.blanket.features) {
    const auto summary = std::find_if(selection.maps.begin(), selection.maps.end(),
                                      [&](const MapSummary& m) { return m.name == verdict.name; });
    if (summary == selection.maps.end() || !summary->found_nothing) continue;
    for (CiResult* result :
         {verdict.marginal ? &*verdict.marginal : nullptr, verdict.deciding ? &verdict.deciding->result : nullptr})
      if (result != nullptr) result->notes = {"its feature map found nothing about the target, alone or beside others"};
  }
}

}  // namespace macmi::select

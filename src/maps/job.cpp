#include "maps/job.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "data/mapped_file.hpp"
#include "macmi/error.hpp"
#include "maps/evaluate.hpp"
#include "maps/mine.hpp"
#include "maps/processes.hpp"
#include "maps/tournament.hpp"
#include "maps/trainer.hpp"

namespace macmi {
namespace {

std::span<const float> floats_of(const at::Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

at::Tensor parameters_of(const ArrayFile& job, const std::string& name, const Network& network) {
  const auto values = job.floats(name);
  if (values.size() != parameter_count(network.architecture()))
    job.refuse(fmt::format("'{}' belongs to another network", name));
  at::Tensor copy = at::empty({static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), copy.data_ptr<float>());
  return copy;
}

void map_job(const ArrayFile& job, const Network& network, const TrainingData& data, const std::string& folder) {
  const at::Tensor maps =
      map_samples(network, parameters_of(job, "parameters", network), data, at::arange(data.samples));
  ArrayFileWriter out;
  out.put("maps", floats_of(maps));
  out.write(folder + "/result");
}

void gains_job(const ArrayFile& job, const Network& network, const TrainingData& data, const std::string& folder) {
  const std::size_t m = network.architecture().features.size();
  const auto with = job.bytes("with"), without = job.bytes("without");
  const std::size_t queries = with.size() / m;
  if (with.size() != queries * m || without.size() != with.size())
    job.refuse("'with' and 'without' do not fit the features");
  const auto models = static_cast<std::size_t>(job.integer("models", 1, 1000));
  std::vector<double> mean(queries), error(queries), samples(queries);
  for (std::size_t j = 0; j < models; ++j) {
    const at::Tensor parameters = parameters_of(job, fmt::format("parameters{}", j), network);
    const auto marginal_values = job.floats(fmt::format("marginal{}", j));
    const at::Tensor marginal = at::empty({1, static_cast<std::int64_t>(marginal_values.size())});
    std::copy(marginal_values.begin(), marginal_values.end(), marginal.data_ptr<float>());
    const at::Tensor rows = as_tensor(job.ints(fmt::format("held{}", j)));
    const at::Tensor maps = map_samples(network, parameters, data, rows);
    for (std::size_t q = 0; q < queries; ++q) {
      const auto slice = [&](std::span<const std::uint8_t> all) {
        return std::vector<std::uint8_t>(all.begin() + static_cast<std::ptrdiff_t>(q * m),
                                         all.begin() + static_cast<std::ptrdiff_t>((q + 1) * m));
      };
      const Gain gain = likelihood_gain(network, parameters, marginal, data, rows, maps, {slice(with), slice(without)});
      if (gain.samples < 2) continue;
      const auto n = static_cast<double>(gain.samples);  // models hold out different samples: pool them
      mean[q] += n * gain.mean;
      error[q] += n * n * gain.error * gain.error;
      samples[q] += n;
    }
  }
  for (std::size_t q = 0; q < queries; ++q) {
    mean[q] = samples[q] > 0 ? mean[q] / samples[q] : std::nan("");
    error[q] = samples[q] > 0 ? std::sqrt(error[q]) / samples[q] : std::nan("");
  }
  ArrayFileWriter out;
  out.put("gain", std::span<const double>(mean));
  out.put("error", std::span<const double>(error));
  out.write(folder + "/result");
}

void surfaces_job(const ArrayFile& job, const Network& network, const std::string& folder) {
  const auto places = job.longs("places");
  const auto corners = job.doubles("corners");
  const auto& features = network.architecture().features;
  if (corners.size() != 4 * places.size()) job.refuse("'corners' do not fit 'places'");
  const at::Tensor parameters = parameters_of(job, "parameters", network);
  const std::int64_t cells = job.integer("cells", 2, 1000);
  std::vector<at::Tensor> means;
  ArrayFileWriter out;
  for (std::size_t q = 0; q < places.size(); ++q) {
    const auto place = static_cast<std::size_t>(places[q]);
    if (place >= features.size() || features[place].outputs != 2) job.refuse("'places' names no map of two numbers");
    means.push_back(surrogate_surface(network, parameters, places[q], corners.subspan(4 * q).first<4>(), cells));
    out.put(fmt::format("mean{}", q), floats_of(means.back()));
  }
  out.write(folder + "/result");
}

/// One training under a growing l1 penalty: after every epoch its penalty, the validation likelihood and the scales.
void l1_path_job(const ArrayFile& job, const Network& network, const TrainingData& data, const JobContext& context) {
  const Recipe recipe = get_recipe(job);
  const Trainer trainer(network, data, recipe, as_tensor(job.ints("train0")), as_tensor(job.ints("valid0")),
                        StreamKey(recipe.seed).with("l1 path"));
  TrainingState state = trainer.start();
  std::vector<double> path;
  for (std::int64_t epoch = 1; epoch <= static_cast<std::int64_t>(recipe.epochs) && !state.diverged; ++epoch) {
    trainer.advance(state, epoch);
    context.say(fmt::format("progress 0 0 {} {} {} {}", epoch, recipe.epochs, state.objective, state.validation));
    path.push_back(trainer.penalty(static_cast<double>(epoch) / static_cast<double>(recipe.epochs)));
    path.push_back(state.validation);
    for (std::size_t f = 0; f < network.architecture().features.size(); ++f)
      path.push_back(state.parameters.data_ptr<float>()[f]);
  }
  ArrayFileWriter out;
  out.put("path", std::span<const double>(path));
  out.write(context.folder + "/result");
}

at::Tensor matrix_of(const ArrayFile& job, const std::string& name) {
  const auto values = job.floats(name);
  const auto& shape = job.shape(name);
  if (shape.size() != 2 || values.empty()) job.refuse(fmt::format("'{}' is no matrix", name));
  at::Tensor copy = at::empty({static_cast<std::int64_t>(shape[0]), static_cast<std::int64_t>(shape[1])});
  std::copy(values.begin(), values.end(), copy.data_ptr<float>());
  return copy;
}

void mine_job(const ArrayFile& job, const std::string& folder) {
  const MineRecipe recipe{job.integer("width", 1, 100000), job.integer("steps", 1, 100000000),
                          job.integer("batch", 2, 100000000), job.number("learning_rate"), job.number("average_rate")};
  const StreamKey key = StreamKey(static_cast<std::uint64_t>(job.integer("seed"))).with("mine");
  ArrayFileWriter out;
  out.put_number("information", mine_bound(matrix_of(job, "x"), matrix_of(job, "y"), recipe, key));
  out.write(folder + "/result");
}

}  // namespace

void run_job(const ArrayFile& job, const JobContext& context) {
  at::set_num_threads(1);
  const std::string kind = job.text("kind");
  if (kind == "mine") return mine_job(job, context.folder);
  const Network network(get_architecture(job));
  const TrainingData data = get_training_data(job, network.architecture());
  if (kind == "train" && context.only) return run_training(job, network, data, context, *context.only);
  if (kind == "train") return run_tournament(job, network, data, context);
  if (kind == "map") return map_job(job, network, data, context.folder);
  if (kind == "gains") return gains_job(job, network, data, context.folder);
  if (kind == "surfaces") return surfaces_job(job, network, context.folder);
  if (kind == "l1 path" && network.architecture().scaled) return l1_path_job(job, network, data, context);
  job.refuse(fmt::format("the order '{}' is not known", kind));
}

}  // namespace macmi

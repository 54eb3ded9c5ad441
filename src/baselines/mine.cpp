// MINE's side of the program: the samples go to macmi-maps, the estimate comes back.
#include "baselines/points.hpp"
#include "data/mapped_file.hpp"
#include "learn/array_file.hpp"
#include "learn/worker_process.hpp"
#include "macmi/baselines.hpp"
#include "macmi/error.hpp"

namespace macmi {
namespace {

constexpr std::size_t least_samples = 60;

std::vector<float> floats_of(const Points& points) {
  return {points.values.begin(), points.values.end()};
}

}  // namespace

double mine(const Variable& x, const Variable& y, const MineOptions& options, const std::function<bool()>& keep_going) {
  check_samples("mine", x, y, {}, {}, least_samples);
  const Points xs = standardised_points(x), ys = standardised_points(y);
  if (xs.d == 0 || ys.d == 0) return 0;
  const std::vector<float> x_values = floats_of(xs), y_values = floats_of(ys);
  ArrayFileWriter job;
  job.put_text("kind", "mine");
  job.put("x", std::span<const float>(x_values), {xs.n, xs.d});
  job.put("y", std::span<const float>(y_values), {ys.n, ys.d});
  job.put_integer("width", static_cast<std::int64_t>(options.width));
  job.put_integer("steps", static_cast<std::int64_t>(options.steps));
  job.put_integer("batch", static_cast<std::int64_t>(options.batch));
  job.put_integer("seed", static_cast<std::int64_t>(options.seed));
  job.put_number("learning_rate", options.learning_rate);
  job.put_number("average_rate", options.average_rate);
  const ScratchFolder folder;
  job.write(folder.path() + "/job");
  run_worker(
      folder.path() + "/job", folder.path(), 1, [](const std::string&) {}, [&] { return !keep_going || keep_going(); });
  const MappedFile file(folder.path() + "/result");
  return ArrayFile::parse(file.bytes(), folder.path() + "/result").number("information");
}

}  // namespace macmi

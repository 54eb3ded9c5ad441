// One epoch of the drives-sized training: 36 series × 90 steps × 10,000 units in batches of 256 through a GRU of two
// layers of 16 states, forward, backward and a step of plain gradient descent. The fused kernel against the same model
// in LibTorch's own operations, in one run, on one thread, every variant in a process of its own; CPU time.
//   gru_time [REPORT.md]          all variants; fails below 4 times the speed or above 2 GB
//   gru_time --only VARIANT STEPS   one variant: prints CPU seconds per step
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "base/simd.hpp"
#include "maps/gru.hpp"

namespace {

constexpr std::int64_t series = 36, steps = 90, units = 10000, states = 16, layers = 2, batch = 256;
constexpr std::int64_t steps_per_epoch = (units + batch - 1) / batch;

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// 36 calls of LibTorch's own GRU, one per series.
at::Tensor gru_per_series(const at::Tensor& x, const std::vector<macmi::GruLayer>& model) {
  std::vector<at::Tensor> last;
  for (std::int64_t f = 0; f < series; ++f) {
    std::vector<at::Tensor> parameters;
    for (const macmi::GruLayer& layer : model)
      parameters.insert(parameters.end(), {layer.from_input[f].t(), layer.from_state[f].t(), layer.input_bias[f][0],
                                           layer.state_bias[f][0]});
    last.push_back(std::get<1>(at::gru(x[f], at::zeros({layers, x.size(1), states}), parameters, true, layers, 0.0,
                                       true, false, true))[layers - 1]);
  }
  return at::stack(last);
}

at::Tensor last_state(const std::string& variant, const at::Tensor& x, const std::vector<macmi::GruLayer>& model) {
  if (variant == "fused") return macmi::gru_last_state(x, {}, model);
  if (variant == "grouped") return macmi::plain_gru_last_state(x, {}, model);
  return gru_per_series(x, model);
}

/// CPU seconds per training step, whole batches, after one step to warm up.
double seconds_per_step(const std::string& variant, int count) {
  at::set_num_threads(1);
  at::Generator random = at::detail::createCPUGenerator(1);
  const at::Tensor data = at::randn({series, units, steps, 1}, random);
  const at::Tensor target = at::randn({series, units, states}, random);
  std::vector<macmi::GruLayer> model;
  std::vector<at::Tensor> parameters;
  for (std::int64_t l = 0; l < layers; ++l) {
    const auto weights = [&](std::int64_t rows) {
      parameters.push_back((at::rand({series, rows, 3 * states}, random) - 0.5).mul_(0.5).requires_grad_(true));
      return parameters.back();
    };
    macmi::GruLayer layer;
    layer.from_input = weights(l == 0 ? 1 : states);
    layer.from_state = weights(states);
    layer.input_bias = weights(1);
    layer.state_bias = weights(1);
    model.push_back(layer);
  }
  const at::Tensor order = at::randperm(units, random, at::kLong);
  double start = 0;
  for (int s = -1; s < count; ++s) {
    if (s == 0) start = cpu_seconds();
    const at::Tensor rows = order.narrow(0, (s + 1) % (units / batch) * batch, batch);
    const at::Tensor last = last_state(variant, data.index_select(1, rows), model);
    const at::Tensor loss = (last - target.index_select(1, rows)).pow(2).mean();
    const std::vector<at::Tensor> gradients = torch::autograd::grad({loss}, parameters);
    at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].sub_(gradients[i], 0.1);
  }
  return (cpu_seconds() - start) / count;
}

struct Cost {
  double seconds = 0;    ///< per step
  double megabytes = 0;  ///< peak of the process, LibTorch and the whole data set included
};

/// Runs one variant in a process of its own, with the BLAS settings that the environment must hold before it loads.
Cost measure(const std::string& variant, int count) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    const bool wide = macmi::simd_targets().front().starts_with("AVX3");
    ::setenv("OPENBLAS_CORETYPE", wide ? "SkylakeX" : "Haswell", 1);
    ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
    ::setenv("OMP_NUM_THREADS", "1", 1);
    ::execl("/proc/self/exe", "gru_time", "--only", variant.c_str(), std::to_string(count).c_str(), nullptr);
    ::_exit(1);
  }
  ::close(ends[1]);
  std::FILE* answer = ::fdopen(ends[0], "r");
  Cost cost;
  const bool read = std::fscanf(answer, "%lf", &cost.seconds) == 1;
  std::fclose(answer);
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  if (status != 0 || !read) std::abort();
  cost.megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
  return cost;
}

/// The least time of two runs, the larger memory.
Cost measure_twice(const std::string& variant, int count) {
  const Cost a = measure(variant, count), b = measure(variant, count);
  return {std::min(a.seconds, b.seconds), std::max(a.megabytes, b.megabytes)};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "--only") {
    fmt::print("{}\n", seconds_per_step(argv[2], std::atoi(argv[3])));
    return 0;
  }
  const Cost fused = measure_twice("fused", 20);
  const Cost grouped = measure_twice("grouped", 8), modules = measure_twice("modules", 4);
  std::string report = fmt::format(
      "# GRU training\n\nWritten by `make bench` (bench/gru_time.cpp): {} series × {} steps × {} units, {} layers of "
      "{} "
      "states, batches of {}:\nforward, backward and a gradient step, single precision, one thread, {}; OpenBLAS told "
      "the "
      "CPU's kernels. CPU seconds\nper epoch of {} batches (the least of two runs of 4 to 20 batches each), peak "
      "memory of "
      "the process with LibTorch and the\nwhole data set ({:.0f} MB) in it.\n\n"
      "| what | CPU s per batch | CPU s per epoch | ratio to fused | peak MB |\n|---|---|---|---|---|\n",
      series, steps, units, layers, states, batch, macmi::simd_targets().front(), steps_per_epoch,
      static_cast<double>(series * steps * units * 4) / 1048576);
  const auto line = [&](const char* what, const Cost& cost) {
    report +=
        fmt::format("| {} | {:.3f} | {:.1f} | {:.2f} | {:.0f} |\n", what, cost.seconds,
                    cost.seconds * static_cast<double>(steps_per_epoch), cost.seconds / fused.seconds, cost.megabytes);
  };
  line("macmi, fused", fused);
  line("LibTorch operations, all series in one grouped product per step", grouped);
  line("LibTorch's own `gru`, once per series", modules);
  fmt::print("{}", report);
  if (argc > 1) {
    std::FILE* file = std::fopen(argv[1], "w");
    if (!file) return 1;
    fmt::print(file, "{}", report);
    std::fclose(file);
  }
  const double ratio = std::min(grouped.seconds, modules.seconds) / fused.seconds;
  if (ratio < 4) fmt::print(stderr, "only {:.2f} times the speed of LibTorch's operations, 4 are asked for\n", ratio);
  if (fused.megabytes >= 2048) fmt::print(stderr, "{:.0f} MB of memory, 2048 are allowed\n", fused.megabytes);
  return ratio < 4 || fused.megabytes >= 2048 ? 1 : 0;
}

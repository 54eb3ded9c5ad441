// CPU seconds of learning the maps of the 3-D bullseye (n = 6000) with the defaults of macmi select, all restarts and
// the start of the process included. At most 15 are wanted.
//   maps_training
#include <fmt/format.h>
#include <sys/resource.h>

#include <numeric>

#include "experiments/bullseye.hpp"
#include "macmi/maps.hpp"

namespace {

double cpu_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

macmi::Dataset spheres(std::size_t n) {
  macmi::SimulatedTable made = macmi::bullseye3d(n, 0.3, macmi::BullseyeGraph::authors, 1);
  macmi::Dataset data;
  data.rows.resize(n);
  std::iota(data.rows.begin(), data.rows.end(), std::uint64_t{0});
  const auto add = [&](macmi::Feature& feature, std::size_t c) {
    macmi::DataColumn& column = feature.columns.emplace_back();
    column.name = made.names[c];
    column.values = made.columns[c];
  };
  data.features.resize(6);
  for (std::size_t c = 0; c < 18; ++c) {
    data.features[c / 3].name = made.names[c].substr(0, 2);
    data.features[c / 3].channels = 3;
    add(data.features[c / 3], c);
  }
  data.target.name = made.names[18];
  add(data.target, 18);
  return data;
}

}  // namespace

int main() {
  const macmi::Dataset data = spheres(6000);
  double total[2];
  for (const int regularised : {0, 1}) {
    macmi::MapsOptions options;
    options.folds = 1;
    options.lambda = regularised ? 0.1 : 0;
    const double before = cpu_of_children();
    macmi::learn_maps(data, options);
    total[regularised] = cpu_of_children() - before;
  }
  fmt::print("3-D bullseye, n = 6000: {:.1f} CPU seconds with the regulariser, {:.1f} without (ratio {:.1f})\n",
             total[1], total[0], total[1] / total[0]);
  return total[1] <= 15 ? 0 : 1;
}

// estimate_time DATA.npy K THREADS REPEATS: seconds of estimate_cmi with x = column 0, y = column 1, z = the others.
// Prints the median wall and CPU seconds and the value, for bench/estimate.py to compare with scipy in the same run.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "base/files/whole_file.hpp"
#include "data/arrays/npy.hpp"
#include "macmi/macmi.hpp"

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const macmi::data::NpyArray array = macmi::data::parse_npy(macmi::base::read_whole_file(argv[1]), argv[1]);
  const std::size_t width = array.shape.at(1);
  const macmi::Variable all = macmi::Variable::rows(array.values, width);
  macmi::Variable x, y, z;
  x.add(all.numeric()[0], all.samples());
  y.add(all.numeric()[1], all.samples());
  for (std::size_t c = 2; c < width; ++c) z.add(all.numeric()[c], all.samples());

  macmi::EstimateOptions options;
  options.k = std::atof(argv[2]);
  options.transform = macmi::Transform::none;
  options.threads = static_cast<std::uint64_t>(std::atoi(argv[3]));
  std::vector<double> wall, cpu;
  double value = 0;
  for (int repeat = 0; repeat < std::atoi(argv[4]); ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    value = macmi::cmi(x, y, z, options);
    cpu.push_back(static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC);
    wall.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(wall.begin(), wall.end());
  std::sort(cpu.begin(), cpu.end());
  std::printf("%.6f %.6f %.17g\n", wall[wall.size() / 2], cpu[cpu.size() / 2], value);
}

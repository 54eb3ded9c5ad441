// A project of somebody else's: independent data has no information, a copy has plenty.
#include <cmath>
#include <cstdio>
#include <macmi/macmi.hpp>
#include <vector>

int main() {
  std::vector<double> x, y;
  for (int i = 0; i < 500; ++i) {
    x.push_back(std::sin(12.9898 * i));
    y.push_back(std::sin(78.233 * i + 1));
  }
  const double independent = macmi::mutual_information(x, y), copied = macmi::mutual_information(x, x);
  std::printf("independent %.3f, copied %.3f nats (macmi %s)\n", independent, copied, macmi::version());
  macmi::DataOptions options;
  options.query = "SELECT i AS a, i * i AS b FROM range(10) t(i)";  // needs the DuckDB that was installed with macmi
  const macmi::Dataset data = macmi::read_dataset(options);
  return independent < 0.5 && copied > 2 && data.samples() == 10 ? 0 : 1;
}

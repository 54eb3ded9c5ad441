#include "citest/neighbourhood_rows.hpp"

#include "citest/engines/spatial_order.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {
namespace {

constexpr std::size_t rows_for_a_centre = 8;

template <class T>
std::vector<T> between(const std::vector<T>& values, std::size_t begin, std::size_t end) {
  if (values.empty()) return {};
  return {values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + static_cast<std::ptrdiff_t>(end)};
}

knn::Block between(const knn::Block& block, std::size_t begin, std::size_t end) {
  knn::Block result;
  for (const auto& column : block.columns) result.columns.push_back(between(column, begin, end));
  result.category = between(block.category, begin, end);
  return result;
}

}  // namespace

std::size_t neighbourhood_rows(std::size_t n, std::size_t centres) {
  return centres == 0 || n <= centres * rows_for_a_centre ? n : centres * rows_for_a_centre;
}

estimation::PreparedSample with_rows_first(estimation::PreparedSample prepared, std::size_t count,
                                           const base::StreamKey& stream) {
  const std::size_t n = prepared.sample.n;
  if (count == n) return prepared;
  const double step = static_cast<double>(n) / static_cast<double>(count);
  const double start = base::RandomStream(stream.with("rows")).uniform();
  std::vector<std::uint32_t> order, others;
  std::uint32_t next = 0;
  for (std::size_t c = 0; c < count; ++c) {
    const auto row = static_cast<std::uint32_t>((static_cast<double>(c) + start) * step);
    for (; next < row; ++next) others.push_back(next);
    order.push_back(row);
    next = row + 1;
  }
  for (; next < n; ++next) others.push_back(next);
  order.insert(order.end(), others.begin(), others.end());
  return in_order(std::move(prepared), order);
}

knn::JointSample samples_between(const knn::JointSample& sample, std::size_t begin, std::size_t end) {
  return {end - begin, between(sample.x, begin, end), between(sample.y, begin, end), between(sample.z, begin, end)};
}

}  // namespace macmi::citest

namespace macmi {

StopRule used_stop(const TestOptions& options, std::size_t n) {
  if (options.stop != StopRule::automatic) return options.stop;
  return options.centres > 0 && n > options.centres ? StopRule::fast : StopRule::exact;
}

}  // namespace macmi

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "data/columns/number_text.hpp"
#include "data/samples/samples.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

constexpr double most_rows = 1e8;

/// The weight of every row: whole numbers from 0 on.
std::vector<double> whole_numbers(const TableColumn& weight, const std::string& source) {
  std::vector<double> weights;
  const auto refuse = [&](const std::string& what) {
    throw InputError(
        fmt::format("{}: --weight {} {} in row {}; a weight says how many equal rows the row stands for: give whole "
                    "numbers from 0 on",
                    source, weight.name, what, weights.size() + 1));
  };
  const std::size_t rows = weight.is_text() ? weight.codes.size() : weight.values.size();
  for (std::size_t r = 0; r < rows; ++r) {
    const bool missing = weight.is_text() ? weight.codes[r] < 0 : std::isnan(weight.values[r]);
    if (missing) refuse("has no value");
    const std::string text = weight.is_text() ? weight.labels[weight.codes[r]] : "";
    const std::optional<double> w = weight.is_text() ? parse_number_text(text) : weight.values[r];
    if (!w) refuse(fmt::format("is '{}'", text));
    if (!std::isfinite(*w) || *w < 0 || *w != std::trunc(*w)) refuse(fmt::format("is {}", *w));
    weights.push_back(*w);
  }
  return weights;
}

}  // namespace

Samples as_often_as_observed(const Samples& samples, const TableColumn& weight, const std::string& source,
                             DataHealth& health) {
  const std::vector<double> weights = whole_numbers(weight, source);
  double total = 0;
  for (const double w : weights) total += w;
  if (total == 0)
    throw InputError(fmt::format("{}: --weight {} is zero in every row: none is left", source, weight.name));
  if (total > std::max(most_rows, static_cast<double>(weights.size())))
    throw InputError(
        fmt::format("{}: by --weight {} the rows stand for {:.4g} rows, and every one of them is kept as a row of its "
                    "own: {:.0f} at most; leave rows out, or give smaller weights",
                    source, weight.name, total, most_rows));
  std::vector<std::size_t> observed;
  observed.reserve(static_cast<std::size_t>(total));
  for (std::size_t s = 0; s < samples.count(); ++s)
    observed.insert(observed.end(), static_cast<std::size_t>(weights[samples.last_row(s)]), s);
  const auto zero = static_cast<std::size_t>(std::count(weights.begin(), weights.end(), 0.0));
  health.remarks.push_back(fmt::format("{} rows stand for {} (--weight {}){}", weights.size(),
                                       static_cast<std::size_t>(total), weight.name,
                                       zero > 0 ? fmt::format("; {} of weight 0 left out", zero) : ""));
  return samples.only(observed);
}

}  // namespace macmi::data

#include "base/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace macmi::base {
namespace {

/// Levenshtein's edit distance, one row at a time.
std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string* nearest = nullptr;
  std::size_t fewest = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edits(word, candidate);
    if (distance < std::min(fewest, std::max(word.size(), candidate.size()))) {  // something is left of the word
      fewest = distance;
      nearest = &candidate;
    }
  }
  return nearest ? fmt::format("; did you mean '{}'?", *nearest) : std::string();
}

std::vector<std::string> nearest_names(const std::string& word, const std::vector<std::string>& known,
                                       std::size_t count) {
  std::vector<std::pair<std::size_t, std::size_t>> order;  // edits, place
  for (std::size_t k = 0; k < known.size(); ++k) order.emplace_back(edits(word, known[k]), k);
  std::sort(order.begin(), order.end());
  std::vector<std::string> nearest;
  for (const auto& [distance, k] : order)
    if (nearest.size() < count) nearest.push_back(known[k]);
  return nearest;
}

std::string name_hint(const std::string& word, const std::vector<std::string>& known) {
  if (const std::string near = did_you_mean(word, known); !near.empty()) return near;
  const std::vector<std::string> some = nearest_names(word, known, 8);
  return fmt::format("; there are: {}{}", fmt::join(some, ", "), known.size() > some.size() ? ", …" : "");
}

}  // namespace macmi::base

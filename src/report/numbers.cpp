#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/selection.hpp"

namespace macmi::report {

std::string p_text(double p) {
  if (std::isnan(p)) return "-";
  if (p < 1e-300) return "<1e-300";
  return p < 1e-4 ? fmt::format("{:.0e}", p) : fmt::format("{:.2g}", p);
}

std::string p_phrase(double p) {
  return p < 1e-300 ? "p < 1e-300" : fmt::format("p = {}", p_text(p));
}

std::string nats_text(double nats) {
  if (std::isnan(nats)) return "-";
  return std::abs(nats) < 0.01 ? fmt::format("{:.4f}", nats) : fmt::format("{:.3f}", nats);
}

std::string nats_text(double nats, double error) {
  if (std::isnan(nats) || std::isnan(error)) return nats_text(nats);
  const int digits = std::min(std::abs(nats), error) < 0.001 || std::abs(nats) < 0.01 ? 4 : 3;
  return fmt::format("{:.{}f}±{:.{}f}", nats, digits, error, digits);
}

std::string share_text(double share) {
  const double percent = 100 * share;
  if (percent <= 0) return "0%";
  if (percent < 0.1) return "<0.1%";
  return percent < 9.95 ? fmt::format("{:.1f}%", percent) : fmt::format("{:.0f}%", percent);
}

std::string list_text(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", names[i]);
  return text;
}

}  // namespace macmi::report

#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>

#include "ci_cells.hpp"

namespace macmi::study {

using experiments::all_variable_kinds;

/// A cell's text and colour; no text: not measured.
struct Shade {
  std::string text, colour;
};
using ShadeOf = std::function<Shade(experiments::VariableKind x, experiments::VariableKind y, experiments::GivenKind z,
                                    std::size_t n)>;

inline std::string mix(const int (&from)[3], const int (&to)[3], double share) {
  const double t = std::clamp(share, 0.0, 1.0);
  const auto channel = [&](int c) { return static_cast<int>(std::lround(from[c] + t * (to[c] - from[c]))); };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2));
}

/// White at the level that is wanted, red above, blue below.
inline std::string level_colour(double level) {
  constexpr int white[3] = {255, 255, 255}, red[3] = {202, 0, 32}, blue[3] = {5, 113, 176};
  return level >= 0.05 ? mix(white, red, (level - 0.05) / 0.1) : mix(white, blue, (0.05 - level) / 0.06);
}

/// Darker where more is found.
inline std::string power_colour(double power) {
  constexpr int white[3] = {255, 255, 255}, green[3] = {0, 136, 55};
  return mix(white, green, 0.75 * power);
}

/// One panel for every kind of z: pairs of kinds at n = 300 above the diagonal and on it, at n = 2000 below.
inline std::string matrix_figure(const std::string& title, const ShadeOf& shade) {
  constexpr int side = 40, label = 130, gap = 30, head = 50, kinds = std::size(all_variable_kinds);
  constexpr int panel_width = label + kinds * side + gap, panel_height = head + kinds * side + 90, across = 3;
  constexpr int rows = (std::size(experiments::all_given_kinds) + across - 1) / across;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"11\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n<text x=\"10\" y=\"22\" font-size=\"16\">{2}</text>\n",
      across * panel_width, 30 + rows * panel_height, title);
  for (std::size_t g = 0; g < std::size(experiments::all_given_kinds); ++g) {
    const int left = static_cast<int>(g % across) * panel_width + label;
    const int top = 30 + static_cast<int>(g / across) * panel_height + head;
    svg += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"13\" font-weight=\"bold\">given {}</text>\n", left,
                       top - 10, experiments::name_of(experiments::all_given_kinds[g]));
    for (int r = 0; r < kinds; ++r) {
      svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", left - 6,
                         top + r * side + side / 2 + 4, experiments::name_of(all_variable_kinds[r]));
      svg += fmt::format(
          "<text transform=\"translate({} {}) rotate(-35)\" text-anchor=\"end\" font-size=\"9\">{}</text>\n",
          left + r * side + side / 2 + 4, top + kinds * side + 12, experiments::name_of(all_variable_kinds[r]));
      for (int c = 0; c < kinds; ++c) {
        const auto a = all_variable_kinds[std::min(r, c)], b = all_variable_kinds[std::max(r, c)];
        const Shade s = shade(a, b, experiments::all_given_kinds[g], r <= c ? 300 : 2000);
        svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"{}\"/>\n",
                           left + c * side, top + r * side, side, side, s.text.empty() ? "#f4f4f4" : s.colour,
                           s.text.empty() ? "#e8e8e8"
                           : r == c       ? "#444444"
                                          : "#999999");
        if (!s.text.empty())
          svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", left + c * side + side / 2,
                             top + r * side + side / 2 + 4, s.text);
      }
    }
  }
  return svg + "</svg>\n";
}

}  // namespace macmi::study

#include "training_hooks.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "interrupt.hpp"

namespace macmi::cli {

MapsHooks training_hooks(ProgressLine& line, bool quiet, std::string folder) {
  MapsHooks hooks;
  hooks.on_progress = [&line](const MapsProgress& p) {
    if (p.epochs > 0) {
      const std::string fold = p.models > 1 ? fmt::format(", fold {} of {}", p.model + 1, p.models) : "";
      line.update({"learning feature maps" + fold, "percent", static_cast<std::size_t>(100 * p.share_done), 100, 0,
                   fmt::format("epoch {} of {}, objective {:.3f}, validation likelihood {:.3f}", p.epoch, p.epochs,
                               p.objective, p.validation)});
    }
    return !Interrupt::requested();
  };
  hooks.on_note = [&line, quiet](const std::string& text) {
    line.clear();
    if (!quiet) fmt::print(stderr, "{}\n", text);
  };
  hooks.folder = std::move(folder);
  return hooks;
}

}  // namespace macmi::cli

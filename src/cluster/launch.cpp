#include "cluster/launch.hpp"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace macmi::cluster {
namespace {

std::optional<int> number(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  const std::string_view text = value;
  int parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size() || parsed < 0) return std::nullopt;
  return parsed;
}

}  // namespace

Launch launched_as() {
  if (const char* wish = std::getenv("MACMI_MPI"); wish != nullptr && std::string_view(wish) == "off") return {};
  // PMIx tells no size; under srun Slurm does. The batch script of a Slurm job has no rank of PMI: it runs alone.
  constexpr const char* variables[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                          {"PMI_RANK", "PMI_SIZE"},
                                          {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"},
                                          {"PMIX_RANK", "SLURM_NTASKS"}};
  for (const auto& [rank_variable, size_variable] : variables) {
    const std::optional<int> rank = number(rank_variable), size = number(size_variable);
    if (rank && size && *rank < *size) return {*rank, *size};
  }
  return {};
}

}  // namespace macmi::cluster

#include "maps/training/training_job.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/random.hpp"
#include "base/results_version.hpp"

namespace macmi::maps {
namespace {

template <class T>
void put_row_list(base::ArrayFileWriter& file, const char* name, std::size_t model, const std::vector<T>& rows) {
  file.put(fmt::format("{}{}", name, model), std::span<const T>(rows));
}

std::vector<std::int32_t> get_row_list(const base::ArrayFile& file, const char* name, std::size_t model) {
  const auto rows = file.ints(fmt::format("{}{}", name, model));
  return {rows.begin(), rows.end()};
}

}  // namespace

std::string bytes_of(const TrainingJob& job) {
  base::ArrayFileWriter file;
  put(file, job.architecture);
  put(file, job.recipe);
  file.put_integer("samples", static_cast<std::int64_t>(job.samples.samples));
  for (std::size_t g = 0; g < job.samples.values.size(); ++g) {
    file.put(fmt::format("x{}", g), job.samples.values[g]);
    file.put(fmt::format("steps{}", g), job.samples.present[g]);
  }
  file.put("known", job.samples.known);
  file.put("y", job.samples.target);
  file.put_integer("models", static_cast<std::int64_t>(job.rows.size()));
  for (std::size_t j = 0; j < job.rows.size(); ++j) {
    put_row_list(file, "train", j, job.rows[j].train);
    put_row_list(file, "valid", j, job.rows[j].valid);
    put_row_list(file, "apply", j, job.rows[j].apply);
  }
  return file.bytes();
}

TrainingJob parse_training_job(std::string_view bytes) {
  const base::ArrayFile file = base::ArrayFile::parse(bytes, "a training job");
  TrainingJob job;
  job.architecture = get_architecture(file);
  job.recipe = get_recipe(file);
  job.samples.samples = static_cast<std::size_t>(file.integer("samples"));
  for (std::size_t g = 0; g < groups_of(job.architecture).size(); ++g) {
    job.samples.values.push_back(file.floats(fmt::format("x{}", g)));
    job.samples.present.push_back(file.bytes(fmt::format("steps{}", g)));
  }
  job.samples.known = file.bytes("known");
  job.samples.target = file.floats("y");
  const auto models = static_cast<std::size_t>(file.integer("models"));
  for (std::size_t j = 0; j < models; ++j)
    job.rows.push_back(
        {get_row_list(file, "train", j), get_row_list(file, "valid", j), get_row_list(file, "apply", j)});
  return job;
}

std::string fingerprint_of(std::string_view bytes) {
  base::StreamKey key = base::StreamKey(7).with(base::results_version());
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    key = key.with(word);
  }
  return fmt::format("{:016x}", key.with(bytes.size()).value());
}

}  // namespace macmi::maps

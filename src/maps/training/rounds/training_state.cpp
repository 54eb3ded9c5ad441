#include "maps/training/rounds/training_state.hpp"

#include "base/files/array_file.hpp"

namespace macmi::maps {

std::string bytes_of(const TrainingState& s, const std::string& fingerprint) {
  base::ArrayFileWriter file;
  const auto floats = [&](const char* name, const std::vector<float>& values) {
    file.put(name, std::span<const float>(values));
  };
  const auto doubles = [&](const char* name, const std::vector<double>& values) {
    file.put(name, std::span<const double>(values));
  };
  file.put_text("fingerprint", fingerprint);
  floats("parameters", s.parameters);
  floats("first_moment", s.moments.first);
  floats("second_moment", s.moments.second);
  floats("kept_parameters", s.kept_parameters);
  file.put_integer("epoch", s.epoch);
  file.put_integer("diverged", s.diverged);
  file.put_number("objective", s.objective);
  file.put_number("validation", s.validation);
  file.put_number("kept_validation", s.kept_validation);
  file.put_integer("kept_epoch", s.kept_epoch);
  doubles("looked_after", s.looked_after);
  doubles("trained", s.trained);
  doubles("validated", s.validated);
  return file.bytes();
}

TrainingState parse_training_state(std::string_view bytes, const std::string& name, const std::string& fingerprint,
                                   std::size_t parameters) {
  const base::ArrayFile file = base::ArrayFile::parse(bytes, name);
  if (file.text("fingerprint") != fingerprint) file.refuse("it belongs to another training");
  const auto floats = [&](const char* array) {
    const auto values = file.floats(array);
    if (values.size() != parameters) file.refuse("it belongs to another network");
    return std::vector<float>(values.begin(), values.end());
  };
  const auto doubles = [&](const char* array) {
    const auto values = file.doubles(array);
    return std::vector<double>(values.begin(), values.end());
  };
  TrainingState s;
  s.parameters = floats("parameters");
  s.moments.first = floats("first_moment");
  s.moments.second = floats("second_moment");
  s.kept_parameters = floats("kept_parameters");
  s.epoch = file.integer("epoch", 0, std::int64_t{1} << 40);
  s.diverged = file.integer("diverged", 0, 1) != 0;
  s.objective = file.number("objective");
  s.validation = file.number("validation");
  s.kept_validation = file.number("kept_validation");
  s.kept_epoch = file.integer("kept_epoch", 0, s.epoch);
  s.looked_after = doubles("looked_after");
  s.trained = doubles("trained");
  s.validated = doubles("validated");
  return s;
}

}  // namespace macmi::maps

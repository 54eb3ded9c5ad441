#include "maps/training/recipe.hpp"

namespace macmi::maps {

void put(base::ArrayFileWriter& file, const Recipe& r) {
  file.put_integer("epochs", static_cast<std::int64_t>(r.epochs));
  file.put_integer("batch", static_cast<std::int64_t>(r.batch));
  file.put_number("learning_rate", r.learning_rate);
  file.put_number("last_rate", r.last_rate);
  file.put_number("weight_decay", r.weight_decay);
  file.put_number("lambda", r.lambda);
  file.put_integer("masks", static_cast<std::int64_t>(r.masks));
  file.put_integer("most_kept", static_cast<std::int64_t>(r.most_kept));
  file.put_integer("cover", r.cover);
  file.put_integer("restarts", static_cast<std::int64_t>(r.restarts));
  file.put_integer("keep", static_cast<std::int64_t>(r.keep));
  file.put_number("first_penalty", r.first_penalty);
  file.put_number("last_penalty", r.last_penalty);
  file.put_integer("seed", static_cast<std::int64_t>(r.seed));
}

Recipe get_recipe(const base::ArrayFile& file) {
  constexpr std::int64_t many = std::int64_t{1} << 32;
  const auto size = [&](const char* name) { return static_cast<std::size_t>(file.integer(name, 1, many)); };
  Recipe r;
  r.epochs = size("epochs");
  r.batch = size("batch");
  r.learning_rate = file.number("learning_rate");
  r.last_rate = file.number("last_rate");
  r.weight_decay = file.number("weight_decay");
  r.lambda = file.number("lambda");
  r.masks = static_cast<MaskRule>(file.integer("masks", 0, 3));
  r.most_kept = size("most_kept");
  r.cover = file.integer("cover", 0, 1) != 0;
  r.restarts = size("restarts");
  r.keep = static_cast<KeptWeights>(file.integer("keep", 0, 1));
  r.first_penalty = file.number("first_penalty");
  r.last_penalty = file.number("last_penalty");
  r.seed = static_cast<std::uint64_t>(file.integer("seed"));
  return r;
}

}  // namespace macmi::maps

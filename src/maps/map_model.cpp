#include "maps/map_model.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "macmi/error.hpp"
#include "macmi/version.hpp"

namespace macmi::maps {
namespace {

constexpr std::int64_t model_version = 3;
constexpr double most_parameters = 1e9;

/// Lists of numbers that describe features one after the other.
struct Lists {
  std::vector<std::string> features, columns, labels;
  std::vector<std::int64_t> shape;   // per feature: steps, channels, columns
  std::vector<std::int64_t> column;  // per column: type, labels, indicator
  std::vector<double> scaling;       // per column: center, scale
};

void add(Lists& lists, const Feature& feature) {
  lists.features.push_back(feature.name);
  lists.shape.insert(lists.shape.end(),
                     {static_cast<std::int64_t>(feature.steps), static_cast<std::int64_t>(feature.channels),
                      static_cast<std::int64_t>(feature.columns.size())});
  for (const DataColumn& c : feature.columns) {
    lists.columns.push_back(c.name);
    lists.column.insert(lists.column.end(), {static_cast<std::int64_t>(c.type),
                                             static_cast<std::int64_t>(c.labels.size()), c.indicator ? 1 : 0});
    lists.scaling.insert(lists.scaling.end(), {c.scaling.center, c.scaling.scale});
    lists.labels.insert(lists.labels.end(), c.labels.begin(), c.labels.end());
  }
}

/// Takes values of a list one after the other, never beyond its end.
template <class List>
class Taker {
 public:
  Taker(const base::ArrayFile& file, const List& list) : file_(file), list_(list) {}
  auto next() {
    if (at_ >= list_.size()) file_.refuse("its lists do not fit together");
    return list_[at_++];
  }
  std::size_t count(std::size_t most) {
    const std::int64_t value = next();
    if (value < 0 || static_cast<std::uint64_t>(value) > most) file_.refuse("its lists do not fit together");
    return static_cast<std::size_t>(value);
  }
  bool done() const { return at_ == list_.size(); }

 private:
  const base::ArrayFile& file_;
  const List& list_;
  std::size_t at_ = 0;
};

void put(base::ArrayFileWriter& file, const DataSchema& schema) {
  Lists lists;
  for (const Feature& feature : schema.features) add(lists, feature);
  add(lists, schema.target);
  file.put_strings("schema.features", lists.features);
  file.put_strings("schema.columns", lists.columns);
  file.put_strings("schema.labels", lists.labels);
  const auto numbers = [&](const char* name, const auto& list) {
    file.put_text(name, std::string(reinterpret_cast<const char*>(list.data()), list.size() * sizeof list[0]));
  };
  numbers("schema.shape", lists.shape);
  numbers("schema.column", lists.column);
  numbers("schema.scaling", lists.scaling);
  file.put_integer("schema.missing", static_cast<std::int64_t>(schema.missing));
  const DataLayout& layout = schema.layout;
  file.put_strings("layout.names", {layout.group, layout.id, layout.time});
  file.put_integer("layout.window", static_cast<std::int64_t>(layout.window));
  file.put_strings("layout.type", layout.type);
}

template <class T>
std::vector<T> numbers_of(const base::ArrayFile& file, const std::string& name) {
  const auto raw = file.bytes(name);
  if (raw.size() % sizeof(T) != 0) file.refuse(fmt::format("'{}' is damaged", name));
  std::vector<T> values(raw.size() / sizeof(T));
  std::copy(raw.begin(), raw.end(), reinterpret_cast<std::uint8_t*>(values.data()));
  return values;
}

DataSchema get_schema(const base::ArrayFile& file) {
  const auto features = file.strings("schema.features"), columns = file.strings("schema.columns"),
             labels = file.strings("schema.labels");
  const auto shape = numbers_of<std::int64_t>(file, "schema.shape"),
             column = numbers_of<std::int64_t>(file, "schema.column");
  const auto scaling = numbers_of<double>(file, "schema.scaling");
  Taker next_column(file, columns), next_label(file, labels);
  Taker next_shape(file, shape), next_fact(file, column);
  Taker next_scale(file, scaling);
  if (features.empty()) file.refuse("it has no features");
  DataSchema schema;
  for (std::size_t f = 0; f < features.size(); ++f) {
    Feature feature;
    feature.name = features[f];
    feature.steps = next_shape.count(columns.size());
    feature.channels = next_shape.count(columns.size());
    const std::size_t count = next_shape.count(columns.size());
    if (count != feature.steps * feature.channels)
      file.refuse(fmt::format("feature '{}' has a wrong number of columns", feature.name));
    for (std::size_t c = 0; c < count; ++c) {
      DataColumn& made = feature.columns.emplace_back();
      made.name = next_column.next();
      made.type = static_cast<ColumnType>(next_fact.count(static_cast<std::size_t>(ColumnType::constant)));
      const std::size_t label_count = next_fact.count(labels.size());
      made.indicator = next_fact.count(1) == 1;
      made.scaling.center = next_scale.next();
      made.scaling.scale = next_scale.next();
      for (std::size_t l = 0; l < label_count; ++l) made.labels.push_back(next_label.next());
    }
    (f + 1 < features.size() ? schema.features.emplace_back() : schema.target) = std::move(feature);
  }
  if (!next_column.done() || !next_shape.done() || !next_label.done()) file.refuse("its lists do not fit together");
  schema.missing = static_cast<Missing>(file.integer("schema.missing", 0, static_cast<std::int64_t>(Missing::error)));
  const auto names = file.strings("layout.names");
  if (names.size() != 3) file.refuse("'layout.names' is damaged");
  schema.layout = {names[0], names[1], names[2],
                   static_cast<std::uint64_t>(file.integer("layout.window", 0, std::int64_t{1} << 40)),
                   file.strings("layout.type")};
  return schema;
}

void put(base::ArrayFileWriter& file, const Coding& coding) {
  std::vector<std::int64_t> facts;
  std::vector<double> scales;
  const auto add_columns = [&](const std::vector<ColumnCoding>& columns) {
    for (const ColumnCoding& c : columns) {
      facts.insert(facts.end(), {static_cast<std::int64_t>(c.labels), static_cast<std::int64_t>(c.reading)});
      scales.insert(scales.end(), {c.center, c.scale});
    }
  };
  for (const FeatureCoding& f : coding.features) {
    facts.insert(facts.end(), {static_cast<std::int64_t>(f.feature), static_cast<std::int64_t>(f.channels.size())});
    for (const std::size_t c : f.channels) facts.push_back(static_cast<std::int64_t>(c));
    add_columns(f.columns);
  }
  add_columns(coding.target.columns);
  file.put_text("coding.facts",
                std::string(reinterpret_cast<const char*>(facts.data()), facts.size() * sizeof facts[0]));
  file.put_text("coding.scales",
                std::string(reinterpret_cast<const char*>(scales.data()), scales.size() * sizeof scales[0]));
}

Coding get_coding(const base::ArrayFile& file, const DataSchema& schema, const Architecture& architecture) {
  const auto facts = numbers_of<std::int64_t>(file, "coding.facts");
  const auto scales = numbers_of<double>(file, "coding.scales");
  Taker fact(file, facts);
  Taker scale(file, scales);
  const auto column = [&](const DataColumn& known) {
    ColumnCoding c;
    c.labels = fact.count(std::max<std::size_t>(1, known.labels.size()));
    c.reading = static_cast<Reading>(fact.count(static_cast<std::size_t>(Reading::log_change)));
    c.center = scale.next();
    c.scale = scale.next();
    if (!std::isfinite(c.center) || !std::isfinite(c.scale) || c.scale <= 0) file.refuse("its scaling is damaged");
    return c;
  };
  if (architecture.features.size() != schema.features.size()) file.refuse("its networks do not fit its features");
  Coding coding;
  std::set<std::size_t> seen;
  for (const MapShape& shape : architecture.features) {
    FeatureCoding f;
    f.shape = shape;
    f.feature = fact.count(schema.features.size() - 1);
    if (!seen.insert(f.feature).second) file.refuse("a feature is there twice");
    const Feature& feature = schema.features[f.feature];
    const std::size_t inputs = fact.count(2 * feature.channels);  // a series' channel: level and change
    for (std::size_t c = 0; c < inputs; ++c) f.channels.push_back(fact.count(feature.channels - 1));
    const bool twice = shape.encoder == Encoder::gru;
    if (std::set(f.channels.begin(), f.channels.end()).size() != feature.channels ||
        (!twice && inputs != feature.channels))
      file.refuse("a column is there twice");
    std::size_t width = 0;
    for (const std::size_t c : f.channels) width += f.columns.emplace_back(column(feature.columns[c])).width();
    if (width != shape.width || feature.steps != shape.steps) file.refuse("its networks do not fit its features");
    coding.features.push_back(std::move(f));
  }
  for (const DataColumn& known : schema.target.columns) coding.target.columns.push_back(column(known));
  return coding;
}

}  // namespace

bool found_nothing(double divergence) {
  return divergence < 1e-4;
}  // false for NaN: nothing was judged

void put(base::ArrayFileWriter& file, const MapModel& model) {
  file.put_text("what", "macmi feature maps");
  file.put_integer("version", model_version);
  file.put_text("written_by", std::string("macmi ") + version());
  put(file, model.schema);
  put(file, model.architecture);
  put(file, model.coding);
  file.put("parameters", std::span<const float>(model.parameters));
  file.put("marginal", std::span<const float>(model.marginal));
  file.put("divergence", std::span<const double>(model.divergence));
}

void write_model(const MapModel& model, const std::string& path) {
  base::ArrayFileWriter file;
  put(file, model);
  file.write(path);
}

MapModel parse_model(std::string_view bytes, const std::string& name) {
  const base::ArrayFile file = base::ArrayFile::parse(bytes, name);
  if (!file.has("what") || file.text("what") != "macmi feature maps") file.refuse("it is no model of macmi train");
  if (const std::int64_t found = file.integer("version"); found != model_version)
    file.refuse(fmt::format(
        "it is a model of version {}, and this macmi reads version {}; train again or use the macmi that wrote it",
        found, model_version));
  MapModel model;
  model.schema = get_schema(file);
  model.architecture = get_architecture(file);
  model.coding = get_coding(file, model.schema, model.architecture);
  double parameters = 0;  // in floating point: the sizes of a damaged file may overflow integers
  for (const ParameterBlock& block : parameter_blocks(model.architecture)) {
    double size = 1;
    for (const std::int64_t extent : block.shape) size *= static_cast<double>(extent);
    parameters += size;
  }
  const auto values = file.floats("parameters");
  if (parameters > most_parameters || values.size() != static_cast<std::size_t>(parameters))
    file.refuse("its parameters do not fit its networks");
  for (const float value : values)
    if (!std::isfinite(value)) file.refuse("a parameter is not a number");
  model.parameters.assign(values.begin(), values.end());
  const auto marginal = file.floats("marginal");
  if (marginal.size() != model.architecture.predictions()) file.refuse("its marginal does not fit its networks");
  model.marginal.assign(marginal.begin(), marginal.end());
  const auto divergence = file.doubles("divergence");
  if (divergence.size() != model.architecture.features.size()) file.refuse("its divergences do not fit its features");
  model.divergence.assign(divergence.begin(), divergence.end());
  return model;
}

}  // namespace macmi::maps

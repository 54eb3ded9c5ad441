#include "data/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "data/columns/group_pattern.hpp"
#include "data/columns/name_match.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

class Planner {
 public:
  Planner(const DataOptions& options, const TableReader& table)
      : options_(options), table_(table), group_(options.group) {
    for (const ColumnInfo& column : table.columns()) names_.push_back(column.name);
  }

  DataPlan plan() {
    taken_.resize(names_.size());
    plan_long_format();
    plan_target();
    form_features();
    filter_features();
    plan_types();
    if (plan_.features.empty())
      throw InputError(fmt::format("{}: no feature is left; look at --features, --exclude and the columns of the file",
                                   table_.source()));
    return std::move(plan_);
  }

 private:
  std::size_t column(const std::string& name, const char* option) const {
    const auto at = std::find(names_.begin(), names_.end(), name);
    if (at == names_.end()) refuse_unknown(fmt::format("{}, {}", table_.source(), option), "column", name, names_);
    return static_cast<std::size_t>(at - names_.begin());
  }

  void plan_long_format() {
    if (!options_.id.empty() && options_.time.empty())
      throw InputError("--id needs --time: the place of a row in the series of its unit");
    if (!options_.id.empty() && !options_.unit.empty())
      throw InputError(
          "--id makes one sample of the rows of a unit, so that --unit has nothing to say; give one of them");
    if (options_.id.empty() && options_.window > 0) throw InputError("--window needs --id and --time");
    if (!options_.lags.empty() && (options_.time.empty() || !options_.id.empty()))
      throw InputError("--lags needs --time, which says what is before what, and no --id");
    if (!options_.time.empty() && options_.id.empty() && options_.unit.empty() && options_.rows > 0)
      throw InputError("--rows would take rows out of the series that --time orders; choose a stretch with --query");
    if (!options_.weight.empty() && !options_.time.empty())
      throw InputError(
          "--weight counts equal rows, and rows in the order of --time follow each other: leave one of them out");
    take(options_.id, "--id", plan_.id);
    take(options_.time, "--time", plan_.time);
    take(options_.unit, "--unit", plan_.unit);
    take(options_.weight, "--weight", plan_.weight);
  }

  void take(const std::string& name, const char* option, std::optional<std::size_t>& place) {
    if (name.empty()) return;
    place = column(name, option);
    if (taken_[*place])
      throw InputError(
          fmt::format("{}: '{}' has another part already; --id, --time, --unit and --weight are "
                      "different columns",
                      option, name));
    taken_[*place] = true;
  }

  /// Columns and whole blocks; what is the target is no feature.
  void plan_target() {
    for (const std::string& name : options_.target) {
      std::vector<std::size_t> columns;
      for (std::size_t c = 0; c < names_.size(); ++c)
        if (base_name(c) == name || (names_[c] != name && group_of(name_or_base(c)) == name)) columns.push_back(c);
      if (std::find(names_.begin(), names_.end(), name) != names_.end()) columns = {column(name, "--target")};
      if (columns.empty()) refuse_unknown(table_.source() + ", --target", "column", name, names_);
      for (const std::size_t c : columns) {
        if (table_.columns()[c].step > 0)
          throw InputError(
              fmt::format("--target: '{}' is a series; the target is one value, or a few, per sample", name));
        if (taken_[c])
          throw InputError(
              fmt::format("--target: '{}' is named twice, or is --id, --time, --unit or --weight", names_[c]));
        taken_[c] = true;
        plan_.target.columns.push_back(c);
      }
      plan_.target.name += (plan_.target.name.empty() ? "" : ",") + name;
    }
    plan_.target.channels = plan_.target.columns.size();
  }

  const std::string& base_name(std::size_t c) const { return table_.columns()[c].feature; }
  const std::string& name_or_base(std::size_t c) const { return base_name(c).empty() ? names_[c] : base_name(c); }

  std::optional<std::string> group_of(const std::string& name) const { return group_.feature_of(name); }

  /// Columns in order of the file; a feature stands where its first column does.
  void form_features() {
    std::map<std::string, std::size_t> place;
    std::map<std::string, std::string> made_by;  // feature name -> how it came about
    bool grouped = false;
    std::vector<std::map<std::size_t, std::vector<std::size_t>>> by_step;  // per feature: step -> columns
    for (std::size_t c = 0; c < names_.size(); ++c) {
      if (taken_[c]) continue;
      const std::optional<std::string> group = group_of(name_or_base(c));
      grouped = grouped || group.has_value();
      const std::string name = group.value_or(name_or_base(c));
      const std::string how = group ? "group" : base_name(c).empty() ? "column" : "block";
      if (const auto [earlier, added] = made_by.emplace(name, how); !added && earlier->second != how)
        throw InputError(fmt::format(
            "'{}' is a column and also a name that --group gives; rename the column or change the expression", name));
      const auto [at, added] = place.emplace(name, plan_.features.size());
      if (added) {
        plan_.features.push_back({name, 1, 0, {}});
        by_step.emplace_back();
      }
      by_step[at->second][table_.columns()[c].step].push_back(c);
    }
    if (!options_.group.empty() && !grouped)
      throw InputError(fmt::format("--group '{}' matches no column; the columns are called '{}', '{}' and so on",
                                   options_.group, names_.front(), names_.back()));
    for (std::size_t f = 0; f < plan_.features.size(); ++f) {
      PlannedFeature& feature = plan_.features[f];
      feature.steps = by_step[f].size();
      feature.channels = by_step[f].begin()->second.size();
      for (const auto& [step, columns] : by_step[f]) {
        if (columns.size() != feature.channels)
          throw InputError(fmt::format("--group puts series of different length into '{}'", feature.name));
        feature.columns.insert(feature.columns.end(), columns.begin(), columns.end());
      }
    }
  }

  bool fits(const std::string& pattern, const PlannedFeature& feature) const {
    return name_matches(pattern, feature.name) ||
           std::any_of(feature.columns.begin(), feature.columns.end(),
                       [&](std::size_t c) { return name_matches(pattern, names_[c]); });
  }

  /// A pattern that fits a feature's name means all of it; one that fits some of its columns means these.
  void filter_features() {
    const auto check = [&](const std::vector<std::string>& patterns, const char* option) {
      for (const std::string& pattern : patterns)
        if (std::none_of(plan_.features.begin(), plan_.features.end(),
                         [&](const auto& f) { return fits(pattern, f); })) {
          std::vector<std::string> known;
          for (const PlannedFeature& feature : plan_.features) known.push_back(feature.name);
          refuse_unknown(fmt::format("{}, {}", table_.source(), option), "feature", pattern, known);
        }
    };
    check(options_.features, "--features");
    check(options_.exclude, "--exclude");
    const auto any_fits = [&](const std::vector<std::string>& patterns, const PlannedFeature& feature, std::size_t c) {
      return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
        return name_matches(pattern, feature.name) || name_matches(pattern, names_[c]);
      });
    };
    for (PlannedFeature& feature : plan_.features) {
      std::erase_if(feature.columns, [&](std::size_t c) {
        return (!options_.features.empty() && !any_fits(options_.features, feature, c)) ||
               any_fits(options_.exclude, feature, c);
      });
      if (feature.columns.size() % feature.steps != 0)
        throw InputError(
            fmt::format("--features or --exclude takes single steps out of the series '{}'", feature.name));
      feature.channels = feature.columns.size() / feature.steps;
    }
    std::erase_if(plan_.features, [](const PlannedFeature& feature) { return feature.columns.empty(); });
  }

  void plan_types() {
    plan_.types.resize(names_.size());
    for (const std::string& text : options_.type) {
      const std::size_t equals = text.rfind('=');
      const std::string pattern = text.substr(0, equals),
                        word = equals == std::string::npos ? "" : text.substr(equals + 1);
      std::optional<ColumnType> type;
      for (const ColumnType t :
           {ColumnType::continuous, ColumnType::integer, ColumnType::categorical, ColumnType::boolean})
        if (word == type_name(t)) type = t;
      if (!type)
        throw InputError(
            fmt::format("--type does not accept '{}': give COLUMN=continuous, integer, categorical or boolean", text));
      bool used = false;
      for (std::size_t c = 0; c < names_.size(); ++c)
        if (name_matches(pattern, names_[c]) || pattern == name_or_base(c) || group_of(name_or_base(c)) == pattern) {
          plan_.types[c] = type;
          used = true;
        }
      if (!used) refuse_unknown(table_.source() + ", --type", "column", pattern, names_);
    }
  }

  const DataOptions& options_;
  const TableReader& table_;
  std::vector<std::string> names_;
  std::vector<bool> taken_;  // target, id, time, unit, weight
  GroupPattern group_;
  DataPlan plan_;
};

}  // namespace

DataPlan plan_data(const DataOptions& options, const TableReader& table) {
  return Planner(options, table).plan();
}

}  // namespace macmi::data

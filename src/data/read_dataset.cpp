// The flow from files to a data set: names, plan, samples, types, missing values, scaling, health.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/number_of.hpp"
#include "base/parallel.hpp"
#include "data/columns/column_types.hpp"
#include "data/columns/impute.hpp"
#include "data/columns/name_match.hpp"
#include "data/follow_schema.hpp"
#include "data/health.hpp"
#include "data/lags.hpp"
#include "data/memory_table.hpp"
#include "data/plan.hpp"
#include "data/samples/samples.hpp"
#include "data/table.hpp"
#include "macmi/dataset.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

/// The value of a column in the given rows; -1 is a missing value.
TableColumn pick(const TableColumn& from, const std::vector<std::int64_t>& rows, std::size_t first,
                 std::size_t stride) {
  TableColumn column;
  column.name = from.name;
  column.labels = from.labels;
  column.text = from.text;
  const std::size_t count = (rows.size() - first + stride - 1) / stride;
  const auto is_missing = [&](std::int64_t row) {
    return row < 0 || (!from.missing.empty() && from.missing[row] != 0);
  };
  if (from.text)
    column.codes.resize(count);
  else
    column.values.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t row = rows[first + i * stride];
    if (is_missing(row)) {
      column.missing.resize(count);
      column.missing[i] = 1;
    }
    if (from.text)
      column.codes[i] = row < 0 ? -1 : from.codes[row];
    else
      column.values[i] = row < 0 ? std::numeric_limits<double>::quiet_NaN() : from.values[row];
  }
  return column;
}

class DatasetBuilder {
 public:
  DatasetBuilder(const DataOptions& options, std::unique_ptr<TableReader> reader, const DataSchema* known)
      : options_(options), known_(known), reader_(std::move(reader)) {
    if (known != nullptr) follow_names(*known, *reader_, options_);
    plan_ = plan_data(options_, *reader_);
    data_.layout = {options_.group, options_.id, options_.id.empty() ? "" : options_.time, options_.window,
                    options_.type};
    data_.one_series = plan_.time && !plan_.id && !plan_.unit;
    data_.source = reader_->source();
    data_.health.remarks = reader_->remarks();
  }

  Dataset build() {
    read();
    build_target();
    for (PlannedFeature& feature : plan_.features) data_.features.push_back(build_feature(feature));
    table_ = Table();
    say_what_belongs_together(data_, options_);
    if (!options_.lags.empty()) add_lags(data_, options_.lags);
    data_.missing = options_.missing == Missing::automatic ? (known_ != nullptr ? known_->missing : Missing::pairwise)
                                                           : options_.missing;
    if (known_ != nullptr)
      follow_values(*known_, data_);
    else
      for (Feature& feature : data_.features) record_scaling(feature);
    if (known_ == nullptr && data_.has_target()) record_scaling(data_.target);
    assess_health(data_, !options_.group.empty());
    if (data_.missing == Missing::error) refuse_missing();
    if (data_.missing == Missing::impute) impute(data_, known_);
    return std::move(data_);
  }

 private:
  /// Position of a column of the reader in the table that was read.
  const TableColumn& column(std::size_t index) const { return table_.columns[place_.at(index)]; }

  Table read_columns(const std::vector<std::size_t>& columns, const std::vector<bool>& keep) {
    ReadRequest request{columns, {}, keep};
    place_.clear();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      place_[columns[i]] = i;
      request.as_text.push_back(plan_.types[columns[i]] == ColumnType::categorical);
    }
    Table table = reader_->read(request);
    if (table.rows == 0) throw InputError(fmt::format("{} has no rows", reader_->source()));
    return table;
  }

  /// One pass over the files; two with --rows, so that what is not drawn is never held.
  void read() {
    std::vector<std::size_t> keys = plan_.target.columns, all = keys;
    for (const auto& column : {plan_.id, plan_.time, plan_.unit, plan_.weight})
      if (column) keys.push_back(*column), all.push_back(*column);
    for (const PlannedFeature& feature : plan_.features)
      all.insert(all.end(), feature.columns.begin(), feature.columns.end());
    if (options_.rows == 0) {
      table_ = read_columns(all, {});
      choose_samples();
      return;
    }
    table_ = read_columns(keys.empty() ? std::vector<std::size_t>{all[0]} : keys, {});
    choose_samples();
    draw();
    std::vector<bool> keep(data_.health.rows_read);
    for (const std::int64_t row : samples_.rows)
      if (row >= 0) keep[row] = true;
    table_ = read_columns(all, keep);
    std::vector<std::int64_t> kept_before(keep.size());
    for (std::size_t r = 0, kept = 0; r < keep.size(); ++r)
      kept_before[r] = static_cast<std::int64_t>(keep[r] ? kept++ : kept);
    for (std::int64_t& row : samples_.rows)
      if (row >= 0) row = kept_before[row];
  }

  /// Rows or units as samples, as often as their weight says, those without a target dropped.
  void choose_samples() {
    data_.health.rows_read = table_.rows;
    samples_ = plan_.id     ? series_as_samples(column(*plan_.id), column(*plan_.time), options_.window, data_.source,
                                                data_.health)
               : plan_.time ? rows_in_time_order(column(*plan_.time), data_.one_series, data_.source)
                            : rows_as_samples(table_.rows);
    if (plan_.weight) samples_ = as_often_as_observed(samples_, column(*plan_.weight), data_.source, data_.health);
    if (plan_.unit) {
      const std::vector<std::string> units = units_of_rows(column(*plan_.unit), data_.source);
      for (const std::int64_t row : samples_.rows) samples_.units.push_back(units[static_cast<std::size_t>(row)]);
    }
    std::vector<std::size_t> kept;
    for (std::size_t s = 0; s < samples_.count(); ++s) {
      const std::size_t row = samples_.last_row(s);
      const bool missing = std::any_of(plan_.target.columns.begin(), plan_.target.columns.end(), [&](std::size_t c) {
        return !column(c).missing.empty() && column(c).missing[row] != 0;
      });
      if (!missing) kept.push_back(s);
    }
    data_.health.target_missing = samples_.count() - kept.size();
    if (kept.empty())
      throw InputError(fmt::format("{}: the target '{}' is missing in every sample", data_.source, plan_.target.name));
    if (kept.size() < samples_.count()) samples_ = samples_.only(kept);
    remember_rows();
  }

  void remember_rows() {
    data_.rows.clear();
    for (std::size_t s = 0; s < samples_.count(); ++s) data_.rows.push_back(samples_.last_row(s));
    data_.units = samples_.units;
  }

  void draw() {
    if (options_.rows >= samples_.count()) return;
    std::vector<std::int32_t> classes;
    if (plan_.target.columns.size() == 1) {
      TypingContext context{data_.source, plan_.types[plan_.target.columns[0]], true, 0, {}};
      const DataColumn target = std::move(type_columns({pick_last(column(plan_.target.columns[0]))}, context)[0]);
      classes = target.codes;
    }
    data_.health.not_drawn = samples_.count() - options_.rows;
    samples_ = samples_.only(draw_samples(samples_, classes, options_.rows, options_.seed));
    data_.health.not_drawn += options_.rows - samples_.count();
    remember_rows();
  }

  TableColumn pick_last(const TableColumn& from) const {
    return pick(from, samples_.rows, samples_.steps - 1, samples_.steps);
  }

  void build_target() {
    if (plan_.target.columns.empty()) return;
    data_.target.name = plan_.target.name;
    data_.target.channels = plan_.target.columns.size();
    for (const std::size_t c : plan_.target.columns) {
      TypingContext context{data_.source, plan_.types[c], true, 0, {}};
      DataColumn typed = std::move(type_columns({pick_last(column(c))}, context)[0]);
      data_.health.remarks.insert(data_.health.remarks.end(), context.remarks.begin(), context.remarks.end());
      if (typed.type == ColumnType::constant && known_ == nullptr)
        throw InputError(
            fmt::format("{}: the target '{}' has the same value in every sample, so nothing can explain it",
                        data_.source, typed.name));
      if (plan_.target.columns.size() > 1 && typed.is_categorical() && !typed.values.empty() &&
          plan_.types[c] != ColumnType::categorical) {
        typed.codes.clear();  // one of several dimensions: a number
        typed.labels.clear();
        typed.type = typed.type == ColumnType::constant ? typed.type : ColumnType::integer;
      }
      if (plan_.target.columns.size() > 1 && typed.is_categorical())
        throw InputError(
            fmt::format("{}: {} columns of the target make one target and must be numbers, and '{}' is {}; give "
                        "one of the columns at a time",
                        data_.source, plan_.target.columns.size(), typed.name, type_name(typed.type)));
      data_.target.columns.push_back(std::move(typed));
    }
    if (plan_.target.columns.size() > 1)
      data_.health.remarks.push_back(
          fmt::format("the {} columns of the target are explained together, as one", plan_.target.columns.size()));
  }

  /// In long format numbers become series; text keeps the value of the unit's last row.
  Feature build_feature(const PlannedFeature& planned) {
    Feature feature;
    feature.name = planned.name;
    feature.channels = planned.channels;
    const bool text =
        std::any_of(planned.columns.begin(), planned.columns.end(), [&](std::size_t c) { return column(c).is_text(); });
    const bool spread = plan_.id.has_value() && samples_.steps > 1 && !text;
    feature.steps = spread ? samples_.steps : planned.steps;
    feature.columns.resize(feature.steps * feature.channels);
    const bool all_rows = !plan_.id && !plan_.time && !plan_.weight && samples_.count() == table_.rows;
    for (std::size_t channel = 0; channel < planned.channels; ++channel) {
      std::vector<TableColumn> raw;
      for (std::size_t step = 0; step < feature.steps; ++step) {
        TableColumn& from =
            table_.columns[place_.at(planned.columns[spread ? channel : step * planned.channels + channel])];
        if (all_rows) {
          raw.push_back(std::move(from));
        } else if (spread) {
          raw.push_back(pick(from, samples_.rows, step, samples_.steps));
          raw.back().name = fmt::format("{}[{}]", from.name, step);
        } else {
          raw.push_back(pick_last(from));
        }
      }
      const std::string name = reader_->columns()[planned.columns[channel]].name;
      TypingContext context{data_.source, plan_.types[planned.columns[channel]], false, 0, {}};
      std::vector<DataColumn> typed = type_columns(std::move(raw), context);
      if (context.infinite > 0) data_.health.infinite.push_back({name, context.infinite});
      data_.health.remarks.insert(data_.health.remarks.end(), context.remarks.begin(), context.remarks.end());
      for (std::size_t step = 0; step < feature.steps; ++step)
        feature.columns[step * feature.channels + channel] = std::move(typed[step]);
    }
    return feature;
  }

  /// One scale per channel, over all its steps.
  static void record_scaling(Feature& feature) {
    for (std::size_t channel = 0; channel < feature.channels; ++channel) {
      std::vector<const DataColumn*> steps;
      for (std::size_t step = 0; step < feature.steps; ++step)
        steps.push_back(&feature.columns[step * feature.channels + channel]);
      const Scaling scaling = scaling_of(steps);
      for (std::size_t step = 0; step < feature.steps; ++step)
        feature.columns[step * feature.channels + channel].scaling = scaling;
    }
  }

  void refuse_missing() const {
    if (data_.health.missing.empty()) return;
    const DataHealth::Count& first = data_.health.missing.front();
    throw InputError(fmt::format(
        "{}: --missing error, and column '{}' has no value in {} of {} samples (missing values in {})", data_.source,
        first.name, first.count, data_.samples(), base::number_of(data_.health.missing.size(), "column")));
  }

  DataOptions options_;
  const DataSchema* known_;
  std::unique_ptr<TableReader> reader_;
  DataPlan plan_;
  Table table_;
  std::map<std::size_t, std::size_t> place_;
  Samples samples_;
  Dataset data_;
};

}  // namespace
}  // namespace macmi::data

namespace macmi {

Dataset read_dataset(const DataOptions& options) {
  return data::DatasetBuilder(options, data::open_table(options.data, options.query, options.threads, options.na),
                              nullptr)
      .build();
}

Dataset read_dataset_like(const DataOptions& options, const DataSchema& known) {
  return data::DatasetBuilder(options, data::open_table(options.data, options.query, options.threads, options.na),
                              &known)
      .build();
}

Dataset make_dataset(const MemoryTable& table, const DataOptions& options) {
  return data::DatasetBuilder(options, data::open_memory(table), nullptr).build();
}

}  // namespace macmi

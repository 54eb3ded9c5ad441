#include "data/columns/column_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "data/columns/number_text.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double largest_exact_integer = 9007199254740992.0;  // 2^53

/// Numbers in the place of labels.
void to_numbers(TableColumn& column, const std::vector<double>& number_of_label) {
  column.values.resize(column.codes.size());
  for (std::size_t i = 0; i < column.codes.size(); ++i)
    column.values[i] = column.codes[i] < 0 ? nan_value : number_of_label[column.codes[i]];
  column.codes.clear();
  column.labels.clear();
  column.text = false;
}

/// The labels in use, with what `parse` makes of them; empty when one cannot be parsed.
template <class Parse>
std::vector<double> parse_labels(const TableColumn& column, const Parse& parse) {
  std::vector<double> numbers;
  for (const std::string& label : column.labels) {
    const std::optional<double> number = parse(label);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<double> parse_truth(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (text == "true") return 1;
  if (text == "false") return 0;
  return {};
}

/// Drops labels that no row uses (rows may have been left out).
void drop_unused_labels(TableColumn& column) {
  std::vector<std::int32_t> place(column.labels.size(), -1);
  std::vector<std::string> labels;
  for (std::int32_t& code : column.codes) {
    if (code < 0) continue;
    if (place[code] < 0) {
      place[code] = static_cast<std::int32_t>(labels.size());
      labels.push_back(column.labels[code]);
    }
    code = place[code];
  }
  column.labels = std::move(labels);
}

/// Numbers with a few words among them are a mistake in the file more often than labels.
void refuse_words_among_numbers(const TableColumn& column, const TypingContext& context) {
  std::vector<bool> is_word;
  for (const std::string& label : column.labels) is_word.push_back(!parse_number_text(label));
  std::size_t words = 0, present = 0, first = 0;
  for (std::size_t i = 0; i < column.codes.size(); ++i) {
    if (column.codes[i] < 0) continue;
    ++present;
    if (is_word[column.codes[i]] && words++ == 0) first = i;
  }
  const bool numbers_wanted = context.wanted == ColumnType::continuous || context.wanted == ColumnType::integer;
  if (words == 0 || (!numbers_wanted && static_cast<double>(words) > 0.1 * static_cast<double>(present))) return;
  throw InputError(
      fmt::format("{}: column '{}' {} but not in {} of {} values, the first '{}' (sample {}); correct them, leave "
                  "them empty if they are missing, or read the column as labels: --type '{}=categorical'",
                  context.source, column.name, numbers_wanted ? "is to hold numbers" : "holds numbers", words, present,
                  column.labels[column.codes[first]], first + 1, column.name));
}

DataColumn labelled(TableColumn column, ColumnType type) {
  std::vector<std::int32_t> order(column.labels.size()), code_of(column.labels.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::int32_t a, std::int32_t b) { return column.labels[a] < column.labels[b]; });
  DataColumn result;
  for (std::size_t i = 0; i < order.size(); ++i) {
    code_of[order[i]] = static_cast<std::int32_t>(i);
    result.labels.push_back(column.labels[order[i]]);
  }
  for (std::int32_t& code : column.codes)
    if (code >= 0) code = code_of[code];
  result.name = std::move(column.name);
  result.type = result.labels.size() <= 1 ? ColumnType::constant : type;
  result.codes = std::move(column.codes);
  result.missing = std::move(column.missing);
  if (result.type == ColumnType::boolean)
    for (const std::int32_t code : result.codes) result.values.push_back(code < 0 ? nan_value : code);
  return result;
}

/// Marks NaN and infinite numbers as missing; in a target they are refused.
void clear_unusable(TableColumn& column, TypingContext& context) {
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    if (std::isfinite(column.values[i]) || (!column.missing.empty() && column.missing[i] != 0)) continue;
    if (context.target)
      throw InputError(
          fmt::format("{}: target '{}' is {} in sample {}; remove the sample, or leave the value empty, which drops it",
                      context.source, column.name, std::isnan(column.values[i]) ? "NaN" : "infinite", i + 1));
    context.infinite += std::isinf(column.values[i]);
    column.values[i] = nan_value;
    column.missing.resize(column.values.size());
    column.missing[i] = 1;
  }
}

struct Shape {
  bool any = false, varies = false, whole = true, zero_one = true, exact = true;
};

Shape shape_of(const std::vector<TableColumn>& columns) {
  Shape shape;
  double first = 0;
  for (const TableColumn& column : columns)
    for (const double value : column.values) {
      if (std::isnan(value)) continue;
      if (!shape.any) first = value;
      shape.any = true;
      shape.varies = shape.varies || value != first;
      shape.zero_one = shape.zero_one && (value == 0 || value == 1);
      shape.whole = shape.whole && value == std::trunc(value);
      shape.exact = shape.exact && std::fabs(value) <= largest_exact_integer;
      if (shape.varies && !shape.whole) return shape;
    }
  return shape;
}

/// The different values, at most limit + 1 of them.
std::set<double> distinct(const std::vector<TableColumn>& columns, std::size_t limit) {
  std::set<double> values;
  double last = nan_value;
  for (const TableColumn& column : columns)
    for (const double value : column.values) {
      if (std::isnan(value) || value == last) continue;
      last = value;
      values.insert(value);
      if (values.size() > limit) return values;
    }
  return values;
}

ColumnType number_type(const std::vector<TableColumn>& columns, const Shape& shape, const TypingContext& context) {
  if (!shape.varies) return ColumnType::constant;
  if (context.wanted) {
    if (*context.wanted == ColumnType::integer && !shape.whole)
      throw InputError(fmt::format("{}: --type {}=integer, but it has values that are not whole numbers",
                                   context.source, columns[0].name));
    if (*context.wanted == ColumnType::boolean && distinct(columns, 2).size() != 2)
      throw InputError(
          fmt::format("{}: --type {}=boolean, but it has more than two values", context.source, columns[0].name));
    return *context.wanted;
  }
  if (shape.zero_one) return ColumnType::boolean;
  if (!shape.whole) return ColumnType::continuous;
  if (context.target && distinct(columns, most_integer_classes).size() <= most_integer_classes)
    return ColumnType::categorical;
  return ColumnType::integer;
}

/// Codes in order of the values; booleans become 0 and 1.
void add_codes(std::vector<DataColumn>& columns, const std::set<double>& values, ColumnType type) {
  const std::vector<double> ordered(values.begin(), values.end());
  for (DataColumn& column : columns) {
    for (const double value : ordered) column.labels.push_back(fmt::format("{}", value));
    for (double& value : column.values) {
      const auto code =
          std::isnan(value)
              ? -1
              : static_cast<std::int32_t>(std::lower_bound(ordered.begin(), ordered.end(), value) - ordered.begin());
      column.codes.push_back(code);
      if (type == ColumnType::boolean && code >= 0) value = code;
    }
  }
}

std::vector<DataColumn> typed_numbers(std::vector<TableColumn> columns, TypingContext& context) {
  for (TableColumn& column : columns) clear_unusable(column, context);
  const Shape shape = shape_of(columns);
  const ColumnType type = number_type(columns, shape, context);
  if (type == ColumnType::integer && !shape.exact)
    context.remarks.push_back(
        fmt::format("column '{}' has whole numbers beyond 2^53, which are rounded", columns[0].name));
  std::set<double> values;
  if (type == ColumnType::categorical || type == ColumnType::boolean) values = distinct(columns, std::size_t(-1));
  std::vector<DataColumn> result;
  for (TableColumn& column : columns) {
    DataColumn typed;
    typed.name = std::move(column.name);
    typed.type = type;
    typed.values = std::move(column.values);
    typed.missing = std::move(column.missing);
    result.push_back(std::move(typed));
  }
  if (!values.empty()) add_codes(result, values, type);
  return result;
}

}  // namespace

void settle_text(TableColumn& column, bool codes_stay) {
  if (!column.is_text()) return;
  drop_unused_labels(column);
  const bool codes = std::all_of(column.labels.begin(), column.labels.end(), is_digits) &&
                     std::any_of(column.labels.begin(), column.labels.end(), is_padded_code);
  if (codes && codes_stay) return;
  const std::vector<double> numbers =
      parse_labels(column, [](const std::string& label) { return parse_number_text(label); });
  if (numbers.size() == column.labels.size()) to_numbers(column, numbers);
}

std::vector<DataColumn> type_columns(std::vector<TableColumn> columns, TypingContext& context) {
  if (!columns[0].is_text()) return typed_numbers(std::move(columns), context);
  TableColumn& column = columns[0];  // text has no steps
  settle_text(column, context.wanted != ColumnType::continuous && context.wanted != ColumnType::integer);
  if (!column.is_text()) return typed_numbers(std::move(columns), context);
  const bool categories_wanted = context.wanted == ColumnType::categorical;
  const std::vector<double> truths = parse_labels(column, parse_truth);
  if (truths.size() == column.labels.size() && !categories_wanted) {
    to_numbers(column, truths);
    std::vector<DataColumn> result = typed_numbers(std::move(columns), context);
    if (result[0].type == ColumnType::boolean) result[0].labels = {"false", "true"};
    return result;
  }
  std::vector<double> days = parse_labels(column, [](const std::string& label) { return parse_time_text(label); });
  if (days.size() == column.labels.size() && !categories_wanted) {
    for (double& day : days) day /= 86400;
    context.remarks.push_back(fmt::format("column '{}' holds dates, read as days since 1970-01-01", column.name));
    to_numbers(column, days);
    return typed_numbers(std::move(columns), context);
  }
  if (!categories_wanted) refuse_words_among_numbers(column, context);
  if (context.wanted == ColumnType::boolean && column.labels.size() != 2)
    throw InputError(fmt::format("{}: --type {}=boolean, but it has {} different values", context.source, column.name,
                                 column.labels.size()));
  std::vector<DataColumn> result;
  result.push_back(labelled(std::move(column), context.wanted.value_or(ColumnType::categorical)));
  return result;
}

Scaling scaling_of(const std::vector<const DataColumn*>& columns) {
  double sum = 0, count = 0;
  for (const DataColumn* column : columns)
    for (const double value : column->values)
      if (!std::isnan(value)) sum += value, count += 1;
  if (count == 0) return {};
  Scaling scaling{sum / count, 1};
  double squares = 0;
  for (const DataColumn* column : columns)
    for (const double value : column->values)
      if (!std::isnan(value)) squares += (value - scaling.center) * (value - scaling.center);
  const double deviation = std::sqrt(squares / count);
  if (deviation > 0 && std::isfinite(deviation)) scaling.scale = deviation;
  if (!std::isfinite(scaling.center)) scaling.center = 0;  // numbers near the largest double overflow the sum
  return scaling;
}

}  // namespace macmi::data

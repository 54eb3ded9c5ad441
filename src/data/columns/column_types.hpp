#pragma once
#include <optional>
#include <string>
#include <vector>

#include "data/table.hpp"
#include "macmi/dataset.hpp"

namespace macmi::data {

/// The input of a decision about types, and its remarks.
struct TypingContext {
  std::string source;                ///< for messages
  std::optional<ColumnType> wanted;  ///< --type
  bool target = false;               ///< NaN and infinite values are refused; whole numbers of few values are classes
  std::size_t infinite = 0;          ///< out: infinite values, now missing
  std::vector<std::string> remarks;  ///< out
};

/// A whole-number target with at most this many different values is taken for classes.
inline constexpr std::size_t most_integer_classes = 10;

/// The columns of one channel (all its steps), typed together: text becomes labels in order, numbers, yes/no or days,
/// as its values show or the user says; NaN and infinite numbers become missing. Throws InputError.
std::vector<DataColumn> type_columns(std::vector<TableColumn> columns, TypingContext& context);

/// Text that is numbers throughout becomes numbers; codes with zeros in front (00123) stay text.
void settle_text(TableColumn& column, bool codes_stay = true);

/// Mean and population standard deviation of the values present in all these columns.
Scaling scaling_of(const std::vector<const DataColumn*>& columns);

}  // namespace macmi::data

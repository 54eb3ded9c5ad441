#pragma once
#include <string>
#include <vector>

namespace macmi::data {

/// DuckDB's message about reading a CSV file, in the words of the user's file: which line, which column, what to do.
/// `names` are the columns that DuckDB knows as k0, k1, ….
std::string explain_csv_error(const std::string& message, const std::string& source,
                              const std::vector<std::string>& names);

/// The part of any other DuckDB message that tells the user something.
std::string explain_sql_error(const std::string& message);

}  // namespace macmi::data

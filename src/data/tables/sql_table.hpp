#pragma once
#include <memory>
#include <string>
#include <vector>

#include "data/files.hpp"
#include "data/table.hpp"

namespace macmi::data {

/// Files of one kind (CSV, Parquet or JSON) as one table, their rows one after the other.
std::unique_ptr<TableReader> open_sql_files(const std::vector<DataFile>& files, std::uint64_t threads);

/// The result of an SQL query; `data` in it is the table of the files, if there are any.
std::unique_ptr<TableReader> open_query(const std::string& query, const std::vector<DataFile>& files);

}  // namespace macmi::data

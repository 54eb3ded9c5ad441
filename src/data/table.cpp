#include "data/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/number_of.hpp"
#include "data/arrays/array_table.hpp"
#include "data/files.hpp"
#include "data/tables/sql_table.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

bool is_array(const DataFile& file) {
  return file.kind == FileKind::npy || file.kind == FileKind::npz;
}

/// Tables of different kinds side by side, row by row.
class SideBySide : public TableReader {
 public:
  explicit SideBySide(std::vector<std::unique_ptr<TableReader>> parts) : parts_(std::move(parts)) {
    for (const auto& part : parts_) {
      source_ += (source_.empty() ? "" : ", ") + part->source();
      columns_.insert(columns_.end(), part->columns().begin(), part->columns().end());
      remarks_.insert(remarks_.end(), part->remarks().begin(), part->remarks().end());
    }
  }

  Table read(const ReadRequest& request) const override {
    Table table;
    table.source = source_;
    table.columns.resize(request.columns.size());
    std::size_t first = 0;
    bool any = false;
    for (const auto& part : parts_) {
      ReadRequest own;
      own.keep = request.keep;
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < request.columns.size(); ++i) {
        if (request.columns[i] < first || request.columns[i] >= first + part->columns().size()) continue;
        own.columns.push_back(request.columns[i] - first);
        if (!request.as_text.empty()) own.as_text.push_back(request.as_text[i]);
        places.push_back(i);
      }
      first += part->columns().size();
      if (own.columns.empty()) continue;
      Table read = part->read(own);
      if (any && read.rows != table.rows)
        throw InputError(fmt::format("{} has {} where the files before it have {}", part->source(),
                                     base::number_of(read.rows, "row"), table.rows));
      any = true;
      table.rows = read.rows;
      for (std::size_t i = 0; i < places.size(); ++i) table.columns[places[i]] = std::move(read.columns[i]);
    }
    return table;
  }

 private:
  std::vector<std::unique_ptr<TableReader>> parts_;
};

void expect_distinct_names(const TableReader& reader) {
  std::set<std::string> names;
  for (const ColumnInfo& column : reader.columns())
    if (!names.insert(column.name).second)
      throw InputError(fmt::format("{}: two columns are named '{}'; rename one of them", reader.source(), column.name));
}

}  // namespace

std::size_t TableColumn::missing_count() const {
  return static_cast<std::size_t>(std::count(missing.begin(), missing.end(), std::uint8_t{1}));
}

std::unique_ptr<TableReader> open_table(const std::vector<std::string>& files, const std::string& query,
                                        std::uint64_t threads, const std::vector<std::string>& na) {
  if (files.empty() && query.empty()) throw InputError("no data: give --data FILES");
  std::vector<DataFile> found = expand_files(files);
  for (DataFile& file : found) file.missing = missing_texts(na);
  std::vector<DataFile> arrays;
  std::vector<std::vector<DataFile>> tables;  // by kind, in order of appearance
  for (const DataFile& file : found) {
    if (is_array(file)) {
      arrays.push_back(file);
      continue;
    }
    const auto same = std::find_if(tables.begin(), tables.end(), [&](const auto& t) { return t[0].kind == file.kind; });
    if (same == tables.end())
      tables.push_back({file});
    else
      same->push_back(file);
  }
  std::unique_ptr<TableReader> reader;
  if (!query.empty()) {
    if (!arrays.empty() || tables.size() > 1)
      throw InputError("--query needs files of one kind, CSV, Parquet or JSON; NumPy arrays are not tables of SQL");
    reader = open_query(query, tables.empty() ? std::vector<DataFile>() : tables[0]);
  } else {
    std::vector<std::unique_ptr<TableReader>> parts;
    for (const auto& table : tables) parts.push_back(open_sql_files(table, threads));
    if (!arrays.empty()) parts.push_back(open_arrays(arrays));
    if (parts.size() == 1)
      reader = std::move(parts[0]);
    else
      reader = std::make_unique<SideBySide>(std::move(parts));
  }
  expect_distinct_names(*reader);
  return reader;
}

}  // namespace macmi::data

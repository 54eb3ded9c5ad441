#include "data/tables/sql_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "data/columns/column_builder.hpp"
#include "data/tables/duckdb_connection.hpp"
#include "data/tables/sql_errors.hpp"
#include "data/tables/sql_files.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

std::string source_name(const std::vector<DataFile>& files) {
  return files.size() == 1 ? files[0].path : fmt::format("{} and {} more", files[0].path, files.size() - 1);
}

/// Takes over the rows of a chunk that are kept.
void append(const ResultChunk& chunk, std::size_t first_row, const std::vector<bool>& keep,
            const std::vector<bool>& text, std::vector<ColumnBuilder>& columns) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const ChunkColumn from = chunk.column(c);
    if (!text[c] && !from.may_have_nulls() && keep.empty()) {
      columns[c].add(from.numbers(), chunk.rows());
      continue;
    }
    for (std::size_t r = 0; r < chunk.rows(); ++r) {
      if (!keep.empty() && !keep[first_row + r]) continue;
      if (from.is_null(r))
        columns[c].add_missing();
      else if (text[c])
        columns[c].add(from.text(r));
      else
        columns[c].add(from.numbers()[r]);
    }
  }
}

class SqlTable : public TableReader {
 public:
  SqlTable(const std::vector<DataFile>& files, std::uint64_t threads) : connection_(threads) {
    source_ = source_name(files);
    if (files[0].kind != FileKind::csv) {
      describe(relation_of(files, connection_));
      return;
    }
    csv_.emplace(files);
    for (std::size_t c = 0; c < csv_->names().size(); ++c)
      add({{csv_->names()[c], {}, 0, 0}, fmt::format("k{}", c), csv_->is_text(c)});
    for (std::string& remark : csv_->remarks()) remarks_.push_back(std::move(remark));
    if (!csv_->has_header())
      remarks_.push_back(fmt::format("{} has no header: its columns are called c0, c1, …", source_));
  }

  /// One thread: the order of the rows, which SQL leaves open, is then the same in every run.
  SqlTable(const std::string& query, const std::vector<DataFile>& files) : connection_(1) {
    source_ = "--query";
    if (!files.empty()) connection_.run(fmt::format("CREATE TEMP VIEW data AS {}", all_of(files)));
    if (connection_.statements(query) != 1) throw InputError("--query: give one SELECT statement");
    std::set<std::string> names;
    connection_.run(fmt::format("DESCRIBE {}", query), [&](const ResultChunk& chunk) {
      for (std::size_t r = 0; r < chunk.rows(); ++r)
        if (const std::string name(chunk.column(0).text(r)); !names.insert(name).second)
          throw InputError(fmt::format("--query gives two columns named '{}'; rename one with AS", name));
    });
    describe(fmt::format("({})", query.substr(0, query.find_last_not_of("; \t\n") + 1)));
  }

  Table read(const ReadRequest& request) const override {
    std::vector<ColumnBuilder> builders;
    std::vector<std::string> select;
    std::vector<bool> text;
    std::vector<bool> csv_text(csv_ ? csv_->names().size() : 0);
    for (std::size_t c = 0; c < csv_text.size(); ++c) csv_text[c] = csv_->is_text(c);
    for (std::size_t i = 0; i < request.columns.size(); ++i) {
      const SqlColumn& column = sql_[request.columns[i]];
      const bool forced = !request.as_text.empty() && request.as_text[i] && csv_.has_value();
      text.push_back(column.text || forced);
      if (csv_) csv_text[request.columns[i]] = text.back();
      builders.emplace_back(column.info.name, text.back());
      select.push_back(column.expression);
    }
    const std::string relation = csv_ ? csv_->relation(csv_text) : relation_;
    Table table;
    table.source = source_;
    std::size_t rows = 0;
    try {
      connection_.run(fmt::format("SELECT {} FROM {}", fmt::join(select, ", "), relation),
                      [&](const ResultChunk& chunk) {
                        append(chunk, rows, request.keep, text, builders);
                        rows += chunk.rows();
                      });
    } catch (const SqlError& error) {
      throw InputError(csv_ ? explain_csv_error(error.what(), source_, csv_->names())
                            : fmt::format("{}: {}", source_, explain_sql_error(error.what())));
    }
    table.rows = request.keep.empty()
                     ? rows
                     : static_cast<std::size_t>(std::count(request.keep.begin(), request.keep.end(), true));
    for (ColumnBuilder& builder : builders) table.columns.push_back(builder.finish());
    return table;
  }

 private:
  void add(SqlColumn column) {
    columns_.push_back(column.info);
    sql_.push_back(std::move(column));
  }

  void describe(const std::string& relation) {
    relation_ = relation;
    for (SqlColumn& column : describe_relation(relation_, connection_, remarks_)) add(std::move(column));
    if (columns_.empty()) throw InputError(fmt::format("{} has no columns that can be read", source_));
  }

  std::string all_of(const std::vector<DataFile>& files) {
    if (files[0].kind != FileKind::csv) return fmt::format("SELECT * FROM {}", relation_of(files, connection_));
    const CsvFiles csv(files);
    std::vector<std::string> select;
    std::vector<bool> text;
    for (std::size_t c = 0; c < csv.names().size(); ++c) {
      select.push_back(fmt::format("k{} AS {}", c, sql_name(csv.names()[c])));
      text.push_back(csv.is_text(c));
    }
    return fmt::format("SELECT {} FROM {}", fmt::join(select, ", "), csv.relation(text));
  }

  mutable DuckdbConnection connection_;
  std::optional<CsvFiles> csv_;
  std::string relation_;
  std::vector<SqlColumn> sql_;
};

/// DuckDB's complaints while opening, as the user's mistakes that they are.
template <class... Arguments>
std::unique_ptr<TableReader> open(const std::string& source, const Arguments&... arguments) {
  try {
    return std::make_unique<SqlTable>(arguments...);
  } catch (const SqlError& error) {
    throw InputError(fmt::format("{}: {}", source, explain_sql_error(error.what())));
  }
}

}  // namespace

std::unique_ptr<TableReader> open_sql_files(const std::vector<DataFile>& files, std::uint64_t threads) {
  return open(source_name(files), files, threads);
}

std::unique_ptr<TableReader> open_query(const std::string& query, const std::vector<DataFile>& files) {
  return open("--query", query, files);
}

}  // namespace macmi::data

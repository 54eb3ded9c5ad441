#include "data/tables/duckdb_connection.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/parallel.hpp"
#include "data/tables/duckdb_library.hpp"

namespace macmi::data {
namespace {

std::string quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    if (c == quote) result += quote;
    result += c;
  }
  return result += quote;
}

/// Releases a DuckDB object when the scope ends, however it ends.
template <class Handle>
struct Release {
  Handle& handle;
  void (*destroy)(Handle*);
  ~Release() { destroy(&handle); }
};

}  // namespace

std::string sql_string(std::string_view text) {
  return quoted(text, '\'');
}
std::string sql_name(std::string_view name) {
  return quoted(name, '"');
}

std::size_t ResultChunk::rows() const {
  return duckdb_library().data_chunk_get_size(chunk_);
}

ChunkColumn ResultChunk::column(std::size_t index) const {
  const DuckdbLibrary& db = duckdb_library();
  duckdb_vector vector = db.data_chunk_get_vector(chunk_, index);
  return {db.vector_get_data(vector), db.vector_get_validity(vector)};
}

std::string_view ChunkColumn::text(std::size_t row) const {
  const duckdb_string_t& s = static_cast<const duckdb_string_t*>(values_)[row];
  // Strings of up to 12 bytes live inside the struct itself.
  return s.value.inlined.length <= 12 ? std::string_view(s.value.inlined.inlined, s.value.inlined.length)
                                      : std::string_view(s.value.pointer.ptr, s.value.pointer.length);
}

DuckdbConnection::DuckdbConnection(std::uint64_t threads, const DuckdbStorage& storage) {
  const DuckdbLibrary& db = duckdb_library();
  duckdb_config config = nullptr;
  if (db.create_config(&config) == DuckDBError) throw Error("DuckDB did not start");
  const Release<duckdb_config> release{config, db.destroy_config};
  const std::string file = storage.folder + "/rows.duckdb";
  std::vector<std::pair<const char*, std::string>> settings = {{"threads", std::to_string(base::thread_count(threads))},
                                                               {"autoinstall_known_extensions", "false"},
                                                               {"autoload_known_extensions", "false"},
                                                               {"allow_community_extensions", "false"},
                                                               {"temp_directory", storage.folder}};
  const bool in_memory = storage.folder.empty();
  if (!in_memory) settings.emplace_back("memory_limit", fmt::format("{}MB", storage.megabytes));
  for (const auto& [name, value] : settings)
    if (db.set_config(config, name, value.c_str()) == DuckDBError)
      throw Error(fmt::format("DuckDB has no setting {}", name));
  char* message = nullptr;
  if (db.open_ext(in_memory ? nullptr : file.c_str(), &database_, config, &message) == DuckDBError) {
    const std::string text = message != nullptr ? message : "";
    db.free(message);
    throw Error(fmt::format("DuckDB did not start: {}", text));
  }
  if (db.connect(database_, &connection_) == DuckDBError) {
    db.close(&database_);
    throw Error("DuckDB did not accept a connection");
  }
}

DuckdbConnection::~DuckdbConnection() {
  duckdb_library().disconnect(&connection_);
  duckdb_library().close(&database_);
}

std::vector<ResultColumn> DuckdbConnection::run(const std::string& sql,
                                                const std::function<void(const ResultChunk&)>& each) {
  const DuckdbLibrary& db = duckdb_library();
  duckdb_prepared_statement statement = nullptr;
  const Release<duckdb_prepared_statement> statement_release{statement, db.destroy_prepare};
  if (db.prepare(connection_, sql.c_str(), &statement) == DuckDBError) throw SqlError(db.prepare_error(statement));
  duckdb_pending_result pending = nullptr;
  const Release<duckdb_pending_result> pending_release{pending, db.destroy_pending};
  if (db.pending_prepared_streaming(statement, &pending) == DuckDBError) throw SqlError(db.pending_error(pending));
  duckdb_result result{};
  const Release<duckdb_result> result_release{result, db.destroy_result};
  if (db.execute_pending(pending, &result) == DuckDBError) throw SqlError(db.result_error(&result));

  std::vector<ResultColumn> columns;
  for (idx_t c = 0; c < db.column_count(&result); ++c)
    columns.push_back({db.column_name(&result, c), static_cast<int>(db.column_type(&result, c))});
  while (duckdb_data_chunk chunk = db.fetch_chunk(result)) {
    const Release<duckdb_data_chunk> chunk_release{chunk, db.destroy_data_chunk};
    if (each) each(ResultChunk(chunk));
  }
  // A statement that fails after its first rows leaves its message in the result.
  if (const char* message = db.result_error(&result); message != nullptr && *message != '\0') throw SqlError(message);
  return columns;
}

std::size_t DuckdbConnection::statements(const std::string& sql) {
  const DuckdbLibrary& db = duckdb_library();
  duckdb_extracted_statements extracted = nullptr;
  const Release<duckdb_extracted_statements> release{extracted, db.destroy_extracted};
  const std::size_t count = db.extract_statements(connection_, sql.c_str(), &extracted);
  if (count == 0 && extracted == nullptr) throw SqlError("no SQL statement");
  return count;
}

}  // namespace macmi::data

#pragma once
#include <duckdb.h>

namespace macmi::data {

/// The functions of DuckDB's C API that macmi calls, by their own names without the prefix.
struct DuckdbLibrary {
// clang-format off
#define MACMI_DUCKDB_FUNCTIONS(X) \
  X(library_version) \
  X(create_config) \
  X(set_config) \
  X(destroy_config) \
  X(open_ext) \
  X(close) \
  X(connect) X(disconnect) X(free) X(prepare) X(prepare_error) X(destroy_prepare) X(pending_prepared_streaming) \
      X(pending_error) X(execute_pending) X(destroy_pending) X(result_error) X(destroy_result) X(column_count) \
          X(column_name) X(column_type) X(fetch_chunk) X(destroy_data_chunk) X(data_chunk_get_size) \
              X(data_chunk_get_vector) X(vector_get_data) X(vector_get_validity) X(extract_statements) \
                  X(destroy_extracted)
// clang-format on
#define MACMI_DUCKDB_MEMBER(name) decltype(&::duckdb_##name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
  MACMI_DUCKDB_FUNCTIONS(MACMI_DUCKDB_MEMBER)
#undef MACMI_DUCKDB_MEMBER
};

/// The library, opened on first use: $MACMI_DUCKDB where set, else libduckdb.so beside the program, in its
/// ../lib/macmi, or where the loader finds it. Thread-safe. Throws InputError saying where it was looked for.
const DuckdbLibrary& duckdb_library();

}  // namespace macmi::data

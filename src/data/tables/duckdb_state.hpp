#pragma once
#include "base/files/opened_library.hpp"

namespace macmi::data {

/// Opens DuckDB's library and says which file it is.
base::LibraryState duckdb_state();

}  // namespace macmi::data

#pragma once
#include "base/files/opened_library.hpp"

namespace macmi::data {

/// Which library of DuckDB reads tables here. Opens it.
base::LibraryState duckdb_state();

}  // namespace macmi::data

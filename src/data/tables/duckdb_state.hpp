#pragma once
#include "base/files/opened_library.hpp"

namespace macmi {

/// Which library of DuckDB reads tables here. Opens it.
LibraryState duckdb_state();

}  // namespace macmi

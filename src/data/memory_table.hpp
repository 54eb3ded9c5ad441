#pragma once
#include <memory>

#include "data/table.hpp"
#include "macmi/memory_table.hpp"

namespace macmi::data {

/// A reader of columns in memory; the table and its samples must outlive it.
std::unique_ptr<TableReader> open_memory(const MemoryTable& table);

}  // namespace macmi::data

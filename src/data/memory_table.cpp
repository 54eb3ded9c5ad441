#include "data/memory_table.hpp"

#include <fmt/format.h>

#include <set>

#include "data/columns/column_builder.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

class MemoryReader : public TableReader {
 public:
  explicit MemoryReader(const MemoryTable& table) : table_(table) {
    source_ = table.source;
    std::set<std::string> names;
    for (const MemoryColumn& column : table.columns) {
      if (!names.insert(column.name).second)
        throw InputError(fmt::format("{}: two columns are called '{}'; rename one", source_, column.name));
      columns_.push_back({column.name, column.feature, column.step, 0});
    }
  }

  Table read(const ReadRequest& request) const override {
    Table table;
    table.source = source_;
    for (const std::size_t c : request.columns) {
      ColumnBuilder builder(columns_[c].name, table_.columns[c].codes != nullptr);
      table.rows = 0;
      for (std::size_t r = 0; r < table_.rows; ++r) {
        if (!request.keep.empty() && !request.keep[r]) continue;
        add(table_.columns[c], static_cast<std::ptrdiff_t>(r), builder);
        ++table.rows;
      }
      table.columns.push_back(builder.finish());
    }
    return table;
  }

 private:
  static void add(const MemoryColumn& from, std::ptrdiff_t row, ColumnBuilder& builder) {
    if (from.codes == nullptr) return builder.add(from.numbers[row * from.stride]);
    const std::int32_t code = from.codes[row * from.stride];
    if (code < 0) return builder.add_missing();
    builder.add(from.labels.at(static_cast<std::size_t>(code)));
  }

  const MemoryTable& table_;
};

}  // namespace

std::unique_ptr<TableReader> open_memory(const MemoryTable& table) {
  return std::make_unique<MemoryReader>(table);
}

}  // namespace macmi::data

#include "macmi/data_options.hpp"

namespace macmi {

std::vector<Option> declare(DataOptions& o) {
  return {
      {.name = "data",
       .field = &o.data,
       .meaning = "Files or globs: CSV (also .gz), Parquet, JSON lines, .npy, .npz",
       .value_name = "FILES"},
      {.name = "query",
       .field = &o.query,
       .meaning = "SQL that gives the table; 'data' in it stands for the files of --data",
       .value_name = "SQL"},
      {.name = "target",
       .field = &o.target,
       .meaning = "The column to explain, or several number columns that make one target",
       .value_name = "COL"},
      {.name = "features",
       .field = &o.features,
       .meaning = "Only these features, by name or glob",
       .value_name = "A[,B*…]"},
      {.name = "exclude",
       .field = &o.exclude,
       .meaning = "Without these features, by name or glob",
       .value_name = "A[,B*…]"},
      {.name = "group",
       .field = &o.group,
       .meaning = "Columns whose name matches form one feature per first capture group, e.g. '^(x\\d+)_'",
       .value_name = "REGEX"},
      {.name = "id",
       .field = &o.id,
       .meaning = "Long format: the column that says which unit a row belongs to",
       .value_name = "COL"},
      {.name = "time",
       .field = &o.time,
       .meaning = "The column that orders the rows, numbers or dates: of a unit in long format (--id); without --id "
                  "rows stay samples, in this order (docs/units.md)",
       .value_name = "COL"},
      {.name = "unit",
       .field = &o.unit,
       .meaning = "The column that says which rows belong together (a patient, a drive, a day) and are not "
                  "exchangeable; it is no feature (docs/units.md)",
       .value_name = "COL"},
      {.name = "weight",
       .field = &o.weight,
       .meaning = "The column that says how many equal rows each row stands for, whole numbers from 0 on; it is no "
                  "feature (docs/data.md)",
       .value_name = "COL"},
      {.name = "lags",
       .field = &o.lags,
       .meaning = "With --time on rows: add to every feature of numbers its values so many rows before, as 'x@-1'; "
                  "1 or 1..5",
       .value_name = "N[..M]"},
      {.name = "window",
       .field = &o.window,
       .meaning = "Long format: the last steps of each unit to keep; 0 keeps all, which must then be equally many",
       .low = 0,
       .high = 1e6},
      {.name = "type",
       .field = &o.type,
       .meaning = "What columns are, where the guess is wrong: COL=continuous, integer, categorical or boolean",
       .value_name = "COL=TYPE"},
      {.name = "missing",
       .field = choice_of(o.missing, {"auto", "pairwise", "impute", "error"}),
       .meaning =
           "Samples without a value: each test uses the complete ones, the mean and an indicator fill in, or an error"},
      {.name = "na",
       .field = &o.na,
       .meaning =
           "Texts in CSV that stand for no value, in the place of NA, N/A, NULL, ? and the like; none: every text "
           "is a label, only the empty field is missing",
       .value_name = "TEXT"},
      {.name = "rows",
       .field = &o.rows,
       .meaning = "Draw this many samples, each class in its share; 0 takes all",
       .low = 0},
      {.name = "seed", .field = &o.seed, .meaning = "Random seed"},
  };
}

}  // namespace macmi

// XGBoost's C interface. Opened on first use, not linked: only CCIT needs it, and nobody else shall wait for it.
#include "baselines/boosted_trees.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "macmi/error.hpp"

namespace macmi::baselines {
namespace {

constexpr const char* advice =
    "On Debian: apt-get install libxgboost0; with Python: pip install xgboost-cpu; otherwise set MACMI_XGBOOST to its "
    "path";

struct XgboostLibrary {
// clang-format off
#define MACMI_XGBOOST_FUNCTIONS(X) \
  X(XGBoostVersion) \
  X(XGBGetLastError) \
  X(XGDMatrixCreateFromMat) \
  X(XGDMatrixSetFloatInfo) \
  X(XGDMatrixFree) \
  X(XGBoosterCreate) X(XGBoosterFree) X(XGBoosterSetParam) X(XGBoosterUpdateOneIter) X(XGBoosterPredict)
// clang-format on
#define MACMI_XGBOOST_MEMBER(name) decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
  MACMI_XGBOOST_FUNCTIONS(MACMI_XGBOOST_MEMBER)
#undef MACMI_XGBOOST_MEMBER
};

template <class Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) throw InputError(fmt::format("libxgboost has no {}: macmi needs XGBoost 1.7", name));
}

const base::OpenedLibrary& opened() {
  static const base::OpenedLibrary library = [] {
    if (const char* chosen = std::getenv("MACMI_XGBOOST"); chosen != nullptr && *chosen != '\0')
      return base::open_library(std::vector<std::string>{chosen});
    return base::open_library(std::vector<std::string>{"libxgboost.so.0", "libxgboost.so"});
  }();
  return library;
}

XgboostLibrary functions() {
  if (opened().handle == nullptr)
    throw InputError(fmt::format("--method ccit needs the library libxgboost, which cannot be opened. {}. Tried:{}",
                                 advice, opened().tried));
  XgboostLibrary library;
#define MACMI_XGBOOST_FIND(name) find(opened().handle, #name, library.name);
  MACMI_XGBOOST_FUNCTIONS(MACMI_XGBOOST_FIND)
#undef MACMI_XGBOOST_FIND
  return library;
}

const XgboostLibrary& xgboost() {
  static const XgboostLibrary library = functions();
  return library;
}

void expect(int code) {
  if (code != 0) throw Error(fmt::format("XGBoost failed: {}", xgboost().XGBGetLastError()));
}

class Matrix {
 public:
  explicit Matrix(const LabelledRows& rows) {
    expect(xgboost().XGDMatrixCreateFromMat(rows.values.data(), rows.rows(), rows.columns,
                                            std::numeric_limits<float>::quiet_NaN(), &handle_));
    expect(xgboost().XGDMatrixSetFloatInfo(handle_, "label", rows.labels.data(), rows.rows()));
  }
  ~Matrix() { xgboost().XGDMatrixFree(handle_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  DMatrixHandle handle() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

class Booster {
 public:
  explicit Booster(const Matrix& train) {
    const DMatrixHandle matrices[] = {train.handle()};
    expect(xgboost().XGBoosterCreate(matrices, 1, &handle_));
  }
  ~Booster() { xgboost().XGBoosterFree(handle_); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;
  void set(const char* name, const std::string& value) {
    expect(xgboost().XGBoosterSetParam(handle_, name, value.c_str()));
  }
  BoosterHandle handle() const { return handle_; }

 private:
  BoosterHandle handle_ = nullptr;
};

}  // namespace

std::vector<float> boosted_tree_probabilities(const LabelledRows& train, const LabelledRows& test,
                                              const TreesOptions& options) {
  const Matrix known(train), asked(test);
  Booster booster(known);
  booster.set("objective", "binary:logistic");
  booster.set("tree_method", "hist");
  booster.set("nthread", "1");
  booster.set("verbosity", "0");
  booster.set("max_depth", std::to_string(options.depth));
  booster.set("eta", fmt::format("{}", options.rate));
  booster.set("subsample", fmt::format("{}", options.rows_share));
  // For each node, not for each tree: a tree on one of two columns could not see that they belong together.
  booster.set("colsample_bynode", fmt::format("{}", options.columns_share));
  booster.set("seed", std::to_string(options.seed));
  for (int tree = 0; tree < options.trees; ++tree)
    expect(xgboost().XGBoosterUpdateOneIter(booster.handle(), tree, known.handle()));
  bst_ulong count = 0;
  const float* values = nullptr;
  expect(xgboost().XGBoosterPredict(booster.handle(), asked.handle(), 0, 0, 0, &count, &values));
  return {values, values + count};
}

base::LibraryState xgboost_state() {
  base::LibraryState state = {
      .name = "XGBoost", .purpose = "boosted trees of --method ccit", .path = opened().path, .advice = advice};
  if (opened().handle != nullptr) {
    int major = 0, minor = 0, patch = 0;
    xgboost().XGBoostVersion(&major, &minor, &patch);
    state.version = fmt::format("{}.{}.{}", major, minor, patch);
  }
  return state;
}

}  // namespace macmi::baselines

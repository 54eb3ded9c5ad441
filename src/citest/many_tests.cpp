#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

#include "base/parallel.hpp"
#include "macmi/ci_test.hpp"
#include "macmi/error.hpp"

namespace macmi {
namespace {

class KnnTargetTest final : public TargetCiTest {
 public:
  KnnTargetTest(std::vector<Variable> features, std::vector<std::string> names, Variable target,
                std::string target_name, const TestOptions& options, std::span<const std::int32_t> folds)
      : features_(std::move(features)),
        names_(std::move(names)),
        target_(std::move(target)),
        target_name_(std::move(target_name)),
        options_(options),
        folds_(folds) {
    if (features_.size() != names_.size()) throw InputError("every feature needs one name");
    if (std::set<std::string>(names_.begin(), names_.end()).size() != names_.size())
      throw InputError("features must have different names");
  }

  std::span<const std::string> features() const override { return names_; }

  CiResult test(std::size_t x, std::span<const std::size_t> given) const override {
    // Columns in the order of the names: sums of squares over a block must not depend on the order of `given`.
    std::vector<std::size_t> sorted(given.begin(), given.end());
    std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) { return names_[a] < names_[b]; });
    TestContext context{.x = names_[x], .y = target_name_, .z = {}, .folds = folds_};
    Variable z;
    for (const std::size_t feature : sorted) {
      z.add(features_[feature]);
      context.z.push_back(names_[feature]);
    }
    return ci_test(features_[x], target_, z, options_, context);
  }

 private:
  std::vector<Variable> features_;
  std::vector<std::string> names_;
  Variable target_;
  std::string target_name_;
  TestOptions options_;
  std::span<const std::int32_t> folds_;
};

}  // namespace

std::vector<CiResult> ci_tests(std::span<const TestRequest> requests, const TestOptions& options,
                               const std::function<bool(std::size_t, std::size_t)>& progress) {
  std::vector<CiResult> results(requests.size());
  // Enough tests to fill the threads: one thread each, no waiting at the end of every batch of permutations.
  TestOptions each = options;
  const bool together = requests.size() >= thread_count(options.threads);
  if (together) each.threads = 1;
  std::size_t done = 0;
  std::mutex mutex;
  std::atomic<bool> cancelled = false;
  parallel_for(requests.size(), 1, together ? options.threads : 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      TestContext context = requests[t].context;
      context.progress = [&](std::size_t, std::size_t) { return !cancelled.load(); };
      results[t] = ci_test(requests[t].x, requests[t].y, requests[t].z, each, context);
      const std::lock_guard lock(mutex);
      ++done;
      if (progress && !progress(done, requests.size())) cancelled = true;
    }
  });
  if (cancelled && done < requests.size()) throw Cancelled();
  return results;
}

std::unique_ptr<TargetCiTest> make_knn_target_test(std::vector<Variable> features, std::vector<std::string> names,
                                                   Variable target, std::string target_name, const TestOptions& options,
                                                   std::span<const std::int32_t> folds) {
  return std::make_unique<KnnTargetTest>(std::move(features), std::move(names), std::move(target),
                                         std::move(target_name), options, folds);
}

}  // namespace macmi

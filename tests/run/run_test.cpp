#include "macmi/run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/files/whole_file.hpp"
#include "blanket/scripted_test.hpp"
#include "macmi/blanket.hpp"
#include "macmi/error.hpp"
#include "macmi/selection_pipeline.hpp"
#include "select/small_dataset.hpp"

namespace macmi::run {
namespace {

namespace fs = std::filesystem;
using testing::curved_network;
using testing::dataset_of;
using testing::ScriptedTest;

/// A directory that is gone after the test.
class Scratch {
 public:
  Scratch() {
    static int number = 0;
    path_ = (fs::temp_directory_path() / fmt::format("macmi-run-test-{}-{}", getpid(), number++)).string();
    fs::remove_all(path_);
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

RunSubject subject(const std::string& k = "auto") {
  RunSubject s;
  s.target = "t";
  s.samples = 10;
  s.fingerprint = "0123456789abcdef";
  s.features = {{"a", "1"}, {"b", "2"}, {"t", "3"}};
  s.fixed = {{"seed", "0"}};
  s.test = {{"k", k}};
  return s;
}

std::string refusal(const std::function<void()>& body) {
  try {
    body();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

SelectOptions quick() {
  SelectOptions options;
  options.search.delta = 1;
  options.test.permutations = 128;
  options.test.threads = 2;
  return options;
}

std::string select_in(const std::string& directory, const Dataset& data, const SelectOptions& options,
                      RunTests* tests = nullptr, std::size_t stop_after = 0) {
  SelectionPipeline pipeline(data, options);
  macmi::Run run(directory, pipeline.subject());
  pipeline.keep_in(run);
  SelectionHooks hooks;
  std::size_t finished = 0;
  hooks.search.on_test = [&](const TestRecord&) { ++finished; };
  hooks.search.on_progress = [&](const SearchProgress&) { return stop_after == 0 || finished < stop_after; };
  const std::string json = selection_json(pipeline.select(hooks), {});
  if (tests) *tests = run.tests();
  return json;
}

// ctest label threads: two threads make tests, a third writes the journal
TEST(Run, StoppedAfterAnyNumberOfTestsItEndsWithTheSameBits) {
  const Dataset data = dataset_of(curved_network(80, 1));
  const SelectOptions options = quick();
  const std::string expected = selection_json(select_features(data, options), {});
  for (const std::size_t stop : {1, 5, 9, 14}) {
    const Scratch scratch;
    EXPECT_THROW(select_in(scratch / "run", data, options, nullptr, stop), Cancelled);
    RunTests tests;
    EXPECT_EQ(select_in(scratch / "run", data, options, &tests), expected);
    EXPECT_GE(tests.stored, stop);
    EXPECT_EQ(tests.reused + tests.continued > 0, true);
    EXPECT_EQ(select_in(scratch / "run", data, options, &tests), expected);
    EXPECT_EQ(tests.made + tests.continued, 0u);
  }
}

TEST(Run, TheSearchAsksTheTestOnlyForWhatIsNotStored) {
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f"};
  const Scratch scratch;
  const ScriptedTest first(names, 1);
  {
    macmi::Run run(scratch / "run", subject());
    find_blanket(*run.keep(first));
  }
  const ScriptedTest second(names, 1);
  macmi::Run run(scratch / "run", subject());
  EXPECT_EQ(run.tests().stored, first.asked().size());
  const Blanket again = find_blanket(*run.keep(second));
  EXPECT_EQ(second.asked().size(), 0u);
  EXPECT_EQ(again.members, find_blanket(first).members);
}

TEST(Run, TestsOfOtherOptionsStayAndAreNotUsed) {
  const Scratch scratch;
  const ScriptedTest test({"a", "b", "c"}, 1);
  std::size_t stored = 0;
  {
    macmi::Run run(scratch / "run", subject("auto"));
    find_blanket(*run.keep(test));
    stored = run.tests().made;
  }
  {
    macmi::Run run(scratch / "run", subject("5"));
    EXPECT_EQ(run.tests().stored, 0u);
    ASSERT_EQ(run.notes().size(), 1u);
    EXPECT_NE(run.notes()[0].find("--k was auto and is 5"), std::string::npos) << run.notes()[0];
    find_blanket(*run.keep(test));
  }
  macmi::Run run(scratch / "run", subject("auto"));
  EXPECT_EQ(run.tests().stored, stored);
  EXPECT_TRUE(run.notes().empty());
}

TEST(Run, RefusesOtherDataAndNamesTheDifference) {
  const Scratch scratch;
  { macmi::Run run(scratch / "run", subject()); }
  const auto refused = [&](auto change) {
    RunSubject other = subject();
    other.fingerprint = "other";
    change(other);
    return refusal([&] { macmi::Run run(scratch / "run", other); });
  };
  EXPECT_NE(refused([](RunSubject& s) { s.samples = 9; }).find("it had 10 samples and has 9 now"), std::string::npos);
  EXPECT_NE(refused([](RunSubject& s) { s.features[1].second = "x"; }).find("'b' has other values"), std::string::npos);
  EXPECT_NE(refused([](RunSubject& s) {
              s.features[0].first = "z";
            }).find("it had 'a', which is not here; it did not have 'z'"),
            std::string::npos);
  EXPECT_NE(refused([](RunSubject& s) { s.fixed[0].second = "7"; }).find("--seed was 0 and is 7"), std::string::npos);
  EXPECT_NE(refused([](RunSubject&) {}).find("other units"), std::string::npos);
  RunSubject same = subject();
  same.data = {{"data", "moved.csv"}};
  EXPECT_EQ(refusal([&] { macmi::Run run(scratch / "run", same); }), "");
}

TEST(Run, OneAtATime) {
  const Scratch scratch;
  macmi::Run first(scratch / "run", subject());
  EXPECT_NE(refusal([&] {
              macmi::Run second(scratch / "run", subject());
            }).find(fmt::format("in use by process {}", getpid())),
            std::string::npos);
  EXPECT_EQ(list_runs(scratch / "run").at(0).state, RunSummary::State::running);
  EXPECT_NE(refusal([&] { remove_run(scratch / "run"); }).find("in use"), std::string::npos);
}

TEST(Run, FilesAreStoredWholeAndCheckedWhenTaken) {
  const Scratch scratch;
  const auto writes = [](const std::string& text) {
    return [text](const std::string& path) { std::ofstream(path) << text; };
  };
  std::string path;
  {
    macmi::Run run(scratch / "run", subject());
    EXPECT_EQ(run.file("maps/fold-0.model", "recipe 1").state, StoredFile::State::absent);
    run.store_file("maps/fold-0.model", "recipe 1", writes("weights"), "epoch 3");
    EXPECT_THROW(run.store_file("maps/fold-0.model", "recipe 1",
                                [](const std::string& unfinished) {
                                  std::ofstream(unfinished) << "half";
                                  throw Cancelled();
                                }),
                 Cancelled);
  }
  macmi::Run run(scratch / "run", subject());
  const StoredFile found = run.file("maps/fold-0.model", "recipe 1");
  ASSERT_EQ(found.state, StoredFile::State::intact);
  EXPECT_EQ(base::read_whole_file(found.path), "weights");
  EXPECT_EQ(found.note, "epoch 3");
  EXPECT_EQ(run.file("maps/fold-0.model", "recipe 2").state, StoredFile::State::outdated);
  const StoredFile newer = run.store_file("maps/fold-0.model", "recipe 1", writes("better weights"));
  EXPECT_FALSE(fs::exists(found.path));
  fs::resize_file(newer.path, 6);
  EXPECT_EQ(run.file("maps/fold-0.model", "recipe 1").state, StoredFile::State::damaged);
  run.store_file("maps/fold-0.model", "recipe 1", writes("better weights"));
  EXPECT_EQ(run.file("maps/fold-0.model", "recipe 1").state, StoredFile::State::intact);
}

TEST(Run, FilesThatAKilledProcessLeftUnfinishedAreRemoved) {
  const Scratch scratch;
  {
    macmi::Run run(scratch / "run", subject());
    run.store_file("model", "", [](const std::string& path) { std::ofstream(path) << "weights"; });
  }
  std::ofstream(scratch / "run/files/part-model") << "half";
  macmi::Run run(scratch / "run", subject());
  EXPECT_FALSE(fs::exists(scratch / "run/files/part-model"));
  EXPECT_EQ(run.file("model", "").state, StoredFile::State::intact);
}

TEST(Run, ADamagedJournalIsRefusedAndItsTestsAreSaved) {
  const ScriptedTest test({"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}, 3);
  for (const double cut : {0.02, 0.5, 0.8}) {
    const Scratch scratch;
    {
      macmi::Run run(scratch / "run", subject());
      find_blanket(*run.keep(test));
    }
    const std::string journal = scratch / "run/journal.sqlite";
    fs::resize_file(journal, static_cast<std::uintmax_t>(static_cast<double>(fs::file_size(journal)) * cut));
    EXPECT_NE(refusal([&] { macmi::Run run(scratch / "run", subject()); }).find("damaged"), std::string::npos) << cut;
    const std::size_t saved = repair_run(scratch / "run");
    EXPECT_EQ(saved > 0, cut > 0.4);
    macmi::Run run(scratch / "run", subject());
    EXPECT_EQ(run.tests().stored, saved);
    EXPECT_EQ(find_blanket(*run.keep(test)).members, find_blanket(test).members);
  }
}

TEST(Run, ListsTellWhatIsThere) {
  const Scratch scratch;
  EXPECT_TRUE(list_runs(scratch / "nowhere").empty());
  {
    macmi::Run run(scratch / "runs/one", subject());
    run.finish("{}", "2 of 2: a and b");
  }
  { macmi::Run run(scratch / "runs/two", subject()); }
  std::vector<RunSummary> runs = list_runs(scratch / "runs");
  std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.directory < b.directory; });
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].state, RunSummary::State::finished);
  EXPECT_EQ(runs[0].result, "2 of 2: a and b");
  EXPECT_EQ(runs[1].state, RunSummary::State::interrupted);
  EXPECT_EQ(result_file(scratch / "runs/one"), scratch / "runs/one/result.json");
  EXPECT_NE(refusal([&] { result_file(scratch / "runs/two"); }).find("no result yet"), std::string::npos);
  remove_run(scratch / "runs/two");
  EXPECT_FALSE(fs::exists(scratch / "runs/two"));
}

TEST(Run, TheDefaultDirectoryFollowsDataSeedAndTestOptions) {
  const Dataset data = dataset_of(curved_network(50, 1));
  DataOptions read;
  read.data = {"some where/näive data.csv"};
  const auto name = [&](const Dataset& d, const SelectOptions& o) {
    return default_run_directory(selection_subject(d, read, o), read);
  };
  const std::string base = name(data, quick());
  EXPECT_TRUE(base.starts_with("macmi-runs/n-ive-data-t-")) << base;
  SelectOptions other = quick();
  other.search.alpha = 0.1;
  other.search.delta = 2;
  other.test.permutations = 5000;
  other.test.threads = 7;
  EXPECT_EQ(name(data, other), base);
  other = quick();
  other.test.k = 5;
  EXPECT_NE(name(data, other), base);
  other = quick();
  other.test.seed = 1;
  EXPECT_NE(name(data, other), base);
  EXPECT_NE(name(dataset_of(curved_network(50, 2)), quick()), base);
}

}  // namespace
}  // namespace macmi::run

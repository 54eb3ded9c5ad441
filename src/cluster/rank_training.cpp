#include "cluster/rank_training.hpp"

#include <filesystem>
#include <vector>

#include "data/mapped_file.hpp"
#include "learn/worker_process.hpp"
#include "macmi/error.hpp"
#include "run/whole_file.hpp"

namespace macmi {
namespace {

/// Names and contents, for join_texts.
void add_files(std::vector<std::string>& texts, const std::string& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    if (!std::filesystem::exists(path)) continue;
    texts.push_back(name);
    texts.push_back(read_whole_file(path));
  }
}

void write_files(const std::vector<std::string>& texts, std::size_t first, const std::string& folder) {
  for (std::size_t t = first; t + 1 < texts.size(); t += 2) write_whole_file(folder + "/" + texts[t], texts[t + 1]);
}

using OnLine = std::function<void(const std::string&)>;

void train(const TrainingTask& task, const std::string& job, const std::string& folder, const OnLine& on_line,
           const std::function<bool()>& keep_going) {
  run_worker({.job = job, .folder = folder, .how = {"only", text_of(task)}}, on_line, keep_going);
}

class RankTeam final : public TrainingTeam {
 public:
  explicit RankTeam(Coordinator& coordinator) : coordinator_(coordinator) {}
  std::size_t size() const override { return coordinator_.working_ranks(); }
  void begin(const std::string& job) override {
    job_ = job;
    const MappedFile file(job);
    SamplesNotice notice;
    notice.for_work = 1;
    coordinator_.share(notice, file.bytes());
  }
  void train(const TrainingTask& task, const std::string& folder, const OnLine& on_line) override {
    std::vector<std::string> texts = {text_of(task)};
    add_files(texts, folder, task.needs());
    const auto here = [&] {
      macmi::train(task, job_, folder, on_line, [this] { return !coordinator_.broken(); });
      return std::string();
    };
    const auto on_news = [&](std::string_view news) {
      const std::vector<std::string> parts = split_texts(news);
      if (!parts.empty()) on_line(parts[0]);
      try {
        write_files(parts, 1, folder);
      } catch (const InputError&) {  // a checkpoint that cannot be kept; what matters comes with the answer
      }
    };
    write_files(split_texts(coordinator_.work(join_texts(texts), here, on_news)), 0, folder);
  }

 private:
  Coordinator& coordinator_;
  std::string job_;
};

}  // namespace

std::unique_ptr<TrainingTeam> make_training_team(Coordinator& coordinator) {
  return std::make_unique<RankTeam>(coordinator);
}

std::string train_on_rank(const RankWork& work) {
  const std::vector<std::string> texts = split_texts(work.bytes);
  const TrainingTask task = training_task_of(texts.at(0));
  const ScratchFolder folder;
  write_whole_file(folder.path() + "/job", work.shared);
  write_files(texts, 1, folder.path());
  const auto on_line = [&](const std::string& line) {
    std::vector<std::string> news = {line};
    if (line == "saved") add_files(news, folder.path(), {task.state_file()});
    work.tell(join_texts(news));
  };
  train(task, folder.path() + "/job", folder.path(), on_line, [&] { return !work.cancelled(); });
  std::vector<std::string> given;
  add_files(given, folder.path(), task.gives());
  return join_texts(given);
}

}  // namespace macmi

#include "cluster/rank_training.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "macmi/error.hpp"

namespace macmi::cluster {
namespace {

/// Numbers keep their bits.
std::string text_of(const maps::TrainingNews& news) {
  return fmt::format("{} {:a} {:a}", news.epoch, news.objective, news.validation);
}

maps::TrainingNews news_of(const std::vector<std::string>& texts) {
  maps::TrainingNews news;
  long epoch = 0;
  if (texts.size() != 2 || std::sscanf(texts[0].c_str(), "%ld %la %la", &epoch, &news.objective, &news.validation) != 3)
    throw Error("a rank's news of a training cannot be read");
  news.epoch = epoch;
  news.state = texts[1];
  return news;
}

class RankTeam final : public TrainingTeam {
 public:
  explicit RankTeam(Coordinator& coordinator) : coordinator_(coordinator) {}
  std::size_t size() const override { return coordinator_.working_ranks(); }
  void begin(std::string_view job) override {
    job_ = job;
    SamplesNotice notice;
    notice.for_work = 1;
    coordinator_.share(notice, job);
  }
  std::string train(const maps::TrainingTask& task, const std::string& state,
                    const std::function<void(maps::TrainingNews)>& on_news) override {
    const auto here = [&] {
      return maps::run_training(job_, task, state, on_news, [this] { return !coordinator_.broken(); });
    };
    return coordinator_.work(join_texts({maps::text_of(task), state}), here,
                             [&](std::string_view news) { on_news(news_of(split_texts(news))); });
  }

 private:
  Coordinator& coordinator_;
  std::string_view job_;
};

}  // namespace

std::unique_ptr<TrainingTeam> make_training_team(Coordinator& coordinator) {
  return std::make_unique<RankTeam>(coordinator);
}

std::string train_on_rank(const RankWork& work) {
  const std::vector<std::string> texts = split_texts(work.bytes);
  const auto tell = [&](const maps::TrainingNews& news) { work.tell(join_texts({text_of(news), news.state})); };
  return maps::run_training(work.shared, maps::training_task_of(texts.at(0)), texts.at(1), tell,
                            [&] { return !work.cancelled(); });
}

}  // namespace macmi::cluster

#include "report/sufficiency_json.hpp"

namespace macmi::report {

using Json = nlohmann::ordered_json;

Json sufficiency_json(const Sufficiency& s) {
  if (!s.measured()) return {{"measured", false}, {"remark", s.remark}};
  return {{"measured", true},
          {"selected", s.selected},
          {"all", s.all},
          {"measure", s.measure},
          {"of_selected", s.of_selected},
          {"of_all", s.of_all},
          {"difference", {{"low", s.low}, {"high", s.high}}},
          {"missing_nats", s.missing_nats},
          {"missing_nats_error", s.missing_nats_error},
          {"enough", s.enough},
          {"next", s.next},
          {"samples", s.samples},
          {"selection_repeated", false}};
}

Sufficiency get_sufficiency(const Json& json) {
  Sufficiency s;
  if (!json.at("measured").get<bool>()) {
    s.remark = json.at("remark");
    return s;
  }
  s.selected = json.at("selected"), s.all = json.at("all");
  s.measure = json.at("measure");
  s.of_selected = json.at("of_selected"), s.of_all = json.at("of_all");
  s.low = json.at("difference").at("low"), s.high = json.at("difference").at("high");
  s.missing_nats = json.at("missing_nats"), s.missing_nats_error = json.at("missing_nats_error");
  s.enough = json.at("enough");
  s.next = json.at("next");
  s.samples = json.at("samples");
  return s;
}

}  // namespace macmi::report

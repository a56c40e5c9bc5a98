#include "report.hpp"

#include <tessera/core/elements/element.hpp>
#include <tessera/strategies/assembly/detail/reduction/element_data.hpp>

#include "support/records.hpp"
#include <algorithm>
#include <functional>
#include <sstream>

namespace tessera::tools {

namespace {

const Fields<Row>& fields() {
  static const Fields<Row> all{
      {"part", true, [](const Row& r) { return r.part; }},
      {"strategy", true, [](const Row& r) { return r.strategy; }},
      {"kernel", true, [](const Row& r) { return r.kernel; }},
      {"scalar", true, [](const Row& r) { return r.scalar; }},
      {"order", false, [](const Row& r) { return std::to_string(r.order); }},
      {"colors", false, [](const Row& r) { return std::to_string(r.colors); }},
      {"nodes", false, [](const Row& r) { return std::to_string(r.nodes); }},
      {"elements", false, [](const Row& r) { return std::to_string(r.elements); }},
      {"nonzeros", false, [](const Row& r) { return std::to_string(r.nonzeros); }},
      {"seconds_median", false, [](const Row& r) { return number(r.seconds); }},
      {"seconds_min", false, [](const Row& r) { return number(r.seconds_min); }},
      {"element_seconds", false, [](const Row& r) { return number(r.element_seconds); }},
      {"ns_per_element", false, [](const Row& r) { return number(r.ns_per_element()); }},
      {"plan_seconds", false, [](const Row& r) { return number(r.plan_seconds); }},
      {"plan_cpu_seconds", false, [](const Row& r) { return number(r.plan_cpu_seconds); }},
      {"plan_bytes", false, [](const Row& r) { return std::to_string(r.plan_bytes); }},
      {"model_bytes", false, [](const Row& r) { return number(r.model_bytes); }},
      {"model_flops", false, [](const Row& r) { return number(r.model_flops); }},
      {"error", false, [](const Row& r) { return r.error < 0 ? "null" : number(r.error); }},
      {"paper_error", false, [](const Row& r) { return r.paper_error > 0 ? number(r.paper_error) : "null"; }},
      {"unsupported", true, [](const Row& r) { return r.unsupported; }}};
  return all;
}

/// A table of one part: rows are strategies, columns whatever `key` tells apart, in the order of the rows.
class Pivot {
public:
  using Key = std::function<std::string(const Row&)>;
  using Value = std::function<std::string(const Row&)>;

  Pivot(const std::vector<Row>& rows, const std::function<bool(const Row&)>& belongs) {
    for (const Row& r : rows)
      if (belongs(r)) rows_.push_back(&r);
  }

  bool empty() const { return rows_.empty(); }

  std::string table(const std::string& corner, const Key& key, const Value& value) const {
    std::vector<std::string> names, columns;
    const auto note = [](std::vector<std::string>& list, const std::string& name) {
      if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
    };
    for (const Row* r : rows_) {
      note(names, r->strategy);
      note(columns, key(*r));
    }
    std::string text = "| " + corner + " |", rule = "| --- |";
    for (const auto& c : columns) {
      text += " " + c + " |";
      rule += " ---: |";
    }
    text += "\n" + rule + "\n";
    for (const auto& name : names) {
      text += "| " + name + " |";
      for (const auto& c : columns) {
        const auto found = std::find_if(rows_.begin(), rows_.end(),
                                        [&](const Row* r) { return r->strategy == name && key(*r) == c; });
        text += " " +
                (found == rows_.end()            ? ""
                 : (*found)->unsupported.empty() ? value(**found)
                                                 : "no") +
                " |";
      }
      text += "\n";
    }
    return text + "\n";
  }

private:
  std::vector<const Row*> rows_;
};

/// The paper's Table IV, where it has one: e_n(n_d + n_f), e_f(e_f + 1), e_f(e_f + 3)/2.
template <class Element>
std::string storage_row() {
  constexpr int n = Element::nodes;
  std::ostringstream out;
  out << "| " << Element::name << " | " << n << " | " << n * (Element::dimension + 1) << " | "
      << n * Element::dimension << " | " << tessera::detail::element_data_entries(n, 1, false) << " | "
      << tessera::detail::element_data_entries(n, 1, true) << " |\n";
  return out.str();
}

std::string table4() {
  return "## Table IV: numbers an element reads and writes, one unknown per node\n\n"
         "| element | nodes | nodal data of a nonlinear problem (the paper's column) | coordinates, which is "
         "what a "
         "linear problem reads | element data | symmetric |\n| --- | ---: | ---: | ---: | ---: | ---: |\n" +
         storage_row<Tri<1>>() + storage_row<Tri<2>>() + storage_row<Tri<3>>() + storage_row<Tri<4>>() +
         storage_row<Tri<5>>() + storage_row<Tet<1>>() + storage_row<Tet<2>>() + storage_row<Tet<3>>() + "\n";
}

std::string plans(const std::vector<Row>& rows) {
  const Pivot pivot(rows, [](const Row& r) { return r.part == "plans"; });
  if (pivot.empty()) return "";
  const auto elements = [](const Row& r) { return std::to_string(r.elements) + " triangles"; };
  return "## Plans: seconds, processor seconds of all threads, bytes an element\n\n" +
         pivot.table("strategy", elements, [](const Row& r) {
           return format("%.2f", r.plan_seconds) + ", " + format("%.2f", r.plan_cpu_seconds) + ", " +
                  format("%.0f", static_cast<double>(r.plan_bytes) / static_cast<double>(r.elements));
         });
}

bool timed(const Row& r, const std::string& part, const std::string& kernel) {
  return r.part == part && r.kernel == kernel;
}

/// Time that the model gives, and which resource decides it.
double model_seconds(const Machine& machine, const Row& r) {
  return std::max(r.model_bytes / machine.bytes_per_second, r.model_flops / machine.flops_per_second);
}

std::string ns(double value) { return format("%.4g", value); }

std::string table5(const Machine& machine, const std::vector<Row>& rows) {
  const Pivot pivot(rows, [](const Row& r) { return timed(r, "figure13", "heat") && r.model_bytes > 0; });
  if (pivot.empty()) return "";
  const auto order = [](const Row& r) { return "order " + std::to_string(r.order); };
  return "## Table V: the limiting resource by each strategy's own cost model\n\n"
         "Bytes / flops an element; time of the assembly over the model's in parentheses, with the resource "
         "that "
         "limits the model.\n\n" +
         pivot.table("strategy", order,
                     [&](const Row& r) {
                       const double n = static_cast<double>(r.elements);
                       const bool memory = r.model_bytes / machine.bytes_per_second >=
                                           r.model_flops / machine.flops_per_second;
                       return format("%.0f", r.model_bytes / n) + " / " + format("%.0f", r.model_flops / n) +
                              " (" + format("%.1f", r.seconds / model_seconds(machine, r)) +
                              (memory ? ", memory)" : ", flops)");
                     }) +
         "Bytes of the plan per element:\n\n" + pivot.table("strategy", order, [](const Row& r) {
           return format("%.0f", static_cast<double>(r.plan_bytes) / static_cast<double>(r.elements));
         });
}

std::string table6(const std::vector<Row>& rows) {
  const Pivot pivot(rows, [](const Row& r) { return r.part == "table6"; });
  if (pivot.empty()) return "";
  return "## Table VI: mean relative error of single precision, ours / the paper's\n\n"
         "The paper does not say how its meshes are distorted. The default of --jitter, the largest move of "
         "a "
         "node, was chosen after seeing the paper's errors, so that ours are of their size: that they are is "
         "no "
         "reproduction. That all strategies agree, and how the error grows with the mesh, is.\n\n" +
         pivot.table(
             "strategy",
             [](const Row& r) { return std::to_string(r.nodes) + ", " + std::to_string(r.elements); },
             [](const Row& r) { return format("%.1e", r.error) + " / " + format("%.1e", r.paper_error); });
}

std::string figures(const std::vector<Row>& rows) {
  std::string text;
  const auto order = [](const Row& r) { return "order " + std::to_string(r.order); };
  const auto time = [](const Row& r) { return ns(r.ns_per_element()); };
  const auto add = [&](const std::string& title, const Pivot& pivot, const Pivot::Key& key,
                       const Pivot::Value& value) {
    if (!pivot.empty()) text += "## " + title + "\n\n" + pivot.table("strategy", key, value);
  };
  add(
      "Figure 3: nanoseconds per element against the least number of colors",
      Pivot(rows, [](const Row& r) { return r.part == "figure3"; }),
      [](const Row& r) { return r.colors == 0 ? "fewest" : std::to_string(r.colors); }, time);
  add(
      "Figure 12: nanoseconds per element against nodes",
      Pivot(rows, [](const Row& r) { return r.part == "figure12"; }),
      [](const Row& r) { return std::to_string(r.nodes); }, time);
  const Pivot heat(rows, [](const Row& r) { return timed(r, "figure13", "heat"); });
  const Pivot stages(rows,
                     [](const Row& r) { return timed(r, "figure13", "heat") && r.element_seconds > 0; });
  add("Figures 13a and 14: nanoseconds per element against the order", heat, order, time);
  add("Of these the element stage, of strategies with two kernels (timed with fences around each kernel)",
      stages, order,
      [](const Row& r) { return ns(1e9 * r.element_seconds / static_cast<double>(r.elements)); });
  add("Largest difference from the serial reference, relative to the largest entry", heat, order,
      [](const Row& r) { return r.error < 0 ? "" : format("%.1e", r.error); });

  const auto match = [&](const Row& r, const char* strategy, const char* kernel) -> const Row* {
    for (const Row& other : rows)
      if (timed(other, "figure13", kernel) && other.order == r.order && other.strategy == strategy &&
          other.unsupported.empty())
        return &other;
    return nullptr;
  };
  add("Speedup over the serial reference", heat, order, [&](const Row& r) {
    const Row* serial = match(r, "Serial", "heat");
    return serial ? format("%.3g", serial->ns_per_element() / r.ns_per_element()) : "";
  });
  const Pivot trivial(rows, [](const Row& r) { return timed(r, "figure13", "trivial"); });
  add("Figure 13b: nanoseconds per element with the dummy element kernel", trivial, order, time);
  add("Figure 13c: speedup by the dummy element kernel", trivial, order, [&](const Row& r) {
    const Row* real = match(r, r.strategy.c_str(), "heat");
    return real ? format("%.2f", real->ns_per_element() / r.ns_per_element()) : "";
  });
  return text;
}

} // namespace

std::string study_json(const Machine& machine, const std::vector<Row>& rows) {
  return json_report(Kokkos::DefaultExecutionSpace::name(), machine, fields(), rows);
}

std::string study_csv(const std::vector<Row>& rows) { return csv_records(fields(), rows); }

std::string study_markdown(const Machine& machine, const std::vector<Row>& rows) {
  return table4() + table5(machine, rows) + table6(rows) + figures(rows) + plans(rows);
}

} // namespace tessera::tools

// The evaluation of paper 2 (section 5): a cantilever of 16 x 2 x 2 hexahedra, the meshes of Table 3, with
// the box's numbering and with shuffled numbers; Table 1 (ways to the Jacobian), Figures 10 to 14
// (throughput, bandwidth, time, ratio to a thread per element). See docs/papers/2.md.
//
//   tessera-paper2 [--meshes 1,2,3,4] [--repetitions 30] [--scalar double|float|both] [--numbering
//   box|shuffled|both]
//                  [--only part-of-a-name]

#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/io/box.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/element_local.hpp>
#include <tessera/strategies/assembly/two_kernels.hpp>
#include <tessera/strategies/assembly/warp_per_element.hpp>
#include <tessera/strategies/catalogue.hpp>

#include <Kokkos_Sort.hpp>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace tessera;
using Element = Hex<1>;
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using MeshType = Mesh<Element, ExecutionSpace>;
using Space = FunctionSpace<Element, ExecutionSpace>;
/// The thread per element that paper 2 compares with, today's baseline, the paper's strategies.
using Compared = std::tuple<assembly::ElementLocal, assembly::ElementAtomic, assembly::WarpPerElement,
                            assembly::TwoKernels>;

struct Options {
  std::vector<int> meshes = {1, 2, 3, 4};
  int repetitions = 30;
  std::string scalar = "both", numbering = "both", only;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (i + 1 == argc) throw ArgumentError("option " + option + " needs a value");
    const std::string value = argv[++i];
    if (option == "--meshes") {
      options.meshes.clear();
      std::istringstream list(value);
      for (std::string number; std::getline(list, number, ',');) {
        const int mesh = std::atoi(number.c_str());
        if (mesh < 1 || mesh > 4)
          throw ArgumentError("--meshes: 1 to 4 (paper 2, Table 3), got '" + number + "'");
        options.meshes.push_back(mesh);
      }
    } else if (option == "--repetitions") {
      options.repetitions = std::atoi(value.c_str());
      if (options.repetitions < 1) throw ArgumentError("--repetitions: at least 1, got '" + value + "'");
    } else if (option == "--scalar" && (value == "double" || value == "float" || value == "both")) {
      options.scalar = value;
    } else if (option == "--numbering" && (value == "box" || value == "shuffled" || value == "both")) {
      options.numbering = value;
    } else if (option == "--only") {
      options.only = value;
    } else {
      throw ArgumentError("unknown option or value: " + option + " " + value +
                          "; there are --meshes, --repetitions, --scalar, --numbering, --only");
    }
  }
  return options;
}

/// A random permutation of 0 ... count - 1, on the device; the same in every run.
Kokkos::View<Ordinal*, ExecutionSpace> permutation(Ordinal count) {
  Kokkos::View<std::uint64_t*, ExecutionSpace> keys("Tessera::Paper2::keys", count);
  Kokkos::View<Ordinal*, ExecutionSpace> order("Tessera::Paper2::order", count);
  Kokkos::parallel_for(
      "Tessera::Paper2::permutation", Kokkos::RangePolicy<ExecutionSpace>(0, count),
      KOKKOS_LAMBDA(Ordinal i) {
        // A bijective mix of the number: a key without a state shared by threads.
        std::uint64_t key = static_cast<std::uint64_t>(i) + 0x9e3779b97f4a7c15u;
        key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9u;
        key = (key ^ key >> 27) * 0x94d049bb133111ebu;
        keys(i) = key ^ key >> 31;
        order(i) = i;
      });
  Kokkos::Experimental::sort_by_key(ExecutionSpace(), keys, order);
  return order;
}

/// The same mesh with shuffled numbers of nodes and elements: stands for meshes of foreign origin.
MeshType shuffled(const MeshType& mesh) {
  const auto node = permutation(mesh.num_nodes()), element = permutation(mesh.num_elements());
  MeshType::Coordinates coordinates("Tessera::Paper2::coordinates", mesh.num_nodes());
  MeshType::Connectivity connectivity("Tessera::Paper2::connectivity", mesh.num_elements());
  const auto from = mesh.kernel();
  Kokkos::parallel_for(
      "Tessera::Paper2::nodes", Kokkos::RangePolicy<ExecutionSpace>(0, mesh.num_nodes()),
      KOKKOS_LAMBDA(Ordinal n) {
        for (int d = 0; d < 3; ++d) coordinates(node(n), d) = from.coordinates(n, d);
      });
  Kokkos::parallel_for(
      "Tessera::Paper2::elements", Kokkos::RangePolicy<ExecutionSpace>(0, mesh.num_elements()),
      KOKKOS_LAMBDA(Ordinal e) {
        for (int n = 0; n < Element::nodes; ++n) connectivity(element(e), n) = node(from.connectivity(e, n));
      });
  return MeshType(coordinates, connectivity);
}

/// Median seconds of an assembly; 2 warm-up runs.
template <class Plan, class Form, class System>
double median_seconds(const Plan& plan, const Form& form, const System& system, int repetitions) {
  std::vector<double> seconds;
  for (int run = -2; run < repetitions; ++run) {
    Kokkos::fence();
    const Kokkos::Timer timer;
    plan.assemble(form, system);
    if (run >= 0) seconds.push_back(timer.seconds());
  }
  std::nth_element(seconds.begin(), seconds.begin() + repetitions / 2, seconds.end());
  return seconds[repetitions / 2];
}

/// What is timed besides the catalogue: the ways to the Jacobian (Table 1) and options of WarpPerElement.
std::vector<Variant<assembly::WarpPerElement>> further_variants() {
  using assembly::WarpPerElement;
  const WarpPerElement paper{
      .integration = Integration::per_point, .scatter = Scatter::lanes, .integrand = Integrand::pointwise};
  std::vector<Variant<WarpPerElement>> variants;
  const auto add = [&](const char* suffix, WarpPerElement strategy) {
    variants.push_back({std::string("WarpPerElement") + suffix, strategy});
  };
  auto with = paper;
  with.jacobian = JacobianSum::atomics;
  add("/4/per_point: Jacobian by atomics (Table 1)", with);
  with.jacobian = JacobianSum::scratch;
  add("/4/per_point: Jacobian in scratch (Table 1)", with);
  with.integration = Integration::partial_parallel;
  add("/4/partial_parallel: Jacobian in scratch", with);
  with.scatter = Scatter::rows;
  add("/4/partial_parallel: scratch, rows", with);
  with.integrand = Integrand::moments;
  with.scatter = Scatter::lanes;
  add("/4/partial_parallel: scratch, moments", with);
  add(": Jacobian by shuffle", {.jacobian = JacobianSum::shuffle});
  add(": threads_per_row 8", {.threads_per_row = 8});
  return variants;
}

template <class Scalar>
void run(const Options& options, const MeshType& mesh, int number, const std::string& numbering) {
  const char* scalar = sizeof(Scalar) == 8 ? "double" : "float";
  const Space space(mesh, 3);
  const LinearSystem<Scalar, ExecutionSpace> system(space);
  const LinearElasticity<3> form{.young = 200e9, .poisson = 0.333};
  double baseline = 0;
  std::printf("\nMesh %d: %d elements, %d nodes, %s numbering, %s\n", number, mesh.num_elements(),
              mesh.num_nodes(), numbering.c_str(), scalar);
  std::printf("%-58s %10s %10s %9s %9s %9s %8s\n", "strategy", "plan s", "ms", "ns/elem", "GB/s", "GFLOP/s",
              "ratio");
  const auto time = [&](const auto& variant) {
    if (variant.name.find(options.only) == std::string::npos) return;
    const auto plan = variant.strategy.plan(space, system.graph());
    const double seconds = median_seconds(plan, form, system, options.repetitions);
    const Cost cost =
        variant.strategy.template cost<Element, LinearElasticity<3>, Scalar>(space, system.graph());
    if (baseline == 0 || variant.name == "ElementLocal") baseline = seconds;
    std::printf("%-58s %10.3f %10.3f %9.3f %9.0f %9.0f %8.2f\n", variant.name.c_str(), plan.report().seconds,
                1e3 * seconds, 1e9 * seconds / mesh.num_elements(), 1e-9 * cost.bytes / seconds,
                1e-9 * cost.flops / seconds, baseline / seconds);
    std::fflush(stdout);
  };
  for_each_strategy<Compared>(time);
  for (const auto& variant : further_variants()) time(variant);
}

void run(const Options& options) {
  constexpr int divisions[] = {24, 32, 50, 64}; // 8 n x n x n elements: Table 3
  for (int number : options.meshes) {
    const int n = divisions[number - 1];
    const auto box = io::box_mesh<Element, ExecutionSpace>({{8 * n, n, n}, {16.0, 2.0, 2.0}});
    for (const std::string numbering : {"box", "shuffled"}) {
      if (options.numbering != "both" && options.numbering != numbering) continue;
      const MeshType mesh = numbering == "box" ? box : shuffled(box);
      if (options.scalar != "float") run<double>(options, mesh, number, numbering);
      if (options.scalar != "double") run<float>(options, mesh, number, numbering);
    }
  }
  std::printf(
      "\nGB/s and GFLOP/s by each strategy's cost model, not measured; ratio: time of a thread per element "
      "(ElementLocal, or the first row where it is absent) over the strategy's.\n");
}

} // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    run(parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tessera-paper2: %s\n", error.what());
    return 1;
  }
}

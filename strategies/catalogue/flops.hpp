#pragma once

// The flop counts of all elements and forms are compiled once, in flops.cpp, not with every strategy.

#include <tessera/core/flop_count.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/strategies/common/assembly_plan.hpp>

namespace tessera {

template <class Form>
using FormKernel = decltype(form_kernel(std::declval<Form>()));

#define TESSERA_FLOPS_OF_FORM(Prefix, Element, ...)                                                          \
  Prefix template long flops_per_element<Element, FormKernel<__VA_ARGS__>>(const FormKernel<__VA_ARGS__>&);
#define TESSERA_FLOPS(Prefix, Element)                                                                       \
  TESSERA_FLOPS_OF_FORM(Prefix, Element, Helmholtz<>)                                                        \
  TESSERA_FLOPS_OF_FORM(Prefix, Element, LinearElasticity<Element::dimension>)
#define TESSERA_FLOPS_OF_ALL_ELEMENTS(Prefix)                                                                \
  TESSERA_FLOPS(Prefix, Tri<1>)                                                                              \
  TESSERA_FLOPS(Prefix, Tri<2>)                                                                              \
  TESSERA_FLOPS(Prefix, Tri<3>)                                                                              \
  TESSERA_FLOPS(Prefix, Tri<4>)                                                                              \
  TESSERA_FLOPS(Prefix, Tri<5>)                                                                              \
  TESSERA_FLOPS(Prefix, Tet<1>)                                                                              \
  TESSERA_FLOPS(Prefix, Tet<2>)                                                                              \
  TESSERA_FLOPS(Prefix, Tet<3>)                                                                              \
  TESSERA_FLOPS(Prefix, Quad<1>)                                                                             \
  TESSERA_FLOPS(Prefix, Quad<2>)                                                                             \
  TESSERA_FLOPS(Prefix, Hex<1>)                                                                              \
  TESSERA_FLOPS(Prefix, Hex<2>)

#ifndef TESSERA_DEFINE_FLOPS
TESSERA_FLOPS_OF_ALL_ELEMENTS(extern)
#endif

} // namespace tessera

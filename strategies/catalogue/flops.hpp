#pragma once

// The flop counts of all elements and forms are compiled once, in flops.cpp, not with every strategy.

#include <tessera/core/elements.hpp>
#include <tessera/core/flop_count.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/strategies/common/form_kernel.hpp>

namespace tessera {

template <class Form>
using FormKernel = decltype(form_kernel(std::declval<Form>()));

#define TESSERA_FLOPS_OF_FORM(Prefix, Element, ...)                                                          \
  Prefix template long flops_per_element<Element, FormKernel<__VA_ARGS__>>(const FormKernel<__VA_ARGS__>&);
#define TESSERA_FLOPS(Element, ...)                                                                          \
  TESSERA_FLOPS_OF_FORM(__VA_ARGS__, Element, Helmholtz<>)                                                   \
  TESSERA_FLOPS_OF_FORM(__VA_ARGS__, Element, LinearElasticity<Element::dimension>)

#ifndef TESSERA_DEFINE_FLOPS
TESSERA_FOR_EACH_ELEMENT(TESSERA_FLOPS, extern)
#endif

} // namespace tessera

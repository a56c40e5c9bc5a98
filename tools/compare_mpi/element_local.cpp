#include <tessera/strategies/assembly/element_local.hpp>

#include "planned_impl.hpp"

TESSERA_RANKS_PLANNED(tessera::assembly::ElementLocal)

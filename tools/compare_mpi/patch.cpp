#include <tessera/strategies/assembly/patch.hpp>

#include "planned_impl.hpp"

TESSERA_RANKS_PLANNED(tessera::assembly::Patch)

#include <tessera/strategies/assembly/element_atomic.hpp>

#include "planned_impl.hpp"

TESSERA_RANKS_PLANNED(tessera::assembly::ElementAtomic)

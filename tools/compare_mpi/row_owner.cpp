#include <tessera/strategies/assembly/row_owner.hpp>

#include "planned_impl.hpp"

TESSERA_RANKS_PLANNED(tessera::assembly::RowOwner)

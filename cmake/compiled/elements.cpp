#define TESSERA_DEFINE_ELEMENTS

#include "elements.hpp"

namespace tessera {

TESSERA_FOR_EACH_ELEMENT(TESSERA_ELEMENT_OF, )

} // namespace tessera

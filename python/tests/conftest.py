# SPDX-License-Identifier: BSD-3-Clause
"""The page's examples hold arrays of the host; its part on devices is test_device.py's."""

from tessera_fem import _tessera

collect_ignore = [] if _tessera.on_host else ["test_docs.py"]

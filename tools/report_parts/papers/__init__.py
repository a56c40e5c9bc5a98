# SPDX-License-Identifier: BSD-3-Clause
"""The tables and figures of the five papers, from what their drivers measured; tools/papers.py puts them on pages."""

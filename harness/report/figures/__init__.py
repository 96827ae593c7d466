"""Figures: pure functions from numbers to a matplotlib Figure, which is never shown or saved here.

One dark ink and different marks, dashes and hatches carry everything, so that the figures read
the same in grey. Names are drawn as they are: no mathematics, no TeX.
"""

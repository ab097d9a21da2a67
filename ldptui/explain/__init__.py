"""Explanations of protocols: formulas with numbers, one report step by step, equations, privacy.

A family's explanation (`family_explanation.FamilyExplanation`) is a row of `EXPLANATIONS` in the
module of the family: its formulas, which are rows of titles, texts and sources (`formula.Formula`),
and its reports, for a pure protocol what an item is encoded as and how a report reads
(`report_explanation.ReportExplanation`). `formula_list.formulas` is the one iterator of formulas,
for `ldptui theory` and the equations.
"""

"""The stories of the families: formulas with numbers, one report step by step, equations, privacy.

A family's story (`family_explanation.Story`) is a row of `STORIES` in the module of the family: its
formulas, which are rows of titles, texts and sources (`formula.Formula`), and its reports, for a
pure protocol what an item is encoded as and how a report reads (`report_story.ReportStory`).
`formula_list.formulas` is the one iterator of formulas: it feeds `ldptui theory` and the equations.
"""

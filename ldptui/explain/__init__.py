"""The stories of the families: formulas with numbers, one report step by step, equations, privacy.

A family's story is the file of its name here (`direct`, `unary`, …): `STORY`, a `story.Story`. Its
formulas come from the file itself and from what holds for every pure protocol (`closed_forms`,
`attack`); its reports, for a pure protocol, are a `report.pure.ItemReports` with the steps of an
honest report and of a fake one by the law of the attack's reports. Nothing else has to be told.
`formulas.formulas` is the one iterator of formulas: it feeds `ldptui theory` and the equations.
"""

"""The protocols: a file or a folder for each family, and the table of what a scenario can name.

To add a kind takes three files:

1. `core/protocols/NAME.py`: a frozen dataclass with the interface of `core.law.pure.PureProtocol`
   and a class attribute `family`, and its spec: `budget.ProtocolSpec`, which is a subclass of
   `budget.Budget` where a privacy budget alone binds the protocol, with a row: `kind`, `mechanism`
   and, where it has one, `make` or `dial`. Why there is no law
   of a name it says in words, in `lacks`. For the lab it has `privacy_loss()`,
   `enumerate_reports()` and `look(reports, items)`.
   Its `SPECS` names the spec; `kinds` reads it from there. The contract test covers what it lists.
2. `ldptui/explain/FAMILY_formulas.py`: what it says of itself; else what holds for all is shown.
3. Its words in the catalogue of the app: a row of `ldptui/catalogue/kinds.toml`.

RAPPOR has forms that are pure and forms that are not, and a trusted curator is no local protocol at
all: the table holds them as well.
"""

from __future__ import annotations

from .budget import Dial, ProtocolSpec
from .grr import GRR
from .hashing import BLH, OLH, LocalHashing
from .listed import TableProtocol
from .protocol_kinds import CENTRAL, DIALS, KINDS, NAMED, NUMBERS, PROTOCOLS, family_of
from .python_protocol import PythonProtocol, PythonSpec, awaits_code
from .rappor import BitNoise, Rappor, RapporSpec
from .unary import OUE, SUE, Unary

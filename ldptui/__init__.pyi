from ldptui.core import theory as theory
from ldptui.core.attacks import View as View
from ldptui.core.base.errors import FileError as FileError
from ldptui.core.base.errors import LdpError as LdpError
from ldptui.core.base.errors import RunError as RunError
from ldptui.core.base.errors import ScenarioError as ScenarioError
from ldptui.core.experiment import Experiment as Experiment
from ldptui.core.metrics import Facts as Facts
from ldptui.core.scenario import Scenario as Scenario

from .api.by_name import attack as attack
from .api.by_name import defence as defence
from .api.by_name import kinds as kinds
from .api.by_name import population as population
from .api.by_name import protocol as protocol
from .api.collected import Frequencies as Frequencies
from .api.collected import estimate as estimate
from .api.concluded import Conclusions as Conclusions
from .api.concluded import conclude as conclude
from .api.counted import Counted as Counted
from .api.counted import counted as counted
from .api.counted import read_counts as read_counts
from .api.files import read_reports as read_reports
from .api.files import write_reports as write_reports
from .api.groups import Groups as Groups
from .api.groups import estimate_by as estimate_by
from .api.numbers import Numbers as Numbers
from .api.numbers import estimate_numbers as estimate_numbers
from .api.numbers import perturb as perturb
from .api.results import Results as Results
from .api.running import compile as compile
from .api.running import load as load
from .api.running import run as run
from .api.screened import Screening as Screening
from .api.screened import screen as screen

__version__: str

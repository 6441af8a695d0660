"""The suites, in the order in which they run."""

from . import cert_manager, controller_runtime, helm, java, javascript, kopf, kube_rs, kubectl, python
from .suite import Place, Suite

__all__ = ["ALL", "Place", "Suite"]

ALL: list[Suite] = [
    *controller_runtime.SUITES,
    *kube_rs.SUITES,
    *kubectl.SUITES,
    *helm.SUITES,
    *cert_manager.SUITES,
    *python.SUITES,
    *kopf.SUITES,
    *javascript.SUITES,
    *java.SUITES,
]

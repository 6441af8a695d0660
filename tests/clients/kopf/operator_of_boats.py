"""An operator on kopf. Each handler writes down that it has run, in the status or an annotation of the boat."""

import asyncio

import kopf
import pykube

PLACE = ("lake.example.com", "v1", "boats")


@kopf.on.startup()
def configure(settings, **_):
    settings.posting.loggers = True
    settings.persistence.finalizer = "example.com/kopf"


@kopf.on.create(*PLACE)
def created(spec, **_):
    return {"crew": spec["crew"]}


@kopf.on.create(*PLACE, annotations={"child": "wanted"})
def make_a_child(name, **_):
    create_a_configmap(f"{name}-child")
    return "made"


def create_a_configmap(name):
    """Creates an object that the boat of the handler owns."""
    child = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
    kopf.adopt(child)
    pykube.ConfigMap(pykube.HTTPClient(pykube.KubeConfig.from_env()), child).create()


@kopf.on.create(*PLACE, annotations={"fails": "twice"}, backoff=0.2)
def fails_twice(retry, **_):
    if retry < 2:
        raise kopf.TemporaryError("not yet", delay=0.2)
    return retry


@kopf.on.create(*PLACE, annotations={"fails": "always"})
def fails(**_):
    raise kopf.PermanentError("never")


@kopf.on.update(*PLACE)
def updated(diff, **_):
    return [[operation, list(field), old, new] for operation, field, old, new in diff]


@kopf.on.field(*PLACE, field="spec.port")
def port_changed(old, new, **_):
    return f"{old} {new}"


@kopf.on.delete(*PLACE)
def deleted(name, logger, **_):
    logger.info("%s is gone", name)


@kopf.on.resume(*PLACE)
def resumed(**_):
    return "yes"


@kopf.timer(*PLACE, interval=0.3, annotations={"timer": "yes"})
def ticks(patch, status, **_):
    patch.status["ticks"] = status.get("ticks", 0) + 1


@kopf.daemon(*PLACE, annotations={"daemon": "yes"}, cancellation_timeout=1)
async def daemon(stopped, name, **_):
    create_a_configmap(f"{name}-runs")
    while not stopped:
        await asyncio.sleep(0.1)


@kopf.index("", "v1", "configmaps", labels={"indexed": kopf.PRESENT})
def by_label(name, labels, **_):
    return {labels["indexed"]: name}


@kopf.on.update(*PLACE, annotations={"asks": kopf.PRESENT})
def asks_the_index(by_label, patch, annotations, **_):
    patch.status["found"] = sorted(by_label.get(annotations["asks"], []))


@kopf.on.event("", "v1", "configmaps", labels={"seen": "no"})
def sees(patch, **_):
    patch.metadata.labels["seen"] = "yes"

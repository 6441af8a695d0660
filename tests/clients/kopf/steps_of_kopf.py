"""Runs the operator, and looks at what its handlers do."""

import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "python"))

import steps  # noqa: E402
from boats import DEFINITION, GROUP, PLURAL, VERSION, boat, configmap  # noqa: E402
from kubernetes import client, config  # noqa: E402
from kubernetes.client.exceptions import ApiException  # noqa: E402

PLACE = {"group": GROUP, "version": VERSION, "namespace": "default", "plural": PLURAL}
STATUS = {"x-kubernetes-preserve-unknown-fields": True, "type": "object"}
LIMIT = 25


def until(condition):
    """Waits until a condition returns something true, and returns that."""
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        try:
            if found := condition():
                return found
        except (ApiException, KeyError):
            pass
        time.sleep(0.1)
    raise AssertionError("it does not happen")


class Kopf:
    def the_operator_starts(self):
        config.load_kube_config()
        self._core, self._custom = client.CoreV1Api(), client.CustomObjectsApi()
        DEFINITION["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"] = STATUS
        client.ApiextensionsV1Api().create_custom_resource_definition(DEFINITION)
        self._start()
        self._create("first")
        until(lambda: self._status("first")["created"] == {"crew": 3})

    def it_adds_its_finalizer(self):
        assert self._get("first")["metadata"]["finalizers"] == ["example.com/kopf"]

    def it_posts_events(self):
        until(lambda: any(it.involved_object.name == "first" for it in self._core.list_namespaced_event("default").items))

    def an_update(self):
        self._patch("first", {"spec": {"crew": 5}})
        until(lambda: self._status("first")["updated"] == [["change", ["spec", "crew"], 3, 5]])

    def a_field(self):
        self._patch("first", {"spec": {"port": "Bremen"}})
        until(lambda: self._status("first")["port_changed/spec.port"] == "Kiel Bremen")

    def a_retry(self):
        self._create("retried", fails="twice")
        until(lambda: self._status("retried")["fails_twice"] == 2)

    def a_permanent_error(self):
        self._create("failed", fails="always")
        until(lambda: any("never" in it.message for it in self._core.list_namespaced_event("default").items))

    def a_timer(self):
        self._create("timed", timer="yes")
        until(lambda: self._status("timed")["ticks"] > 1)

    def a_daemon(self):
        self._create("daemon", daemon="yes")
        until(lambda: self._core.read_namespaced_config_map("daemon-runs", "default"))

    def a_child(self):
        self._create("parent", child="wanted")
        child = until(lambda: self._core.read_namespaced_config_map("parent-child", "default"))
        assert child.metadata.owner_references[0].name == "parent"

    def an_index(self):
        body = configmap("indexed")
        body["metadata"]["labels"]["indexed"] = "a"
        self._core.create_namespaced_config_map("default", body)
        self._create("asks", asks="a")
        time.sleep(0.5)
        self._patch("asks", {"spec": {"crew": 7}})
        until(lambda: self._status("asks")["found"] == ["indexed"])

    def a_watched_event(self):
        body = configmap("seen")
        body["metadata"]["labels"]["seen"] = "no"
        self._core.create_namespaced_config_map("default", body)
        until(lambda: self._core.read_namespaced_config_map("seen", "default").metadata.labels["seen"] == "yes")

    def a_deletion(self):
        for name in ("first", "daemon"):
            self._custom.delete_namespaced_custom_object(**PLACE, name=name)
        until(lambda: {"first", "daemon"}.isdisjoint(self._names()))

    def a_restart(self):
        self._stop()
        self._create("while-it-is-off")
        self._start()
        until(lambda: self._status("while-it-is-off")["created"] == {"crew": 3})
        until(lambda: self._status("retried")["resumed"] == "yes")

    def it_stops(self):
        assert self._stop() == 0

    def _start(self):
        command = [sys.executable, "-m", "kopf", "run", "--namespace=default", HERE / "operator_of_boats.py"]
        log = open("kopf-output.log", "ab")
        self._operator = subprocess.Popen(command, stdout=log, stderr=log)

    def _stop(self) -> int:
        self._operator.terminate()
        return self._operator.wait(15)

    def _create(self, name: str, **annotations: str):
        self._custom.create_namespaced_custom_object(**PLACE, body=boat(name, 3, annotations=annotations))

    def _patch(self, name: str, body: dict):
        self._custom.patch_namespaced_custom_object(**PLACE, name=name, body=body)

    def _get(self, name: str) -> dict:
        return self._custom.get_namespaced_custom_object(**PLACE, name=name)

    def _status(self, name: str) -> dict:
        return self._get(name)["status"]

    def _names(self) -> set[str]:
        return {it["metadata"]["name"] for it in self._custom.list_namespaced_custom_object(**PLACE)["items"]}


operator = Kopf()
try:
    steps.run(operator)
finally:
    if hasattr(operator, "_operator"):
        operator._operator.kill()

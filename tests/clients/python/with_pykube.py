"""Steps of the package `pykube-ng`."""

import time

import pykube
import steps
from boats import DEFINITION, GROUP, VERSION, boat, configmap, deployment


class Pykube:
    def __init__(self):
        self._api = pykube.HTTPClient(pykube.KubeConfig.from_env())

    def the_version(self):
        assert self._api.version[0] == "1"

    def creates_a_configmap(self):
        self._map = pykube.ConfigMap(self._api, configmap("pykube", a="1"))
        self._map.create()
        assert self._map.obj["metadata"]["uid"]

    def creates_it_only_once(self):
        with steps.refused(pykube.exceptions.HTTPError, 'configmaps "pykube" already exists'):
            pykube.ConfigMap(self._api, configmap("pykube")).create()

    def updates_it(self):
        self._map.obj["data"]["b"] = "2"
        self._map.update()
        self._map.reload()
        assert self._map.obj["data"] == {"a": "1", "b": "2"}

    def patches_it(self):
        self._map.patch({"data": {"a": None}})
        assert self._map.obj["data"] == {"b": "2"}

    def selects(self):
        query = pykube.ConfigMap.objects(self._api, namespace="default")
        assert [it.name for it in query.filter(selector={"by__in": {"steps"}})] == ["pykube"]
        assert query.get_or_none(name="none") is None

    def watches(self):
        for event in pykube.ConfigMap.objects(self._api, namespace="default").watch():
            if event.object.name == "pykube":
                assert event.type == "ADDED"
                return

    def scales_a_deployment(self):
        made = pykube.Deployment(self._api, deployment("pykube"))
        made.create()
        made.scale_to = made.patch({"spec": {"replicas": 4}})
        made.reload()
        assert made.replicas == 4

    def defines_a_resource(self):
        definition = pykube.CustomResourceDefinition(self._api, DEFINITION)
        definition.create()
        for _ in range(100):
            definition.reload()
            conditions = definition.obj.get("status", {}).get("conditions") or []
            if any(it["type"] == "Established" and it["status"] == "True" for it in conditions):
                return
            time.sleep(0.1)
        raise AssertionError("it is not established")

    def creates_a_custom_resource(self):
        Boat = pykube.object_factory(self._api, f"{GROUP}/{VERSION}", "Boat")
        made = Boat(self._api, boat("pykube", 3))
        made.create()
        made.reload()
        assert made.obj["spec"]["port"] == "Kiel"
        made.patch({"status": {"aboard": 2}}, subresource="status")
        assert made.obj["status"] == {"aboard": 2}

    def refuses_what_its_schema_does(self):
        Boat = pykube.object_factory(self._api, f"{GROUP}/{VERSION}", "Boat")
        with steps.refused(pykube.exceptions.HTTPError, "spec.crew in body should be greater than or equal to 1"):
            Boat(self._api, boat("empty", 0)).create()

    def deletes(self):
        self._map.delete()
        assert not self._map.exists()


steps.run(Pykube())

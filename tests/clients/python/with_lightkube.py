"""Steps of the package `lightkube`."""

import steps
from boats import DEFINITION, GROUP, PLURAL, VERSION, boat, configmap, deployment
from lightkube import ApiError, Client
from lightkube.generic_resource import create_namespaced_resource
from lightkube.models.autoscaling_v1 import ScaleSpec
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.apiextensions_v1 import CustomResourceDefinition
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import ConfigMap, Namespace
from lightkube.types import CascadeType, PatchType

Boat = create_namespaced_resource(GROUP, VERSION, "Boat", PLURAL)


class Lightkube:
    def __init__(self):
        self._client = Client(field_manager="lightkube")

    def creates_a_configmap(self):
        made = self._client.create(ConfigMap.from_dict(configmap("lightkube", a="1")))
        assert made.metadata.uid

    def creates_it_only_once(self):
        with steps.refused(ApiError, 'configmaps "lightkube" already exists'):
            self._client.create(ConfigMap.from_dict(configmap("lightkube")))

    def lists_by_labels(self):
        found = self._client.list(ConfigMap, namespace="default", labels={"by": ["steps", "none"]})
        assert [it.metadata.name for it in found] == ["lightkube"]

    def replaces_only_the_newest(self):
        old = self._client.get(ConfigMap, "lightkube", namespace="default")
        old.data["b"] = "2"
        self._client.replace(old)
        with steps.refused(ApiError, "the object has been modified"):
            self._client.replace(old)

    def patches(self):
        patched = self._client.patch(ConfigMap, "lightkube", {"data": {"a": None}}, namespace="default")
        assert patched.data == {"b": "2"}

    def patches_with_json(self):
        patch = [{"op": "add", "path": "/data/c", "value": "3"}]
        options = {"namespace": "default", "patch_type": PatchType.JSON}
        assert self._client.patch(ConfigMap, "lightkube", patch, **options).data == {"b": "2", "c": "3"}

    def applies(self):
        applied = self._client.apply(ConfigMap.from_dict(configmap("applied", a="1")))
        assert applied.metadata.managedFields[0].manager == "lightkube"
        with steps.refused(ApiError, "conflict with"):
            self._client.apply(ConfigMap.from_dict(configmap("applied", a="2")), field_manager="other")

    def watches(self):
        for event, found in self._client.watch(ConfigMap, namespace="default", server_timeout=5):
            if found.metadata.name == "applied":
                assert event == "ADDED"
                return
        raise AssertionError("it is not seen")

    def pages(self):
        assert {"default", "kube-system"} <= {it.metadata.name for it in self._client.list(Namespace, chunk_size=1)}

    def scales_a_deployment(self):
        self._client.create(Deployment.from_dict(deployment("lightkube")))
        scale = Deployment.Scale(metadata=ObjectMeta(name="lightkube", namespace="default"), spec=ScaleSpec(replicas=4))
        self._client.replace(scale)
        assert self._client.get(Deployment.Scale, "lightkube", namespace="default").spec.replicas == 4

    def writes_a_status(self):
        patch = {"status": {"replicas": 4}}
        written = self._client.patch(Deployment.Status, "lightkube", patch, namespace="default")
        assert written.status.replicas == 4

    def defines_a_resource(self):
        self._client.create(CustomResourceDefinition.from_dict(DEFINITION))
        self._client.wait(CustomResourceDefinition, f"{PLURAL}.{GROUP}", for_conditions=["Established"])

    def creates_a_custom_resource(self):
        assert self._client.create(Boat(boat("lightkube", 3)))["spec"]["port"] == "Kiel"

    def writes_its_status(self):
        options = {"namespace": "default", "patch_type": PatchType.MERGE}
        written = self._client.patch(Boat.Status, "lightkube", {"status": {"aboard": 1}}, **options)
        assert written.status["aboard"] == 1

    def refuses_what_its_schema_does(self):
        with steps.refused(ApiError, "spec.crew in body should be greater than or equal to 1"):
            self._client.create(Boat(boat("empty", 0)))

    def deletes(self):
        self._client.delete(Deployment, "lightkube", namespace="default", cascade=CascadeType.ORPHAN)
        self._client.delete(Boat, "lightkube", namespace="default")
        with steps.refused(ApiError, "not found"):
            self._client.get(Boat, "lightkube", namespace="default")


steps.run(Lightkube())

"""Steps of the package `kubernetes`."""

import datetime
import threading

import steps
from boats import DEFINITION, GROUP, PLURAL, VERSION, boat, configmap, deployment
from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.exceptions import ApiException
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.configmaplock import ConfigMapLock

PLACE = {"group": GROUP, "version": VERSION, "namespace": "default", "plural": PLURAL}


class Official:
    def __init__(self):
        config.load_kube_config()
        self.core = client.CoreV1Api()
        self.apps = client.AppsV1Api()
        self.custom = client.CustomObjectsApi()

    def the_version(self):
        assert client.VersionApi().get_code().major == "1"

    def discovery(self):
        groups = {group.name for group in client.ApisApi().get_api_versions().groups}
        assert {"apps", "batch", "apiextensions.k8s.io"} <= groups, groups
        assert any(it.name == "pods" for it in self.core.get_api_resources().resources)

    def creates_a_configmap(self):
        made = self.core.create_namespaced_config_map("default", configmap("python", a="1"))
        assert made.metadata.uid and made.metadata.resource_version

    def creates_it_only_once(self):
        with steps.refused(ApiException, "409", 'configmaps \\"python\\" already exists', "AlreadyExists"):
            self.core.create_namespaced_config_map("default", configmap("python"))

    def misses_another_one(self):
        with steps.refused(ApiException, "404", 'configmaps \\"none\\" not found'):
            self.core.read_namespaced_config_map("none", "default")

    def lists_by_labels(self):
        found = self.core.list_namespaced_config_map("default", label_selector="by in (steps),!other")
        assert [it.metadata.name for it in found.items] == ["python"]

    def lists_by_fields(self):
        found = self.core.list_config_map_for_all_namespaces(field_selector="metadata.name=python")
        assert len(found.items) == 1

    def replaces_only_the_newest(self):
        old = self.core.read_namespaced_config_map("python", "default")
        old.data["b"] = "2"
        self.core.replace_namespaced_config_map("python", "default", old)
        with steps.refused(ApiException, "409", "the object has been modified"):
            self.core.replace_namespaced_config_map("python", "default", old)

    def patches(self):
        patched = self.core.patch_namespaced_config_map("python", "default", {"data": {"a": None, "c": "3"}})
        assert patched.data == {"b": "2", "c": "3"}, patched.data

    def patches_with_json(self):
        patch = [{"op": "replace", "path": "/data/c", "value": "4"}]
        assert self.core.patch_namespaced_config_map("python", "default", patch).data["c"] == "4"

    def refuses_a_wrong_type(self):
        with steps.refused(dynamic.exceptions.BadRequestError, "400", "json: cannot unmarshal"):
            self._dynamic("v1", "ConfigMap").create(configmap("wrong", a=["list"]))

    def refuses_unknown_fields_if_strict(self):
        strict = [("fieldValidation", "Strict")]
        with steps.refused(dynamic.exceptions.BadRequestError, "400", 'unknown field \\"date\\"'):
            self._dynamic("v1", "ConfigMap").create({**configmap("strict"), "date": {}}, query_params=strict)

    def dry_runs(self):
        self.core.create_namespaced_config_map("default", configmap("dry"), dry_run="All")
        with steps.refused(ApiException, "404"):
            self.core.read_namespaced_config_map("dry", "default")

    def creates_a_deployment_with_defaults(self):
        made = self.apps.create_namespaced_deployment("default", deployment("python"))
        assert made.spec.strategy.rolling_update.max_surge == "25%"
        assert made.spec.template.spec.containers[0].resources.requests == {"cpu": "1"}

    def scales_a_deployment(self):
        self.apps.patch_namespaced_deployment_scale("python", "default", {"spec": {"replicas": 5}})
        assert self.apps.read_namespaced_deployment_scale("python", "default").spec.replicas == 5
        assert self.apps.read_namespaced_deployment("python", "default").metadata.generation == 2

    def keeps_the_selector_of_a_deployment(self):
        with steps.refused(ApiException, "422", "field is immutable"):
            patch = {"spec": {"selector": {"matchLabels": {"app": "x"}}}}
            self.apps.patch_namespaced_deployment("python", "default", patch)

    def writes_a_status(self):
        status = {"status": {"replicas": 5, "readyReplicas": 4, "observedGeneration": 2}}
        assert self.apps.patch_namespaced_deployment_status("python", "default", status).status.ready_replicas == 4

    def creates_a_service(self):
        body = client.V1Service(
            metadata=client.V1ObjectMeta(name="python"),
            spec=client.V1ServiceSpec(selector={"app": "python"}, ports=[client.V1ServicePort(port=80)]),
        )
        made = self.core.create_namespaced_service("default", body)
        assert made.spec.cluster_ip.startswith("10.") and made.spec.ports[0].target_port == 80

    def has_the_service_of_a_cluster(self):
        assert self.core.read_namespaced_service("kubernetes", "default").spec.ports[0].port == 443

    def creates_from_yaml(self):
        made = utils.create_from_dict(client.ApiClient(), configmap("python-yaml"))
        assert made[0].metadata.name == "python-yaml"

    def pages(self):
        first = self.core.list_namespace(limit=1)
        assert first.metadata._continue and len(first.items) == 1
        second = self.core.list_namespace(limit=100, _continue=first.metadata._continue)
        assert first.items[0].metadata.name not in {it.metadata.name for it in second.items}

    def watches(self):
        since = self.core.list_namespaced_config_map("default").metadata.resource_version
        self.core.create_namespaced_config_map("default", configmap("watched"))
        self.core.patch_namespaced_config_map("watched", "default", {"data": {"a": "1"}})
        self.core.delete_namespaced_config_map("watched", "default")
        stream = watch.Watch().stream(
            self.core.list_namespaced_config_map, "default", resource_version=since, timeout_seconds=2
        )
        assert [event["type"] for event in stream] == ["ADDED", "MODIFIED", "DELETED"]

    def watches_from_a_version_that_is_gone(self):
        stream = watch.Watch().stream(self.core.list_namespaced_config_map, "default", resource_version="abc")
        with steps.refused(ApiException):
            next(iter(stream))

    def writes_an_event(self):
        now = datetime.datetime.now(datetime.timezone.utc)
        body = client.CoreV1Event(
            metadata=client.V1ObjectMeta(name="python.1"),
            involved_object=client.V1ObjectReference(kind="ConfigMap", name="python", namespace="default"),
            reason="Tried", message="it was tried", type="Normal", first_timestamp=now, last_timestamp=now, count=1,
        )  # fmt: skip
        self.core.create_namespaced_event("default", body)
        found = self._dynamic("events.k8s.io/v1", "Event").get(name="python.1", namespace="default")
        assert found.note == "it was tried"

    def takes_a_lease(self):
        now = datetime.datetime.now(datetime.timezone.utc)
        spec = client.V1LeaseSpec(holder_identity="anna", lease_duration_seconds=15, renew_time=now)
        body = client.V1Lease(metadata=client.V1ObjectMeta(name="python"), spec=spec)
        made = client.CoordinationV1Api().create_namespaced_lease("default", body)
        assert made.spec.renew_time == now

    def elects_a_leader(self):
        leads = threading.Event()
        lock = ConfigMapLock("leader", "default", "anna")
        election = electionconfig.Config(lock, 17, 15, 5, onstarted_leading=leads.set, onstopped_leading=None)
        threading.Thread(target=leaderelection.LeaderElection(election).run, daemon=True).start()
        assert leads.wait(20)

    def asks_for_its_rights(self):
        attributes = client.V1ResourceAttributes(verb="get", resource="pods", namespace="default")
        spec = client.V1SelfSubjectAccessReviewSpec(resource_attributes=attributes)
        review = client.V1SelfSubjectAccessReview(spec=spec)
        assert client.AuthorizationV1Api().create_self_subject_access_review(review).status.allowed

    def gets_a_token(self):
        self.core.create_namespaced_service_account("default", {"metadata": {"name": "python"}})
        request = client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[], expiration_seconds=600))
        made = self.core.create_namespaced_service_account_token("python", "default", request)
        assert made.status.token.count(".") == 2

    def defines_a_resource(self):
        client.ApiextensionsV1Api().create_custom_resource_definition(DEFINITION)
        stream = watch.Watch().stream(
            client.ApiextensionsV1Api().list_custom_resource_definition,
            field_selector=f"metadata.name={PLURAL}.{GROUP}", timeout_seconds=20,
        )  # fmt: skip
        for event in stream:
            conditions = event["object"].status.conditions or []
            if any(it.type == "Established" and it.status == "True" for it in conditions):
                return
        raise AssertionError("it is not established")

    def creates_a_custom_resource(self):
        made = self.custom.create_namespaced_custom_object(**PLACE, body=boat("anna", 3))
        assert made["spec"] == {"crew": 3, "port": "Kiel"}

    def refuses_what_its_schema_does(self):
        with steps.refused(ApiException, "422", "spec.crew in body should be greater than or equal to 1"):
            self.custom.create_namespaced_custom_object(**PLACE, body=boat("empty", 0))

    def patches_a_custom_resource(self):
        patched = self.custom.patch_namespaced_custom_object(**PLACE, name="anna", body={"spec": {"port": None}})
        assert patched["spec"]["port"] == "Kiel"

    def writes_the_status_of_a_custom_resource(self):
        body = {"spec": {"crew": 9}, "status": {"aboard": 2}}
        written = self.custom.patch_namespaced_custom_object_status(**PLACE, name="anna", body=body)
        assert written["spec"]["crew"] == 3 and written["status"] == {"aboard": 2}

    def scales_a_custom_resource(self):
        self.custom.patch_namespaced_custom_object_scale(**PLACE, name="anna", body={"spec": {"replicas": 4}})
        assert self.custom.get_namespaced_custom_object(**PLACE, name="anna")["spec"]["crew"] == 4

    def applies_with_the_dynamic_client(self):
        boats = self._dynamic(f"{GROUP}/{VERSION}", "Boat")
        boats.server_side_apply(boat("dynamic", 3), field_manager="a", namespace="default")
        with steps.refused(dynamic.exceptions.ConflictError, "conflict with"):
            boats.server_side_apply(boat("dynamic", 4), field_manager="b", namespace="default")
        forced = boats.server_side_apply(boat("dynamic", 4), field_manager="b", namespace="default", force_conflicts=True)
        assert [entry.manager for entry in forced.metadata.managedFields] == ["b"] or forced.spec.crew == 4

    def waits_for_finalizers(self):
        self.custom.create_namespaced_custom_object(**PLACE, body=boat("held", 1, finalizers=["example.com/hold"]))
        self.custom.delete_namespaced_custom_object(**PLACE, name="held")
        assert self.custom.get_namespaced_custom_object(**PLACE, name="held")["metadata"]["deletionTimestamp"]
        self.custom.patch_namespaced_custom_object(**PLACE, name="held", body={"metadata": {"finalizers": None}})
        with steps.refused(ApiException, "404"):
            self.custom.get_namespaced_custom_object(**PLACE, name="held")

    def deletes_a_collection(self):
        self.core.delete_collection_namespaced_config_map("default", label_selector="by=steps")
        assert not self.core.list_namespaced_config_map("default", label_selector="by=steps").items

    def deletes_with_a_precondition(self):
        options = client.V1DeleteOptions(preconditions=client.V1Preconditions(uid="other"))
        with steps.refused(ApiException, "409", "the UID in the precondition (other) does not match"):
            self.apps.delete_namespaced_deployment("python", "default", body=options)

    def refuses_a_wrong_option_of_a_deletion(self):
        with steps.refused(ApiException, "422", "dryRun"):
            self.apps.delete_namespaced_deployment("python", "default", body={"dryRun": ["Some"]})

    def deletes(self):
        self.apps.delete_namespaced_deployment("python", "default")
        with steps.refused(ApiException, "404"):
            self.apps.read_namespaced_deployment("python", "default")

    def _dynamic(self, version: str, kind: str):
        """Returns the client of a kind that sends what it is given."""
        return dynamic.DynamicClient(client.ApiClient()).resources.get(api_version=version, kind=kind)


steps.run(Official())

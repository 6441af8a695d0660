"""Steps of the package `kubernetes_asyncio`."""

import steps
from boats import DEFINITION, GROUP, PLURAL, VERSION, boat, configmap, deployment
from kubernetes_asyncio import client, config, dynamic, watch
from kubernetes_asyncio.client.exceptions import ApiException

PLACE = {"group": GROUP, "version": VERSION, "namespace": "default", "plural": PLURAL}


class Asyncio:
    async def loads_the_kubeconfig(self):
        await config.load_kube_config()
        self._api = client.ApiClient()
        self._core, self._apps = client.CoreV1Api(self._api), client.AppsV1Api(self._api)
        self._custom = client.CustomObjectsApi(self._api)

    async def creates_a_configmap(self):
        made = await self._core.create_namespaced_config_map("default", configmap("asyncio", a="1"))
        assert made.metadata.uid

    async def creates_it_only_once(self):
        with steps.refused(ApiException, "409", "AlreadyExists"):
            await self._core.create_namespaced_config_map("default", configmap("asyncio"))

    async def replaces_only_the_newest(self):
        old = await self._core.read_namespaced_config_map("asyncio", "default")
        old.data["b"] = "2"
        await self._core.replace_namespaced_config_map("asyncio", "default", old)
        with steps.refused(ApiException, "409", "the object has been modified"):
            await self._core.replace_namespaced_config_map("asyncio", "default", old)

    async def patches(self):
        patched = await self._core.patch_namespaced_config_map("asyncio", "default", {"data": {"a": None}})
        assert patched.data == {"b": "2"}

    async def watches(self):
        since = (await self._core.list_namespaced_config_map("default")).metadata.resource_version
        await self._core.create_namespaced_config_map("default", configmap("watched"))
        await self._core.delete_namespaced_config_map("watched", "default")
        seen = []
        async with watch.Watch() as events:
            stream = events.stream(
                self._core.list_namespaced_config_map, "default", resource_version=since, timeout_seconds=2
            )
            async for event in stream:
                seen.append(event["type"])
        assert seen == ["ADDED", "DELETED"], seen

    async def creates_a_deployment(self):
        made = await self._apps.create_namespaced_deployment("default", deployment("asyncio"))
        assert made.spec.revision_history_limit == 10

    async def scales_it(self):
        scale = await self._apps.read_namespaced_deployment_scale("asyncio", "default")
        scale.spec.replicas = 3
        assert (await self._apps.replace_namespaced_deployment_scale("asyncio", "default", scale)).spec.replicas == 3

    async def defines_a_resource(self):
        await client.ApiextensionsV1Api(self._api).create_custom_resource_definition(DEFINITION)
        for _ in range(40):
            found = await client.ApiextensionsV1Api(self._api).read_custom_resource_definition(f"{PLURAL}.{GROUP}")
            if any(it.type == "Established" and it.status == "True" for it in found.status.conditions or []):
                return
        raise AssertionError("it is not established")

    async def creates_a_custom_resource(self):
        made = await self._custom.create_namespaced_custom_object(**PLACE, body=boat("asyncio", 3))
        assert made["spec"]["port"] == "Kiel"

    async def refuses_what_its_schema_does(self):
        with steps.refused(ApiException, "422", "spec.crew in body should be greater than or equal to 1"):
            await self._custom.create_namespaced_custom_object(**PLACE, body=boat("empty", 0))

    async def applies_with_the_dynamic_client(self):
        found = await dynamic.DynamicClient(self._api)
        maps = await found.resources.get(api_version="v1", kind="ConfigMap")
        body = configmap("applied", a="1")
        applied = await maps.server_side_apply(body, namespace="default", field_manager="a")
        assert applied.metadata.managedFields[0].operation == "Apply"

    async def deletes(self):
        await self._core.delete_namespaced_config_map("asyncio", "default")
        with steps.refused(ApiException, "404"):
            await self._core.read_namespaced_config_map("asyncio", "default")

    async def closes(self):
        await self._api.close()


steps.run(Asyncio())

"""Steps of the package `kr8s`."""

import kr8s
import steps
from boats import DEFINITION, GROUP, VERSION, boat, configmap, deployment
from kr8s.asyncio.objects import ConfigMap, CustomResourceDefinition, Deployment, Pod, new_class

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "kr8s", "namespace": "default"},
    "spec": {"containers": [{"name": "web", "image": "web:1"}]},
}


class Kr8s:
    async def connects(self):
        self._api = await kr8s.asyncio.api()
        assert (await self._api.version())["major"] == "1"

    async def discovers(self):
        kinds = {it["kind"] for it in await self._api.api_resources()}
        assert {"Pod", "Deployment", "CustomResourceDefinition"} <= kinds

    async def creates_a_configmap(self):
        self._map = await ConfigMap(configmap("kr8s", a="1"), api=self._api)
        await self._map.create()
        assert self._map.metadata.uid

    async def finds_it(self):
        found = [it.name async for it in self._api.get("configmaps", namespace="default", label_selector={"by": "steps"})]
        assert found == ["kr8s"], found
        assert await self._map.exists()

    async def patches_it(self):
        await self._map.patch({"data": {"b": "2"}})
        assert self._map.data == {"a": "1", "b": "2"}

    async def labels_and_annotates_it(self):
        await self._map.label(tier="web")
        await self._map.annotate({"note": "one"})
        assert self._map.labels["tier"] == "web" and self._map.annotations["note"] == "one"

    async def watches_it(self):
        async for event, found in self._api.watch("configmaps", namespace="default"):
            if found.name == "kr8s":
                assert event == "ADDED"
                return

    async def scales_a_deployment(self):
        made = await Deployment(deployment("kr8s"), api=self._api)
        await made.create()
        await made.patch({"spec": {"replicas": 4}}, subresource="scale")
        await made.refresh()
        assert made.replicas == 4
        assert not await made.ready()

    async def creates_a_pod(self):
        pod = await Pod(POD, api=self._api)
        await pod.create()
        assert pod.status.phase == "Pending" and pod.raw["spec"]["restartPolicy"] == "Always"
        await pod.delete()

    async def defines_a_resource(self):
        definition = await CustomResourceDefinition(DEFINITION, api=self._api)
        await definition.create()
        await definition.wait("condition=Established", timeout=20)

    async def creates_a_custom_resource(self):
        Boat = new_class(kind="Boat", version=f"{GROUP}/{VERSION}", namespaced=True, asyncio=True)
        made = await Boat(boat("kr8s", 3), api=self._api)
        await made.create()
        assert made.spec.port == "Kiel"
        await made.patch({"status": {"aboard": 2}}, subresource="status")
        assert made.status.aboard == 2

    async def refuses_what_its_schema_does(self):
        Boat = new_class(kind="Boat", version=f"{GROUP}/{VERSION}", namespaced=True, asyncio=True)
        empty = await Boat(boat("empty", 0), api=self._api)
        with steps.refused(kr8s.ServerError, "spec.crew in body should be greater than or equal to 1"):
            await empty.create()

    async def deletes(self):
        await self._map.delete()
        await self._map.wait("delete", timeout=10)
        with steps.refused(kr8s.NotFoundError):
            await ConfigMap.get("kr8s", namespace="default", api=self._api)


steps.run(Kr8s())

"""Creates a Boat, waits for it in a watch, and is told what is wrong with another one."""

from kubernetes import client, config, watch

PLACE = {"group": "example.com", "version": "v1", "namespace": "default", "plural": "boats"}


def boat(name, crew):
    return {"apiVersion": "example.com/v1", "kind": "Boat", "metadata": {"name": name}, "spec": {"crew": crew}}


def main():
    config.load_kube_config()  # the file in KUBECONFIG
    boats = client.CustomObjectsApi()
    boats.create_namespaced_custom_object(body=boat("python", 3), **PLACE)
    for event in watch.Watch().stream(boats.list_namespaced_custom_object, timeout_seconds=10, **PLACE):
        if event["object"]["metadata"]["name"] == "python":
            break
    else:
        raise SystemExit("the watch has not seen the boat")
    try:
        boats.create_namespaced_custom_object(body=boat("empty", 0), **PLACE)
    except client.ApiException as refused:
        assert "spec.crew" in refused.body, refused.body
    else:
        raise SystemExit("a boat without a crew is accepted")
    print("sailed from Python")


main()

"""The objects of the steps."""

import json
import pathlib

GROUP, VERSION, PLURAL = "lake.example.com", "v1", "boats"

DEFINITION = json.loads((pathlib.Path(__file__).parent.parent / "boats.json").read_text())


def boat(name: str, crew: int, **metadata) -> dict:
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "Boat",
        "metadata": {"name": name, "namespace": "default", **metadata},
        "spec": {"crew": crew},
    }


def configmap(name: str, **data: str) -> dict:
    metadata = {"name": name, "namespace": "default", "labels": {"by": "steps"}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def deployment(name: str) -> dict:
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default", "labels": labels},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "web", "image": "web:1", "resources": {"requests": {"cpu": "1000m"}}}]},
            },
        },
    }

"""fabric8's client and the Java operator SDK, with steps of this repository."""

import os

from outcome import Outcome, need, prepare, steps

from .suite import HERE, Place, Suite

FOLDER = HERE / "java"


def run(place: Place) -> Outcome:
    need("java", "javac", "mvn")
    folder = place.work / "java"
    folder.mkdir(exist_ok=True)
    paths = folder / "classpath"
    # The class path is one line of absolute paths.
    maven = ["mvn", "--quiet", "--batch-mode", "dependency:build-classpath", f"-Dmdep.outputFile={paths}"]
    prepare(maven, cwd=FOLDER)
    jars = paths.read_text().strip()
    sources = [str(source) for source in sorted(FOLDER.glob("src/main/java/*.java"))]
    prepare(["javac", "--release", "17", "-classpath", jars, "-d", str(folder / "classes"), *sources])
    classes = os.pathsep.join([str(folder / "classes"), jars])
    return steps(["java", "-classpath", classes, "Steps", str(HERE / "boats.json")], 600, env=place.environment())


SUITES = [Suite("fabric8", run)]

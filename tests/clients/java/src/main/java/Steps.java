import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.javaoperatorsdk.operator.Operator;
import java.io.FileInputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Steps of fabric8's client and the Java operator SDK. Each prints a line, as `outcome.steps` reads them. */
public class Steps {
    interface Step {
        void run() throws Exception;
    }

    static final String PLACE = "default";
    final KubernetesClient client = new KubernetesClientBuilder().build();
    final String definitions;
    final Boats boats = new Boats();
    Operator operator;

    Steps(String definitions) {
        this.definitions = definitions;
    }

    public static void main(String[] arguments) {
        new Steps(arguments[0]).all();
        System.exit(0);
    }

    void all() {
        step("the version", () -> equal(client.getKubernetesVersion().getMajor(), "1"));
        step("creates a ConfigMap", () -> equal(client.resource(map("java", "1")).create().getData(), Map.of("a", "1")));
        step("creates it only once", () -> refused(() -> client.resource(map("java", "1")).create(), 409, "already exists"));
        step("misses another one", () -> equal(client.configMaps().inNamespace(PLACE).withName("none").get(), null));
        step("lists by labels", () -> equal(client.configMaps().inNamespace(PLACE).withLabelIn("by", "steps").list().getItems().size(), 1));
        step("lists by fields", () -> equal(client.configMaps().inAnyNamespace().withField("metadata.name", "java").list().getItems().size(), 1));
        step("replaces only the newest", this::replaces);
        step("edits", () -> equal(client.configMaps().inNamespace(PLACE).withName("java").edit(it -> new ConfigMapBuilder(it).addToData("b", "2").build()).getData().get("b"), "2"));
        step("patches", () -> equal(patch(PatchType.JSON_MERGE, "{\"data\":{\"b\":null}}").get("b"), null));
        step("merges a strategic patch", () -> equal(patch(PatchType.STRATEGIC_MERGE, "{\"data\":{\"c\":\"3\"}}").get("c"), "3"));
        step("patches with JSON", () -> equal(patch(PatchType.JSON, "[{\"op\":\"remove\",\"path\":\"/data/c\"}]").get("c"), null));
        step("applies", this::applies);
        step("dry runs", this::dryRuns);
        step("informs of additions, updates and deletions", this::informs);
        step("watches", this::watches);
        step("waits until a condition", this::waits);
        step("creates a Deployment with defaults", () -> equal(client.resource(deployment()).create().getSpec().getStrategy().getType(), "RollingUpdate"));
        step("scales it", () -> equal(client.apps().deployments().inNamespace(PLACE).withName("java").scale(4).getSpec().getReplicas(), 4));
        step("keeps its selector", () -> refused(() -> client.resource(otherSelector()).update(), 422, "field is immutable"));
        step("pages", () -> equal(client.namespaces().list(new io.fabric8.kubernetes.api.model.ListOptionsBuilder().withLimit(1L).build()).getItems().size(), 1));
        step("elects a leader", this::elects);
        step("defines a resource", this::defines);
        step("creates a custom resource", () -> equal(client.resource(Boat.of("java", 3)).create().getSpec().port, "Kiel"));
        step("refuses what its schema does", () -> refused(() -> client.resource(Boat.of("empty", 0)).create(), 422, "spec.crew in body should be greater than or equal to 1"));
        step("writes its status", this::writesStatus);
        step("reads it as any resource", () -> equal(client.genericKubernetesResources("lake.example.com/v1", "Boat").inNamespace(PLACE).withName("java").get().getKind(), "Boat"));
        step("deletes it", () -> equal(client.resource(Boat.of("java", 3)).delete().size(), 1));
        step("deletes in the foreground", () -> client.apps().deployments().inNamespace(PLACE).withName("java").withPropagationPolicy(DeletionPropagation.FOREGROUND).delete());
        step("an operator starts", this::startsOperator);
        step("it reconciles", () -> until(() -> boat("first").getStatus() != null && boat("first").getStatus().aboard == 3));
        step("it adds its finalizer", () -> equal(boat("first").getMetadata().getFinalizers().size(), 1));
        step("it makes what it owns", () -> until(() -> log("first") != null && log("first").getData().get("crew").equals("3")));
        step("it makes that again", this::makesAgain);
        step("it follows updates", this::followsUpdates);
        step("it cleans up", this::cleansUp);
        step("it stops", () -> operator.stop());
        step("deletes all", () -> {
            client.configMaps().inNamespace(PLACE).withLabel("by", "steps").delete();
            until(() -> client.configMaps().inNamespace(PLACE).withLabel("by", "steps").list().getItems().isEmpty());
        });
    }

    void replaces() {
        var maps = client.configMaps().inNamespace(PLACE);
        ConfigMap old = maps.withName("java").get();
        ConfigMap changed = new ConfigMapBuilder(old).addToData("b", "1").build();
        client.resource(changed).lockResourceVersion(old.getMetadata().getResourceVersion()).update();
        refused(() -> client.resource(changed).lockResourceVersion(old.getMetadata().getResourceVersion()).update(), 409, "has been modified");
    }

    Map<String, String> patch(PatchType type, String patch) {
        return client.configMaps().inNamespace(PLACE).withName("java").patch(PatchContext.of(type), patch).getData();
    }

    void applies() {
        client.resource(map("applied", "1")).fieldManager("a").serverSideApply();
        refused(() -> client.resource(map("applied", "2")).fieldManager("b").serverSideApply(), 409, "conflict");
        equal(client.resource(map("applied", "2")).fieldManager("b").forceConflicts().serverSideApply().getData().get("a"), "2");
    }

    void dryRuns() {
        client.resource(map("dry", "1")).dryRun().create();
        equal(client.configMaps().inNamespace(PLACE).withName("dry").get(), null);
    }

    void informs() throws Exception {
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        try (var informer = client.configMaps().inNamespace(PLACE).inform(new ResourceEventHandler<ConfigMap>() {
            public void onAdd(ConfigMap map) {
                note("added", map);
            }

            public void onUpdate(ConfigMap old, ConfigMap map) {
                note("updated", map);
            }

            public void onDelete(ConfigMap map, boolean isUnknown) {
                note("deleted", map);
            }

            void note(String event, ConfigMap map) {
                if (map.getMetadata().getName().equals("informed")) {
                    seen.add(event);
                }
            }
        })) {
            client.resource(map("informed", "1")).create();
            client.resource(map("informed", "2")).update();
            client.resource(map("informed", "2")).delete();
            for (String event : List.of("added", "updated", "deleted")) {
                equal(seen.poll(10, TimeUnit.SECONDS), event);
            }
            if (!informer.isWatching()) {
                throw new IllegalStateException("the watch has ended");
            }
        }
    }

    void watches() throws Exception {
        CompletableFuture<String> seen = new CompletableFuture<>();
        try (var watch = client.configMaps().inNamespace(PLACE).withName("java").watch(new io.fabric8.kubernetes.client.Watcher<ConfigMap>() {
            public void eventReceived(Action action, ConfigMap map) {
                seen.complete(action.name());
            }

            public void onClose(io.fabric8.kubernetes.client.WatcherException error) {
                seen.completeExceptionally(error);
            }
        })) {
            equal(seen.get(10, TimeUnit.SECONDS), "ADDED");
        }
    }

    void waits() {
        Pod pod = new PodBuilder().withNewMetadata().withName("java").withNamespace(PLACE).endMetadata()
            .withNewSpec().addNewContainer().withName("web").withImage("web:1").endContainer().endSpec().build();
        client.resource(pod).create();
        Executors.newSingleThreadExecutor().submit(() -> client.pods().inNamespace(PLACE).withName("java").editStatus(it ->
            new PodBuilder(it).editOrNewStatus().withPhase("Running").endStatus().build()));
        client.pods().inNamespace(PLACE).withName("java").waitUntilCondition(it -> it.getStatus().getPhase().equals("Running"), 10, TimeUnit.SECONDS);
    }

    Deployment deployment() {
        return new DeploymentBuilder().withNewMetadata().withName("java").withNamespace(PLACE).endMetadata()
            .withNewSpec().withReplicas(2).withNewSelector().addToMatchLabels("app", "java").endSelector()
            .withNewTemplate().withNewMetadata().addToLabels("app", "java").endMetadata()
            .withNewSpec().addNewContainer().withName("web").withImage("web:1").endContainer().endSpec().endTemplate().endSpec()
            .build();
    }

    Deployment otherSelector() {
        return new DeploymentBuilder(deployment()).editSpec().withNewSelector().addToMatchLabels("app", "x").endSelector()
            .editTemplate().editMetadata().addToLabels("app", "x").endMetadata().endTemplate().endSpec().build();
    }

    void elects() throws Exception {
        CompletableFuture<String> leads = new CompletableFuture<>();
        var configuration = new LeaderElectionConfigBuilder().withName("java").withReleaseOnCancel()
            .withLock(new LeaseLock(PLACE, "java", "anna")).withLeaseDuration(Duration.ofSeconds(15))
            .withRenewDeadline(Duration.ofSeconds(10)).withRetryPeriod(Duration.ofSeconds(2))
            .withLeaderCallbacks(new LeaderCallbacks(() -> { }, () -> { }, leads::complete)).build();
        var elector = client.leaderElector().withConfig(configuration).build().start();
        equal(leads.get(20, TimeUnit.SECONDS), "anna");
        elector.cancel(true);
    }

    void defines() throws Exception {
        CustomResourceDefinition definition = client.getKubernetesSerialization().unmarshal(new FileInputStream(definitions), CustomResourceDefinition.class);
        client.resource(definition).create();
        client.resource(definition).waitUntilCondition(it -> it.getStatus() != null && it.getStatus().getConditions().stream()
            .anyMatch(condition -> condition.getType().equals("Established") && condition.getStatus().equals("True")), 20, TimeUnit.SECONDS);
    }

    void writesStatus() {
        Boat boat = boat("java");
        boat.getSpec().crew = 9;
        boat.setStatus(new Boat.Status());
        boat.getStatus().aboard = 2;
        Boat written = client.resource(boat).updateStatus();
        equal(List.of(written.getSpec().crew, written.getStatus().aboard), List.of(3, 2));
    }

    void startsOperator() {
        operator = new Operator(configuration -> configuration.withKubernetesClient(client).withCloseClientOnStop(false));
        operator.register(boats);
        operator.start();
        client.resource(Boat.of("first", 3)).create();
    }

    void makesAgain() {
        String uid = log("first").getMetadata().getUid();
        client.resource(log("first")).delete();
        until(() -> log("first") != null && !log("first").getMetadata().getUid().equals(uid));
    }

    void followsUpdates() {
        client.resources(Boat.class).inNamespace(PLACE).withName("first").edit(it -> {
            it.getSpec().crew = 5;
            return it;
        });
        until(() -> boat("first").getStatus().aboard == 5 && log("first").getData().get("crew").equals("5"));
    }

    void cleansUp() {
        client.resource(Boat.of("first", 3)).delete();
        until(() -> boat("first") == null);
        equal(boats.cleanups, 1);
    }

    Boat boat(String name) {
        return client.resources(Boat.class).inNamespace(PLACE).withName(name).get();
    }

    ConfigMap log(String name) {
        return client.configMaps().inNamespace(PLACE).withName(name + "-log").get();
    }

    ConfigMap map(String name, String value) {
        return new ConfigMapBuilder().withNewMetadata().withName(name).withNamespace(PLACE).addToLabels("by", "steps").endMetadata()
            .addToData("a", value).build();
    }

    static void step(String name, Step step) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                step.run();
                done.complete(null);
            } catch (Throwable error) {
                done.completeExceptionally(error);
            }
        });
        thread.setDaemon(true);
        thread.start();
        try {
            done.get(60, TimeUnit.SECONDS);
            System.out.println("pass " + name);
        } catch (Exception error) {
            Throwable cause = error.getCause() == null ? error : error.getCause();
            System.out.println("fail " + name + ": " + String.valueOf(cause).replaceAll("\\s+", " "));
        }
        System.out.flush();
    }

    static void equal(Object found, Object wanted) {
        if (!Objects.equals(found, wanted)) {
            throw new IllegalStateException(found + " instead of " + wanted);
        }
    }

    static void refused(Runnable action, int code, String text) {
        try {
            action.run();
        } catch (KubernetesClientException error) {
            if (error.getCode() == code && error.getMessage().contains(text)) {
                return;
            }
            throw error;
        }
        throw new IllegalStateException("it is not refused");
    }

    static void until(Supplier<Boolean> condition) {
        for (int tries = 0; tries < 200; tries++) {
            if (condition.get()) {
                return;
            }
            try {
                Thread.sleep(100);
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
        }
        throw new IllegalStateException("it does not happen");
    }
}

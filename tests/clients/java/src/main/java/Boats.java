import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.util.List;
import java.util.Map;

/** Each boat has a ConfigMap, which is made again if it is deleted, and its crew is aboard. */
@ControllerConfiguration
public class Boats implements Reconciler<Boat>, Cleaner<Boat> {
    volatile int cleanups;

    @Override
    public List<EventSource<?, Boat>> prepareEventSources(EventSourceContext<Boat> context) {
        var maps = InformerEventSourceConfiguration.from(ConfigMap.class, Boat.class).build();
        return List.of(new InformerEventSource<>(maps, context));
    }

    @Override
    public UpdateControl<Boat> reconcile(Boat boat, Context<Boat> context) {
        ConfigMap map = new ConfigMapBuilder()
            .withNewMetadata().withName(boat.getMetadata().getName() + "-log").withNamespace("default").endMetadata()
            .withData(Map.of("crew", String.valueOf(boat.getSpec().crew)))
            .build();
        map.addOwnerReference(boat);
        context.getClient().resource(map).fieldManager("boats").forceConflicts().serverSideApply();
        if (boat.getStatus() != null && boat.getStatus().aboard == boat.getSpec().crew) {
            return UpdateControl.noUpdate();
        }
        Boat status = Boat.of(boat.getMetadata().getName(), boat.getSpec().crew);
        status.setStatus(new Boat.Status());
        status.getStatus().aboard = boat.getSpec().crew;
        return UpdateControl.patchStatus(status);
    }

    @Override
    public DeleteControl cleanup(Boat boat, Context<Boat> context) {
        cleanups++;
        return DeleteControl.defaultDelete();
    }
}

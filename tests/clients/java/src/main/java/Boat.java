import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;

@Group("lake.example.com")
@Version("v1")
public class Boat extends CustomResource<Boat.Spec, Boat.Status> implements Namespaced {
    public static class Spec {
        public int crew;
        public String port;
    }

    public static class Status {
        public int aboard;
    }

    static Boat of(String name, int crew) {
        Boat boat = new Boat();
        boat.getMetadata().setName(name);
        boat.getMetadata().setNamespace("default");
        boat.setSpec(new Spec());
        boat.getSpec().crew = crew;
        return boat;
    }
}

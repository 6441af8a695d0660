// Steps of @kubernetes/client-node. Each prints a line, as `outcome.steps` reads them.
import { readFileSync } from 'node:fs';
import * as k8s from '@kubernetes/client-node';

const { KubeConfig, KubernetesObjectApi, PatchStrategy, Watch, setHeaderOptions } = k8s;

const namespace = 'default';
const place = { group: 'lake.example.com', version: 'v1', namespace, plural: 'boats' };
const kind = { apiVersion: 'lake.example.com/v1', kind: 'Boat' };
const boat = (name, crew) => ({ ...kind, metadata: { name, namespace }, spec: { crew } });
// The client's model has this name for what is a keyword of JavaScript.
const definition = JSON.parse(readFileSync(process.argv[2], 'utf8').replaceAll('"default"', '"_default"'));
const configMap = (name, data) => ({
  apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels: { by: 'steps' } }, data,
});

const equal = (found, wanted) => {
  const [one, other] = [found, wanted].map((value) => JSON.stringify(value));
  if (one !== other) throw new Error(`${one} instead of ${other}`);
};
const refused = async (promise, code, text) => {
  const error = await promise.then(() => { throw new Error('it is not refused'); }, (error) => error);
  if (error.code !== code || !String(error.body).includes(text)) throw error;
};
const within = (promise, seconds) => Promise.race([
  promise,
  new Promise((_, fail) => setTimeout(() => fail(new Error('it takes too long')), seconds * 1000).unref()),
]);
const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

const config = new KubeConfig();
let core, apps, boats, objects;

const steps = {
  'loads the kubeconfig': () => {
    config.loadFromDefault();
    core = config.makeApiClient(k8s.CoreV1Api);
    apps = config.makeApiClient(k8s.AppsV1Api);
    boats = config.makeApiClient(k8s.CustomObjectsApi);
    objects = KubernetesObjectApi.makeApiClient(config);
  },
  'the version': async () => equal((await config.makeApiClient(k8s.VersionApi).getCode()).major, '1'),
  'health': async () => equal(await new k8s.Health(config).readyz({}), true),
  'creates a ConfigMap': async () => {
    const made = await core.createNamespacedConfigMap({ namespace, body: configMap('javascript', { a: '1' }) });
    if (!made.metadata.uid || !(made.metadata.creationTimestamp instanceof Date)) throw new Error('no metadata');
  },
  'creates it only once': () => refused(
    core.createNamespacedConfigMap({ namespace, body: configMap('javascript', {}) }), 409, 'AlreadyExists'),
  'misses another one': () => refused(core.readNamespacedConfigMap({ namespace, name: 'none' }), 404, 'not found'),
  'lists by labels': async () => {
    const found = await core.listNamespacedConfigMap({ namespace, labelSelector: 'by in (steps)' });
    equal(found.items.map((it) => it.metadata.name), ['javascript']);
  },
  'replaces only the newest': async () => {
    const name = 'javascript';
    const body = await core.readNamespacedConfigMap({ namespace, name });
    body.data.b = '2';
    await core.replaceNamespacedConfigMap({ namespace, name, body });
    await refused(core.replaceNamespacedConfigMap({ namespace, name, body }), 409, 'has been modified');
  },
  'patches with JSON': async () => {
    const body = [{ op: 'replace', path: '/data/a', value: '3' }];
    equal((await core.patchNamespacedConfigMap({ namespace, name: 'javascript', body })).data, { a: '3', b: '2' });
  },
  'merges a patch': async () => {
    const options = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
    const request = { namespace, name: 'javascript', body: { data: { a: null } } };
    equal((await core.patchNamespacedConfigMap(request, options)).data, { b: '2' });
  },
  'merges a strategic patch': async () => {
    const options = setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch);
    const request = { namespace, name: 'javascript', body: { data: { c: '4' } } };
    equal((await core.patchNamespacedConfigMap(request, options)).data, { b: '2', c: '4' });
  },
  'applies': async () => {
    const body = configMap('applied', { a: '1' });
    const apply = (manager, data) => objects.patch(
      { ...body, data }, undefined, undefined, manager, false, PatchStrategy.ServerSideApply);
    equal((await apply('a', { a: '1' })).data, { a: '1' });
    await refused(apply('b', { a: '2' }), 409, 'conflict with');
  },
  'dry runs': async () => {
    await core.createNamespacedConfigMap({ namespace, body: configMap('dry', {}), dryRun: 'All' });
    await refused(core.readNamespacedConfigMap({ namespace, name: 'dry' }), 404, 'not found');
  },
  'scales a Deployment': async () => {
    const labels = { app: 'javascript' };
    const body = {
      metadata: { name: 'javascript' },
      spec: {
        replicas: 2, selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
      },
    };
    const made = await apps.createNamespacedDeployment({ namespace, body });
    equal(made.spec.strategy.rollingUpdate.maxSurge, '25%');
    const scale = await apps.readNamespacedDeploymentScale({ namespace, name: 'javascript' });
    scale.spec.replicas = 3;
    await apps.replaceNamespacedDeploymentScale({ namespace, name: 'javascript', body: scale });
    equal((await apps.readNamespacedDeployment({ namespace, name: 'javascript' })).spec.replicas, 3);
  },
  'refuses a wrong type': () => refused(
    core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'wrong' }, data: { a: {} } } }),
    400, 'json: cannot unmarshal'),
  'defines a resource': async () => {
    const definitions = config.makeApiClient(k8s.ApiextensionsV1Api);
    await definitions.createCustomResourceDefinition({ body: definition });
    for (;;) {
      const { status } = await definitions.readCustomResourceDefinition({ name: 'boats.lake.example.com' });
      if (status.conditions?.some((it) => it.type === 'Established' && it.status === 'True')) return;
      await sleep(50);
    }
  },
  'creates a custom resource': async () => {
    const made = await boats.createNamespacedCustomObject({ ...place, body: boat('javascript', 3) });
    equal(made.spec, { crew: 3, port: 'Kiel' });
  },
  'refuses what its schema does': () => refused(
    boats.createNamespacedCustomObject({ ...place, body: boat('empty', 0) }), 422, 'spec.crew in body'),
  'writes its status': async () => {
    const options = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
    const request = { ...place, name: 'javascript', body: { status: { aboard: 2 } } };
    equal((await boats.patchNamespacedCustomObjectStatus(request, options)).status, { aboard: 2 });
  },
  'reads it as any object': async () => {
    equal((await objects.read({ ...kind, metadata: { name: 'javascript', namespace } })).spec.crew, 3);
    equal((await objects.list('lake.example.com/v1', 'Boat', namespace)).items.length, 1);
  },
  'watches': async () => {
    await new Promise((seen, failed) => {
      const added = (type, object) => type === 'ADDED' && object.metadata.name === 'javascript' && seen();
      const path = `/apis/lake.example.com/v1/namespaces/${namespace}/boats`;
      new Watch(config).watch(path, {}, added, (error) => error && failed(error)).catch(failed);
    });
  },
  'informs': async () => {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const informer = k8s.makeInformer(config, path, () => core.listNamespacedConfigMap({ namespace }));
    const seen = [];
    for (const verb of ['add', 'update', 'delete']) {
      informer.on(verb, (object) => object.metadata.name === 'informed' && seen.push(verb));
    }
    await informer.start();
    await core.createNamespacedConfigMap({ namespace, body: configMap('informed', { a: '1' }) });
    const body = [{ op: 'replace', path: '/data/a', value: '2' }];
    await core.patchNamespacedConfigMap({ namespace, name: 'informed', body });
    await core.deleteNamespacedConfigMap({ namespace, name: 'informed' });
    while (seen.length < 3) await sleep(50);
    await informer.stop();
    equal(seen, ['add', 'update', 'delete']);
  },
  'deletes': async () => {
    equal((await core.deleteNamespacedConfigMap({ namespace, name: 'javascript' })).status, 'Success');
    await boats.deleteNamespacedCustomObject({ ...place, name: 'javascript' });
    await refused(boats.getNamespacedCustomObject({ ...place, name: 'javascript' }), 404, 'not found');
  },
};

for (const [name, step] of Object.entries(steps)) {
  try {
    await within(Promise.resolve().then(step), 20);
    console.log(`pass ${name}`);
  } catch (error) {
    console.log(`fail ${name}: ${String(error.body ?? error).replace(/\s+/g, ' ')}`);
  }
}
process.exit(0);

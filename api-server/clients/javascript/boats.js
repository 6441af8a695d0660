// Creates a Boat, waits for it in a watch, and is told what is wrong with another one.
import { CustomObjectsApi, KubeConfig, Watch } from '@kubernetes/client-node';

const place = { group: 'example.com', version: 'v1', namespace: 'default', plural: 'boats' };
const boat = (name, crew) => ({
  apiVersion: 'example.com/v1', kind: 'Boat', metadata: { name }, spec: { crew },
});

const config = new KubeConfig();
config.loadFromDefault(); // the file in KUBECONFIG
const boats = config.makeApiClient(CustomObjectsApi);
await boats.createNamespacedCustomObject({ ...place, body: boat('javascript', 3) });

await new Promise((seen, failed) => {
  const path = '/apis/example.com/v1/namespaces/default/boats';
  const added = (_, object) => object.metadata.name === 'javascript' && seen();
  new Watch(config).watch(path, {}, added, (error) => error && failed(error)).catch(failed);
});

const refused = await boats.createNamespacedCustomObject({ ...place, body: boat('empty', 0) }).catch((error) => error);
if (!String(refused.body).includes('spec.crew')) {
  throw new Error(`a boat without a crew is accepted: ${refused}`);
}
console.log('sailed from JavaScript');
process.exit(0);

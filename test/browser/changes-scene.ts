import { browser, bundledConsole } from '../bed/browser.ts'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { configMap, kustomization, script } from './scene.ts'

/** Changes on their way: a unit whose changes need approval, one that holds deletions back, and a Rollout in two stages, the second of which takes each cluster by an approval. */

const many = Array.from({ length: 12 }, (_, at) => `stock/item-${at}.yaml`)

const deployment = (image: string, replicas: number): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: default}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec: {containers: [{name: api, image: 'ghcr.io/acme/api:${image}'}]}
`

const before = {
  'payments/deployment.yaml': deployment('1.7.4', 2),
  'payments/settings.yaml': configMap('api-env', 'default', 'LOG_FORMAT: text'),
  'payments/old.yaml': configMap('api-flags', 'default'),
  'shop/app.yaml': configMap('shop', '"${place}"', 'one'),
  ...Object.fromEntries(many.map((path, at) => [path, configMap(`item-${at}`, 'default')])),
}

/** Changed, created and deleted objects; one value is a script. */
const after = {
  'payments/deployment.yaml': deployment('1.8.0', 3),
  'payments/settings.yaml': configMap('api-env', 'default', script),
  'payments/new.yaml': configMap('api-limits', 'default', 'requests: 50'),
  'payments/old.yaml': null,
  ...Object.fromEntries(many.slice(1).map(path => [path, null])),
}

const clusterObject = (name: string, tier: string): string => `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: ${name}, namespace: apps, labels: {tier: ${tier}}}
spec: {interval: 1h, kubeConfig: {secretRef: {name: ${name}}}}
---`

const shopUnit = (name: string): string =>
  kustomization(`shop-${name}`, './shop', {
    ...{ target: name, meta: ', labels: {app: shop}' },
    more: `  wait: true\n  postBuild: {substitute: {place: shop-${name}}}\n`,
  })

const rollout = `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Rollout
metadata: {name: shop, namespace: apps}
spec:
  sources: [{kind: GitRepository, name: fleet}]
  units: {selector: {matchLabels: {app: shop}}}
  stages:
    - name: canary
      clusterSelector: {matchLabels: {tier: canary}}
      after: [{name: soak, healthyFor: 1s}, {name: go, approval: {}}]
    - name: everywhere
      before: [{name: calm, expression: 'size(units) > 0'}]
      maxConcurrency: 50%
      eachCluster: {before: [{name: drained, approval: {}}]}
---`

const places = ['canary', 'paris', 'rome'] as const

export const chromiumAndChanges = async () => {
  await bundledConsole()
  const [chromium, target, repo, on] = await Promise.all([browser(), cluster(), gitRepo(before), hub()])
  await on.kubectl('create', 'namespace', 'apps')
  for (const name of places) await target.kubectl('create', 'namespace', `shop-${name}`)
  await on.apply(
    [
      `apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: fleet, namespace: apps}
spec: {interval: 1h, url: '${repo.url}', ref: {branch: main}}
---`,
      // Units of one access wait with deletions for each other, as one may take over what another one drops.
      ...[...places, 'store'].map(name => kubeconfigSecret(name, target, 'apps')),
      ...places.map(name => clusterObject(name, name === 'canary' ? 'canary' : 'europe')),
      rollout,
      kustomization('payments-api', './payments', { target: 'paris' }),
      kustomization('stock', './stock', { target: 'store' }),
      ...places.map(shopUnit),
    ].join(''),
  )
  for (const name of ['payments-api', 'stock'])
    await on.kubectl('wait', `kustomization/${name}`, '-n', 'apps', '--for=condition=Ready', '--timeout=90s')
  await on.kubectl('annotate', 'kustomization/payments-api', '-n', 'apps', 'fleet.keelson.dev/approval=Required')
  await repo.push(after)
  await on.kubectl(
    ...['annotate', '--overwrite', 'gitrepository/fleet', '-n', 'apps'],
    `reconcile.fluxcd.io/requestedAt=${Date.now()}`,
  )
  await eventually(async () => {
    await on.kubectl('wait', 'kustomization/stock', '-n', 'apps', '--for=condition=PruneGuarded', '--timeout=10s')
    await on.kubectl('wait', 'kustomization/payments-api', '-n', 'apps', '--for=condition=Waiting', '--timeout=10s')
  })
  return { chromium, target, on }
}

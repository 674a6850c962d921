import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { browser, bundledConsole } from '../bed/browser.ts'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { kubeconfigFor, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { freePort } from '../bed/free-ports.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'

/** A fleet in trouble: a real cluster, one that does not answer, and units that work, fail, wait and are suspended. */

/** Pictures of documents show none of it (`npm run pictures`). */
export const isPlanted = process.env.KEELSON_PICTURES === undefined
/** What would run if a page took text for markup. Everywhere that a tenant or a repository can write. */
export const script = isPlanted
  ? `<img src=x onerror="document.body.dataset.hit='1'"><script>document.body.dataset.hit='1'</script>`
  : 'of-last-year'

export const longName = `payments-${'reconciliation-'.repeat(3)}service-for-the-northern-region`

export const configMap = (name: string, namespace: string, text = 'plain'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${namespace}}\ndata: {text: ${JSON.stringify(text)}}\n`

const many = Array.from({ length: 12 }, (_, at) => at)
export const blueFiles = Object.fromEntries(
  many.map(at => [`blue/item-${at}.yaml`, configMap(`item-${at}`, 'default')]),
)

const files: Readonly<Record<string, string>> = {
  'web/config.yaml': configMap('web-env', 'default', 'one'),
  'web/deployment.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: 'ghcr.io/acme/web:4.2.0'}]}
`,
  'payments/service.yaml': `apiVersion: v1\nkind: Service\nmetadata: {name: api, namespace: default}\nspec: {ports: [{port: 99999}]}\n`,
  'ingress/config.yaml': configMap('ingress', 'default', script),
  'long/config.yaml': configMap('long', 'default'),
  ...blueFiles,
}

export const kustomization = (
  name: string,
  path: string,
  { namespace = 'apps', target = 'prod', more = '', meta = '' } = {},
): string => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: ${namespace}${meta}}
spec:
  interval: 1h
  retryInterval: 5s
  timeout: 20s
  prune: true
  path: ${JSON.stringify(path)}
  sourceRef: {kind: GitRepository, name: fleet}
  kubeConfig: {secretRef: {name: ${target}}}
${more}---`

const repository = (namespace: string, url: string): string => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: fleet, namespace: ${namespace}}
spec: {interval: 1h, url: '${url}', ref: {branch: main}}
---`

/** A window that is always open, so that changes wait. */
const closed = `keelson.dev/windows: '[{"action": "Deny", "schedule": "0 0 * * *", "duration": "24h", "description": "year end"}]'`

const inputsAndHooks = `
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSetInputProvider
metadata: {name: regions, namespace: apps}
spec: {type: Static, defaultValues: {region: eu-west, note: ${JSON.stringify(script)}}}
---
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {name: per-region, namespace: apps}
spec:
  inputs: [{region: us-east}]
  inputsFrom: [{name: regions}]
  resources:
    - {apiVersion: v1, kind: ConfigMap, metadata: {name: 'of-<< inputs.region >>', namespace: apps}}
---
apiVersion: v1
kind: Secret
metadata: {name: hook-token, namespace: apps}
stringData: {token: abcdef}
---
apiVersion: notification.toolkit.fluxcd.io/v1
kind: Receiver
metadata: {name: github, namespace: apps}
spec:
  type: github
  events: [ping, push]
  secretRef: {name: hook-token}
  resources: [{kind: GitRepository, name: fleet}]
---`

const probed = (name: string): string => `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: ${name}, namespace: apps, labels: {region: eu-west}}
spec: {interval: 1m, timeout: 2s, kubeConfig: {secretRef: {name: ${name}}}}
---`

/** `flags` are of `keelson serve`. */
export const chromiumAndFleet = async (flags: readonly string[] = []) => {
  await bundledConsole()
  const [chromium, target, repo, on, deadPort] = await Promise.all([
    browser(),
    cluster(),
    gitRepo(files),
    hub({ flags }),
    freePort(),
  ])
  for (const namespace of ['apps', 'blue']) await on.kubectl('create', 'namespace', namespace)
  await on.apply(
    [
      ...['apps', 'blue'].map(namespace => repository(namespace, repo.url)),
      ...['apps', 'blue'].map(namespace => kubeconfigSecret('prod', target, namespace)),
      kubeconfigFor(`https://127.0.0.1:${deadPort}`, 'shop-07', 'apps'),
      ...['prod', 'shop-07'].map(probed),
      kustomization('web-shop', './web'),
      kustomization('payments-api', './payments'),
      kustomization('ingress', './ingress', {
        meta: `, annotations: {note: ${JSON.stringify(script)}, keelson.dev/suspended-for: ${JSON.stringify(script)}}`,
        more: '  suspend: true\n',
      }),
      kustomization(longName, `./nowhere/${script}`),
      ...['till', 'stock', 'orders'].map(name => kustomization(name, './web', { target: 'shop-07' })),
      kustomization('tenant-blue', './blue', { namespace: 'blue' }),
      kustomization('frozen', './web', { meta: `, annotations: {${closed}}` }),
      inputsAndHooks,
    ].join(''),
  )
  await on.kubectl('wait', 'kustomization/tenant-blue', '-n', 'blue', '--for=condition=Ready', '--timeout=60s')
  await on.kubectl('wait', 'kustomization/web-shop', '-n', 'apps', '--for=condition=Ready', '--timeout=60s')
  const rest = Object.fromEntries(
    Object.keys(blueFiles)
      .slice(1)
      .map(path => [path, null]),
  )
  await repo.push({ ...rest, 'web/config.yaml': configMap('web-env', 'default', 'two') })
  for (const namespace of ['apps', 'blue'])
    await on.kubectl(
      'annotate',
      'gitrepository/fleet',
      '-n',
      namespace,
      `reconcile.fluxcd.io/requestedAt=${Date.now()}`,
    )
  await eventually(async () => {
    await on.kubectl('wait', 'kustomization/tenant-blue', '-n', 'blue', '--for=condition=PruneGuarded', '--timeout=10s')
    await on.kubectl('wait', 'cluster/shop-07', '-n', 'apps', '--for=condition=Ready=False', '--timeout=10s')
    await on.kubectl('wait', 'kustomization/payments-api', '-n', 'apps', '--for=condition=Ready=False', '--timeout=10s')
    await on.kubectl('wait', 'kustomization/stock', '-n', 'apps', '--for=condition=Ready=False', '--timeout=10s')
  })
  return { chromium, target, repo, on }
}

/** A kubeconfig of a ServiceAccount with a role in its namespace. */
export const tenant = async (
  on: Awaited<ReturnType<typeof hub>>,
  { namespace, role }: { readonly namespace: string; readonly role: string },
): Promise<string> => {
  const account = `${role}er`
  await on.kubectl('create', 'serviceaccount', account, '-n', namespace)
  await on.kubectl(
    ...['create', 'rolebinding', account, '-n', namespace],
    ...[`--clusterrole=${role}`, `--serviceaccount=${namespace}:${account}`],
  )
  const token = (await on.kubectl('create', 'token', account, '-n', namespace)).trim()
  const { path } = endWithTest(disposableDir())
  const file = join(path, 'kubeconfig')
  const user = { name: account, user: { token } }
  const { clusters } = JSON.parse(await on.kubectl('config', 'view', '--raw', '-o', 'json'))
  writeFileSync(
    file,
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', clusters, users: [user], 'current-context': 'it' },
      contexts: [{ name: 'it', context: { cluster: clusters[0].name, user: account, namespace } }],
    }),
  )
  return file
}

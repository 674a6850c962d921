/** A cluster that is named once, at the root of a fleet: what the root builds of Flux's kinds stays on the hub, and applies there, too. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import { type Cluster, cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { type Hub, hub } from '../bed/hub.ts'

const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: web}\ndata: {value: "${value}"}\n`
const namespace = (name: string): string => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`

const kustomization = (name: string, path: string, metadata = ''): string => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: flux-system${metadata}}
spec:
  interval: 1h
  retryInterval: 2s
  timeout: 1m
  prune: true
  wait: true
  path: ${path}
  sourceRef: {kind: GitRepository, name: flux-system}
---`

const source = (url: string): string => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: flux-system, namespace: flux-system}
spec: {interval: 1h, url: '${url}', ref: {branch: main}}
---`

test('what a root with a target builds of Flux stays on the hub, and follows it to the cluster and away', async () => {
  const files = {
    'clusters/prod/apps.yaml': kustomization('apps', './apps').replace(
      '---',
      '  postBuild: {substituteFrom: [{kind: ConfigMap, name: facts}]}\n---',
    ),
    'clusters/prod/web.yaml': namespace('web'),
    'clusters/prod/facts.yaml': `${namespace('flux-system')}---\n${configMap('facts', 'x').replace('namespace: web', 'namespace: flux-system')}`,
    'apps/web.yaml': configMap('web', '1'),
  }
  const [it, prod, repo] = await Promise.all([hub(), cluster({ name: 'prod' }), gitRepo(files)])
  await it.kubectl('create', 'namespace', 'flux-system')
  await it.apply(
    `${kubeconfigSecret('prod', prod, 'flux-system')}${source(repo.url)}${kustomization('root', './clusters/prod', ', annotations: {keelson.dev/target: prod}')}`,
  )
  await ready(it, 'root')
  assert.equal(await webValue(prod, 'web'), '1')
  const apps = await read(it, 'apps')
  assert.equal(apps.metadata.annotations?.['keelson.dev/target'], 'prod')
  assert.equal(apps.spec.kubeConfig, undefined)
  assert.match(await it.kubectl('get', 'namespace', '-o', 'name'), /^((?!namespace\/web).)*$/s)
  assert.match(await it.kubectl('get', 'configmaps', '-n', 'flux-system', '-o', 'name'), /facts/)

  await repo.push({ 'apps/web.yaml': configMap('web', '2') })
  await it.kubectl('annotate', 'gitrepository/flux-system', '-n', 'flux-system', 'reconcile.fluxcd.io/requestedAt=now')
  await eventually(async () => assert.equal(await webValue(prod, 'web'), '2'), { within: 30_000 })

  await it.kubectl('delete', 'kustomization/root', '-n', 'flux-system')
  await eventually(
    async () =>
      assert.equal(
        await prod.kubectl(
          'get',
          'configmap',
          '-n',
          'web',
          '-l',
          'kustomize.toolkit.fluxcd.io/name=apps',
          '-o',
          'name',
        ),
        '',
      ),
    { within: 30_000 },
  )
  await eventually(async () => assert.equal(await it.kubectl('get', 'kustomizations', '-A', '-o', 'name'), ''), {
    within: 30_000,
  })
  await eventually(async () =>
    assert.equal(await it.kubectl('get', 'configmaps', '-n', 'flux-system', '-o', 'name'), ''),
  )
  assert.match(
    await it.kubectl('get', 'secrets', '-n', 'flux-system', '-o', 'name'),
    /prod/,
    "what is nobody else's stays",
  )
})

test('a root that loses its target stops, and so nothing moves or is deleted, until it is adopted or gets it back', async () => {
  const files = {
    'clusters/prod/apps.yaml': kustomization('apps', './apps'),
    'clusters/prod/web.yaml': namespace('web'),
  }
  const [it, prod, repo] = await Promise.all([
    hub(),
    cluster({ name: 'prod' }),
    gitRepo({ ...files, 'apps/web.yaml': configMap('web', '1') }),
  ])
  await it.kubectl('create', 'namespace', 'flux-system')
  await it.apply(
    `${kubeconfigSecret('prod', prod, 'flux-system')}${source(repo.url)}${kustomization('root', './clusters/prod', ', annotations: {keelson.dev/target: prod}')}`,
  )
  await ready(it, 'root')
  const annotate = (...annotations: readonly string[]) =>
    it.kubectl('annotate', '--overwrite', 'kustomization/root', '-n', 'flux-system', ...annotations)
  await annotate('keelson.dev/target-', 'reconcile.fluxcd.io/requestedAt=1')
  await it.kubectl(
    ...['wait', 'kustomization/root', '-n', 'flux-system', '--timeout=1m'],
    '--for=jsonpath={.status.conditions[?(@.type=="Ready")].reason}=ClusterChanged',
  )
  assert.equal(await webValue(prod, 'web'), '1')
  assert.equal((await read(it, 'apps')).metadata.annotations?.['keelson.dev/target'], 'prod')

  await repo.push({ 'apps/web.yaml': configMap('web', '2') })
  await annotate('keelson.dev/target=prod', 'reconcile.fluxcd.io/requestedAt=2')
  await it.kubectl('annotate', 'gitrepository/flux-system', '-n', 'flux-system', 'reconcile.fluxcd.io/requestedAt=now')
  await eventually(async () => assert.equal(await webValue(prod, 'web'), '2'))
  await ready(it, 'root')
})

const ready = (it: Hub, name: string, inNamespace = 'flux-system') =>
  it.kubectl('wait', `kustomization/${name}`, '-n', inNamespace, '--for=condition=Ready', '--timeout=1m')

const read = (it: Hub, name: string, inNamespace = 'flux-system') =>
  it.get<Kustomization>(`kustomization/${name}`, '-n', inNamespace)

const webValue = async (on: Cluster, name: string): Promise<string> =>
  (await on.get<{ data: { value: string } }>(`configmap/${name}`, '-n', 'web')).data.value

/** The move of a cluster from Flux to a hub, as docs/from-flux.md tells it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Cluster, cluster } from '../bed/cluster.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { follow } from './follow.ts'
import { chartFiles, redis } from './from-flux/redis.ts'
import { blocksOf } from './page.ts'
import { reader } from './reader.ts'

const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n'
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
`
const web = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: web, namespace: flux-system}
spec:
  interval: 10m
  path: ./apps/web
  prune: true
  wait: true
  sourceRef: {kind: GitRepository, name: flux-system}
`
const files = {
  'apps/web/namespace.yaml': namespace,
  'apps/web/deployment.yaml': deployment,
  'clusters/prod/web.yaml': web,
  ...chartFiles,
  'clusters/prod/redis.yaml': redis,
  'clusters/prod/flux-system/gotk-components.yaml':
    'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: kustomize-controller, namespace: flux-system}\n',
}

test('a cluster moves from Flux to a hub, and nothing on it is written', async () => {
  const login = { username: 'git', password: 'hunter2' }
  const [prod, repo] = await Promise.all([cluster({ name: 'prod' }), gitRepo(files, { auth: login })])
  const { shell } = await reader({ files: { '.kube/config': prod.kubeconfig } })
  await shell.keepRunning('hub', 'npm start -- --no-sample --allow-addresses 127.0.0.0/8,::1', /✔ hub ready/)
  const definitions = await shell.run('kubectl --kubeconfig .keelson/kubeconfig get customresourcedefinitions -o json')
  await asFluxLeftIt(prod, definitions, repo.url, login)
  const before = await stateOf(prod)

  await follow(blocksOf('docs/from-flux.md'), shell, { addresses: { 'https://github.com/acme/fleet': repo.url } })

  assert.deepEqual(await stateOf(prod), before)
})

/** The definitions, objects and labels that Flux's controllers have made. They don't run here: suspended ones would not, either. */
const asFluxLeftIt = async (
  prod: Cluster,
  definitions: string,
  url: string,
  login: Readonly<Record<string, string>>,
): Promise<void> => {
  const { items } = JSON.parse(definitions) as { items: { metadata: { name: string }; status?: unknown }[] }
  const needed = /^(gitrepositories\.source|kustomizations\.kustomize|helmreleases\.helm)\.toolkit\.fluxcd\.io$/
  for (const { status, metadata, ...definition } of items.filter(({ metadata: { name } }) => needed.test(name)))
    await prod.apply(JSON.stringify({ ...definition, metadata: { name: metadata.name } }))
  await prod.kubectl('wait', '--for=condition=Established', 'crd', '--all')
  await prod.kubectl('create', 'namespace', 'flux-system')
  await prod.apply(
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'flux-system', namespace: 'flux-system' } },
      stringData: login,
    }),
  )
  const root = web.replace('name: web,', 'name: flux-system,').replace('./apps/web', './clusters/prod')
  await prod.apply(`${web}---\n${root}---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: flux-system, namespace: flux-system}
spec: {interval: 1m, url: '${url}', ref: {branch: main}, secretRef: {name: flux-system}}
`)
  const labels =
    'metadata: {labels: {kustomize.toolkit.fluxcd.io/name: web, kustomize.toolkit.fluxcd.io/namespace: flux-system}, '
  for (const text of [namespace, deployment]) {
    const path = `${prod.kubeconfig}.manifest.yaml`
    await writeFile(path, text.replace('metadata: {', labels))
    await prod.kubectl('apply', '--server-side', '--field-manager=kustomize-controller', '-f', path)
  }
  await asHelmControllerLeftIt(prod)
  await prod.kubectl('wait', 'deployment/web', '-n', 'web', '--for=condition=Available', '--timeout=5m')
}

/** The HelmRelease with its status, Helm's Secret and the ConfigMap: test/recorders/helm-controller-release.ts has them of the real one. */
const asHelmControllerLeftIt = async (prod: Cluster): Promise<void> => {
  const recorded = readFileSync(join(import.meta.dirname, 'from-flux/helm-controller.recorded.json'), 'utf8')
  const [release, ...others] = JSON.parse(recorded) as readonly { readonly spec?: object; readonly status?: object }[]
  const path = `${prod.kubeconfig}.release.json`
  const apply = async (object: object, ...flags: string[]): Promise<void> => {
    await writeFile(path, JSON.stringify(object))
    await prod.kubectl('apply', '--server-side', '--field-manager=helm-controller', ...flags, '-f', path)
  }
  await apply({ ...release, spec: { ...release!.spec, suspend: false } })
  await apply(release!, '--subresource=status')
  for (const object of others) await apply(object)
}

/** What tells whether an object was written: its identity, its generation and who owns its fields since when. */
const stateOf = async (prod: Cluster): Promise<unknown> => {
  interface State {
    readonly items: readonly { readonly metadata: { readonly uid: string; readonly managedFields?: unknown } }[]
  }
  const shown = '--show-managed-fields'
  const { items } = await prod.get<State>('deployment/web', 'namespace/web', '-n', 'web', shown)
  const map = await prod.get<State['items'][number]>('configmap/redis', '-n', 'flux-system', shown)
  const releases = await prod.get<State>('secret', '-l', 'owner=helm', '-n', 'flux-system', shown)
  return [...items, map, ...releases.items].map(({ metadata: { uid, managedFields } }) => ({ uid, managedFields }))
}

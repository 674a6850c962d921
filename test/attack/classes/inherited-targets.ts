import assert from 'node:assert/strict'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { eventually } from '../../bed/eventually.ts'
import { startGitRepo } from '../../bed/git-repo.ts'
import type { ApiClient, ApiResponse } from '../api-client.ts'
import type { AttackClass, Attempt } from '../attack.ts'
import { type Manifest, manifest } from '../manifests.ts'
import { platformTeam, teamNamespace, useOwnCluster } from '../target-scene.ts'
import { type AttackWorld, verdictOf, victimSource } from '../world.ts'

const target = 'keelson.dev/target'
const targetNamespace = 'keelson.dev/target-namespace'

/** The victim's kubeconfig, in every notation that one might read as it. */
const notations = [
  'victim/prod',
  'Secret/victim/prod',
  'ConfigMap/victim/prod',
  'secret/victim/prod',
  '../victim/prod',
  'mallory/../victim/prod',
  'victim//prod',
  ' victim/prod',
  'victim/prod\n',
  'Secret/victim/prod/',
  'victim/prod:value',
]
const commonNotations = ['victim/prod', 'ConfigMap/victim/prod', '../victim/prod']

// ---- Namespaces: of a team that may write them, and read no Secret of the victim's ----

type Writing = (team: ApiClient, path: string, namespace: KubernetesObject) => Promise<ApiResponse>

const patched =
  (type: string, suffix = '', bodyOf: (object: KubernetesObject) => unknown = object => object): Writing =>
  (team, path, namespace) =>
    team.request('PATCH', path + suffix, bodyOf(namespace), { 'content-type': type })

const written =
  (suffix: string): Writing =>
  async (team, path, { metadata: { annotations } }) => {
    const { metadata, ...rest } = (await team.request('GET', path)).body as KubernetesObject
    return team.request('PUT', path + suffix, { ...rest, metadata: { ...metadata, annotations } })
  }

const writings: Readonly<Record<string, Writing>> = {
  'an update': written(''),
  'a merge patch': patched('application/merge-patch+json'),
  'a strategic merge patch': patched('application/strategic-merge-patch+json'),
  'a JSON patch': patched('application/json-patch+json', '', ({ metadata: { annotations } }) => [
    { op: 'add', path: '/metadata/annotations', value: annotations },
  ]),
  'server-side apply': patched('application/apply-patch+yaml', '?fieldManager=try&force=true'),
  'a patch of the status': patched('application/merge-patch+json', '/status'),
  'an update of the status': written('/status'),
  'a finalize request': written('/finalize'),
}

const namespaceOf = (name: string, annotations: Readonly<Record<string, string>>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, annotations },
})

const annotationsOf = async ({ admin }: AttackWorld, path: string) =>
  ((await admin.request('GET', path)).body as KubernetesObject).metadata.annotations ?? {}

const isNotGiven = (title: string, writing: Writing, before: Readonly<Record<string, string>> = {}): Attempt => ({
  title: `a Namespace is not given the cluster of a Secret that its writer may not get, by ${title}`,
  async run(world) {
    const team = await platformTeam(world)
    const name = world.freshName()
    const path = `/api/v1/namespaces/${name}`
    assert.equal((await team.request('POST', '/api/v1/namespaces', namespaceOf(name, before))).status, 201)
    const { status } = await writing(team, path, namespaceOf(name, { ...before, [target]: 'victim/prod' }))
    const isSubresource = title.includes('status') || title.includes('finalize')
    assert.ok(status === 403 || (isSubresource && [200, 404, 405].includes(status)), `answered ${status}`)
    assert.deepEqual(await annotationsOf(world, path), before)
  },
})

const isNotMade = (annotations: Readonly<Record<string, string>>): Attempt => ({
  title: `a Namespace with ${JSON.stringify(annotations)} is not made`,
  async run(world) {
    const team = await platformTeam(world)
    const { status } = await team.request('POST', '/api/v1/namespaces', namespaceOf(world.freshName(), annotations))
    assert.ok([403, 422].includes(status), `answered ${status}`)
  },
})

// ---- objects: of an attacker who may write them ----

/** Fails when the hub has connected to the victim's cluster meanwhile. */
const untouched = async (world: AttackWorld, act: () => Promise<void>): Promise<void> => {
  world.victimCluster.takeCount()
  await act()
  assert.equal(world.victimCluster.takeCount(), 0, "the hub has connected to the victim's cluster")
}

const files = {
  'app/own.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n',
  'chart/Chart.yaml': 'apiVersion: v2\nname: own\nversion: 1.0.0\n',
  'chart/templates/own.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n',
}

/** Specs that have what they need but for their cluster. */
const specs: Readonly<Record<string, (source: string) => object>> = {
  Kustomization: name => ({ sourceRef: { kind: 'GitRepository', name }, path: './app', prune: true, interval: '1h' }),
  ResourceSet: () => ({ resources: [configMap('own', 'mallory')] }),
  HelmRelease: name => ({
    chart: { spec: { chart: './chart', sourceRef: { kind: 'GitRepository', name } } },
    interval: '1h',
  }),
}

const configMap = (name: string, namespace: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
})

/** Has somebody create an object of a kind with everything that it takes, and returns where it is. */
const given = async (client: ApiClient, kind: string, name: string, url: string, metadata: object) => {
  const source = manifest('GitRepository', name, { spec: { url, ref: { branch: 'main' }, interval: '1h' } }, metadata)
  assert.equal((await client.request('POST', source.collection, plain(source))).status, 201)
  assert.equal((await verdictOf(client, source.path)).status, 'True')
  const object = manifest(kind, name, { spec: specs[kind]!(name) }, metadata)
  const { status, body } = await client.request('POST', object.collection, object.object)
  assert.ok([201, 403, 422].includes(status), JSON.stringify(body))
  return { source, object, isStored: status === 201 }
}

/** A source reads no target. */
const plain = ({ object }: Manifest): KubernetesObject => ({
  ...object,
  metadata: { name: object.metadata.name, namespace: object.metadata.namespace! },
})

const isReached = (kind: string): Attempt => ({
  title: `${kind}: what an administrator gives the victim's cluster is applied there, so that the attempts below could be seen`,
  async run(world) {
    const { admin, victimCluster, freshName } = world
    await using repo = await startGitRepo(files)
    const namespace = freshName()
    const told = namespaceOf(namespace, { [target]: 'victim/prod' })
    assert.equal((await admin.request('POST', '/api/v1/namespaces', told)).status, 201)
    victimCluster.takeCount()
    const { object } = await given(admin, kind, freshName(), repo.url, { namespace })
    await eventually(async () => assert.ok(victimCluster.takeCount() > 0), { within: 20_000 })
    await admin.patch(object.path, { metadata: { finalizers: null } })
    await admin.request('DELETE', object.path)
  },
})

const isNotReached = (kind: string, annotation: string, value: string): Attempt => ({
  title: `${kind}: ${annotation}: ${JSON.stringify(value)} does not lead to the victim's cluster`,
  async run(world) {
    const { mallory, freshName } = world
    await using repo = await startGitRepo(files)
    await untouched(world, async () => {
      const annotations = { [annotation]: value }
      const { source, object, isStored } = await given(mallory, kind, freshName(), repo.url, { annotations })
      // A HelmRelease waits for its chart first.
      if (isStored)
        await eventually(
          async () =>
            assert.match(
              (await verdictOf(mallory, object.path)).message ?? '',
              /keelson\.dev\/(target|kubeConfig)|KubeConfig secret/,
            ),
          { within: 20_000 },
        )
      await mallory.request('DELETE', object.path)
      await mallory.request('DELETE', source.path)
    })
  },
})

// ---- roots: what they build, with a target of the attacker's own ----

const child = (namespace: string, name = 'app', annotations = {}) => ({
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { name, namespace, annotations },
  spec: specs.Kustomization!('app'),
})
const sourceOf = (namespace: string) => ({
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'GitRepository',
  metadata: { name: 'app', namespace },
  spec: { url: 'https://mallory.example', interval: '1h', secretRef: { name: 'kept' } },
})
const keptIn = (namespace: string, annotations = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'kept', namespace, annotations },
  stringData: { token: 'planted' },
})

/** What a root might build to get beyond its namespace; `{fresh}` stands for a namespace that is not there. */
const builds: Readonly<Record<string, readonly object[]>> = {
  'a Kustomization in the namespace of another': [child('victim', 'planted')],
  'a source in place of that of another': [sourceOf('victim')],
  'a source of another namespace, with the Secret that it reads': [sourceOf('victim'), keptIn('victim')],
  'a Secret of another namespace that is said to be a copy': [
    keptIn('victim', { 'keelson.dev/copied-from': 'Secret/mallory/own' }),
  ],
  'a Kustomization in a namespace that is not there': [child('{fresh}')],
  "a Namespace with the victim's cluster": [namespaceOf('{fresh}', { [target]: 'victim/prod' })],
  "a change of the victim's Namespace": [namespaceOf('victim', { [target]: 'mallory/own' })],
}

/** Words of the hub's API and of the cluster's; whatever else keeps a build back would show nothing. */
const refusal = /is for no cluster|is not one of this cluster|may not patch|cannot patch resource/

/** Where the root is, and whose word the target is. */
const roots = ['an annotation of its own', 'its Namespace', 'its Namespace, with a prefix'] as const

const isRefused = (what: string, by: (typeof roots)[number]): Attempt => ({
  title: `a root that has its target by ${by} does not get ${what} onto the hub`,
  async run(world) {
    const { admin, mallory, freshName, secret } = world
    const fresh = freshName()
    const isPrefixed = by.endsWith('prefix')
    const namespace = by === 'an annotation of its own' ? 'mallory' : freshName() + (isPrefixed ? '-mallory' : '')
    await useOwnCluster(world)
    if (namespace !== 'mallory')
      await teamNamespace(world, namespace, {
        [target]: 'mallory/own',
        ...(isPrefixed && { [targetNamespace]: 'mallory' }),
      })
    const resources = JSON.parse(JSON.stringify(builds[what]).replaceAll('{fresh}', fresh))
    const annotations: Readonly<Record<string, string>> = namespace === 'mallory' ? { [target]: 'own' } : {}
    const root = manifest('ResourceSet', freshName(), { spec: { resources } }, { namespace, annotations })
    const before = await admin.request('GET', '/api/v1/namespaces/victim')
    await untouched(world, async () => {
      assert.equal((await mallory.request('POST', root.collection, root.object)).status, 201)
      const verdict = await verdictOf(mallory, root.path, { within: 20_000 })
      assert.match(verdict.message ?? '', refusal)
    })
    assert.deepEqual((await admin.request('GET', '/api/v1/namespaces/victim')).body, before.body)
    assert.equal((await admin.request('GET', `/api/v1/namespaces/${fresh}`)).status, 404)
    const planted = '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/victim/kustomizations/planted'
    assert.equal((await admin.request('GET', planted)).status, 404)
    assert.doesNotMatch(JSON.stringify((await admin.request('GET', victimSource)).body), /mallory\.example/)
    const kept = (await admin.request('GET', '/api/v1/namespaces/victim/secrets/kept')).body as {
      readonly data: object
    }
    assert.equal((kept.data as { readonly token: string }).token, btoa(secret))
    await mallory.request('DELETE', root.path)
  },
})

/** What names a cluster for an object, or for all of a Namespace. */
export const inheritedTargets: AttackClass = {
  name: 'inherited-targets',
  rule: 'A user can name a cluster only with the right to read its kubeconfig; what a root builds stays in the namespaces of its cluster',
  attempts: [
    ...Object.entries(writings).map(([title, writing]) => isNotGiven(title, writing)),
    isNotGiven('a switch from one that its writer may get', writings['a merge patch']!, { [target]: 'mallory/own' }),
    ...notations.map(notation => isNotMade({ [target]: notation })),
    ...['victim', '', '/', '..'].map(name => isNotMade({ [target]: 'mallory/own', [targetNamespace]: name })),
    ...Object.keys(specs).map(isReached),
    ...notations.map(notation => isNotReached('Kustomization', target, notation)),
    ...['ResourceSet', 'HelmRelease'].flatMap(kind =>
      commonNotations.map(notation => isNotReached(kind, target, notation)),
    ),
    ...commonNotations.map(notation => isNotReached('ResourceSet', 'resourceset.keelson.dev/kubeConfig', notation)),
    ...Object.keys(builds).flatMap(what => roots.map(by => isRefused(what, by))),
  ],
}

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { eventually } from '../../bed/eventually.ts'
import type { AttackClass, Attempt } from '../attack.ts'
import { manifest, plainSpecs } from '../manifests.ts'
import { type AttackWorld, verdictOf, victimSource } from '../world.ts'

type Artifact = Readonly<Record<string, string>>

const victimArtifact = async ({ admin }: AttackWorld): Promise<Artifact> => {
  const { body } = await admin.request('GET', victimSource)
  return (body as { readonly status: { readonly artifact: Artifact } }).status.artifact
}

/** Ways to name what lies in the victim's folder. */
const tricks: Readonly<Record<string, (artifact: Artifact, own: string) => Artifact>> = {
  'path and digest of it': artifact => artifact,
  'a path that climbs out of the own folder': (artifact, own) => ({
    ...artifact,
    path: `${own}../../victim/app/x.tar.gz`,
  }),
  'a path that climbs in another spelling': (artifact, own) => ({
    ...artifact,
    path: `${own}..%2f..%2fvictim%2fapp%2fx.tar.gz`,
  }),
  'a digest that climbs out of the own folder': (artifact, own) => ({
    ...artifact,
    path: `${own}x.tar.gz`,
    digest: `sha256:../../victim/app/${artifact.digest!.slice(7)}`,
  }),
  'an absolute path': artifact => ({ ...artifact, path: `/${artifact.path}` }),
  'the URL of it, and a path of its own': (artifact, own) => ({ ...artifact, path: `${own}x.tar.gz` }),
}

const sources = ['GitRepository', 'OCIRepository', 'Bucket', 'HelmChart', 'HelmRepository']

/** Has a Kustomization of mallory's build from a source whose status is forged, and looks at what it applied. */
const forgesArtifact = (kind: string, trick: string): Attempt => ({
  title: `${kind}: a forged status.artifact with ${trick} is not built`,
  async run(world) {
    const { mallory, freshName, malloryRepo, secret } = world
    const name = freshName()
    const spec = { ...plainSpecs(malloryRepo.url)[kind], suspend: true }
    const source = manifest(kind, name, { spec })
    assert.equal((await mallory.request('POST', source.collection, source.object)).status, 201)
    const forged = tricks[trick]!(await victimArtifact(world), `${kind.toLowerCase()}/mallory/${name}/`)
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'Succeeded',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }
    await mallory.patch(`${source.path}/status`, { status: { artifact: forged, conditions: [ready] } })
    const sourceRef = { kind, name }
    const thief = manifest('Kustomization', name, {
      spec: { sourceRef, path: './', prune: true, interval: '1h', retryInterval: '1h', targetNamespace: 'mallory' },
    })
    const created = await mallory.request('POST', thief.collection, thief.object)
    if (created.status === 201) assert.notEqual((await verdictOf(mallory, thief.path)).status, 'True')
    const { body } = await mallory.request('GET', '/api/v1/namespaces/mallory/configmaps')
    assert.doesNotMatch(JSON.stringify(body), new RegExp(secret))
    await mallory.request('DELETE', thief.path)
    await mallory.request('DELETE', source.path)
  },
})

/** The same for what fetches by other ways than a Kustomization. */
const includesArtifact: Attempt = {
  title: 'GitRepository: an include whose status.artifact is forged brings nothing of the victim',
  async run(world) {
    const { mallory, freshName, malloryRepo } = world
    const [including, included] = [freshName(), freshName()]
    const spec = plainSpecs(malloryRepo.url).GitRepository!
    const inner = manifest('GitRepository', included, { spec: { ...spec, suspend: true } })
    await mallory.request('POST', inner.collection, inner.object)
    await mallory.patch(`${inner.path}/status`, { status: { artifact: await victimArtifact(world) } })
    const include = [{ repository: { name: included }, toPath: 'stolen' }]
    const outer = manifest('GitRepository', including, { spec: { ...spec, include } })
    await mallory.request('POST', outer.collection, outer.object)
    assert.notEqual((await verdictOf(mallory, outer.path)).status, 'True')
    await mallory.request('DELETE', outer.path)
    await mallory.request('DELETE', inner.path)
  },
}

const servesArtifact: Attempt = {
  title: 'the artifact server hands out nothing under a path that a forged status names',
  async run(world) {
    const { hub, mallory, freshName, malloryRepo } = world
    const source = manifest('GitRepository', freshName(), {
      spec: { ...plainSpecs(malloryRepo.url).GitRepository, suspend: true },
    })
    await mallory.request('POST', source.collection, source.object)
    const artifact = await victimArtifact(world)
    for (const path of [artifact.path!, `gitrepository/mallory/${source.object.metadata.name}/x.tar.gz`]) {
      await mallory.patch(`${source.path}/status`, { status: { artifact: { ...artifact, path } } })
      const { status } = await fetch(`${hub.edge}/gitrepository/mallory/${source.object.metadata.name}/x.tar.gz`)
      assert.equal(status, 404)
    }
    await mallory.request('DELETE', source.path)
  },
}

const webhookPath = async ({ admin }: AttackWorld): Promise<string> =>
  eventually(async () => {
    const { body } = await admin.request(
      'GET',
      '/apis/notification.toolkit.fluxcd.io/v1/namespaces/victim/receivers/hook',
    )
    return (body as { readonly status?: { readonly webhookPath?: string } }).status?.webhookPath ?? null
  })

const takesCalls = (type: string): Attempt => ({
  title: `Receiver of type ${type}: a forged status.webhookPath takes none of the victim's calls`,
  async run(world) {
    const { admin, hub, mallory, freshName } = world
    const name = freshName()
    const token = manifest('Secret', name, { stringData: { token: 'mine' } })
    await mallory.request('POST', token.collection, token.object)
    const oidcProviders = [{ issuerURL: 'https://issuer.example', validations: [{ expression: 'true', message: 'x' }] }]
    const proof = type === 'generic-oidc' ? { oidcProviders } : { secretRef: { name } }
    const resources = [{ kind: 'GitRepository', name: 'none' }]
    const receiver = manifest('Receiver', name, { spec: { type, ...proof, resources } })
    assert.equal((await mallory.request('POST', receiver.collection, receiver.object)).status, 201)
    await verdictOf(mallory, receiver.path)
    const path = await webhookPath(world)
    await mallory.patch(`${receiver.path}/status`, { status: { webhookPath: path } })
    const before = (await admin.request('GET', victimSource)).body as KubernetesObject
    const response = await fetch(`${hub.edge}${path}`, { method: 'POST', body: JSON.stringify({ event: name }) })
    assert.equal(response.status, 200, await response.text())
    const after = (await admin.request('GET', victimSource)).body as KubernetesObject
    const requested = 'reconcile.fluxcd.io/requestedAt'
    assert.notEqual(after.metadata.annotations?.[requested], before.metadata.annotations?.[requested])
    await mallory.request('DELETE', receiver.path)
  },
})

const receiverTypes = [
  'generic',
  'generic-hmac',
  'generic-oidc',
  'github',
  'gitlab',
  'bitbucket',
  'harbor',
  'dockerhub',
]
const moreTypes = ['quay', 'gcr', 'nexus', 'acr', 'cdevents']

/** A Kustomization of mallory's whose status claims what it never applied. */
const forgesInventory = (id: string, v: string, victim: string): Attempt => ({
  title: `Kustomization: an inventory that claims ${id} deletes nothing of it`,
  async run({ admin, mallory, freshName, malloryRepo }) {
    const name = freshName()
    const source = manifest('GitRepository', name, { spec: plainSpecs(malloryRepo.url).GitRepository })
    await mallory.request('POST', source.collection, source.object)
    await verdictOf(mallory, source.path)
    const unit = manifest('Kustomization', name, {
      spec: {
        sourceRef: { kind: 'GitRepository', name },
        path: './',
        prune: true,
        interval: '1h',
        targetNamespace: 'mallory',
      },
    })
    await mallory.request('POST', unit.collection, unit.object)
    await verdictOf(mallory, unit.path)
    await mallory.patch(`${unit.path}/status`, { status: { inventory: { entries: [{ id, v }] } } })
    await mallory.request('DELETE', unit.path)
    await sleep(500)
    const { status, body } = await admin.request('GET', victim)
    assert.equal(status, 200)
    assert.equal((body as KubernetesObject).metadata.deletionTimestamp, undefined)
    await mallory.patch(unit.path, { metadata: { finalizers: null } })
    await mallory.request('DELETE', source.path)
  },
})

const claims: readonly (readonly [string, string, string])[] = [
  ['victim_kept__Secret', 'v1', '/api/v1/namespaces/victim/secrets/kept'],
  ['victim_kept__ConfigMap', 'v1', '/api/v1/namespaces/victim/configmaps/kept'],
  ['_victim__Namespace', 'v1', '/api/v1/namespaces/victim'],
  ['victim_app_source.toolkit.fluxcd.io_GitRepository', 'v1', victimSource],
  [
    '_cluster-admin_rbac.authorization.k8s.io_ClusterRole',
    'v1',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin',
  ],
]

/** Whoever has rights on the status subresource of its own objects gains nothing by what it writes there. */
export const status: AttackClass = {
  name: 'status',
  rule: "Status is no capability: what the hub trusts is kept where tenants can't write, or is checked",
  attempts: [
    ...sources.flatMap(kind => Object.keys(tricks).map(trick => forgesArtifact(kind, trick))),
    includesArtifact,
    servesArtifact,
    ...[...receiverTypes, ...moreTypes].map(takesCalls),
    ...claims.map(claim => forgesInventory(...claim)),
  ],
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtInKinds, kindRegistry } from '../../../lib/foundations/kinds/all.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { createApiServer } from '../../../lib/hub/apiserver/api-server.ts'
import { admin } from '../../../lib/hub/apiserver/authentication/bearer-token.ts'
import { allowAll } from '../../../lib/hub/authorize/access.ts'
import { shown } from '../../unit/reconcile/world.ts'
import { filesLayer, minute, openOciWorld, openRegistry, refOf } from './oci-world.ts'

/** All conditions that the object ever had, a line each. */
const history = (world: Awaited<ReturnType<typeof openOciWorld>>, name: string): ReadonlySet<string> =>
  new Set(
    world.changes
      .filter(({ ref, after }) => ref.kind === 'OCIRepository' && ref.name === name && after)
      .flatMap(({ after }) => shown(after as KubernetesObject)),
  )

const open = async () => {
  const [registry, world] = [await openRegistry(), await openOciWorld()]
  const push = (content: string) => registry.push({ layers: [filesLayer({ 'a.yaml': content })] }, 'app', 'latest')
  return { registry, world, push, url: registry.url('app') }
}

test('OC-003 OC-011 OC-033 OC-048 OC-094 OC-105 OC-106 OC-109: what the status of a good one holds', async () => {
  const { registry, world, push, url } = await open()
  const digest = await push('1')
  await assert.rejects(world.applies('none', undefined as never), /url/)
  await assert.rejects(world.applies('Not.A.Name_', { url }), /Not\.A\.Name_/)
  await world.applies('app', { url: registry.url('app'), ref: { tag: 'latest' } })
  const { spec, status } = (await world.hub.get<KubernetesObject & { spec: object; status: object }>(refOf('app')))!
  assert.deepEqual(spec, {
    interval: '10m',
    insecure: true,
    provider: 'generic',
    ref: { tag: 'latest' },
    timeout: '60s',
    url,
  })
  const { artifact, conditions, ...rest } = status as { artifact: object; conditions: object }
  assert.ok(artifact && conditions)
  const address = 'http://artifacts.test/ocirepository/default/app/latest.tar.gz'
  assert.deepEqual(rest, { observedGeneration: 1, url: address })
  assert.deepEqual(await world.conditions('app'), [
    `Ready=True Succeeded: stored artifact for digest 'latest@${digest}'`,
    `ArtifactInStorage=True Succeeded: stored artifact for digest 'latest@${digest}'`,
  ])
})

test('OC-091 OC-092 OC-093 OC-101 OC-103: what is said while it goes wrong, and that it is taken back', async () => {
  const { world, push, url } = await open()
  await push('1')
  await world.applies('app', { url })
  const second = await push('2')
  await world.advance(11 * minute)
  const said = [...history(world, 'app')].join('\n')
  assert.match(said, /^Reconciling=True Progressing: /m)
  assert.match(said, /^Ready=Unknown Progressing: /m)
  assert.match(said, new RegExp(`^ArtifactOutdated=True NewRevision: .*${second}`, 'm'))
  await world.applies('app', { url, ref: { tag: 'gone' } })
  const wrong = (await world.conditions('app')).join('\n')
  assert.match(wrong, /^Reconciling=True ProgressingWithRetry: /m)
  assert.match(wrong, /^FetchFailed=True OCIArtifactPullFailed: /m)
  assert.match(wrong, /^Ready=False OCIArtifactPullFailed: /m)
  assert.deepEqual(await world.files('app'), { 'a.yaml': '2' })
  await world.applies('app', { url })
  assert.deepEqual(
    (await world.conditions('app')).map(line => line.split(' ')[0]),
    ['Ready=True', 'ArtifactInStorage=True'],
  )
})

test('OC-044: what is pulled is what the tag stood for when it was looked up', async () => {
  const { registry, world, push, url } = await open()
  const first = await push('1')
  let isMoved = false
  registry.server.intercept = ({ method, url: path }) => {
    if (isMoved || method !== 'GET' || !path!.includes('/manifests/')) return false
    isMoved = true
    assert.ok(path!.endsWith(first), path)
    return false
  }
  await push('1')
  await world.applies('app', { url })
  assert.ok(isMoved)
  assert.equal((await world.statusOf('app'))!.artifact!.revision, `latest@${first}`)
})

test('OC-099: a store that fails is reported, and tried again', async () => {
  const { world, push, url } = await open()
  await push('1')
  const { artifacts } = world.platform
  const put = artifacts.put
  Object.assign(artifacts, {
    put: async () => {
      throw new Error('disk full')
    },
  })
  await world.applies('app', { url })
  assert.match(
    (await world.conditions('app')).join('\n'),
    /^StorageOperationFailed=True ArchiveOperationFailed: .*disk full/m,
  )
  Object.assign(artifacts, { put })
  await world.advance(11 * minute)
  assert.deepEqual(await world.files('app'), { 'a.yaml': '1' })
  assert.doesNotMatch((await world.conditions('app')).join('\n'), /StorageOperationFailed/)
})

test('OC-020: an identity of a ServiceAccount in a cloud waits for its feature', async () => {
  const { world } = await open()
  const url = 'oci://123456789012.dkr.ecr.eu-west-1.amazonaws.com/app'
  await world.create('ServiceAccount', 'app', {})
  await world.applies('app', { url, provider: 'aws', serviceAccountName: 'app' })
  assert.match((await world.conditions('app')).join('\n'), /^Stalled=True FeatureGateDisabled: /m)
})

test('OC-005: clients of v1beta2 see the checksum of the artifact beside its digest', async () => {
  const { world, push, url } = await open()
  await push('1')
  await world.applies('app', { url })
  const api = createApiServer({
    hub: world.hub,
    kinds: () => kindRegistry(builtInKinds),
    clock: world.clock,
    authenticate: async () => admin,
    authorizer: allowAll,
    onError: error => {
      throw error
    },
  })
  const artifactIn = async (version: string) => {
    const path = `/apis/source.toolkit.fluxcd.io/${version}/namespaces/default/ocirepositories/app`
    const answer = (await (await api(new Request(`http://hub${path}`))).json()) as {
      readonly status: { readonly artifact: { readonly digest: string; readonly checksum?: string } }
    }
    return answer.status.artifact
  }
  const { digest, checksum } = await artifactIn('v1beta2')
  assert.equal(`sha256:${checksum}`, digest)
  assert.equal('checksum' in (await artifactIn('v1')), false)
})

test('OC-006: a revision in the form of older versions counts as what it is, and is written again', async () => {
  const { registry, world, push, url } = await open()
  const digest = await push('1')
  await world.applies('app', { url })
  const { artifact } = (await world.statusOf('app'))!
  const revision = `latest/${digest.replace('sha256:', '')}`
  const status = { artifact: { ...artifact!, revision } }
  await world.hub.patch(
    refOf('app'),
    { type: 'merge', patch: { status } },
    { fieldManager: 'older', subresource: 'status' },
  )
  registry.requests()
  await world.advance(11 * minute)
  // The visit finds that something is to be written, and the pass writes it: nothing is fetched.
  assert.deepEqual(registry.requests(), ['HEAD /v2/app/manifests/latest', 'HEAD /v2/app/manifests/latest'])
  assert.deepEqual((await world.statusOf('app'))?.artifact, artifact)
})

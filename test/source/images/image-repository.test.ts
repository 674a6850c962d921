import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastChecks } from '../../../lib/compose/last-checks.ts'
import type { ImageRepository } from '../../../lib/foundations/kinds/image-repository.ts'
import { createApiServer } from '../../../lib/hub/apiserver/api-server.ts'
import { accessControl } from '../../../lib/hub/authorize/access-control.ts'
import { httpProxy } from '../../bed/forward-proxy.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { registry as builtIn } from '../../unit/hub/store/world.ts'
import { dockerConfig, filesLayer, openRegistry } from '../oci/oci-world.ts'
import { group, type ImageWorld, minute, openImageWorld, refOf } from './image-world.ts'

const pushed = { layers: [filesLayer({ 'a.yaml': 'a: 1' })] }
const hour = 60 * minute
const statusOf = async (world: ImageWorld, name = 'app') =>
  (await world.get<ImageRepository>('ImageRepository', name))!.status!

test('IM-010 IM-011 IM-012 IM-013 IM-017: a scan reports the number, the checksum and the latest of the tags', async () => {
  const registry = await openRegistry()
  await registry.push(pushed, 'app', '1.0.0', '1.1.0', 'latest', 'sha256-0.sig')
  const world = await openImageWorld()
  await world.repository('app', { image: `${registry.server.host}/app` })
  const { lastScanResult, canonicalImageName, observedExclusionList, observedGeneration } = await statusOf(world)
  // Adler-32 of ["latest","1.1.0","1.0.0"].
  const { scanTime, ...result } = lastScanResult!
  assert.deepEqual(result, { latestTags: ['latest', '1.1.0', '1.0.0'], revision: '1612056133', tagCount: 3 })
  assert.ok(Math.abs(Date.parse(scanTime!) - world.clock.now()) < minute)
  assert.equal(canonicalImageName, `${registry.server.host}/app`)
  assert.deepEqual(observedExclusionList, [String.raw`^.*\.sig$`])
  assert.equal(observedGeneration, 1)
  const message = 'successful scan: found 3 tags with checksum 1612056133'
  assert.deepEqual(await world.conditions('ImageRepository', 'app'), [`Ready=True Succeeded: ${message}`])
  assert.deepEqual(await world.eventsOf(refOf('ImageRepository', 'app')), [`Normal Succeeded 1x: ${message}`])
})

test('IM-009 IM-010 IM-017: scans again after the interval, on request, and when the image or the exclusions change', async () => {
  const registry = await openRegistry()
  await registry.push(pushed, 'app', '1.0.0')
  await registry.push(pushed, 'other', '2.0.0')
  const world = await openImageWorld()
  const spec = { image: `${registry.server.host}/app` }
  const scans = () => registry.requests().filter(line => line.includes('/tags/list'))
  await world.repository('app', spec)
  assert.equal(scans().length, 1)

  await world.repository('app', { ...spec, timeout: '5s' })
  assert.equal(scans().length, 0, 'a change that does not concern the tags')
  const [ready] = await world.conditions('ImageRepository', 'app')
  assert.match(ready!, /^Ready=True Succeeded: successful scan: found 1 tags with checksum [0-9]+$/)

  await world.advance(11 * minute)
  assert.equal(scans().length, 1, 'the interval')

  await world.request('ImageRepository', 'app', 'now')
  assert.equal(scans().length, 1, 'the request')
  assert.equal((await statusOf(world)).lastHandledReconcileAt, 'now')
  assert.match(
    (await world.eventsOf(refOf('ImageRepository', 'app'))).join(),
    /tags did not change, next scan in 10m0s/,
  )

  await world.repository('app', { ...spec, exclusionList: ['^1'] })
  assert.equal(scans().length, 1, 'the exclusion list')
  assert.equal((await statusOf(world)).lastScanResult!.tagCount, 0)
  assert.equal('latestTags' in (await statusOf(world)).lastScanResult!, false)

  await world.repository('app', { image: `${registry.server.host}/other` })
  assert.equal(scans().length, 1, 'the image')
  assert.deepEqual((await statusOf(world)).lastScanResult!.latestTags, ['2.0.0'])

  await world.repository('app', { image: `${registry.server.host}/other`, suspend: true })
  await world.advance(30 * minute)
  assert.equal(scans().length, 0, 'suspended')
  await world.policy('later', { policy: { semver: { range: '*' } } })
  assert.match((await world.conditions('ImagePolicy', 'later'))[0]!, /^Ready=True .* resolved to 2\.0\.0$/)
})

test('IM-012: a scan that finds the same tags writes nothing for hours, and a read still says when it was', async () => {
  const registry = await openRegistry()
  await registry.push(pushed, 'app', '1.0.0')
  const world = await openImageWorld()
  await world.repository('app', { image: `${registry.server.host}/app` })
  const { authorizer } = accessControl({ ...world, onError: error => assert.fail(String(error)) }, 0)
  const serve = createApiServer({
    ...{ hub: world.hub, clock: world.clock, kinds: () => builtIn, authorizer },
    lastChecks: lastChecks(world.platform),
    authenticate: async () => ({ name: 'admin', groups: ['system:masters', 'system:authenticated'] }),
  })
  const path = `http://hub/apis/${group}/v1/namespaces/default/imagerepositories`
  const ask = async (address: string, accept = 'application/json') => {
    const response = await serve(new Request(address, { headers: { accept } }))
    return JSON.parse(await response.text())
  }
  const scans = () => registry.requests().filter(line => line.includes('/tags/list')).length
  const { resourceVersion } = (await world.get('ImageRepository', 'app'))!.metadata
  scans()
  await world.advance(61 * minute)
  assert.ok(scans() >= 5)
  const stored = await world.get<ImageRepository>('ImageRepository', 'app')
  assert.equal(stored!.metadata.resourceVersion, resourceVersion)
  assert.ok(world.clock.now() - Date.parse(stored!.status!.lastScanResult!.scanTime!) > hour)

  const isRecent = (time: string) => assert.ok(world.clock.now() - Date.parse(time) < 11 * minute, time)
  const one = await ask(`${path}/app`)
  isRecent(one.status.lastScanResult.scanTime)
  assert.deepEqual({ ...one.status.lastScanResult, scanTime: '' }, { ...stored!.status!.lastScanResult, scanTime: '' })
  isRecent((await ask(path)).items[0].status.lastScanResult.scanTime)
  const { columnDefinitions, rows } = await ask(path, 'application/json;as=Table;g=meta.k8s.io;v=v1')
  const column = columnDefinitions.findIndex(({ name }: { readonly name: string }) => name === 'Last scan')
  isRecent(rows[0].cells[column])

  // The next one is due as before, and other tags are found by it.
  await registry.push(pushed, 'app', '1.1.0')
  await world.advance(11 * minute)
  const { lastScanResult } = (await statusOf(world))!
  assert.equal(lastScanResult!.tagCount, 2)
  isRecent(lastScanResult!.scanTime!)

  // A look at all is not spared forever.
  await world.advance(7 * hour)
  assert.ok(world.clock.now() - Date.parse((await statusOf(world)).lastScanResult!.scanTime!) < 6.5 * hour)
})

test('IM-002: a scheme or a tag in the name of the image stalls', async () => {
  const world = await openImageWorld()
  const cases = {
    'https://ghcr.io/org/app': "image 'https://ghcr.io/org/app' should not include URL scheme; remove 'https://'",
    'localhost:5000/app:1.0': "image 'localhost:5000/app:1.0' should not include a tag; remove ':1.0'",
    'ghcr.io/Org/app': 'could not parse reference: ghcr.io/Org/app',
  }
  for (const [name, message] of Object.entries(cases)) {
    await world.repository('bad', { image: name })
    assert.deepEqual(await world.conditions('ImageRepository', 'bad'), [
      `Ready=False ImageURLInvalid: ${message}`,
      `Stalled=True ImageURLInvalid: ${message}`,
    ])
  }
})

test('IM-005 IM-014: credentials of a Secret and of a ServiceAccount; a missing Secret and a refusal are reported', async () => {
  const auth = { username: 'reader', password: 'pass:word' }
  const registry = await openRegistry({ auth })
  await registry.push(pushed, 'team/app', '1.0.0')
  const world = await openImageWorld()
  const { host } = registry.server
  const encoded = { auth: btoa(`${auth.username}:${auth.password}`) }
  await world.create('Secret', 'right', dockerConfig({ [host]: encoded }))
  await world.create('Secret', 'wrong', dockerConfig({ [host]: { username: 'reader', password: 'nope' } }))
  await world.create('ServiceAccount', 'puller', { imagePullSecrets: [{ name: 'right' }] })
  const name = `${host}/team/app`
  await world.repository('by-secret', { image: name, secretRef: { name: 'right' } })
  await world.repository('by-account', { image: name, serviceAccountName: 'puller' })
  for (const each of ['by-secret', 'by-account'])
    assert.equal((await statusOf(world, each)).lastScanResult!.tagCount, 1)

  await world.repository('missing', { image: name, secretRef: { name: 'none' } })
  assert.deepEqual(await world.conditions('ImageRepository', 'missing'), [
    'Ready=False AuthenticationFailed: failed to configure authentication options: secrets "none" not found',
    'Reconciling=True ProgressingWithRetry: processing object: new generation -1 -> 1',
  ])
  await world.repository('refused', { image: name, secretRef: { name: 'wrong' } })
  const conditions = await world.conditions('ImageRepository', 'refused')
  assert.match(conditions.join('\n'), /^Ready=False ReadOperationFailed: scan failed: GET .*\/tags\/list/)
  assert.match(conditions.join('\n'), /Reconciling=True ProgressingWithRetry: scanning: first scan/)
  assert.doesNotMatch(JSON.stringify(conditions), /nope/)
  const retryIn = () => world.waiting.find(({ message }) => message.ref.name === 'refused')!.at - world.clock.now()
  const first = retryIn()
  await world.advance(first)
  assert.ok(retryIn() > first, 'retries are further and further apart')
})

test('IM-003 IM-006: a short name is that of an image on Docker Hub; without insecure no request goes without TLS', async () => {
  const registry = await openRegistry()
  await registry.push(pushed, 'library/nginx', '1.27.0')
  const { port } = new URL(`http://${registry.server.host}`)
  const hub = endWithTest(await httpProxy({ 'index.docker.io': Number(port) }))
  const world = await openImageWorld()
  await world.create('Secret', 'proxy', { stringData: { address: hub.url } })
  const spec = { image: 'nginx', proxySecretRef: { name: 'proxy' } }
  await world.repository('app', spec)
  const { canonicalImageName, lastScanResult } = await statusOf(world)
  assert.equal(canonicalImageName, 'index.docker.io/library/nginx')
  assert.deepEqual(lastScanResult!.latestTags, ['1.27.0'])
  registry.requests()
  await world.repository('strict', { ...spec, insecure: false })
  assert.match((await world.conditions('ImageRepository', 'strict'))[0]!, /^Ready=False ReadOperationFailed/)
  assert.deepEqual(registry.requests(), [])
})

test('IM-011: reads all pages, and keeps 10,000 tags outside the object, which stays small', async () => {
  const registry = await openRegistry()
  const all = Array.from({ length: 10_000 }, (_, at) => `v1.0.${at}-${'0123456789abcdef'.repeat(2)}`).sort()
  const page = 1_000
  registry.server.intercept = ({ url = '' }, response) => {
    if (!url.startsWith('/v2/big/tags/list')) return false
    const last = new URL(url, 'http://registry').searchParams.get('last')
    const from = last ? all.indexOf(last) + 1 : 0
    const tags = all.slice(from, from + page)
    if (from + page < all.length)
      response.setHeader('link', `</v2/big/tags/list?n=${page}&last=${tags.at(-1)}>; rel="next"`)
    response.end(JSON.stringify({ name: 'big', tags }))
    return true
  }
  const world = await openImageWorld()
  await world.repository('app', { image: `${registry.server.host}/big` })
  assert.equal((await statusOf(world)).lastScanResult!.tagCount, 10_000)
  const stored = JSON.stringify(await world.get('ImageRepository', 'app'))
  assert.ok(stored.length < 10_000, `the object has ${stored.length} bytes`)
  await world.policy('newest', { policy: { semver: { range: '>=1.0.0-0' } } })
  const [ready] = await world.conditions('ImagePolicy', 'newest')
  assert.match(ready!, /resolved to v1\.0\.9999-/)
})

test('IM-006: an authority of a Secret is trusted, and without it the registry is not', async () => {
  const registry = await openRegistry({ tls: true })
  await registry.push(pushed, 'app', '1.0.0')
  const world = await openImageWorld()
  await world.create('Secret', 'ca', { stringData: { 'ca.crt': registry.server.ca } })
  const spec = { image: `${registry.server.host}/app`, insecure: false }
  await world.repository('trusted', { ...spec, certSecretRef: { name: 'ca' } })
  assert.equal((await statusOf(world, 'trusted')).lastScanResult!.tagCount, 1)
  await world.repository('unknown', spec)
  assert.match((await world.conditions('ImageRepository', 'unknown'))[0]!, /ReadOperationFailed: scan failed: .*x509/)
})

test('IM-006: a certificate for the registry, and a proxy with its credentials, come from Secrets', async () => {
  const registry = await openRegistry({ tls: 'mutual' })
  await registry.push(pushed, 'app', '1.0.0')
  const { ca, clientCertificate, host } = registry.server
  const proxy = endWithTest(await httpProxy())
  const world = await openImageWorld()
  const { cert, key } = clientCertificate!
  await world.create('Secret', 'tls', { stringData: { 'tls.crt': cert, 'tls.key': key, 'ca.crt': ca } })
  await world.create('Secret', 'ca', { stringData: { 'ca.crt': ca } })
  await world.create('Secret', 'proxy', { stringData: { address: proxy.url, username: 'u', password: 'p' } })
  const spec = { image: `${host}/app`, insecure: false, proxySecretRef: { name: 'proxy' } }
  await world.repository('app', { ...spec, certSecretRef: { name: 'tls' } })
  assert.equal((await statusOf(world)).lastScanResult!.tagCount, 1)
  assert.ok(proxy.seen.length > 0)
  assert.ok(proxy.seen.every(line => line.endsWith(' u:p')))
  await world.repository('without', { ...spec, certSecretRef: { name: 'ca' } })
  assert.match((await world.conditions('ImageRepository', 'without')).join(), /Ready=False ReadOperationFailed/)
})

test('IM-019: an object holds one list, which the next scan replaces, which is made again when it is lost, and which goes with the object', async () => {
  const registry = await openRegistry()
  await registry.push(pushed, 'app', '1.0.0')
  const world = await openImageWorld()
  const spec = { image: `${registry.server.host}/app` }
  await world.repository('app', spec)
  const [first, ...others] = await world.lists()
  assert.deepEqual(others, [])
  await registry.push(pushed, 'app', '1.1.0')
  await world.advance(11 * minute)
  const second = await world.lists()
  assert.equal(second.length, 1)
  assert.notEqual(second[0], first)

  await world.platform.artifacts.delete(second[0]!)
  await world.repository('app', { ...spec, timeout: '7s' })
  assert.deepEqual(await world.lists(), second)
  assert.ok(
    world.changes.some(({ after }) => JSON.stringify(after ?? '').includes('scanning: no tags in database')),
    'policies wait meanwhile',
  )

  await world.hub.delete({ group, kind: 'ImageRepository', namespace: 'default', name: 'app' }, {})
  await world.settle()
  assert.equal(await world.get('ImageRepository', 'app'), undefined)
  assert.deepEqual(await world.lists(), [])
})

test('IM-016: registries of clouds get the login of the hub; that of a ServiceAccount needs the feature gate', async () => {
  const auth = { username: 'AWS', password: 'pass:word' }
  const registry = await openRegistry({ auth })
  await registry.push(pushed, 'app', '1.0.0')
  const { host } = registry.server
  const logins: string[] = []
  const world = await openImageWorld({}, async (provider, registryHost) => {
    logins.push(`${provider} ${registryHost}`)
    return auth
  })
  for (const provider of ['aws', 'azure', 'gcp']) {
    await world.repository(provider, { image: `${host}/app`, provider })
    assert.equal((await statusOf(world, provider)).lastScanResult!.tagCount, 1)
  }
  assert.deepEqual(logins, [`aws ${host}`, `azure ${host}`, `gcp ${host}`])
  await world.repository('account', { image: `${host}/app`, provider: 'aws', serviceAccountName: 'puller' })
  assert.match((await world.conditions('ImageRepository', 'account')).join('\n'), /Stalled=True FeatureGateDisabled/)
  assert.equal(logins.length, 3)
})

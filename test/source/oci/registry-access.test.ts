import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { certificateAuthority } from '../../bed/certificates.ts'
import { httpProxy } from '../../bed/forward-proxy.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { dockerConfig, filesLayer, minute, openOciWorld, openRegistry } from './oci-world.ts'

const auth = { username: 'reader', password: 'pass:word' }
const image = { layers: [filesLayer({ 'a.yaml': 'a: 1' })] }

test('OC-012 OC-032 OC-081: reads public repositories, with a single request while nothing changes', async () => {
  const registry = await openRegistry()
  const digest = await registry.push(image, 'app', 'latest')
  const world = await openOciWorld()
  await world.applies('app', { url: registry.url('app') })
  assert.deepEqual(await world.files('app'), { 'a.yaml': 'a: 1' })
  assert.equal((await world.statusOf('app'))!.artifact!.revision, `latest@${digest}`)
  registry.requests()
  await world.advance(11 * minute)
  assert.deepEqual(registry.requests(), ['HEAD /v2/app/manifests/latest'])
})

test('OC-013 OC-021 OC-023 OC-024 OC-025: proves itself with the entry for the host, of secretRef and of pull secrets', async () => {
  const registry = await openRegistry({ auth })
  await registry.push(image, 'team/app', 'latest')
  const world = await openOciWorld()
  const { host } = registry.server
  const encoded = { auth: btoa(`${auth.username}:${auth.password}`) }
  await world.create('Secret', 'right', dockerConfig({ 'other.example': { auth: btoa('no:no') }, [host]: encoded }))
  await world.create('Secret', 'other', dockerConfig({ 'other.example': encoded }))
  await world.create('Secret', 'wrong', dockerConfig({ [host]: { username: 'reader', password: 'nope' } }))
  await world.create('ServiceAccount', 'puller', { imagePullSecrets: [{ name: 'right' }] })
  const url = registry.url('team/app')
  await world.applies('by-secret', { url, secretRef: { name: 'right' } })
  await world.applies('by-account', { url, serviceAccountName: 'puller' })
  await world.applies('by-both', { url, serviceAccountName: 'puller', secretRef: { name: 'other' } })
  for (const name of ['by-secret', 'by-account', 'by-both']) {
    assert.deepEqual(await world.files(name), { 'a.yaml': 'a: 1' }, name)
  }
  await world.applies('by-nothing', { url })
  await world.applies('by-other', { url, secretRef: { name: 'other' } })
  await world.applies('by-wrong', { url, secretRef: { name: 'wrong' } })
  for (const name of ['by-nothing', 'by-other', 'by-wrong']) {
    assert.match((await world.conditions(name)).join(), /Ready=False OCIArtifactPullFailed: .*UNAUTHORIZED|401/, name)
    assert.equal((await world.statusOf(name))!.artifact, undefined)
  }
})

test('OC-022: a Secret that is missing or malformed is reported, and recovers once it is fixed', async () => {
  const registry = await openRegistry({ auth })
  await registry.push(image, 'app', 'latest')
  const world = await openOciWorld()
  const url = registry.url('app')
  await world.create('Secret', 'opaque', { ...dockerConfig({}), stringData: { '.dockerconfigjson': '{"auths":[]}' } })
  await world.applies('missing', { url, secretRef: { name: 'later' } })
  await world.applies('malformed', { url, secretRef: { name: 'opaque' } })
  for (const name of ['missing', 'malformed']) {
    assert.match((await world.conditions(name)).join(), /FetchFailed=True AuthenticationFailed/, name)
  }
  await world.create('Secret', 'later', dockerConfig({ [registry.server.host]: auth }))
  await world.advance(11 * minute)
  assert.deepEqual(await world.files('missing'), { 'a.yaml': 'a: 1' })
})

test('OC-019 OC-074: gets a token at the service that the registry names, once for many requests', async () => {
  const registry = await openRegistry()
  await registry.push(image, 'team/app', 'latest')
  const asked: { readonly query: string; readonly authorization: string | undefined }[] = []
  registry.server.intercept = ({ url = '', headers }, response) => {
    if (url.startsWith('/token')) {
      asked.push({ query: decodeURIComponent(url), authorization: headers.authorization })
      response.end(JSON.stringify({ token: 'the-token', expires_in: 3600 }))
      return true
    }
    if (headers.authorization === 'Bearer the-token') return false
    const realm = `http://${registry.server.host}/token`
    response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}",service="reg,istry"` }).end('{}')
    return true
  }
  const world = await openOciWorld()
  await world.create('Secret', 'right', dockerConfig({ [registry.server.host]: auth }))
  await world.applies('app', { url: registry.url('team/app'), secretRef: { name: 'right' } })
  assert.deepEqual(await world.files('app'), { 'a.yaml': 'a: 1' })
  await world.advance(11 * minute)
  const authorization = `Basic ${btoa(`${auth.username}:${auth.password}`)}`
  assert.deepEqual(asked, [{ query: '/token?scope=repository:team/app:pull&service=reg,istry', authorization }])
  await world.advance(60 * minute)
  assert.equal(asked.length, 2)
})

test('a token service without TLS gets no credentials for a registry with TLS', async () => {
  const registry = await openRegistry({ tls: true })
  let asked = 0
  const service = createServer((_, response) => {
    asked++
    response.end('{"token":"t"}')
  })
  await new Promise<void>(resolve => service.listen(0, '127.0.0.1', resolve))
  endWithTest({ [Symbol.asyncDispose]: async () => void service.close() })
  registry.server.intercept = (_, response) => {
    const realm = `http://127.0.0.1:${(service.address() as AddressInfo).port}/token`
    response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}"` }).end('{}')
    return true
  }
  const world = await openOciWorld()
  await world.create('Secret', 'right', dockerConfig({ [registry.server.host]: auth }))
  await world.create('Secret', 'authority', { stringData: { 'ca.crt': registry.server.ca } })
  const spec = { url: registry.url('app'), insecure: false, certSecretRef: { name: 'authority' } }
  await world.applies('app', { ...spec, secretRef: { name: 'right' } })
  assert.match((await world.conditions('app')).join(), /names a token service without TLS/)
  assert.equal(asked, 0)
})

test('OC-010 OC-026 OC-027 OC-028 OC-029: TLS with an authority and a certificate of the spec', async () => {
  const registry = await openRegistry({ tls: 'mutual' })
  await registry.push(image, 'app', 'latest')
  const world = await openOciWorld()
  const { ca, clientCertificate } = registry.server
  const { cert, key } = clientCertificate!
  await world.create('Secret', 'all', { stringData: { 'tls.crt': cert, 'tls.key': key, 'ca.crt': ca } })
  await world.create('Secret', 'old', { stringData: { certFile: cert, keyFile: key, caFile: ca } })
  await world.create('Secret', 'authority', { stringData: { 'ca.crt': ca } })
  await world.create('Secret', 'stranger', { stringData: { 'ca.crt': certificateAuthority().ca } })
  await world.create('Secret', 'half', { stringData: { 'tls.crt': cert, 'ca.crt': ca } })
  const url = registry.url('app')
  const spec = (name: string) => ({ url, insecure: false, certSecretRef: { name } })
  for (const name of ['all', 'old']) {
    await world.applies(name, spec(name))
    assert.deepEqual(await world.files(name), { 'a.yaml': 'a: 1' }, name)
  }
  await world.applies('authority', spec('authority'))
  assert.match((await world.conditions('authority')).join(), /Ready=False OCIArtifactPullFailed/)
  await world.applies('stranger', spec('stranger'))
  assert.match((await world.conditions('stranger')).join(), /certificate signed by unknown authority/)
  await world.applies('half', spec('half'))
  assert.match((await world.conditions('half')).join(), /AuthenticationFailed: .*missing 'tls.key'/)
})

test('OC-030: goes through the proxy of the spec, with its credentials', async () => {
  const registry = await openRegistry()
  await registry.push(image, 'app', 'latest')
  const proxy = endWithTest(await httpProxy())
  const world = await openOciWorld()
  await world.create('Secret', 'proxy', { stringData: { address: proxy.url, username: 'u', password: 'p' } })
  await world.applies('app', { url: registry.url('app'), proxySecretRef: { name: 'proxy' } })
  assert.deepEqual(await world.files('app'), { 'a.yaml': 'a: 1' })
  assert.ok(proxy.seen.length > 0)
  assert.ok(proxy.seen.every(line => line.endsWith(' u:p')))
})

test('OC-042 OC-034 OC-037 OC-038 OC-039: a range over tags on many pages', async () => {
  const registry = await openRegistry()
  const tags = ['1.0.0', '1.2.0', 'v1.10.0', '2.0.0-rc.1', 'edge', 'latest']
  await registry.push(image, 'app', ...tags)
  registry.server.intercept = (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://registry')
    if (!pathname.endsWith('/tags/list')) return false
    const at = Number(searchParams.get('at') ?? 0)
    const link = at + 2 < tags.length ? { link: `</v2/app/tags/list?at=${at + 2}>; rel="next"` } : {}
    response.writeHead(200, link).end(JSON.stringify({ name: 'app', tags: tags.slice(at, at + 2) }))
    return true
  }
  const world = await openOciWorld()
  const revision = async (name: string, semver: string) => {
    await world.applies(name, { url: registry.url('app'), ref: { semver, tag: 'edge' } })
    const status = await world.statusOf(name)
    return status?.artifact?.revision.split('@')[0] ?? (await world.conditions(name)).join()
  }
  assert.equal(await revision('patch', '1.x'), 'v1.10.0')
  assert.equal(await revision('all', '>=0.0.0-0'), '2.0.0-rc.1')
  assert.match(await revision('none', '>=9'), /no match found for semver: >=9/)
})

test('a list of tags that continues at another host is not followed', async () => {
  const registry = await openRegistry()
  await registry.push(image, 'app', '1.0.0')
  registry.server.intercept = (request, response) => {
    if (!request.url!.includes('/tags/list')) return false
    response.writeHead(200, { link: '<http://evil.example/v2/app/tags/list>; rel="next"' }).end('{"tags":[]}')
    return true
  }
  const world = await openOciWorld()
  await world.applies('app', { url: registry.url('app'), ref: { semver: '*' } })
  assert.match((await world.conditions('app')).join(), /continues on another host, evil\.example/)
})

test('a redirect to where blobs are does not carry the credentials along', async () => {
  const registry = await openRegistry({ auth })
  const content = filesLayer({ 'a.yaml': 'a: 1' })
  await registry.push({ layers: [content] }, 'app', 'latest')
  const seen: (string | undefined)[] = []
  const store = createServer((request, response) => {
    seen.push(request.headers.authorization)
    response.end(content.content)
  })
  await new Promise<void>(resolve => store.listen(0, '127.0.0.1', resolve))
  endWithTest({ [Symbol.asyncDispose]: async () => void store.close() })
  registry.server.intercept = (request, response) => {
    if (!request.url!.includes('/blobs/')) return false
    response.writeHead(307, { location: `http://127.0.0.1:${(store.address() as AddressInfo).port}/blob` }).end()
    return true
  }
  const world = await openOciWorld()
  await world.create('Secret', 'right', dockerConfig({ [registry.server.host]: auth }))
  await world.applies('app', { url: registry.url('app'), secretRef: { name: 'right' } })
  assert.deepEqual(await world.files('app'), { 'a.yaml': 'a: 1' })
  assert.deepEqual(seen, [undefined])
})

test('a registry that wants to be left alone for a while is', async () => {
  const registry = await openRegistry()
  await registry.push(image, 'app', 'latest')
  const world = await openOciWorld()
  const since = world.clock.now()
  const asked: number[] = []
  registry.server.intercept = ({ url }, response) => {
    if (!url!.includes('/manifests/') || world.clock.now() > since + 4 * minute) return false
    asked.push(Math.round((world.clock.now() - since) / 1000))
    response.writeHead(429, { 'retry-after': '180' }).end('{"errors":[{"code":"TOOMANYREQUESTS"}]}')
    return true
  }
  await world.applies('app', { url: registry.url('app') })
  assert.match((await world.conditions('app')).join(), /TOOMANYREQUESTS/)
  await world.advance(2 * minute)
  assert.ok(
    asked.every(second => second < 5),
    `asked at ${asked}`,
  )
  await world.advance(6 * minute)
  assert.deepEqual(await world.files('app'), { 'a.yaml': 'a: 1' })
})

test('OC-104: content that does not have its digest is not taken, and the artifact from before stays', async () => {
  const registry = await openRegistry()
  await registry.push(image, 'app', 'latest')
  const world = await openOciWorld()
  await world.applies('app', { url: registry.url('app') })
  const before = (await world.statusOf('app'))!.artifact
  await registry.push({ layers: [filesLayer({ 'a.yaml': 'a: 2' })] }, 'app', 'latest')
  registry.server.intercept = ({ url, method }, response) => {
    if (method !== 'GET' || !url!.includes('/blobs/')) return false
    response.end(filesLayer({ 'a.yaml': 'a: 3' }).content)
    return true
  }
  await world.advance(11 * minute)
  const status = (await world.statusOf('app'))!
  assert.deepEqual(status.artifact, before)
  assert.match(
    (await world.conditions('app')).join(),
    /Ready=False OCIArtifactLayerOperationFailed: .*(checksum|longer)/,
  )
  registry.server.intercept = () => false
  await world.advance(11 * minute)
  assert.deepEqual(await world.files('app'), { 'a.yaml': 'a: 2' })
})

test('a manifest that is not the one with the digest is not taken', async () => {
  const registry = await openRegistry()
  const digest = await registry.push(image, 'app', 'latest')
  registry.server.intercept = ({ url }, response) => {
    if (!url!.includes('/manifests/sha256:')) return false
    response.writeHead(200, { 'content-type': 'application/vnd.oci.image.manifest.v1+json' })
    response.end('{"schemaVersion":2,"layers":[]}')
    return true
  }
  const world = await openOciWorld()
  await world.applies('app', { url: registry.url('app'), ref: { digest } })
  assert.match((await world.conditions('app')).join(), /does not match requested digest/)
})

test('servers at loopback addresses are not contacted, by name, redirect or token service', async () => {
  const registry = await openRegistry()
  await registry.push(image, 'app', 'latest')
  const world = await openOciWorld()
  const metadata = 'http://169.254.169.254/latest/meta-data'
  await world.applies('direct', { url: 'oci://169.254.169.254/app' })
  registry.server.intercept = (_, response) => {
    response.writeHead(307, { location: metadata }).end()
    return true
  }
  await world.applies('redirected', { url: registry.url('app') })
  registry.server.intercept = (_, response) => {
    response.writeHead(401, { 'www-authenticate': `Bearer realm="${metadata}"` }).end()
    return true
  }
  await world.applies('sent', { url: registry.url('other') })
  for (const name of ['direct', 'redirected', 'sent']) {
    assert.match((await world.conditions(name)).join(), /link-local|not allowed|refused|169\.254/, name)
    assert.equal((await world.statusOf(name))!.artifact, undefined)
  }
})

import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { needsSigners, signers } from '../../bed/signers-binary.ts'
import { signingChain } from '../../bed/signing-chain.ts'
import { testSigstore } from '../../bed/sigstore.ts'
import { tufRepository } from '../../bed/tuf-repository.ts'
import { attachReferrer, descriptorOf, minute, openRegistry } from '../oci/oci-world.ts'
import { from, needsHelm, openHelmWorld, openWorkshop, serve } from './helm-world.ts'

const identity = {
  subject: 'https://github.com/acme/charts/.github/workflows/release.yaml@refs/heads/main',
  issuer: 'https://token.actions.githubusercontent.com',
}
const bundleType = 'application/vnd.dev.sigstore.bundle.v0.3+json'

type Registry = Awaited<ReturnType<typeof openRegistry>>

/** Packs a chart and has helm push it; returns its digest. */
const publish = async (
  shop: ReturnType<typeof openWorkshop>,
  registry: Registry,
  name: string,
  files: Readonly<Record<string, string>> = {},
  ...args: string[]
): Promise<string> => {
  await shop.helm('push', await shop.pack(name, '1.0.0', files, ...args), registry.url('charts'), '--plain-http')
  const accept = 'application/vnd.oci.image.manifest.v1+json'
  const url = `${registry.server.directOrigin}/v2/charts/${name}/manifests/1.0.0`
  return (await fetch(url, { method: 'HEAD', headers: { accept } })).headers.get('docker-content-digest')!
}

const openShop = async (...options: Parameters<typeof openHelmWorld>) => {
  const shop = openWorkshop()
  const registry = await openRegistry()
  const world = await openHelmWorld(...options)
  await world.applies('HelmRepository', 'repo', { type: 'oci', url: registry.url('charts'), insecure: true })
  return { ...world, shop, registry, publish: publish.bind(undefined, shop, registry) }
}

/** Attaches a bundle as cosign does. */
const attachBundle = async (registry: Registry, name: string, digest: string, content: string) => {
  const subject = await descriptorOf(registry, `charts/${name}`, digest)
  await attachReferrer(registry, `charts/${name}`, subject, bundleType, { mediaType: bundleType, content })
}

/** HelmCharts can not name the root of their Sigstore, but a hub can. */
const sigstoreRoot = { namespace: 'default', name: 'hub-root' }

test(
  'HC-049 HC-050: a chart is taken when somebody whom the spec names signed it without keys, as Fulcio and Rekor say',
  needsHelm,
  async () => {
    const world = await openShop({}, { sigstoreRoot })
    const sigstore = testSigstore()
    await world.applies('Secret', 'hub-root', { 'trusted_root.json': sigstore.trustedRoot })
    const matchOIDCIdentity = [{ subject: '^https://github\\.com/acme/charts/', issuer: `^${identity.issuer}$` }]
    const verify = { provider: 'cosign', matchOIDCIdentity }
    const chart = (name: string, more: object = {}) =>
      world.applies('HelmChart', name, {
        chart: name,
        version: '1.0.0',
        verify: { ...verify, ...more },
        ...from('repo'),
      })
    const digest = await world.publish('app')
    await chart('app')
    assert.match(await world.conditions('app'), /SourceVerified=False VerificationError: .*no signatures found/)
    await attachBundle(world.registry, 'app', digest, sigstore.bundle(digest, identity))
    await world.advance(11 * minute)
    assert.match(await world.conditions('app'), /SourceVerified=True Succeeded: verified signature of version 1\.0\.0/)
    assert.deepEqual(await world.bytes('app'), readFileSync(world.shop.at('charts/app-1.0.0.tgz')))

    const evil = {
      ...identity,
      subject: 'https://github.com/evil/charts/.github/workflows/release.yaml@refs/heads/main',
    }
    const late = { loggedAt: new Date(Date.now() + 30 * minute) }
    for (const [name, bundleOf, why] of [
      ['other', (of: string) => sigstore.bundle(of, evil), /none of the expected identities matched/],
      ['replayed', () => sigstore.bundle(digest, identity), /is for another artifact/],
      ['expired', (of: string) => sigstore.bundle(of, identity, late), /Failed to verify certificate chain/],
      ['stranger', (of: string) => testSigstore().bundle(of, identity), /VerificationError/],
    ] as const) {
      const own = await world.publish(name)
      await attachBundle(world.registry, name, own, bundleOf(own))
      await chart(name)
      assert.match(await world.conditions(name), /SourceVerified=False VerificationError: /)
      assert.match(await world.conditions(name), why)
      assert.equal((await world.chart(name))!.artifact, undefined, name)
    }
    const own = await world.publish('older')
    const { payload, annotations } = sigstore.attached(own, identity)
    const layer = { mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json', content: payload, annotations }
    await world.registry.push({ layers: [layer] }, 'charts/older', `${own.replace(':', '-')}.sig`)
    await chart('older')
    assert.match(await world.conditions('older'), /SourceVerified=True/)
  },
)

test(
  'the trusted root that the hub is set to counts where a source names none, and is refreshed',
  needsHelm,
  async () => {
    const repository = await tufRepository()
    const [first, second] = [testSigstore(), testSigstore()]
    repository.publish({ trustedRoot: first.trustedRoot })
    const world = await openShop({}, { sigstoreRoot, sigstoreMirror: repository.mirror })
    const digest = await world.publish('app')
    const chart = (name: string) =>
      world.applies('HelmChart', name, {
        chart: 'app',
        version: '1.0.0',
        interval: '13h',
        verify: { provider: 'cosign' },
        ...from('repo'),
      })
    await attachBundle(world.registry, 'app', digest, first.bundle(digest, identity))
    await chart('app')
    assert.match(await world.conditions('app'), /SourceVerified=False .*'default\/hub-root'.* does not exist/)
    await world.applies('Secret', 'hub-root', { 'root.json': repository.root })
    await world.advance(11 * minute)
    assert.match(await world.conditions('app'), /SourceVerified=True/)
    repository.publish({ trustedRoot: second.trustedRoot })
    await world.advance(26 * 60 * minute)
    assert.match(await world.conditions('app'), /SourceVerified=False VerificationError/)
    repository.publish({ trustedRoot: first.trustedRoot, expires: '2020-01-01T00:00:00Z' })
    await world.advance(26 * 60 * minute)
    assert.match(
      await world.conditions('app'),
      /SourceVerified=False .*unable to initialize trusted root from http.* is expired/,
    )
    await world.applies('Secret', 'hub-root', { 'trusted_root.json': first.trustedRoot })
    await world.advance(11 * minute)
    assert.match(await world.conditions('app'), /SourceVerified=True/)
  },
)

const skipUnsigned = { skip: needsHelm.skip || needsSigners().skip }

test('HC-052: a chart is taken when the trust policy accepts who signed it with notation', skipUnsigned, async () => {
  const world = await openShop()
  const [chain, stranger] = [signingChain(), signingChain()]
  const policy = {
    ...{
      name: 'charts',
      registryScopes: [`${world.registry.server.host}/charts/app`, `${world.registry.server.host}/charts/other`],
    },
    ...{ signatureVerification: { level: 'strict' }, trustStores: ['ca:charts'] },
    trustedIdentities: ['x509.subject: C=US, ST=WA, O=Notary, CN=signer'],
  }
  const document = JSON.stringify({ version: '1.0', trustPolicies: [policy] })
  const sign = async (name: string, by: typeof chain) => {
    const descriptor = await descriptorOf(world.registry, `charts/${name}`, await world.publish(name))
    const { stdout } = await signers(['notation', 'jws', by.key, by.chain, JSON.stringify(descriptor)])
    const layer = { mediaType: 'application/jose+json', content: stdout }
    await attachReferrer(world.registry, `charts/${name}`, descriptor, 'application/vnd.cncf.notary.signature', layer)
  }
  await sign('app', chain)
  await sign('other', stranger)
  await sign('elsewhere', chain)
  await world.clock.advance(Math.max(0, Date.now() + 1000 - world.clock.now())) // certificates are of just now
  for (const key of ['ca.crt', 'ca.pem', 'ca.txt']) {
    const secret = key.replace('.', '-')
    await world.applies('Secret', secret, { 'trustpolicy.json': document, [key]: chain.root })
    const verify = { provider: 'notation', secretRef: { name: secret } }
    for (const name of ['app', 'other', 'elsewhere']) {
      const chart = `${name}-${secret}`
      await world.applies('HelmChart', chart, { chart: name, version: '1.0.0', verify, ...from('repo') })
      const isGood = name === 'app' && key !== 'ca.txt'
      const expected = isGood ? /SourceVerified=True Succeeded/ : /SourceVerified=False VerificationError/
      assert.match(await world.conditions(chart), expected, chart)
      assert.equal((await world.chart(chart))!.artifact !== undefined, isGood, chart)
    }
  }
  assert.match(await world.conditions('other-ca-crt'), /not produced by a trusted signer/)
  assert.match(await world.conditions('elsewhere-ca-crt'), /no applicable trust policy/)
  assert.match(await world.conditions('app-ca-txt'), /no certificates found in secret/)
})

test('HC-057: signatures are required of the umbrella chart, not of its subcharts', needsHelm, async () => {
  const world = await openShop({}, { sigstoreRoot })
  const sigstore = testSigstore()
  await world.applies('Secret', 'hub-root', { 'trusted_root.json': sigstore.trustedRoot })
  await world.publish('sub')
  const dependencies = `dependencies:\n- {name: sub, version: 1.0.0, repository: "${world.registry.url('charts')}"}\n`
  const umbrella = `apiVersion: v2\nname: umbrella\nversion: 1.0.0\n${dependencies}`
  const inside = readFileSync(world.shop.at('charts/sub-1.0.0.tgz'))
  mkdirSync(world.shop.at('src/umbrella-1.0.0/umbrella/charts'), { recursive: true })
  writeFileSync(world.shop.at('src/umbrella-1.0.0/umbrella/charts/sub-1.0.0.tgz'), inside)
  const digest = await world.publish('umbrella', { 'Chart.yaml': umbrella })
  await attachBundle(world.registry, 'umbrella', digest, sigstore.bundle(digest, identity))
  const verify = { provider: 'cosign' }
  world.registry.requests()
  await world.applies('HelmChart', 'umbrella', { chart: 'umbrella', version: '1.0.0', verify, ...from('repo') })
  assert.match(await world.conditions('umbrella'), /SourceVerified=True/)
  assert.ok((await world.files('umbrella'))['umbrella/charts/sub/Chart.yaml'])
  assert.deepEqual(
    world.registry.requests().filter(path => path.includes('charts/sub')),
    [],
  )
})

test(
  'HC-047: signatures of charts over HTTP can not be verified, and provenance files are left alone, as in Flux',
  needsHelm,
  async () => {
    const shop = openWorkshop()
    await shop.pack('app', '1.0.0')
    await shop.helm('repo', 'index', 'charts')
    writeFileSync(shop.at('charts/app-1.0.0.tgz.prov'), 'no signature at all')
    const { url, requests } = await serve(shop.at('charts'))
    const world = await openHelmWorld()
    await world.applies('HelmRepository', 'repo', { url })
    await world.applies('HelmChart', 'app', { chart: 'app', ...from('repo') })
    assert.match(await world.conditions('app'), /Ready=True ChartPullSucceeded/)
    assert.deepEqual(
      requests.filter(path => path.includes('.prov')),
      [],
    )
    await world.applies('HelmChart', 'verified', { chart: 'app', verify: { provider: 'cosign' }, ...from('repo') })
    const conditions = await world.conditions('verified')
    assert.match(conditions, /^SourceVerified=False VerificationError: .*not implemented/m)
    assert.match(conditions, /^Ready=False VerificationError: .*not implemented/m)
    assert.equal((await world.chart('verified'))!.artifact, undefined)
  },
)

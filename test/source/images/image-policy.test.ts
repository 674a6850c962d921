import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImagePolicy } from '../../../lib/foundations/kinds/image-policy.ts'
import { dockerConfig, filesLayer, openRegistry } from '../oci/oci-world.ts'
import { type ImageWorld, minute, openImageWorld, refOf } from './image-world.ts'

const image = (text: string) => ({ layers: [filesLayer({ 'a.yaml': text })] })
const statusOf = async (world: ImageWorld, name: string, namespace?: string) =>
  (await world.get<ImagePolicy>('ImagePolicy', name, namespace))!.status!
const semver = { policy: { semver: { range: '>=1.0.0' } } }

test('IM-023 IM-031 IM-032 IM-033 IM-035: a policy follows the scans of its repository at once', async () => {
  const registry = await openRegistry()
  await registry.push(image('a'), 'app', '1.0.0', 'latest')
  const world = await openImageWorld()
  const name = `${registry.server.host}/app`
  await world.policy('app', semver)
  const missing = 'referenced ImageRepository does not exist: ImageRepository.image.toolkit.fluxcd.io "app" not found'
  assert.deepEqual(await world.conditions('ImagePolicy', 'app'), [
    `Ready=False DependencyNotReady: failed to get the referred ImageRepository: ${missing}`,
    'Reconciling=True ProgressingWithRetry: processing object: new generation -1 -> 1',
  ])

  await world.repository('app', { image: name })
  const message = `Latest image tag for ${name} resolved to 1.0.0`
  assert.deepEqual(await world.conditions('ImagePolicy', 'app'), [`Ready=True Succeeded: ${message}`])
  assert.deepEqual((await statusOf(world, 'app')).latestRef, { name, tag: '1.0.0' })

  await registry.push(image('b'), 'app', '1.1.0')
  await world.advance(11 * minute)
  const { latestRef, observedPreviousRef, observedGeneration } = await statusOf(world, 'app')
  assert.deepEqual(
    [latestRef, observedPreviousRef],
    [
      { name, tag: '1.1.0' },
      { name, tag: '1.0.0' },
    ],
  )
  assert.equal(observedGeneration, 1)
  const next = `Latest image tag for ${name} resolved to 1.1.0 (previously ${name}:1.0.0)`
  assert.deepEqual(await world.conditions('ImagePolicy', 'app'), [`Ready=True Succeeded: ${next}`])
  const events = await world.eventsOf(refOf('ImagePolicy', 'app'))
  assert.ok(events.includes(`Normal Succeeded 1x: ${message}`) && events.includes(`Normal Succeeded 1x: ${next}`))

  const before = world.passes.filter(({ ref }) => ref.kind === 'ImagePolicy').length
  await world.advance(60 * minute)
  assert.equal(world.passes.filter(({ ref }) => ref.kind === 'ImagePolicy').length, before, 'equal scans')
})

test('IM-021 IM-008: a repository of another namespace must allow it, and the operator too', async () => {
  const registry = await openRegistry()
  await registry.push(image('a'), 'app', '1.0.0')
  const world = await openImageWorld()
  await world.hub.create(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team', labels: { tenant: 'team' } } },
    { fieldManager: 'author' },
  )
  const spec = { image: `${registry.server.host}/app` }
  const policy = { imageRepositoryRef: { name: 'app', namespace: 'default' }, ...semver }
  const ready = async () => (await world.conditions('ImagePolicy', 'app', 'team'))[0]
  const denied = 'Ready=False AccessDenied: failed to get the referred ImageRepository: access denied:'
  await world.repository('app', spec)
  await world.policy('app', policy, 'team')
  assert.equal(await ready(), `${denied} 'default/app' can't be accessed due to missing ACL labels on 'accessFrom'`)

  const from = (tenant: string) => ({ accessFrom: { namespaceSelectors: [{ matchLabels: { tenant } }] } })
  await world.repository('app', { ...spec, ...from('other') })
  const mismatch = "'default/app' can't be accessed due to ACL labels mismatch on namespace 'team'"
  assert.equal(await ready(), `${denied} ${mismatch}`)

  await world.repository('app', { ...spec, ...from('team') })
  assert.match((await ready())!, /^Ready=True Succeeded/)

  const strict = await openImageWorld({ noCrossNamespaceRefs: true })
  await strict.create('Namespace', 'team', {}, '')
  await strict.policy('app', policy, 'team')
  const blocked = "cannot access 'ImageRepository/default/app', cross-namespace references have been blocked"
  const [refused] = await strict.conditions('ImagePolicy', 'app', 'team')
  assert.equal(refused, `Ready=False AccessDenied: failed to get the referred ImageRepository: ${blocked}`)
})

test('IM-022 IM-026 IM-027: an invalid policy stalls; tags that do not fit fail until the tags change', async () => {
  const registry = await openRegistry()
  await registry.push(image('a'), 'app', 'main-1', 'main-20', 'dev-3')
  const world = await openImageWorld()
  await world.repository('app', { image: `${registry.server.host}/app` })
  const outcomes: [object, RegExp][] = [
    [{ policy: {} }, /Stalled=True InvalidPolicy: invalid policy: given ImagePolicyChoice object is invalid/],
    [{ policy: { semver: { range: '>=x.y.z.' } } }, /Stalled=True InvalidPolicy: invalid policy: improper constraint/],
    [
      { policy: { alphabetical: {} }, filterTags: { pattern: '(' } },
      /Stalled=True InvalidPolicy: failed to filter tags: invalid regular expression pattern '\(': error parsing regexp: missing closing \)/,
    ],
    [{ policy: { numerical: {} } }, /Ready=False Failure: failed to parse invalid numeric value 'main-20'/],
    [{ policy: { semver: { range: '*' } } }, /Ready=False Failure: unable to determine latest version from provided/],
    [
      { policy: { numerical: {} }, filterTags: { pattern: '^none' } },
      /Ready=False Failure: version list argument cannot be empty/,
    ],
  ]
  for (const [spec, expected] of outcomes) {
    await world.applies('ImagePolicy', 'app', { imageRepositoryRef: { name: 'app' }, ...spec })
    assert.match((await world.conditions('ImagePolicy', 'app')).join('\n'), expected)
  }
  const filterTags = { pattern: '^main-(?P<n>[0-9]+)$', extract: '$n' }
  await world.policy('app', { policy: { numerical: { order: 'asc' } }, filterTags })
  assert.equal((await statusOf(world, 'app')).latestRef!.tag, 'main-20')
})

test('IM-021: waits for the first scan', async () => {
  const registry = await openRegistry()
  const world = await openImageWorld()
  await world.repository('app', { image: `${registry.server.host}/nothing` })
  await world.policy('app', semver)
  assert.deepEqual(await world.conditions('ImagePolicy', 'app'), [
    'Ready=False DependencyNotReady: retrying in 30s error: no tags in database',
    'Reconciling=True ProgressingWithRetry: processing object: new generation -1 -> 1',
  ])
  await registry.push(image('a'), 'nothing', '1.0.0')
  await world.request('ImageRepository', 'app', 'now')
  assert.equal((await statusOf(world, 'app')).latestRef!.tag, '1.0.0')
})

test('IM-028 IM-029: digests are looked up never, once for each tag, or in each interval', async () => {
  const auth = { username: 'reader', password: 'word' }
  const registry = await openRegistry({ auth })
  const first = await registry.push(image('a'), 'app', '1.0.0')
  const world = await openImageWorld()
  const encoded = { auth: btoa(`${auth.username}:${auth.password}`) }
  await world.create('Secret', 'pull', dockerConfig({ [registry.server.host]: encoded }))
  const name = `${registry.server.host}/app`
  await world.repository('app', { image: name, secretRef: { name: 'pull' }, interval: '10h' })
  await world.policy('never', semver)
  await world.policy('once', { ...semver, digestReflectionPolicy: 'IfNotPresent' })
  await world.policy('always', { ...semver, digestReflectionPolicy: 'Always', interval: '10m' })
  const digests = async () => {
    const found = await Promise.all(['never', 'once', 'always'].map(each => statusOf(world, each)))
    return found.map(({ latestRef }) => latestRef?.digest)
  }
  assert.deepEqual(await digests(), [undefined, first, first])
  const [ready] = await world.conditions('ImagePolicy', 'once')
  assert.equal(ready, `Ready=True Succeeded: Latest image tag for ${name} resolved to 1.0.0 with digest ${first}`)

  const second = await registry.push(image('b'), 'app', '1.0.0')
  await world.advance(11 * minute)
  assert.deepEqual(await digests(), [undefined, first, second])
  const previous = `(previously ${name}:1.0.0@${first})`
  const [moved] = await world.conditions('ImagePolicy', 'always')
  assert.equal(
    moved,
    `Ready=True Succeeded: Latest image tag for ${name} resolved to 1.0.0 with digest ${second} ${previous}`,
  )

  await assert.rejects(world.policy('bad', { ...semver, interval: '5m' }), /spec.interval is only accepted when/)
  await assert.rejects(
    world.policy('bad', { ...semver, digestReflectionPolicy: 'Always' }),
    /spec.interval must be set when/,
  )
})

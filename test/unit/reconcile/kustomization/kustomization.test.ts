import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClient } from '../../../../lib/clusters/client/client.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { author, configMap, failing, gone, onStage } from './scene.ts'

test('records what is about to be applied before it is, so that a crash forgets nothing', async () => {
  let recorded: readonly string[] = []
  let look: () => Promise<readonly string[]>
  const cluster = (real: ClusterClient): ClusterClient => ({
    ...real,
    apply: async (object, options) => {
      if (!options.dryRun) recorded = await look()
      return real.apply(object, options)
    },
  })
  await onStage({ cluster }, async ({ push, kustomize, inventory }) => {
    look = () => inventory('app')
    await push('1', { 'a.yaml': configMap('a', '1'), 'b.yaml': configMap('b', '1') })
    await kustomize('app')
    assert.deepEqual(recorded, ['default_a__ConfigMap', 'default_b__ConfigMap'])
  })
})

test('keeps objects in the inventory that may have been written when the response was lost', async () => {
  const cluster = (real: ClusterClient): ClusterClient => ({
    ...real,
    apply: async (object, options) => {
      const applied = await real.apply(object, options)
      if (!options.dryRun) throw gone()
      return applied
    },
  })
  await onStage({ cluster }, async ({ push, kustomize, inventory, values, conditions }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app')
    assert.deepEqual(await values(), { a: '1' })
    assert.deepEqual(await inventory('app'), ['default_a__ConfigMap'])
    assert.match(
      (await conditions('app')).join(),
      /Ready=False ReconciliationFailed: ConfigMap\/default\/a apply failed/,
    )
  })
})

test('records nothing new when nothing was written', async () => {
  const { state, cluster } = failing(['apply'])
  await onStage({ cluster }, async ({ push, kustomize, inventory, settle, conditions }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app')
    state.on = true
    await push('2', { 'a.yaml': configMap('a', '1'), 'b.yaml': configMap('b', '1') })
    await settle()
    assert.deepEqual(await inventory('app'), ['default_a__ConfigMap'])
    assert.match((await conditions('app')).join(), /Ready=False ReconciliationFailed: .*dry-run failed/)
  })
})

test('prunes nothing when the build, the path or the cluster fails', async () => {
  const { state, cluster } = failing(['apply', 'get', 'list', 'resourceFor'])
  await onStage({ cluster }, async ({ push, kustomize, inventory, values, conditions }) => {
    await push('1', { 'app/a.yaml': configMap('a', '1'), 'app/b.yaml': configMap('b', '1') })
    await kustomize('app', { path: './app' })
    const everything = ['default_a__ConfigMap', 'default_b__ConfigMap']

    await push('2', { 'app/a.yaml': configMap('a', '1'), 'app/b.yaml': 'kind: [' })
    assert.match((await conditions('app')).join(), /Ready=False BuildFailed/)
    await push('3', { 'elsewhere/a.yaml': configMap('a', '1') })
    assert.match((await conditions('app')).join(), /Ready=False ArtifactFailed: kustomization path not found/)
    state.on = true
    await push('4', { 'app/a.yaml': configMap('a', '2') })
    assert.match((await conditions('app')).join(), /Ready=False ReconciliationFailed/)
    assert.deepEqual(await inventory('app'), everything)
    assert.deepEqual(await values(), { a: '1', b: '1' })

    state.on = false
    await push('5', { 'app/a.yaml': configMap('a', '2') })
    assert.deepEqual(await values(), { a: '2' })
  })
})

test('KS-034 keeps tracking an object whose deletion the cluster refused', async () => {
  const { state, cluster } = failing(['delete'])
  await onStage({ cluster }, async ({ push, kustomize, inventory, values, conditions, advance }) => {
    await push('1', { 'a.yaml': configMap('a', '1'), 'b.yaml': configMap('b', '1') })
    await kustomize('app', { retryInterval: '1m' })
    state.on = true
    await push('2', { 'a.yaml': configMap('a', '1') })
    assert.deepEqual(await inventory('app'), ['default_a__ConfigMap', 'default_b__ConfigMap'])
    assert.match(
      (await conditions('app')).join(),
      /Ready=False PruneFailed: delete failed, errors: ConfigMap\/default\/b/,
    )
    state.on = false
    await advance(61_000)
    assert.deepEqual(await inventory('app'), ['default_a__ConfigMap'])
    assert.deepEqual(await values(), { a: '1' })
  })
})

test('KS-054 retries after the retry interval, KS-055 or after the interval', async () => {
  await onStage({}, async ({ kustomize, push, passes, advance }) => {
    await push('1', { 'a.yaml': 'kind: [' })
    await kustomize('soon', { retryInterval: '30s' })
    await kustomize('late')
    const count = (name: string) => passes.filter(({ ref }) => ref.name === name).length
    await advance(100_000)
    assert.deepEqual([count('soon'), count('late')], [4, 1])
    await advance(510_000)
    assert.equal(count('late'), 2)
  })
})

test('KS-048 stays, once deleted, until its objects could be removed', async () => {
  const { state, cluster } = failing(['delete'])
  await onStage({ cluster }, async ({ hub, push, kustomize, settle, advance, read, values, eventsOf }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app')
    state.on = true
    await hub.delete(kustomizationRef('app'), {})
    await settle()
    assert.ok(await read('app'))
    assert.ok(
      (await eventsOf(kustomizationRef('app'))).includes(
        'Warning ReconciliationSucceeded 1x: pruning for deleted resource failed',
      ),
    )
    state.on = false
    await advance(60_000)
    assert.equal(await read('app'), undefined)
    assert.deepEqual(await values(), {})
  })
})

test('stalls when a ServiceAccount is to decrypt and the operator does not let it', async () => {
  await onStage({}, async ({ push, kustomize, conditions, values }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', { decryption: { provider: 'sops', serviceAccountName: 'decryptor' } })
    const message =
      'to use spec.decryption.serviceAccountName for decryption authentication please enable the ObjectLevelWorkloadIdentity feature gate in the controller'
    assert.deepEqual(await conditions('app'), [
      `Stalled=True FeatureGateDisabled: ${message}`,
      `Ready=False FeatureGateDisabled: ${message}`,
    ])
    assert.deepEqual(await values(), {})
  })
})

test('KS-252 never applies ciphertext', async () => {
  await onStage({}, async ({ push, kustomize, conditions, values }) => {
    await push('1', { 'a.yaml': `${configMap('a', 'ENC[AES256_GCM,data:x]')}sops:\n  mac: ENC[x]\n` })
    await kustomize('app')
    assert.match(
      (await conditions('app')).join(),
      /Ready=False ReconciliationFailed: ConfigMap\/default\/a is SOPS encrypted, configuring decryption is required/,
    )
    assert.deepEqual(await values(), {})
  })
})

test('KS-064 refuses a path that leads out of the source', async () => {
  await onStage({}, async ({ push, kustomize, conditions }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', { path: './x/../../etc' })
    assert.match(
      (await conditions('app')).join(),
      /Ready=False ArtifactFailed: .*'\.\/x\/\.\.\/\.\.\/etc' leads out of the source/,
    )
  })
})

test('KS-129 names a dependency cycle, and lets those outside of it go on', async () => {
  await onStage({}, async ({ push, kustomize, conditions }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('one', { dependsOn: [{ name: 'two' }] })
    await kustomize('two', { dependsOn: [{ name: 'one' }] })
    await kustomize('three')
    assert.deepEqual(await conditions('two'), [
      "Ready=False DependencyNotReady: dependency 'default/one' is not ready: dependency cycle default/two -> default/one -> default/two",
    ])
    assert.deepEqual(await conditions('three'), ['Ready=True ReconciliationSucceeded: Applied revision: main@sha1:1'])
  })
})

test('reports a wait for a source or a dependency at level info, and a cycle or a failed build as an error', async () => {
  await onStage({}, async ({ push, kustomize, lines, hub, settle }) => {
    const errorsOf = (wanted: string) =>
      lines
        .filter(({ msg, name }) => msg === 'reconciled' && name === wanted)
        .map(({ message, error }) => [message, error])
    await kustomize('early')
    await kustomize('elsewhere', { sourceRef: { kind: 'GitRepository', name: 'absent' } })
    assert.deepEqual(errorsOf('early'), [['Source artifact not found, retrying in 30s', undefined]])
    assert.deepEqual(errorsOf('elsewhere'), [['GitRepository.source.toolkit.fluxcd.io "absent" not found', undefined]])
    await hub.delete(kustomizationRef('early'), {})
    await settle()
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('second', { dependsOn: [{ name: 'first' }] })
    assert.match(String(errorsOf('second')[0]?.[0]), /^dependency 'default\/first' not found/)
    assert.equal(errorsOf('second')[0]?.[1], undefined)
    await kustomize('one', { dependsOn: [{ name: 'one' }] })
    assert.match(String(errorsOf('one').at(-1)?.[1]), /dependency cycle/)
    await kustomize('broken', { path: './absent' })
    assert.match(String(errorsOf('broken').at(-1)?.[1]), /absent/)
  })
})

test('KS-128 starts dependents as soon as what they depend on is ready', async () => {
  await onStage({}, async ({ push, kustomize, conditions, clock }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('second', { dependsOn: [{ name: 'first' }] })
    const before = clock.now()
    await kustomize('first')
    assert.deepEqual(await conditions('second'), ['Ready=True ReconciliationSucceeded: Applied revision: main@sha1:1'])
    assert.ok(clock.now() - before < 1_000)
  })
})

test('says so when there is no such kind of source', async () => {
  await onStage({}, async ({ kustomize, conditions }) => {
    await kustomize('app', { sourceRef: { kind: 'Bucket', name: 'app' } })
    assert.match((await conditions('app')).join(), /^Ready=False ArtifactFailed: .*Bucket/)
  })
})

test('unpacks an artifact once for many Kustomizations', async () => {
  await onStage({}, async ({ push, kustomize, platform, values }) => {
    const files = Object.fromEntries(['a', 'b', 'c'].map(name => [`${name}/cm.yaml`, configMap(name, '1')]))
    await push('1', files)
    let reads = 0
    const get = platform.artifacts.get
    platform.artifacts.get = async name => {
      if (name.startsWith('gitrepository/')) reads++
      return get(name)
    }
    for (const name of ['a', 'b', 'c']) await kustomize(name, { path: `./${name}` })
    assert.deepEqual(await values(), { a: '1', b: '1', c: '1' })
    assert.ok(reads <= 1, `${reads} reads`)
  })
})

test('KS-021 applies nothing of an artifact whose content is not what its digest says', async () => {
  await onStage({}, async ({ push, hub, kustomize, conditions, platform }) => {
    await push('1', { 'a.yaml': configMap('a', '1') })
    const digest = `sha256:${'0'.repeat(64)}`
    const ref = { ...kustomizationRef('app'), group: 'source.toolkit.fluxcd.io', kind: 'GitRepository' }
    const patch = { status: { artifact: { digest } } }
    await hub.patch(ref, { type: 'merge', patch }, { subresource: 'status', ...author })
    await platform.artifacts.put(`gitrepository/default/app/${'0'.repeat(64)}.tar.gz`, Buffer.from('not it'))
    await kustomize('app')
    assert.match(
      (await conditions('app')).join(),
      /Ready=False ArtifactFailed: failed to verify artifact: computed digest/,
    )
  })
})

test('KS-140 KS-141 KS-143 puts common labels and annotations on everything, but never in place of the owner labels', async () => {
  await onStage({}, async ({ hub, push, kustomize }) => {
    const marked = configMap('a', '1').replace('metadata:', 'metadata:\n  labels: {team: old, kept: "yes"}')
    await push('1', { 'a.yaml': marked })
    const owner = 'kustomize.toolkit.fluxcd.io'
    await kustomize('app', {
      commonMetadata: { labels: { team: 'new', [`${owner}/name`]: 'else' }, annotations: { note: 'text' } },
    })
    const { labels, annotations } = (await hub.get({ group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' }))!
      .metadata
    assert.deepEqual(annotations, { note: 'text' })
    assert.deepEqual(labels, { team: 'new', kept: 'yes', [`${owner}/name`]: 'app', [`${owner}/namespace`]: 'default' })
  })
})

test('applies a kustomization file with fields that kustomize does not know, and says so once per revision', async () => {
  const file = 'resources: [a.yaml]\nresource: [b.yaml]\npatches: [{target: {kind: ConfigMap, nme: a}, patch: "[]"}]\n'
  await onStage({}, async ({ push, kustomize, advance, values, conditions, eventsOf }) => {
    const told = async () => (await eventsOf(kustomizationRef('app'))).filter(line => line.includes('FieldsIgnored'))
    await push('1', { 'a.yaml': configMap('a', '1'), 'kustomization.yaml': file })
    await kustomize('app')
    assert.deepEqual(await values(), { a: '1' })
    assert.match((await conditions('app')).join(), /Ready=True/)
    const message =
      'kustomize does not know these fields, they are ignored: kustomization.yaml: patches.target.nme, kustomization.yaml: resource'
    assert.deepEqual(await told(), [`Warning FieldsIgnored 1x: ${message}`])
    assert.ok((await conditions('app')).some(line => line === `FieldsIgnored=True UnknownFields: ${message}`))
    await advance(1_800_000)
    assert.deepEqual(await told(), [`Warning FieldsIgnored 1x: ${message}`])
    await push('2', { 'a.yaml': configMap('a', '2'), 'kustomization.yaml': file })
    await advance(1_000)
    assert.deepEqual(await values(), { a: '2' })
    assert.deepEqual(await told(), [`Warning FieldsIgnored 2x: ${message}`])
    await push('3', { 'a.yaml': configMap('a', '3'), 'kustomization.yaml': 'resources: [a.yaml]\n' })
    await advance(1_000)
    assert.deepEqual(await told(), [`Warning FieldsIgnored 2x: ${message}`])
    assert.doesNotMatch((await conditions('app')).join(), /FieldsIgnored/)
  })
})

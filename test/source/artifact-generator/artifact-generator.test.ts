import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blobNameOf } from '../../../lib/foundations/kinds/artifact.ts'
import { minute, openGeneratorWorld, outputRef, repo, specOf } from './generator-world.ts'

const monorepo = { 'apps/web/a.yaml': 'a: 1', 'apps/api/b.yaml': 'b: 1', 'README.md': 'text' }

test('AG-005 AG-035 AG-037 AG-038 AG-042 AG-043 an artifact is made for each item, as an ExternalArtifact of the generator', async () => {
  const world = await openGeneratorWorld()
  await world.push('app', monorepo)
  await world.generate('apps', specOf('web', 'api'))
  assert.deepEqual(await world.conditions('apps'), [
    'Ready=True Succeeded: reconciliation succeeded, generated 2 artifact(s)',
  ])
  assert.deepEqual(await world.files('web'), { 'a.yaml': 'a: 1' })
  const generator = (await world.get('apps'))!
  const { metadata, spec, status } = (await world.output('web'))!
  assert.deepEqual(metadata.labels, {
    'app.kubernetes.io/managed-by': 'source-watcher',
    'source.extensions.fluxcd.io/generator': generator.metadata.uid,
  })
  assert.deepEqual(spec, {
    sourceRef: {
      apiVersion: 'source.extensions.fluxcd.io/v1beta1',
      ...{ kind: 'ArtifactGenerator', name: 'apps', namespace: 'default' },
    },
  })
  const { artifact, conditions } = status!
  assert.equal(artifact?.revision, `latest@${artifact?.digest}`)
  assert.deepEqual(
    conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]),
    [['Ready', 'True', 'Succeeded', 'Artifact is ready']],
  )
  assert.deepEqual(
    generator.status?.inventory?.map(({ name, namespace, digest, filename }) => [name, namespace, digest, filename]),
    [
      ['web', 'default', artifact?.digest, artifact?.path.split('/').at(-1)],
      [
        'api',
        'default',
        (await world.output('api'))?.status?.artifact?.digest,
        generator.status?.inventory?.[1]?.filename,
      ],
    ],
  )
  assert.deepEqual(generator.metadata.finalizers, ['source.extensions.fluxcd.io/finalizer'])
  const seen = world.changes.flatMap(({ ref, after }) =>
    ref.kind === 'ArtifactGenerator'
      ? (((after?.status ?? {}) as { conditions?: { reason: string }[] }).conditions ?? [])
      : [],
  )
  assert.ok(seen.some(({ reason }) => reason === 'Progressing'))
})

test('AG-002 AG-010 AG-047 at rest nothing is written, fetched or made, and a request finds no drift', async () => {
  const world = await openGeneratorWorld()
  const source = await world.push('app', monorepo)
  await world.generate('apps', specOf('web'))
  await world.platform.artifacts.delete(blobNameOf(source)) // nobody needs it again
  await world.advance(61 * minute)
  const before = world.changes.length
  await world.advance(3 * 60 * minute)
  assert.equal(world.changes.length, before)
  assert.ok(world.visited.some(({ unchanged }) => unchanged.some(({ ref }) => ref.name === 'apps')))
  await world.annotate('apps', { 'reconcile.fluxcd.io/requestedAt': 'now' })
  assert.equal((await world.get('apps'))?.status?.lastHandledReconcileAt, 'now')
  assert.ok((await world.events('apps')).includes('Normal Ready 1x: No drift detected, 1 artifact(s) up to date'))
})

test('AG-002 AG-012 AG-014 AG-048 a push changes the artifacts that it affects, and no other', async () => {
  const world = await openGeneratorWorld()
  await world.push('app', monorepo)
  await world.generate('apps', specOf('web', 'api'))
  const [web, api] = [await world.output('web'), await world.output('api')]
  await world.clock.advance(minute)
  await world.push('app', { ...monorepo, 'apps/web/a.yaml': 'a: 2' }, { revision: 'main@sha1:2' })
  assert.deepEqual(await world.files('web'), { 'a.yaml': 'a: 2' })
  assert.notEqual((await world.output('web'))?.status?.artifact?.revision, web?.status?.artifact?.revision)
  assert.equal((await world.output('api'))?.metadata.resourceVersion, api?.metadata.resourceVersion)
  const { digest } = (await world.output('web'))!.status!.artifact!
  assert.ok(
    (await world.events('apps')).includes(`Normal Ready 1x: external artifacts reconciled: default/web (${digest})`),
  )
})

test('AG-003 Disabled suspends, in any case, and Enabled or no annotation resumes at once', async () => {
  const world = await openGeneratorWorld()
  await world.push('app', monorepo)
  const annotation = 'source.extensions.fluxcd.io/reconcile'
  await world.generate('apps', specOf('web'), { annotations: { [annotation]: 'disabled' } })
  assert.deepEqual(await world.conditions('apps'), [
    'Ready=True ReconciliationDisabled: Initialized with reconciliation suspended',
  ])
  assert.equal(await world.output('web'), undefined)
  assert.ok((await world.events('apps')).some(line => line.includes('ReconciliationDisabled')))
  await world.annotate('apps', { [annotation]: 'Enabled' })
  assert.deepEqual(await world.files('web'), { 'a.yaml': 'a: 1' })
  await world.annotate('apps', { [annotation]: 'Disabled' })
  await world.push('app', { 'apps/web/a.yaml': 'a: 2' }, { revision: 'main@sha1:2' })
  assert.deepEqual(await world.files('web'), { 'a.yaml': 'a: 1' })
  await world.annotate('apps', { [annotation]: null })
  assert.deepEqual(await world.files('web'), { 'a.yaml': 'a: 2' })
})

test('AG-007 with noCrossNamespaceRefs a source of another namespace is refused', async () => {
  const world = await openGeneratorWorld({ noCrossNamespaceRefs: true })
  await world.push('app', monorepo, { namespace: 'other' })
  await world.generate('apps', { ...specOf('web'), sources: [{ ...repo, namespace: 'other' }] })
  const message = 'cross-namespace reference to source GitRepository/other/app is not allowed'
  assert.deepEqual(await world.conditions('apps'), [
    `Ready=False AccessDenied: ${message}`,
    `Stalled=True AccessDenied: ${message}`,
  ])
})

test('AG-007 without it the source is used', async () => {
  const world = await openGeneratorWorld()
  await world.push('app', monorepo, { namespace: 'other' })
  await world.generate('apps', { ...specOf('web'), sources: [{ ...repo, namespace: 'other' }] })
  assert.deepEqual(await world.files('web'), { 'a.yaml': 'a: 1' })
})

test('AG-008 AG-044 a source that is missing, or has no artifact yet, is waited for', async () => {
  const world = await openGeneratorWorld()
  await world.generate('apps', specOf('web'))
  const missing = 'get sources failed: GitRepository.source.toolkit.fluxcd.io "app" not found'
  assert.deepEqual(await world.conditions('apps'), [
    `Ready=False SourceFetchFailed: ${missing}`,
    'Reconciling=True ProgressingWithRetry: Reconciliation in progress',
  ])
  const source = {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    ...{ kind: 'GitRepository', metadata: { name: 'app', namespace: 'default' } },
    spec: { url: 'https://git.example.com/app', interval: '10m' },
  }
  await world.hub.create(source, { fieldManager: 'author' })
  await world.advance(2 * minute)
  assert.match(
    (await world.conditions('apps'))[0]!,
    /SourceFetchFailed: get sources failed: source 'GitRepository\/default\/app' is not ready$/,
  )
  await world.push('app', monorepo)
  assert.deepEqual(await world.files('web'), { 'a.yaml': 'a: 1' })
})

test('AG-008 AG-009 a lost or damaged artifact of a source fails the pass, and its source fetches it again', async () => {
  const world = await openGeneratorWorld()
  const artifact = await world.push('app', monorepo)
  await world.platform.artifacts.delete(blobNameOf(artifact))
  await world.generate('apps', specOf('web'))
  assert.match((await world.conditions('apps'))[0]!, /SourceFetchFailed: fetch sources failed: artifact not found$/)
  assert.ok(world.waiting.some(({ message }) => message.ref.kind === 'ArtifactGenerator'))
  assert.notEqual(await world.platform.schedule.dueOf({ ...outputRef('app'), kind: 'GitRepository' }), undefined)
})

test('AG-012 AG-013 an artifact has the revision of a source, and names its origin', async () => {
  const world = await openGeneratorWorld()
  const metadata = { 'org.opencontainers.image.revision': 'main@sha1:origin' }
  await world.push('app', monorepo, { kind: 'OCIRepository', revision: 'v1@sha256:1', metadata })
  await world.push('app', monorepo, { revision: 'main@sha1:7' })
  const sources = [repo, { alias: 'oci', kind: 'OCIRepository', name: 'app' }]
  const [item] = specOf('web').artifacts
  await world.generate('apps', {
    sources,
    artifacts: [
      { ...item, revision: '@repo', originRevision: '@oci' },
      { ...item, name: 'api', originRevision: '@repo' },
    ],
  })
  const revisions = async (name: string) => {
    const { revision, metadata } = (await world.output(name))!.status!.artifact!
    return [revision, metadata]
  }
  assert.deepEqual(await revisions('web'), ['main@sha1:7', metadata])
  const { digest } = (await world.output('api'))!.status!.artifact!
  assert.deepEqual(await revisions('api'), [`latest@${digest}`, { 'org.opencontainers.image.revision': 'main@sha1:7' }])
})

test('AG-006 AG-044 a spec that is not valid stalls, until it is changed', async () => {
  const world = await openGeneratorWorld()
  await world.push('app', monorepo)
  await world.generate('apps', { ...specOf('web'), sources: [repo, repo] })
  const message = "duplicate source alias 'repo' found"
  assert.deepEqual(await world.conditions('apps'), [
    `Ready=False ValidationFailed: ${message}`,
    `Stalled=True ValidationFailed: ${message}`,
  ])
  await world.generate('apps', specOf('web'))
  assert.deepEqual(await world.conditions('apps'), [
    'Ready=True Succeeded: reconciliation succeeded, generated 1 artifact(s)',
  ])
})

test('AG-044 files that can not be put together fail the pass; other artifacts stay, and a push mends it', async () => {
  const world = await openGeneratorWorld()
  await world.push('app', monorepo)
  await world.generate('apps', specOf('web', 'none'))
  assert.deepEqual(await world.conditions('apps'), [
    "Ready=False BuildFailed: none build failed: failed to apply copy operations: failed to apply copy operation from '@repo/apps/none/**' to '@artifact/': no files match pattern 'apps/none/**' in source 'repo'",
    'Reconciling=True ProgressingWithRetry: Reconciliation in progress',
  ])
  assert.deepEqual(await world.files('web'), { 'a.yaml': 'a: 1' })
  await world.push('app', { ...monorepo, 'apps/none/c.yaml': 'c: 1' }, { revision: 'main@sha1:2' })
  assert.deepEqual(await world.files('none'), { 'c.yaml': 'c: 1' })
})

test('AG-036 common metadata is on all ExternalArtifacts; captures override it, and reserved labels both', async () => {
  const world = await openGeneratorWorld()
  await world.push('app', { 'apps/Web/a.yaml': 'a: 1' })
  const reserved = 'source.extensions.fluxcd.io/generator'
  await world.generate('apps', {
    sources: [repo],
    pathPattern: '@repo/apps/{app}',
    commonMetadata: { labels: { team: 'shop', app: 'common', [reserved]: 'mine' }, annotations: { note: 'yes' } },
    artifacts: [{ name: 'of-{app}', copy: [{ from: '@repo/apps/{app}/**', to: '@artifact/' }] }],
  })
  const { metadata } = (await world.output('of-web'))!
  assert.deepEqual(metadata.labels, {
    ...{ team: 'shop', app: 'web', 'app.kubernetes.io/managed-by': 'source-watcher' },
    [reserved]: (await world.get('apps'))?.metadata.uid,
  })
  assert.deepEqual(metadata.annotations, { note: 'yes' })
})

test('AG-033 AG-034 artifacts follow the directories of a pattern, but if none is left, all are kept', async () => {
  const world = await openGeneratorWorld()
  const spec = {
    sources: [repo],
    pathPattern: '@repo/apps/{app}',
    artifacts: [{ name: '{app}', copy: [{ from: '@repo/apps/{app}/**', to: '@artifact/' }] }],
  }
  await world.push('app', { 'README.md': 'text' })
  await world.generate('apps', spec)
  assert.match((await world.conditions('apps'))[0]!, /generated 0 artifact\(s\)$/)
  await world.push('app', monorepo, { revision: 'main@sha1:2' })
  assert.deepEqual([await world.files('web'), await world.files('api')], [{ 'a.yaml': 'a: 1' }, { 'b.yaml': 'b: 1' }])
  await world.push('app', { 'apps/web/a.yaml': 'a: 1' }, { revision: 'main@sha1:3' })
  assert.equal(await world.output('api'), undefined)
  assert.deepEqual(await world.blobs('externalartifact/default/api/'), [])
  await world.push('app', { 'README.md': 'text' }, { revision: 'main@sha1:4' })
  assert.match(
    (await world.conditions('apps'))[0]!,
    /^Ready=False BuildFailed: .* the 1 artifact\(s\) of an earlier revision are kept/,
  )
  assert.deepEqual(await world.files('web'), { 'a.yaml': 'a: 1' })
  await world.push('app', monorepo, { revision: 'main@sha1:5' })
  assert.match((await world.conditions('apps'))[0]!, /generated 2 artifact\(s\)$/)
})

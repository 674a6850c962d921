import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sample as bucketChange } from '../../../../events/bucket-change.ts'
import { sample as codeCommitPush } from '../../../../events/code-commit-push.ts'
import { sample as ecrPush } from '../../../../events/ecr-push.ts'
import { parseSourceEvent } from '../../../../events/source-event.ts'
import { announcedOf } from '../../../../lib/foundations/kinds/announced-version.ts'
import { requestedAtAnnotation, requestedByAnnotation } from '../../../../lib/foundations/kinds/flux.ts'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import type { Delayed, Message } from '../../../../lib/platform/ports/queue.ts'
import { reconcileBuckets } from '../../../../lib/signals/webhook/bucket-change.ts'
import { reconcileRepositories } from '../../../../lib/signals/webhook/repository-push.ts'
import { openWorld } from '../../reconcile/world.ts'

const author = { fieldManager: 'someone' }
const source = (kind: string, name: string, spec: object, namespace = 'default'): KubernetesObject => ({
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind,
  metadata: { name, namespace },
  spec: { interval: '1h', ...spec },
})
const kindOf = (kind: string) => ({ group: 'source.toolkit.fluxcd.io', kind })
const refOfSource = (kind: string, name: string, namespace = 'default'): ObjectRef => ({
  ...{ group: 'source.toolkit.fluxcd.io', kind, namespace, name },
})

const within = async (story: (world: Awaited<ReturnType<typeof openWorld>>) => Promise<void>) => {
  const world = await openWorld(() => [])
  try {
    await world.hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } }, author)
    await story(world)
  } finally {
    await world.close()
  }
}

test('parses events of EventBridge, and names the faults of others', () => {
  assert.equal(parseSourceEvent(ecrPush)?.type, 'registry')
  assert.deepEqual(parseSourceEvent(codeCommitPush), {
    type: 'git',
    address: 'git-codecommit.us-east-2.amazonaws.com/v1/repos/MyDemoRepo',
    version: 'refs/heads/myBranch',
    commit: '7f5b2640fe6fb4f46592dfd3410c4a79dac4f89e',
  })
  const { detail } = codeCommitPush
  assert.equal(parseSourceEvent({ ...codeCommitPush, detail: { ...detail, event: 'referenceDeleted' } }), undefined)
  assert.deepEqual(parseSourceEvent(bucketChange), {
    ...{ type: 'bucket', bucketName: 'amzn-s3-demo-bucket1', key: 'example-key' },
  })
  assert.throws(() => parseSourceEvent({ ...ecrPush, source: 'aws.ec2' }), /source is "aws.ec2"/)
  assert.throws(() => parseSourceEvent({ ...bucketChange, detail: {} }), /bucket is not an object/)
})

test('a push to CodeCommit reconciles the GitRepositories that follow the branch, in all namespaces and with any form of the address', () =>
  within(async world => {
    const https = 'https://git-codecommit.us-east-2.amazonaws.com/v1/repos/MyDemoRepo'
    const ref = { branch: 'myBranch' }
    const repositories = [
      source('GitRepository', 'https', { url: https, ref }),
      source('GitRepository', 'ssh', {
        url: 'ssh://APKA@git-codecommit.us-east-2.amazonaws.com/v1/repos/MyDemoRepo',
        ref,
      }),
      source('GitRepository', 'https', { url: https, ref }, 'other'),
      source('GitRepository', 'other-branch', { url: https, ref: { branch: 'main' } }),
      source('GitRepository', 'other-region', { url: https.replace('us-east-2', 'us-east-1'), ref }),
      source('GitRepository', 'suspended', { url: https, ref, suspend: true }),
    ]
    for (const repository of repositories) await world.hub.create(repository, author)
    const push = parseSourceEvent(codeCommitPush)
    assert.ok(push?.type === 'git')
    assert.equal(await reconcileRepositories(world.ports, push), 3)
    const { items } = await world.hub.list<KubernetesObject>(kindOf('GitRepository'))
    const asked = items.filter(({ metadata }) => metadata.annotations?.[requestedAtAnnotation])
    assert.deepEqual(
      asked.map(object => [object.metadata.namespace, object.metadata.name, announcedOf(object)?.to]),
      [
        ['default', 'https', push.commit],
        ['default', 'ssh', push.commit],
        ['other', 'https', push.commit],
      ],
    )
  }))

test('a push that the hub has made itself names who made it, stays in a namespace where that is wanted, and leaves alone what has the commit', () =>
  within(async world => {
    const spec = { url: 'https://git.example.com/fleet', ref: { branch: 'main' } }
    const names = ['behind', 'new', 'current']
    for (const name of names) await world.hub.create(source('GitRepository', name, spec), author)
    await world.hub.create(source('GitRepository', 'behind', spec, 'other'), author)
    const push = { address: spec.url, version: 'refs/heads/main', commit: 'b'.repeat(40) }
    const artifactOf = (commit: string) => ({
      ...{ path: 'a', url: 'http://hub/a', digest: `sha256:${'0'.repeat(64)}`, lastUpdateTime: '2026-01-01T00:00:00Z' },
      revision: `main@sha1:${commit}`,
    })
    const isAt = (name: string, commit: string) =>
      world.hub.patch(
        refOfSource('GitRepository', name),
        { type: 'merge', patch: { status: { artifact: artifactOf(commit) } } },
        { fieldManager: 'test', subresource: 'status' },
      )
    await isAt('behind', 'a'.repeat(40))
    await isAt('current', push.commit)
    const user = 'ImageUpdateAutomation default/auto'
    assert.equal(await reconcileRepositories(world.ports, push, { user, namespace: 'default' }), 2)
    const { items } = await world.hub.list<KubernetesObject>(kindOf('GitRepository'))
    assert.deepEqual(
      items.map(({ metadata: { namespace, name, annotations = {} } }) => [
        namespace,
        name,
        annotations[requestedByAnnotation],
      ]),
      [
        ['default', 'behind', user],
        ['default', 'current', undefined],
        ['default', 'new', user],
        ['other', 'behind', undefined],
      ],
    )
    assert.equal(await reconcileRepositories(world.ports, push, { user }), 3)
  }))

test('a change in S3 makes the Buckets due that read it, once for many changes, and writes nothing into them', () =>
  within(async world => {
    const { hub, platform, ports, advance } = world
    const read = { bucketName: 'amzn-s3-demo-bucket1', endpoint: 's3.ca-central-1.amazonaws.com' }
    for (const [name, spec] of Object.entries({
      reads: read,
      global: { ...read, endpoint: 's3.amazonaws.com', prefix: 'example' },
      elsewhere: { ...read, prefix: 'charts/' },
      minio: { ...read, endpoint: 'minio.example.com' },
      another: { ...read, bucketName: 'amzn-s3-demo-bucket2' },
      suspended: { ...read, suspend: true },
    }))
      await hub.create(source('Bucket', name, spec), author)
    const names = ['reads', 'global', 'elsewhere', 'minio', 'another', 'suspended']
    for (const name of names) await platform.schedule.setDue(refOfSource('Bucket', name), undefined)
    const before = (await hub.list(kindOf('Bucket'))).resourceVersion
    const sent: Delayed<Message>[] = []
    const queue = { send: async (messages: readonly Delayed<Message>[]) => void sent.push(...messages) }
    const change = parseSourceEvent(bucketChange)
    assert.ok(change?.type === 'bucket')
    const tell = () => reconcileBuckets({ ...ports, queue }, change)

    assert.equal(await tell(), 2)
    const due = sent[0]!.dueAt!
    assert.ok(due >= ports.clock.now() + 2000 && due < ports.clock.now() + 12_000, `${due - ports.clock.now()}`)
    for (const name of ['reads', 'global'])
      assert.equal(await platform.schedule.dueOf(refOfSource('Bucket', name)), due)
    for (const name of ['elsewhere', 'minio', 'another', 'suspended'])
      assert.equal(await platform.schedule.dueOf(refOfSource('Bucket', name)), undefined, name)
    await tell()
    assert.deepEqual([...new Set(sent.map(({ dueAt }) => dueAt))], [due], 'what changes soon after is of the same pass')
    await advance(10_000)
    await tell()
    assert.deepEqual([...new Set(sent.map(({ dueAt }) => dueAt))], [due, due + 10_000])
    assert.equal((await hub.list(kindOf('Bucket'))).resourceVersion, before)
  }))

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClusterClient, ClusterError } from '../../../../lib/clusters/client/client.ts'
import type { Impersonation } from '../../../../lib/clusters/client/kubeconfig.ts'
import { adler32 } from '../../../../lib/engines/resource-set/adler32.ts'
import type { InputProviderSpec } from '../../../../lib/foundations/kinds/resource-set-input-provider.ts'
import { type JsonReply, type JsonRequest, jsonServer, page } from '../../../bed/json-server.ts'
import { author, configMap, onStage, providerRef, type Scene } from '../resource-set/scene.ts'
import { shown } from '../world.ts'

const conditions = async (scene: Scene) =>
  shown(await scene.provider('p')).map(line => line.replace(/(?<=finished in )\S+$/, '...'))
const exported = async (scene: Scene) => (await scene.provider('p'))?.status?.exportedInputs
const events = async (scene: Scene) => {
  const lines = await scene.eventsOf(providerRef('p'))
  return lines.map(line => line.replace(/(?<=finished in )\S+,/, '...,').replace(/[0-9a-f]{64}/, '...')).sort()
}
const annotate = (scene: Scene, annotations: object) => scene.change(providerRef('p'), { metadata: { annotations } })
const ready = 'Ready=True ReconciliationSucceeded: Reconciliation finished in ...'
const idOf = (name: string) => String(adler32(name))

test('RS-138 RS-150 a Static provider exports its default values with an id of its own', () =>
  onStage({}, async scene => {
    await scene.provide('p', { type: 'Static', defaultValues: { a: '1', b: { c: [1] } } })
    const { metadata, status } = (await scene.provider('p'))!
    assert.deepEqual(status!.exportedInputs, [{ a: '1', b: { c: [1] }, id: idOf(metadata.uid!) }])
    assert.match(status!.lastExportedRevision!, /^sha256:[0-9a-f]{64}$/)
    assert.deepEqual(metadata.finalizers, ['fluxcd.controlplane.io/finalizer'])
    assert.deepEqual(await conditions(scene), [ready])
    assert.deepEqual(await events(scene), [
      'Normal ReconciliationSucceeded 1x: Reconciliation finished in ..., revision sha256:...',
    ])
    await annotate(scene, { 'fluxcd.controlplane.io/reconcile': 'disabled' })
    assert.ok((await events(scene)).includes('Warning ReconciliationDisabled 1x: Reconciliation is disabled'))
    await scene.hub.delete(providerRef('p'), {})
    await scene.settle()
    assert.equal(await scene.provider('p'), undefined)
  }))

test('RS-008 RS-011 RS-012 RS-015 a ResourceSet follows the providers of its namespace that it names or selects', () =>
  onStage({}, async scene => {
    const provide = (name: string, labels: object, value: string) =>
      scene.provide(name, { type: 'Static', defaultValues: { name: value } }, { labels })
    await provide('a', { env: 'dev' }, 'a')
    await provide('b', { env: 'prod', team: 'x' }, 'b')
    await provide('c', { env: 'test' }, 'c')
    const matchExpressions = [
      { key: 'env', operator: 'In', values: ['prod', 'test'] },
      { key: 'env', operator: 'NotIn', values: ['dev'] },
      { key: 'team', operator: 'DoesNotExist' },
      { key: 'env', operator: 'Exists' },
    ]
    const resources = [configMap('cm-<< inputs.name >>')]
    await scene.apply({
      inputsFrom: [{ name: 'a' }, { selector: { matchLabels: { team: 'x' } } }, { selector: { matchExpressions } }],
      resources,
    })
    const names = async () => Object.keys(await scene.data())
    assert.deepEqual(await names(), ['cm-a', 'cm-b', 'cm-c'])
    await scene.change(providerRef('a'), { spec: { defaultValues: { name: 'a2' } } })
    assert.deepEqual(await names(), ['cm-a2', 'cm-b', 'cm-c'])
    await scene.change(providerRef('c'), { metadata: { labels: { env: 'dev' } } })
    assert.deepEqual(await names(), ['cm-a2', 'cm-b'])
    await provide('d', { env: 'other', team: 'x' }, 'd')
    assert.deepEqual(await names(), ['cm-a2', 'cm-b', 'cm-d'])
  }))

test('RS-010 RS-014 a provider that is named and missing stalls its ResourceSet, until it appears; nothing is collected', () =>
  onStage({}, async scene => {
    await scene.apply({ inputsFrom: [{ name: 'p' }], resources: [configMap('cm-<< inputs.name >>')] })
    assert.deepEqual(
      (await scene.conditions())[0],
      [
        'Stalled=True BuildFailed: failed to compute inputs: failed to get provider default/p: ResourceSetInputProvider.fluxcd.controlplane.io "p" not found',
      ][0],
    )
    await scene.provide('p', { type: 'Static', defaultValues: { name: 'p' } })
    assert.deepEqual([await scene.conditions(), Object.keys(await scene.data())], [[ready], ['cm-p']])
    await scene.hub.delete(providerRef('p'), {})
    await scene.settle()
    assert.deepEqual(Object.keys(await scene.data()), ['cm-p'])
  }))

const gitea = async (pulls: readonly object[], names: readonly string[] = []) => {
  const refs = names.map(name => ({ name, commit: { id: `sha-${name}`, sha: `sha-${name}` } }))
  const lists = new Map<string, () => readonly object[]>([
    ['branches', () => refs],
    ['tags', () => refs],
    ['pulls', () => pulls],
  ])
  const server = await jsonServer((request: JsonRequest) => {
    const [, list = ''] = /^\/api\/v1\/repos\/org\/app\/(\w+)$/.exec(request.path) ?? []
    const items = lists.get(list)?.()
    return items && page(request, items, 50, server.url)
  })
  return server
}

const pull = (number: number, labels: readonly string[], branch = `feat/${number}`) => ({
  number,
  title: `T${number}`,
  user: { login: 'u' },
  head: { ref: branch, sha: `sha-${number}` },
  labels: labels.map(name => ({ name })),
})

const export_ = async (spec: InputProviderSpec): Promise<readonly unknown[]> => {
  let found: readonly unknown[] = []
  await onStage({}, async scene => {
    await scene.provide('p', spec)
    assert.deepEqual(await conditions(scene), [ready])
    found = (await exported(scene))!
  })
  return found
}

test('RS-139 RS-144 RS-146 branches are exported by name, over the default values', async () => {
  const { url } = await gitea([], ['main', 'feat/a', 'feat/b', 'feat/not-this'])
  const spec: InputProviderSpec = { type: 'GiteaBranch', url: `${url}/org/app` }
  const filter = { includeBranch: '^feat/.*', excludeBranch: '^feat/not-this$' }
  assert.deepEqual(await export_({ ...spec, filter, defaultValues: { env: 'dev', sha: 'none' } }), [
    { env: 'dev', id: idOf('feat/a'), branch: 'feat/a', sha: 'sha-feat/a' },
    { env: 'dev', id: idOf('feat/b'), branch: 'feat/b', sha: 'sha-feat/b' },
  ])
  assert.equal((await export_({ ...spec, filter: { limit: 2 } })).length, 2)
})

test('RS-144 tags are chosen by name and range, the newest first', async () => {
  const { url } = await gitea([], ['v1.0.0', 'v1.10.0', 'v1.2.0', 'v2.0.0-rc.1', 'latest', 'v0.9.0'])
  const tags = async (filter: InputProviderSpec['filter']) =>
    (await export_({ type: 'GiteaTag', url: `${url}/org/app`, ...(filter && { filter }) })).map(
      set => (set as { tag: string }).tag,
    )
  assert.deepEqual(await tags({ semver: '>=1.0.0' }), ['v1.10.0', 'v1.2.0', 'v1.0.0'])
  assert.deepEqual(await tags({ semver: '*', limit: 1 }), ['v1.10.0'])
  assert.deepEqual(await tags({ includeTag: '^v1', excludeTag: '10' }), ['v1.0.0', 'v1.2.0'])
})

test('RS-143 RS-144 RS-145 change requests are chosen by labels; one that is skipped keeps the inputs it has', async () => {
  const pulls = [pull(3, ['preview']), pull(2, ['preview', 'ready']), pull(1, ['other'])]
  const { url } = await gitea(pulls)
  await onStage({}, async scene => {
    await scene.provide('p', {
      type: 'GiteaPullRequest',
      url: `${url}/org/app`,
      filter: { labels: ['preview'] },
      skip: { labels: ['pause', '!ready'] },
    })
    const two = { id: '2', sha: 'sha-2', branch: 'feat/2', author: 'u', title: 'T2' }
    assert.deepEqual(await exported(scene), [two])
    pulls.splice(0, 2, pull(3, ['preview', 'ready']), { ...pull(2, ['preview', 'ready', 'pause']), title: 'changed' })
    await scene.advance(12 * 60_000)
    assert.deepEqual(await exported(scene), [
      { id: '3', sha: 'sha-3', branch: 'feat/3', author: 'u', title: 'T3' },
      two,
    ])
  })
})

test('RS-148 RS-149 what fails is told and tried again, and what was exported stays', async () => {
  const { url } = await gitea([], ['main'])
  await onStage({}, async scene => {
    await scene.provide('p', { type: 'GiteaBranch', url: `${url}/org/app` })
    await scene.change(providerRef('p'), { spec: { secretRef: { name: 'creds' } } })
    assert.deepEqual(await conditions(scene), [
      `Ready=False ReconciliationFailed: reconciliation failed: failed to get secret 'default/creds': secrets "creds" not found`,
    ])
    assert.equal((await exported(scene))!.length, 1)
    const password = Buffer.from('token').toString('base64')
    await scene.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'creds', namespace: 'default', labels: { 'reconcile.fluxcd.io/watch': 'Enabled' } },
      data: { password },
    })
    assert.deepEqual(await conditions(scene), [ready])
    await scene.change(providerRef('p'), { spec: { filter: { includeBranch: '(' } } })
    assert.match((await conditions(scene))[0]!, /spec.filter.includeBranch: invalid regular expression '\('/)
  })
})

test('RS-141 an external service is asked with its credentials, up to the limit', async () => {
  const server = await jsonServer(() => ({ json: { inputs: [{ id: '1', a: 1 }, { id: '2' }, { id: '3' }] } }))
  assert.deepEqual(
    await export_({ type: 'ExternalService', url: `${server.url}/inputs`, insecure: true, filter: { limit: 2 } }),
    [{ id: '1', a: 1 }, { id: '2' }],
  )
})

const artifact = (name: string, labels: object, revision?: string) => ({
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'ExternalArtifact',
  metadata: { name, namespace: 'default', labels },
  spec: {},
  ...(revision && { revision }),
})

test('RS-142 ExternalArtifacts are exported with revision and labels', () =>
  onStage({}, async scene => {
    for (const name of ['a', 'b', 'c']) await scene.create(artifact(name, { team: name === 'c' ? 'y' : 'x' }))
    const ref = { ...providerRef('a'), group: 'source.toolkit.fluxcd.io', kind: 'ExternalArtifact' }
    const status = {
      artifact: {
        digest: `sha256:${'0'.repeat(64)}`,
        lastUpdateTime: '2026-01-01T00:00:00Z',
        path: 'a',
        revision: 'sha256:abc',
        url: 'http://x/a',
      },
    }
    await scene.hub.patch(ref, { type: 'merge', patch: { status } }, { subresource: 'status', ...author })
    await scene.provide('p', {
      type: 'ExternalArtifact',
      selectors: [{ matchLabels: { team: 'x' } }, { name: 'c' }, { name: 'a' }],
    })
    assert.deepEqual(await exported(scene), [
      { team: 'x', id: idOf('default/a'), name: 'a', namespace: 'default', revision: 'sha256:abc' },
      { team: 'x', id: idOf('default/b'), name: 'b', namespace: 'default' },
      { team: 'y', id: idOf('default/c'), name: 'c', namespace: 'default' },
    ])
  }))

test('RS-142 ExternalArtifacts of other namespaces are selected as the account that acts; refusals fail, so that nothing is collected', () => {
  const seenBy: (string | undefined)[] = []
  const cluster = (hub: ClusterClient, impersonate?: Impersonation): ClusterClient => ({
    ...hub,
    list: async (query, options) => {
      seenBy.push(impersonate?.user)
      if (impersonate?.user.endsWith(':stranger')) throw new ClusterError('forbidden', 'stranger may not list')
      return hub.list(query, options)
    },
  })
  return onStage({ cluster, providerSettings: { defaultServiceAccount: 'default' } }, async scene => {
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } })
    await scene.create(artifact('a', {}))
    await scene.create({ ...artifact('b', {}), metadata: { name: 'b', namespace: 'other' } })
    const names = async () => (await exported(scene))?.map(({ name }) => name)
    const type = 'ExternalArtifact'
    await scene.provide('p', { type, selectors: [{}] })
    assert.deepEqual([await names(), seenBy.splice(0)], [['a'], [undefined]])
    await scene.change(providerRef('p'), { spec: { selectors: [{ namespace: '*' }] } })
    assert.deepEqual([await names(), seenBy.splice(0)], [['a', 'b'], ['system:serviceaccount:default:default']])
    await scene.change(providerRef('p'), { spec: { serviceAccountName: 'stranger' } })
    assert.match((await conditions(scene)).join(), /ReconciliationFailed: .*stranger may not list/)
    assert.deepEqual(await names(), ['a', 'b'])
  })
})

test('ExternalArtifacts of other namespaces are out of reach where the operator forbids references to them', () =>
  onStage({ providerSettings: { noCrossNamespaceRefs: true } }, async scene => {
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } })
    await scene.create(artifact('a', {}))
    await scene.create({ ...artifact('b', {}), metadata: { name: 'b', namespace: 'other' } })
    await scene.provide('p', { type: 'ExternalArtifact', selectors: [{ namespace: 'default' }] })
    assert.deepEqual(
      (await exported(scene))?.map(({ name }) => name),
      ['a'],
    )
    for (const [selector, reference] of [
      [{ namespace: '*' }, '*/*'],
      [{ namespace: 'other', name: 'b' }, 'other/b'],
    ] as const) {
      await scene.change(providerRef('p'), { spec: { selectors: [selector] } })
      assert.match(
        (await conditions(scene))[0]!,
        new RegExp(
          `^Stalled=True AccessDenied: .*can't access 'ExternalArtifact/${reference.replaceAll('*', '\\*')}', cross-namespace references have been blocked$`,
        ),
      )
    }
  }))

test('Clusters: one ResourceSet puts a Kustomization on every cluster that the hub has a kubeconfig for', () =>
  onStage({}, async scene => {
    const cluster = (name: string, env: string) =>
      scene.create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: 'default', labels: { env, 'reconcile.fluxcd.io/watch': 'Enabled' } },
        data: { value: Buffer.from('apiVersion: v1').toString('base64') },
      })
    await cluster('one', 'prod')
    await cluster('two', 'dev')
    await scene.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'other', namespace: 'default', labels: { env: 'prod' } },
    })
    await scene.provide('p', { type: 'Clusters', selectors: [{ matchLabels: { env: 'prod' } }] })
    const kustomization = {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name: 'apps-<< inputs.name >>', namespace: '<< inputs.namespace >>' },
      spec: {
        interval: '10m',
        prune: true,
        sourceRef: { kind: 'GitRepository', name: 'fleet' },
        kubeConfig: { secretRef: { name: '<< inputs.name >>', key: '<< inputs.key >>' } },
      },
    }
    await scene.apply({ inputsFrom: [{ name: 'p' }], resources: [kustomization] })
    assert.deepEqual(await scene.inventory(), ['default_apps-one_kustomize.toolkit.fluxcd.io_Kustomization'])
    await cluster('three', 'prod')
    await scene.advance(1_000)
    assert.deepEqual(await scene.inventory(), [
      'default_apps-one_kustomize.toolkit.fluxcd.io_Kustomization',
      'default_apps-three_kustomize.toolkit.fluxcd.io_Kustomization',
    ])
    const sets = JSON.stringify(await exported(scene))
    assert.doesNotMatch(sets, /apiVersion: v1|YXBpVm/, 'nothing of a kubeconfig is exported')
    await scene.change(providerRef('p'), { spec: { selectors: [{ namespace: 'kube-system' }] } })
    assert.match((await conditions(scene))[0]!, /clusters are looked for in the provider's own namespace only/)
  }))

test('RS-147 RS-149 a schedule that is none stalls', () =>
  onStage({}, async scene => {
    await scene.provide('p', { type: 'Static', schedule: [{ cron: 'not cron' }] })
    const message =
      "Reconciliation failed terminally due to configuration error: failed to validate schedule[0]: failed to parse cron spec 'not cron' with timezone 'UTC': expected exactly 5 fields, found 2: [not cron]"
    assert.deepEqual(await conditions(scene), [
      `Stalled=True InvalidSchedule: ${message}`,
      `Ready=False InvalidSchedule: ${message}`,
    ])
  }))

test('RS-147 looks within its window only, unless it is forced, and says when it looks next', () =>
  onStage({}, async scene => {
    const start = new Date(scene.clock.now())
    const hour = (start.getUTCHours() + 2) % 24
    const schedule = [{ cron: `0 ${hour} * * *`, timeZone: 'UTC', window: '1h' }]
    await scene.provide('p', { type: 'Static', defaultValues: { a: 1 }, schedule })
    assert.deepEqual([await conditions(scene), await exported(scene)], [[], undefined])
    const when = (await scene.provider('p'))!.status!.nextSchedule!.when
    assert.equal(new Date(when).getUTCHours(), hour)
    assert.match(
      (await events(scene))[0]!,
      /^Normal SkippedDueToSchedule 1x: Reconciliation skipped due to schedule, next run at /,
    )

    await annotate(scene, { 'reconcile.fluxcd.io/requestedAt': 'a' })
    assert.equal(await exported(scene), undefined)
    await annotate(scene, { 'reconcile.fluxcd.io/requestedAt': 'b', 'reconcile.fluxcd.io/forceAt': 'b' })
    assert.equal((await exported(scene))!.length, 1)
    assert.equal((await scene.provider('p'))!.status!.lastHandledForceAt, 'b')

    await scene.advance(Date.parse(when) - scene.clock.now() + 60_000)
    const { status } = (await scene.provider('p'))!
    assert.equal(status!.nextSchedule, undefined, 'its window is open')
    assert.deepEqual(await conditions(scene), [ready])
  }))

test('RS-147 without a window looks at the moment of the schedule, and whenever it is asked', () =>
  onStage({}, async scene => {
    await scene.provide('p', { type: 'Static', defaultValues: { a: 1 }, schedule: [{ cron: '@hourly' }] })
    assert.equal((await exported(scene))!.length, 1)
    const when = Date.parse((await scene.provider('p'))!.status!.nextSchedule!.when)
    assert.ok(when > scene.clock.now() && when - scene.clock.now() <= 3_600_000 && when % 3_600_000 === 0)
  }))

const digestOf = (tag: string) => `sha256:${tag.replace(/\D/g, '').padEnd(64, '0')}`

/** A registry with these tags, which asks for a password if one is given. */
const registry = (tags: readonly string[], password?: string) =>
  jsonServer(({ path, headers }): JsonReply | undefined => {
    const [, known] = Buffer.from(headers.authorization?.split(' ')[1] ?? '', 'base64')
      .toString()
      .split(':')
    if (password !== undefined && known !== password)
      return { status: 401, headers: { 'www-authenticate': 'Basic realm="registry"' }, json: {} }
    if (path === '/v2/' || path === '/v2') return { json: {} }
    if (path === '/v2/acme/app/tags/list') return { json: { name: 'acme/app', tags } }
    const tag = path.match(/^\/v2\/acme\/app\/manifests\/(.+)$/)?.[1]
    if (!tag) return undefined
    const manifest = 'application/vnd.oci.image.manifest.v1+json'
    return { headers: { 'docker-content-digest': digestOf(tag), 'content-type': manifest }, text: '{}' }
  })

const tagged = (tag: string) => ({ id: idOf(tag), tag, digest: digestOf(tag) })

test('RS-140 tags of a registry are exported with their digests, the newest of a range first', async () => {
  const server = await registry(['1.0.0', 'latest', '1.2.0', '1.1.0', '2.0.0'])
  const url = `${server.url.replace('http', 'oci')}/acme/app`
  await onStage({}, async scene => {
    const filter = { semver: '1.x', limit: 2 }
    await scene.provide('p', { type: 'OCIArtifactTag', url, insecure: true, filter, defaultValues: { team: 'x' } })
    assert.deepEqual(await exported(scene), [
      { ...tagged('1.2.0'), team: 'x' },
      { ...tagged('1.1.0'), team: 'x' },
    ])
    assert.deepEqual(await conditions(scene), [ready])
  })
})

for (const [type, cloud] of [
  ['ECRArtifactTag', 'aws'],
  ['ACRArtifactTag', 'azure'],
  ['GARArtifactTag', 'gcp'],
] as const)
  test(`RS-140 ${type} logs in as the identity of the platform`, async () => {
    const server = await registry(['1.0.0'], 'of the cloud')
    const host = server.url.replace('http://', '')
    const asked: string[] = []
    const cloudLogin = async (provider: string, registry: string) => {
      asked.push(`${provider} ${registry}`)
      return { username: 'someone', password: 'of the cloud' }
    }
    await onStage({ cloudLogin, plainRegistries: true }, async scene => {
      await scene.provide('p', { type, url: `oci://${host}/acme/app` })
      assert.deepEqual(await exported(scene), [tagged('1.0.0')])
      assert.deepEqual(asked, [`${cloud} ${host}`])
    })
  })

test('RS-140 the Secret of a registry gives the password', async () => {
  const server = await registry(['1.0.0'], 'of the Secret')
  const host = server.url.replace('http://', '')
  await onStage({}, async scene => {
    const config = { auths: { [host]: { username: 'someone', password: 'of the Secret' } } }
    await scene.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'pull', namespace: 'default' },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from(JSON.stringify(config)).toString('base64') },
    })
    const url = `oci://${host}/acme/app`
    await scene.provide('p', { type: 'OCIArtifactTag', url, insecure: true, secretRef: { name: 'pull' } })
    assert.deepEqual(await exported(scene), [tagged('1.0.0')])
  })
})

const roleCredentials = `<r><AccessKeyId>ASIATENANT</AccessKeyId><SecretAccessKey>s</SecretAccessKey>
  <SessionToken>t</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration></r>`

test('RS-139 RS-144 RS-148 CodeCommit is read as the hub itself, or as the role of a ServiceAccount where that is allowed', async () => {
  const server = await jsonServer(({ headers, body }) => {
    if (body.startsWith('Action=AssumeRole')) return { text: roleCredentials }
    const isList = String(headers['x-amz-target']).endsWith('ListBranches')
    return {
      json: isList ? { branches: ['feat/a', 'main'] } : { branch: { commitId: `sha-${JSON.parse(body).branchName}` } },
    }
  })
  const url = 'https://git-codecommit.eu-west-1.amazonaws.com/v1/repos/app'
  const spec = { type: 'AWSCodeCommitBranch', url, filter: { excludeBranch: '^main$' } } as const
  const set = { id: idOf('feat/a'), branch: 'feat/a', sha: 'sha-feat/a' }
  const role = 'arn:aws:iam::123456789012:role/reader'
  const askedAs = () => [
    ...new Set(
      server.requests.flatMap(({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1] ?? []),
    ),
  ]
  await onStage({ awsEndpoint: server.url }, async scene => {
    await scene.provide('p', { ...spec, defaultValues: { env: 'dev' } })
    assert.deepEqual(await exported(scene), [{ env: 'dev', ...set }])
    assert.deepEqual(askedAs(), ['AKIDEXAMPLE'])
    await scene.change(providerRef('p'), { spec: { serviceAccountName: 'reader' } })
    assert.match((await conditions(scene))[0]!, /^Stalled=True FeatureGateDisabled: .*ObjectLevelWorkloadIdentity/)
    await assert.rejects(
      scene.provide('q', { type: 'AWSCodeCommitTag', url: url.replace('https', 'http') }),
      /spec.url must start with 'https:\/\/' when spec.type is a AWSCodeCommit provider/,
    )
  })
  await onStage({ awsEndpoint: server.url, objectLevelWorkloadIdentity: true }, async scene => {
    const annotations = { 'eks.amazonaws.com/role-arn': role }
    await scene.create({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'reader', namespace: 'default', annotations },
    })
    await scene.provide('p', { ...spec, serviceAccountName: 'reader' })
    assert.deepEqual(await exported(scene), [set])
    const taken = new URLSearchParams(server.requests.find(({ body }) => body.startsWith('Action='))!.body)
    assert.equal(taken.get('RoleArn'), role)
    assert.equal(taken.get('ExternalId'), 'system:serviceaccount:default:reader')
    assert.deepEqual(askedAs(), ['AKIDEXAMPLE', 'ASIATENANT'])
  })
})

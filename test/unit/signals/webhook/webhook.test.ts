import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestedAtAnnotation } from '../../../../lib/foundations/kinds/flux.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { Receiver } from '../../../../lib/foundations/kinds/receiver.ts'
import type { Hub } from '../../../../lib/hub/store/hub.ts'
import { webhookPathOf } from '../../../../lib/signals/webhook/webhook-path.ts'
import { shown } from '../../reconcile/world.ts'
import { appRef, author, receiverRef, repository, secret, signed, token, within } from './receiver-scene.ts'

const receiverOf = async (hub: Pick<Hub, 'get'>): Promise<Receiver> => (await hub.get<Receiver>(receiverRef))!

const github = (body = '{}', event = 'push') => ({
  'X-GitHub-Event': event,
  'X-Hub-Signature-256': signed(body),
})

test('listens at a path of the form that Flux has', () =>
  within({}, async ({ hub, eventsOf, path }) => {
    assert.match(path, /^\/hook\/[0-9a-f]{64}$/)
    assert.deepEqual(shown(await hub.get(receiverRef)), [
      `Ready=True Succeeded: Receiver initialized for path: ${path}`,
    ])
    assert.deepEqual(await eventsOf(receiverRef), ['Normal Succeeded 1x: Reconciliation finished, next run in 10m0s'])
  }))

test('asks the named objects to reconcile when GitHub pushes', () =>
  within({ events: ['Push', 'ping'] }, async ({ send }) => {
    assert.equal(await send({ headers: github() }), '200 app')
  }))

test('refuses what is not signed with the token, and says nothing of it to objects', () =>
  within({}, async ({ send }) => {
    assert.equal(await send({}), '400')
    assert.equal(await send({ headers: github(), body: '{"ref":"forged"}' }), '400')
    assert.equal(await send({ headers: { 'X-Hub-Signature-256': signed('{}', 'sha256', 'guess') } }), '400')
    assert.equal(await send({ headers: { 'X-Hub-Signature-256': 'sha256=' } }), '400')
    assert.equal(await send({ headers: { 'X-Hub-Signature-256': signed('{}', 'sha1') } }), '400')
  }))

test('refuses events that are not asked for, and answers a ping without doing anything', () =>
  within({ events: ['push'] }, async ({ send }) => {
    assert.equal(await send({ headers: github('{}', 'issues') }), '400')
    assert.equal(await send({ headers: github('{}', 'ping') }), '200')
  }))

test('takes any of the generic signatures', () =>
  within({ type: 'generic-hmac' }, async ({ send }) => {
    assert.equal(await send({ headers: { 'X-Signature': signed('{}', 'md5') } }), '400')
    for (const algorithm of ['sha1', 'sha256', 'sha512']) {
      assert.equal(await send({ headers: { 'X-Signature': signed('{}', algorithm) } }), '200 app')
    }
  }))

test('asks all objects with the labels, in other namespaces too unless that is forbidden', async () => {
  const resources = [
    { kind: 'GitRepository', name: '*', matchLabels: { team: 'a' } },
    { kind: 'GitRepository', name: 'far', namespace: 'other' },
  ]
  await within({ resources }, async ({ send }) => assert.equal(await send({ headers: github() }), '200 labelled far'))
  await within({ resources }, async ({ send }) => assert.equal(await send({ headers: github() }), '500 labelled'), {
    noCrossNamespaceRefs: true,
  })
})

test('tells when an object is missing, after asking the others', () =>
  within(
    {
      resources: [
        { kind: 'GitRepository', name: 'gone' },
        { kind: 'GitRepository', name: 'app' },
      ],
    },
    async ({ send }) => assert.equal(await send({ headers: github() }), '500 app'),
  ))

test('knows no other paths, refuses huge bodies, and rests while suspended', () =>
  within({}, async ({ send, hub }) => {
    assert.equal(await send({ path: '/hook/0000' }), '404')
    assert.equal(await send({ headers: github(), body: 'x'.repeat(3 * 1024 * 1024 + 1) }), '413')
    await hub.patch(receiverRef, { type: 'merge', patch: { spec: { suspend: true } } }, author)
    assert.equal(await send({ headers: github() }), '503')
  }))

test('moves to another path with another token, and is not ready without one', () =>
  within({}, async ({ hub, settle, advance, path, send }) => {
    const secretRef = { group: '', kind: 'Secret', namespace: 'default', name: 'token' }
    const labels = { 'reconcile.fluxcd.io/watch': 'Enabled' }
    const { data } = secret('another')
    await hub.patch(secretRef, { type: 'merge', patch: { metadata: { labels }, data } }, author)
    await advance(1_000)
    const moved = (await hub.get<Receiver>(receiverRef))?.status?.webhookPath
    assert.notEqual(moved, path)
    assert.equal(await send({ headers: github() }), '404')

    await hub.delete(secretRef, {})
    await settle()
    await advance(1_000)
    const stored = await hub.get<Receiver>(receiverRef)
    assert.equal(stored?.status?.webhookPath, undefined)
    assert.deepEqual(shown(stored), [
      'Reconciling=True ProgressingWithRetry: Reconciliation in progress',
      `Ready=False TokenNotFound: unable to read token from secret 'default/token' error: Secret "token" not found`,
    ])
  }))

test('a Receiver whose status claims the path of another one gets none of its calls', async () => {
  await within({}, async ({ hub, path, send, settle }) => {
    const forged = { apiVersion: 'notification.toolkit.fluxcd.io/v1', kind: 'Receiver' }
    const spec = { type: 'generic', secretRef: { name: 'own' }, resources: [{ kind: 'GitRepository', name: 'far' }] }
    await hub.create({ ...secret('own'), metadata: { name: 'own', namespace: 'other' } }, author)
    await hub.create({ ...forged, metadata: { name: 'a', namespace: 'other' }, spec } as KubernetesObject, author)
    await settle()
    const ref = { ...receiverRef, namespace: 'other', name: 'a' }
    await hub.patch(
      ref,
      { type: 'merge', patch: { status: { webhookPath: path } } },
      { ...author, subresource: 'status' },
    )
    assert.equal(await send({ headers: github() }), '200 app')
  })
})

test('a path has a random part, however weak the token, and a new Receiver of the name another one', () =>
  within({}, async ({ hub, path, settle }) => {
    const first = await receiverOf(hub)
    assert.notEqual(path, webhookPathOf(first, token))
    await hub.delete(receiverRef, {})
    await settle()
    const { apiVersion, kind, spec } = first
    await hub.create(
      { apiVersion, kind, metadata: { name: 'hook', namespace: 'default' }, spec } as KubernetesObject,
      author,
    )
    await settle()
    assert.notEqual((await receiverOf(hub)).status?.webhookPath, path)
  }))

test("keeps Flux's path of a Receiver that has it, until its token changes", async () => {
  await within({ suspend: true }, async ({ hub, send, settle }) => {
    const flux = webhookPathOf(await receiverOf(hub), token)
    // sha256 of 'a shared secret' + 'hook' + 'default'
    assert.equal(flux, '/hook/d26237a463129fc17765c040703547975d9b598fdedd5241e764d1338a0330f7')
    const status = { ...author, subresource: 'status' as const }
    await hub.patch(receiverRef, { type: 'merge', patch: { status: { webhookPath: flux } } }, status)
    await hub.patch(receiverRef, { type: 'merge', patch: { spec: { suspend: false } } }, author)
    await settle()
    assert.equal((await receiverOf(hub)).status?.webhookPath, flux)
    assert.equal(await send({ headers: github(), path: flux }), '200 app')
    await hub.patch(
      { group: '', kind: 'Secret', namespace: 'default', name: 'token' },
      { type: 'merge', patch: secret('another') },
      author,
    )
    const again = { metadata: { annotations: { [requestedAtAnnotation]: 'now' } } }
    await hub.patch(receiverRef, { type: 'merge', patch: again }, author)
    await settle()
    const changed = await receiverOf(hub)
    assert.notEqual(changed.status?.webhookPath, flux)
    assert.notEqual(changed.status?.webhookPath, webhookPathOf(changed, 'another'))
  })
})

test('a Receiver without a token listens at a path that nobody can compute, and keeps it', async () => {
  const validations = [{ expression: 'true', message: 'anybody' }]
  const oidc = {
    type: 'generic-oidc',
    secretRef: undefined,
    oidcProviders: [{ issuerURL: 'https://i.example', validations }],
  }
  await within(oidc, async ({ hub, path, advance, send }) => {
    const computed = webhookPathOf({ metadata: { name: 'hook', namespace: 'default' } } as Receiver, '')
    assert.match(path, /^\/hook\/[0-9a-f]{64}$/)
    assert.notEqual(path, computed)
    await hub.patch(
      receiverRef,
      { type: 'merge', patch: { status: { webhookPath: computed } } },
      { ...author, subresource: 'status' },
    )
    assert.equal(await send({ path: computed }), '404')
    await advance(11 * 60_000)
    assert.equal((await hub.get<Receiver>(receiverRef))?.status?.webhookPath, path)
  })
})

test('stalls on an expression that is none, and names its field', async () => {
  await within({ resourceFilter: 'req.ref ==' }, async ({ hub }) => {
    const [stalled] = shown(await hub.get(receiverRef))
    assert.match(stalled!, /^Stalled=True InvalidCELExpression: invalid resourceFilter expression: /)
  })
  const resources = [{ kind: 'GitRepository', name: 'app', filter: '1' }]
  await within({ resources }, async ({ hub }) => {
    const [stalled] = shown(await hub.get(receiverRef))
    assert.match(
      stalled!,
      /^Stalled=True InvalidCELExpression: invalid filter expression for resources\[0\] \(kind="GitRepository", name="app"\): /,
    )
  })
})

test('asks only the objects that pass the filters, which see their metadata and the JSON body', async () => {
  const json = { 'content-type': 'application/json' }
  const all = [
    { kind: 'GitRepository', name: 'app' },
    { kind: 'GitRepository', name: 'labelled', filter: 'req.urgent == true' },
  ]
  const resourceFilter = "req.repository == 'fleet' && res.metadata.namespace == 'default'"
  await within({ type: 'generic', resources: all, resourceFilter }, async ({ send }) => {
    const body = (content: object) => send({ headers: json, body: JSON.stringify(content) })
    assert.equal(await body({ repository: 'other', urgent: true }), '200')
    assert.equal(await body({ repository: 'fleet', urgent: false }), '200 app')
    assert.equal(await body({ repository: 'fleet', urgent: true }), '200 app labelled')
    assert.equal(await send({ headers: json, body: 'no JSON' }), '400 app labelled')
  })
})

test('a filter that fails is logged without what it found in the object', async () => {
  const resources = [{ kind: 'GitRepository', name: 'app' }]
  const resourceFilter = "req[res.metadata.labels.note] == 'x'"
  const repositories = [repository('app', { labels: { note: 'hush' } })]
  await within(
    { type: 'generic', resources, resourceFilter },
    async ({ send, lines }) => {
      const status = await send({ headers: { 'content-type': 'application/json' }, body: '{}' })
      assert.equal(status, '500')
      const { problems } = lines.find(({ msg }) => msg === 'webhook received') as unknown as { problems: string[] }
      assert.deepEqual(problems, [
        `GitRepository/default/app: failed to evaluate the CEL expression '${resourceFilter}': no such key`,
      ])
    },
    { repositories },
  )
})

test('asks only the sources that follow what was pushed, when the payload names their repository', async () => {
  const resources = [{ kind: 'GitRepository', name: '*', matchLabels: { all: 'yes' } }]
  const labels = { all: 'yes' }
  const url = 'ssh://git@git.example.com/team/app.git'
  const repositories = [
    repository('main', { labels, url, ref: { branch: 'main' } }),
    repository('next', { labels, url, ref: { branch: 'next' } }),
    repository('releases', { labels, url, ref: { semver: '>=1.0.0' } }),
    repository('another', { labels, url: 'https://git.example.com/team/another', ref: { branch: 'main' } }),
  ]
  const push = (ref: string, project = 'app'): string =>
    JSON.stringify({ ref, repository: { clone_url: `https://git.example.com/team/${project}.git` } })
  const asked = (body: string): Promise<string> => {
    const headers = { ...github(body), 'content-type': 'application/json' }
    return within({ resources }, ({ send }) => send({ headers, body }), { repositories })
  }
  assert.equal(await asked(push('refs/heads/main')), '200 main')
  assert.equal(await asked(push('refs/tags/v1.2.3')), '200 releases')
  assert.equal(await asked(push('refs/heads/gone')), '200')
  assert.equal(await asked(push('refs/heads/main', 'mirror')), '200 another main next releases')
})

test('reads only sources that follow what was pushed, however many others listen', async () => {
  const labels = { all: 'yes' }
  const resources = [{ kind: 'GitRepository', name: '*', matchLabels: labels }]
  const url = 'https://git.example.com/team/app'
  const others = Array.from({ length: 40 }, (_, i) =>
    repository(`other-${i}`, { labels, url: `https://git.example.com/team/other-${i}`, ref: { branch: 'main' } }),
  )
  const repositories = [
    ...others,
    repository('app', { labels, url, ref: { branch: 'main' } }),
    repository('unlabelled', { url, ref: { branch: 'main' } }),
    repository('elsewhere', { labels, url, ref: { branch: 'main' }, namespace: 'other' }),
    repository('pinned', { labels, url, ref: { commit: 'a7e0c7f7'.repeat(5) } }),
  ]
  const push = (ref: string) => JSON.stringify({ ref, repository: { clone_url: `${url}.git` } })
  const asked = (ref: string) =>
    within(
      { resources },
      async ({ send, reads }) => {
        const body = push(ref)
        const before = reads().length
        const headers = { ...github(body), 'content-type': 'application/json' }
        return [
          await send({ headers, body }),
          reads()
            .slice(before)
            .filter(read => read.includes('GitRepository')),
        ]
      },
      { repositories },
    )
  const read = (...names: string[]) => names.map(name => `get GitRepository ${name}`)
  assert.deepEqual(await asked('refs/heads/main'), ['200 app pinned', read('app', 'unlabelled', 'pinned')])
  assert.deepEqual(await asked('refs/heads/next'), ['200 pinned', read('pinned')])
})

test('acts once upon a request that is sent again, but repeats what failed', async () => {
  const push = `{"ref":"refs/heads/main","after":"${'a7e0c7f7'.repeat(5)}"}`
  const versionOf = async (hub: Hub) => (await hub.get<KubernetesObject>(appRef))?.metadata.resourceVersion
  await within({}, async ({ send, hub }) => {
    assert.equal(await send({ headers: github(push), body: push }), '200 app')
    const before = await versionOf(hub)
    assert.equal(await send({ headers: { ...github(push), 'X-GitHub-Delivery': 'made up' }, body: push }), '200 app')
    assert.equal(await versionOf(hub), before)
  })
  const resources = [
    { kind: 'GitRepository', name: 'app' },
    { kind: 'GitRepository', name: 'late' },
  ]
  await within({ resources }, async ({ send, hub }) => {
    assert.equal(await send({ headers: github(push), body: push }), '500 app')
    await hub.create(repository('late'), author)
    assert.equal(await send({ headers: github(push), body: push }), '200 app late')
  })
})

test('a body that does not tell one event from another counts as sent again only under the same identifier', () =>
  within({}, async ({ send, hub, clock }) => {
    const versions: (string | undefined)[] = []
    for (const delivery of [undefined, undefined, '1', '1', '2']) {
      await clock.advance(1)
      const headers = { ...github(), ...(delivery && { 'X-GitHub-Delivery': delivery }) }
      assert.equal(await send({ headers }), '200 app')
      versions.push((await hub.get<KubernetesObject>(appRef))?.metadata.resourceVersion)
    }
    const [first, second, third, again, fourth] = versions
    assert.equal(new Set([first, second, third, fourth]).size, 4)
    assert.equal(again, third)
  }))

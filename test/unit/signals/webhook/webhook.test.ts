import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { Hub } from '../../../../lib/hub/store/hub.ts'
import { shown } from '../../reconcile/world.ts'
import { appRef, author, receiverRef, repository, signed, within } from './receiver-scene.ts'

const github = (body = '{}', event = 'push') => ({
  'X-GitHub-Event': event,
  'X-Hub-Signature-256': signed(body),
})

test('reconciles the named objects when GitHub sends a push', () =>
  within({ events: ['Push', 'ping'] }, async ({ send }) => {
    assert.equal(await send({ headers: github() }), '200 app')
  }))

test('records who requested it: the Receiver, and the user who pushed', async () => {
  const requesterAfter = async (body: string): Promise<string> => {
    let requester = ''
    await within({}, async ({ send, hub }) => {
      const headers = { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': signed(body) }
      assert.equal(await send({ headers, body }), '200 app')
      const { metadata } = (await hub.get<KubernetesObject>(appRef))!
      requester = metadata.annotations?.['keelson.dev/requested-by'] ?? ''
    })
    return requester
  }
  assert.equal(await requesterAfter('{}'), 'Receiver default/hook')
  const long = JSON.stringify({ sender: { login: `octo\u0007cat${'x'.repeat(200)}` } })
  assert.equal(await requesterAfter(long), `Receiver default/hook for octocat${'x'.repeat(93)}`)
})

test('refuses what is not signed with the token, and says nothing of it to objects', () =>
  within({}, async ({ send }) => {
    assert.equal(await send({}), '400')
    assert.equal(await send({ headers: github(), body: '{"ref":"forged"}' }), '400')
    assert.equal(await send({ headers: { 'X-Hub-Signature-256': signed('{}', 'sha256', 'guess') } }), '400')
    assert.equal(await send({ headers: { 'X-Hub-Signature-256': 'sha256=' } }), '400')
    assert.equal(await send({ headers: { 'X-Hub-Signature-256': signed('{}', 'sha1') } }), '400')
  }))

test('refuses events that are not selected, and responds to a ping without doing anything', () =>
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

test('reconciles all objects with the labels, in other namespaces too unless that is forbidden', async () => {
  const resources = [
    { kind: 'GitRepository', name: '*', matchLabels: { team: 'a' } },
    { kind: 'GitRepository', name: 'far', namespace: 'other' },
  ]
  await within({ resources }, async ({ send }) => assert.equal(await send({ headers: github() }), '200 labelled far'))
  await within({ resources }, async ({ send }) => assert.equal(await send({ headers: github() }), '500 labelled'), {
    noCrossNamespaceRefs: true,
  })
})

test('reports a missing object, after reading the others', () =>
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

test('stalls on an invalid expression, and names its field', async () => {
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

test('reconciles only the objects that pass the filters, which read their metadata and the JSON body', async () => {
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

test('reconciles only the sources that follow the pushed reference, if the payload names their repository', async () => {
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

test('a body without a unique content counts as a duplicate only under the same identifier', () =>
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

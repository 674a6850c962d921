import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { alert, app, commit, failed, provider, type Received, type Scene, secret, within } from './alerting-scene.ts'

const status = 'kustomization/app/'

interface Forge {
  /** Below the server's address. */
  readonly repository: string
  readonly texts: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly looks: string
  readonly sets: string
  readonly json: object
  /** How the forge shows what was set. */
  readonly shows: (set: Readonly<Record<string, string>>) => unknown
}

const basic = (text: string) => ({ authorization: `Basic ${btoa(text)}` })

const forges: Readonly<Record<string, Forge>> = {
  github: {
    repository: '/team/app.git',
    texts: { token: 'ghp' },
    headers: { authorization: 'Bearer ghp' },
    looks: `/api/v3/repos/team/app/commits/${commit}/statuses?per_page=50`,
    sets: `/api/v3/repos/team/app/statuses/${commit}`,
    json: { context: status, state: 'failure', description: 'health check failed' },
    shows: set => [set],
  },
  gitlab: {
    repository: '/group/team/app',
    texts: { password: 'glpat' },
    headers: { 'private-token': 'glpat' },
    looks: `/api/v4/projects/group%2Fteam%2Fapp/repository/commits/${commit}/statuses?name=<status>`,
    sets: `/api/v4/projects/group%2Fteam%2Fapp/statuses/${commit}`,
    json: { name: status, state: 'failed', description: 'health check failed' },
    shows: ({ state, ...set }) => [{ ...set, status: state }],
  },
  gitea: {
    repository: '/team/app',
    texts: { token: 'gitea' },
    headers: { authorization: 'token gitea' },
    looks: `/api/v1/repos/team/app/statuses/${commit}?limit=50`,
    sets: `/api/v1/repos/team/app/statuses/${commit}`,
    json: { context: status, state: 'failure', description: 'health check failed' },
    shows: ({ state, ...set }) => [{ ...set, status: state }],
  },
  bitbucket: {
    repository: '/team/app',
    texts: { token: 'user:password' },
    headers: basic('user:password'),
    looks: `/2.0/repositories/team/app/commit/${commit}/statuses/build/<key>`,
    sets: `/2.0/repositories/team/app/commit/${commit}/statuses/build`,
    json: {
      key: '<key>',
      name: 'kustomization/app',
      url: 'https://bitbucket.org',
      state: 'FAILED',
      description: 'health check failed',
    },
    shows: set => set,
  },
  bitbucketserver: {
    repository: '/context/scm/team/app.git',
    texts: { username: 'user', password: 'password' },
    headers: { ...basic('user:password'), 'x-atlassian-token': 'no-check' },
    looks: `/context/rest/api/latest/projects/team/repos/app/commits/${commit}/builds?key=<key>`,
    sets: `/context/rest/api/latest/projects/team/repos/app/commits/${commit}/builds`,
    json: {
      key: '<key>',
      state: 'FAILED',
      description: 'health check failed',
      name: 'kustomization/app [health check failed]',
      url: '<url>',
    },
    shows: set => set,
  },
  azuredevops: {
    repository: '/org/project/_git/app',
    texts: { token: 'pat' },
    headers: basic(':pat'),
    looks: `/org/project/_apis/git/repositories/app/commits/${commit}/statuses?api-version=7.1&latestOnly=true`,
    sets: `/org/project/_apis/git/repositories/app/commits/${commit}/statuses?api-version=7.1`,
    json: { context: { genre: 'fluxcd', name: status }, state: 'error', description: 'health check failed' },
    shows: set => ({ value: [set] }),
  },
}

/** Without what differs from run to run. */
const shown = ({ method, path, body }: Received, url: string): unknown => {
  const fixed = (text: string) =>
    text
      .replaceAll(/kustomization(\/|%2F)app(\/|%2F)[0-9a-f]{8}(?!-)/g, (_, slash: string) =>
        slash === '/' ? status : '<status>',
      )
      .replaceAll(url, '<url>')
      .replaceAll(/(?<![0-9a-f])(?!a7e0c7f7)[0-9a-f]{40}(?![0-9a-f])/g, '<key>')
  return { method, path: fixed(path), ...(body && { json: JSON.parse(fixed(body)) }) }
}

const set = async (
  { create, url }: Scene,
  type: string,
  repository: string,
  texts: Readonly<Record<string, string>>,
) => {
  await create(secret('credentials', texts))
  await create(provider('forge', { type, address: `${url}${repository}`, secretRef: { name: 'credentials' } }))
  await create(alert('forge'))
}

for (const [type, forge] of Object.entries(forges))
  test(`${type} is shown on the commit how its reconciliation went, once`, () =>
    within(async scene => {
      const { received, url } = scene
      await set(scene, type, forge.repository, forge.texts)
      await scene.happens({ reason: 'Progressing', severity: 'error' })
      assert.equal(type === 'gitea' || received.length === 0, true)
      received.splice(0)
      scene.answer(({ method }) =>
        method === 'GET' ? { status: type.startsWith('bitbucket') ? 404 : 200, json: [] } : {},
      )
      await scene.happens(failed)
      assert.deepEqual(
        received.map(request => shown(request, `${url}${forge.repository}`)),
        [
          { method: 'GET', path: forge.looks },
          { method: 'POST', path: forge.sets, json: JSON.parse(JSON.stringify(forge.json)) },
        ],
      )
      for (const [name, value] of Object.entries(forge.headers))
        for (const { headers } of received) assert.equal(headers[name], value)

      const posted = JSON.parse(received[1]!.body)
      scene.answer(({ method }) => (method === 'GET' ? { json: forge.shows(posted) } : {}))
      await scene.happens({ ...failed, message: 'the same in other words' })
      assert.deepEqual(
        received.map(({ method }) => method),
        ['GET', 'POST', 'GET'],
      )
      assert.deepEqual(await scene.complaints(), [])
    }))

test('good news of an object without a commit in its annotations is not shown on commits', () =>
  within(async scene => {
    await set(scene, 'github', '/team/app', { token: 'ghp' })
    await scene.happens()
    assert.equal(scene.received.length, 0)
    await scene.happens({ metadata: { 'event.toolkit.fluxcd.io/commit': commit } })
    assert.equal(scene.received.length, 2)
  }))

test('a commit status has the name that the Provider makes of the event', () =>
  within(async scene => {
    await scene.create(secret('credentials', { token: 'ghp' }))
    const commitStatusExpr = "event.involvedObject.name + '/' + alert.metadata.name + '/' + provider.spec.type"
    const spec = {
      type: 'github',
      address: `${scene.url}/team/app`,
      secretRef: { name: 'credentials' },
      commitStatusExpr,
    }
    await scene.create(provider('forge', spec))
    await scene.create(alert('forge'))
    scene.answer(() => ({ json: [] }))
    await scene.happens(failed)
    assert.equal(JSON.parse(scene.received[1]!.body).context, 'app/forge/github')
  }))

const annotated: KubernetesObject = {
  ...app,
  metadata: { ...app.metadata, annotations: { 'event.toolkit.fluxcd.io/change_request': '42' } },
}

const commented = {
  githubpullrequestcomment: {
    comments: '/api/v3/repos/team/app/issues/42/comments',
    edited: '/api/v3/repos/team/app/issues/comments/7',
    by: { user: { login: 'bot' } },
    method: 'PATCH',
  },
  giteapullrequestcomment: {
    comments: '/api/v1/repos/team/app/issues/42/comments',
    edited: '/api/v1/repos/team/app/issues/comments/7',
    by: { user: { login: 'bot' } },
    method: 'PATCH',
  },
  gitlabmergerequestcomment: {
    comments: '/api/v4/projects/team%2Fapp/merge_requests/42/notes',
    edited: '/api/v4/projects/team%2Fapp/merge_requests/42/notes/7',
    by: { author: { username: 'bot' } },
    method: 'PUT',
  },
} as const

for (const [type, { comments, edited, by, method }] of Object.entries(commented))
  test(`${type}: one comment for an object, edited with each event; nobody else's is`, () =>
    within(async scene => {
      let known: object[] = []
      scene.answer(({ path }) => {
        if (path.endsWith('/user')) return { json: { login: 'bot', username: 'bot' } }
        return path.startsWith(comments) ? { json: known } : {}
      })
      await set(scene, type, '/team/app', { token: 'secret' })
      await scene.happens() // about no request
      assert.equal(scene.received.length, 0)
      await scene.happens({}, annotated)
      const created = scene.received.at(-1)!
      assert.deepEqual([created.method, created.path], ['POST', comments])
      const { body } = JSON.parse(created.body)
      assert.match(body, /^<!-- flux-[mp]r-comment-key:.*\/Kustomization\/default\/app -->\n\n## Flux Status\n/)
      assert.doesNotMatch(body, /change_request/)

      known = [
        { id: 3, body, user: { login: 'me' }, author: { username: 'me' } },
        { id: 7, body, ...by },
      ]
      await scene.happens(failed, annotated)
      const updated = scene.received.at(-1)!
      assert.deepEqual([updated.method, updated.path], [method, edited])
      assert.match(JSON.parse(updated.body).body, /⚠️ Kustomization\/default\/app\n\nhealth check failed/)
    }))

test('githubdispatch starts a workflow with the event as its payload', () =>
  within(async scene => {
    await set(scene, 'githubdispatch', '/team/app', { token: 'ghp' })
    await scene.happens()
    const [{ path, body } = assert.fail('nothing was sent')] = scene.received
    assert.equal(path, '/api/v3/repos/team/app/dispatches')
    const { event_type, client_payload } = JSON.parse(body)
    assert.equal(event_type, 'Kustomization/app.default')
    assert.equal(client_payload.reason, 'ReconciliationSucceeded')
  }))

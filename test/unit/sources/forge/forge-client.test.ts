/** The forges' APIs, as their documentation shows them, on servers of our own. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgeAt, lists, openSession, token } from './forge-scene.ts'

test('RS-139 RS-143 GitHub: branches, tags and pull requests, over all pages', async () => {
  const ref = (name: string) => ({ name, commit: { sha: `sha-${name}` } })
  const pull = (number: number) => ({
    number,
    title: `Change ${number}`,
    user: { login: 'octocat' },
    head: { ref: `feat/${number}`, sha: `sha-${number}` },
    labels: [{ name: 'preview' }],
  })
  const api = '/api/v3/repos/org/app'
  const server = await forgeAt({
    [`${api}/branches`]: lists([ref('main'), ref('next'), ref('old')]),
    [`${api}/tags`]: lists([ref('v1.0.0')]),
    [`${api}/pulls`]: lists([pull(3), pull(2), pull(1)]),
  })
  await openSession({ provider: 'GitHub', url: `${server.url}/org/app.git`, credentials: token }, async forge => {
    assert.deepEqual(await Array.fromAsync(forge.branches()), [
      { name: 'main', sha: 'sha-main' },
      { name: 'next', sha: 'sha-next' },
      { name: 'old', sha: 'sha-old' },
    ])
    assert.deepEqual(await Array.fromAsync(forge.tags()), [{ name: 'v1.0.0', sha: 'sha-v1.0.0' }])
    const requests = await Array.fromAsync(forge.changeRequests())
    assert.deepEqual(requests[0], {
      id: '3',
      sha: 'sha-3',
      branch: 'feat/3',
      author: 'octocat',
      title: 'Change 3',
      labels: ['preview'],
    })
    assert.equal(requests.length, 3)
  })
  const [first] = server.requests
  assert.equal(first!.headers.authorization, 'Bearer secret')
  assert.equal(first!.query.get('per_page'), '100')
  assert.equal(server.requests.at(-1)!.query.get('state'), 'open')
})

test('reads no more pages than needed', async () => {
  const items = Array.from({ length: 10 }, (_, i) => ({ name: `b${i}`, commit: { sha: 's' } }))
  const server = await forgeAt({ '/api/v3/repos/org/app/branches': lists(items) })
  await openSession({ provider: 'GitHub', url: `${server.url}/org/app` }, async forge => {
    for await (const { name } of forge.branches()) if (name === 'b2') break
  })
  assert.equal(server.requests.length, 2)
  assert.equal(server.requests[0]!.headers.authorization, undefined)
})

test('RS-139 RS-143 GitLab: a project in groups, its branches, tags, merge requests and environments', async () => {
  const project = '/api/v4/projects/group%2Fsub%2Fapp'
  const ref = (name: string) => ({ name, commit: { id: `sha-${name}` } })
  const server = await forgeAt({
    [`${project}/repository/branches`]: lists([ref('main'), ref('next'), ref('old')]),
    [`${project}/repository/tags`]: ({ query }) =>
      query.get('page') === '2' ? { json: [ref('v2')] } : { json: [ref('v1')], headers: { 'x-next-page': '2' } },
    [`${project}/merge_requests`]: lists([
      { iid: 7, sha: 's7', source_branch: 'feat', title: 'T', author: { username: 'ann' }, labels: ['a'] },
    ]),
    [`${project}/environments`]: lists([{ id: 1 }, { id: 2 }]),
    [`${project}/environments/1`]: () => ({
      json: {
        id: 1,
        name: 'review/feat',
        slug: 'review-feat-x1',
        last_deployment: { ref: 'feat', sha: 's1', user: { username: 'bob' } },
      },
    }),
    [`${project}/environments/2`]: () => ({ json: { id: 2, name: 'never', slug: 'never', last_deployment: null } }),
  })
  await openSession({ provider: 'GitLab', url: `${server.url}/group/sub/app`, credentials: token }, async forge => {
    assert.equal((await Array.fromAsync(forge.branches())).length, 3)
    assert.deepEqual(await Array.fromAsync(forge.tags()), [
      { name: 'v1', sha: 'sha-v1' },
      { name: 'v2', sha: 'sha-v2' },
    ])
    assert.deepEqual(await Array.fromAsync(forge.changeRequests()), [
      { id: '7', sha: 's7', branch: 'feat', author: 'ann', title: 'T', labels: ['a'] },
    ])
    assert.deepEqual(await Array.fromAsync(forge.environments!()), [
      { id: '1', name: 'review/feat', slug: 'review-feat-x1', sha: 's1', branch: 'feat', author: 'bob' },
    ])
  })
  assert.equal(server.requests[0]!.headers['private-token'], 'secret')
})

test('RS-139 RS-143 Gitea: branches, tags and pull requests', async () => {
  const api = '/api/v1/repos/org/app'
  const server = await forgeAt({
    [`${api}/branches`]: lists([{ name: 'main', commit: { id: 's' } }]),
    [`${api}/tags`]: lists([{ name: 'v1', id: 'tag', commit: { sha: 'c' } }]),
    [`${api}/pulls`]: lists([
      { number: 1, title: 'T', user: { login: 'u' }, head: { ref: 'feat', sha: 'h' }, labels: null },
    ]),
  })
  await openSession({ provider: 'Gitea', url: `${server.url}/org/app`, credentials: token }, async forge => {
    assert.deepEqual(await Array.fromAsync(forge.branches()), [{ name: 'main', sha: 's' }])
    assert.deepEqual(await Array.fromAsync(forge.tags()), [{ name: 'v1', sha: 'c' }])
    assert.deepEqual(await Array.fromAsync(forge.changeRequests()), [
      { id: '1', sha: 'h', branch: 'feat', author: 'u', title: 'T', labels: [] },
    ])
  })
  assert.equal(server.requests[0]!.headers.authorization, 'token secret')
})

test('RS-139 RS-143 Azure DevOps: refs by continuation token, pull requests by skipping', async () => {
  const repository = '/org/my%20project/_apis/git/repositories/app'
  const pull = (pullRequestId: number) => ({
    pullRequestId,
    title: 'T',
    sourceRefName: 'refs/heads/feat',
    lastMergeSourceCommit: { commitId: 'c' },
    createdBy: { uniqueName: 'ann@example.com' },
  })
  const pulls = Array.from({ length: 150 }, (_, i) => pull(i))
  const server = await forgeAt({
    [`${repository}/refs`]: ({ query }) => {
      if (query.get('filter') === 'tags/')
        return { json: { value: [{ name: 'refs/tags/v1', objectId: 't', peeledObjectId: 'c' }] } }
      return query.get('continuationToken') === 'more'
        ? { json: { value: [{ name: 'refs/heads/feat/x', objectId: 'b' }] } }
        : {
            json: { value: [{ name: 'refs/heads/main', objectId: 'a' }] },
            headers: { 'x-ms-continuationtoken': 'more' },
          }
    },
    [`${repository}/pullrequests`]: ({ query }) => {
      const skip = Number(query.get('$skip'))
      return { json: { value: pulls.slice(skip, skip + 100) } }
    },
  })
  const url = `${server.url}/org/my%20project/_git/app`
  await openSession({ provider: 'AzureDevOps', url, credentials: token }, async forge => {
    assert.deepEqual(await Array.fromAsync(forge.branches()), [
      { name: 'main', sha: 'a' },
      { name: 'feat/x', sha: 'b' },
    ])
    assert.deepEqual(await Array.fromAsync(forge.tags()), [{ name: 'v1', sha: 'c' }])
    const requests = await Array.fromAsync(forge.changeRequests())
    assert.equal(requests.length, 150)
    assert.deepEqual(requests[149], {
      id: '149',
      sha: 'c',
      branch: 'feat',
      author: 'ann@example.com',
      title: 'T',
      labels: [],
    })
  })
  assert.equal(server.requests[0]!.headers.authorization, `Basic ${Buffer.from(':secret').toString('base64')}`)
  await assert.rejects(
    openSession({ provider: 'AzureDevOps', url: `${server.url}/org/app` }, async () => {}),
    /it must have the form <organization>\/<project>\/_git\/<repository>/,
  )
})

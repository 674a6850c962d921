/** CodeCommit's API, as its documentation shows it, on a server of our own. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgeClient } from '../../../../lib/sources/forge/forge-client.ts'
import { type JsonReply, jsonServer } from '../../../bed/json-server.ts'
import { wires } from '../../../bed/wires.ts'

type Body = Readonly<Record<string, unknown>>

const now = Date.parse('2026-01-01T00:00:00Z')
const { signal } = new AbortController()
const aws = async () => ({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session' })
const repository = 'https://git-codecommit.eu-west-1.amazonaws.com/v1/repos/my.app'

const serving = async (answers: Readonly<Record<string, (body: Body) => JsonReply>>) => {
  const asked: string[] = []
  const server = await jsonServer(({ headers, body }) => {
    const operation = String(headers['x-amz-target']).replace(/^CodeCommit_20150413\./, '')
    const { repositoryName: _, ...question } = JSON.parse(body) as Body
    asked.push([operation, ...Object.values(question)].join(' '))
    return answers[operation]?.(question)
  })
  const client = forgeClient({ now: () => now }, wires(), { AWS_ENDPOINT_URL_CODECOMMIT: server.url })
  const visit = (url = repository) => client.open({ provider: 'AWSCodeCommit', url: new URL(url), signal, aws })
  return { asked, server, visit }
}

test('RS-139 CodeCommit: branches over all pages, with requests only for the commits that are needed', async () => {
  const { asked, server, visit } = await serving({
    ListBranches: ({ nextToken }) => ({
      json: nextToken ? { branches: ['feat/b'] } : { branches: ['feat/a', 'main'], nextToken: 'more' },
    }),
    GetBranch: ({ branchName }) => ({ json: { branch: { branchName, commitId: `sha-${branchName}` } } }),
  })
  const forge = await visit()
  assert.deepEqual(await Array.fromAsync(forge.branches(name => name.startsWith('feat/'))), [
    { name: 'feat/a', sha: 'sha-feat/a' },
    { name: 'feat/b', sha: 'sha-feat/b' },
  ])
  assert.deepEqual(asked, ['ListBranches', 'GetBranch feat/a', 'ListBranches more', 'GetBranch feat/b'])
  const [{ headers, body }] = server.requests as [(typeof server.requests)[0]]
  assert.deepEqual(JSON.parse(body), { repositoryName: 'my.app' })
  assert.match(headers.authorization!, /Credential=AKIDEXAMPLE\/20260101\/eu-west-1\/codecommit\/aws4_request/)
  assert.equal(headers['x-amz-security-token'], 'session')
})

test('RS-139 RS-143 CodeCommit: open pull requests, up to the limit', async () => {
  const { asked, visit } = await serving({
    ListPullRequests: () => ({ json: { pullRequestIds: ['42', '41', '40'], nextToken: 'more' } }),
    GetPullRequest: ({ pullRequestId }) => ({
      json: {
        pullRequest: {
          pullRequestId,
          title: `Change ${pullRequestId}`,
          authorArn: 'arn:aws:iam::111122223333:user/ops/jorge',
          pullRequestStatus: 'OPEN',
          pullRequestTargets: [
            { repositoryName: 'another', sourceReference: 'refs/heads/x', sourceCommit: 'x' },
            {
              repositoryName: 'my.app',
              sourceReference: 'refs/heads/feat/1',
              sourceCommit: 'sha-1',
              destinationReference: 'refs/heads/main',
            },
          ],
        },
      },
    }),
  })
  const forge = await visit()
  for await (const request of forge.changeRequests()) {
    assert.deepEqual(request, {
      ...{ id: '42', sha: 'sha-1', branch: 'feat/1', author: 'jorge', title: 'Change 42', labels: [] },
    })
    break
  }
  assert.deepEqual(asked, ['ListPullRequests OPEN', 'GetPullRequest 42'])
})

test('CodeCommit: says what AWS refused, and what is no address of a repository', async () => {
  const { visit } = await serving({
    ListBranches: () => ({
      status: 400,
      json: { __type: 'RepositoryDoesNotExistException', message: 'my.app does not exist' },
    }),
  })
  const forge = await visit()
  await assert.rejects(
    Array.fromAsync(forge.branches()),
    /ListBranches: .* returned 400 RepositoryDoesNotExistException: my\.app does not exist/,
  )
  await assert.rejects(visit('https://example.com/v1/repos/app'), /invalid AWS CodeCommit Git URL: example\.com/)
  await assert.rejects(visit('https://git-codecommit.eu-west-1.amazonaws.com/app'), /must have the form \/v1\/repos/)
  const client = forgeClient({ now: () => now }, wires())
  await assert.rejects(
    client.open({ provider: 'AWSCodeCommit', url: new URL(repository), signal }),
    /this hub has no AWS identity/,
  )
})

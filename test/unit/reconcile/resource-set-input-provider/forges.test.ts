/** Branches, tags and change requests of forges as inputs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InputProviderSpec } from '../../../../lib/foundations/kinds/resource-set-input-provider.ts'
import { type JsonRequest, jsonServer, page } from '../../../bed/json-server.ts'
import { onStage, providerRef } from '../resource-set/scene.ts'
import { conditions, export_, exported, idOf, ready } from './provider-scene.ts'

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

test('RS-148 RS-149 what fails is reported and tried again, and what was exported stays', async () => {
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

test('RS-141 an external service is called with its credentials, up to the limit', async () => {
  const server = await jsonServer(() => ({ json: { inputs: [{ id: '1', a: 1 }, { id: '2' }, { id: '3' }] } }))
  assert.deepEqual(
    await export_({ type: 'ExternalService', url: `${server.url}/inputs`, insecure: true, filter: { limit: 2 } }),
    [{ id: '1', a: 1 }, { id: '2' }],
  )
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

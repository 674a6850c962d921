import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClusterClient, ClusterError } from '../../../lib/clusters/client/client.ts'
import type { Impersonation } from '../../../lib/clusters/client/kubeconfig.ts'
import { liveReader, orderPerformers, orderTypesTaken } from '../../../lib/compose/runner-orders.ts'
import type { HelmRelease } from '../../../lib/foundations/kinds/helm-release.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { sha256Digest } from '../../../lib/foundations/rules/sha256.ts'
import { NotVerified } from '../../../lib/sources/verify/not-verified.ts'

const id = 'default_login__Secret'
const unit = {
  ...{
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { namespace: 'apps', name: 'app' },
  },
  status: { inventory: { entries: [{ id, v: 'v1' }] } },
} as unknown as KubernetesObject
const secret = {
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'default', name: 'login' } },
  data: { password: 'cGxhbnRlZA==' },
} as KubernetesObject

/** What a user gets whom a hub names; `reached` notes as whom a runner has sent requests. */
const reading = (
  user: string,
  {
    groups = [] as readonly string[],
    what = 'object' as 'object' | 'tree',
    refusal = undefined as string | undefined,
  } = {},
) => {
  const reached: Impersonation[] = []
  const found = async () => {
    if (refusal !== undefined) throw new ClusterError('forbidden', refusal)
    return secret
  }
  const client = { get: found, list: async () => ({ items: [await found()] }) } as unknown as ClusterClient
  const read = liveReader(
    async as => {
      reached.push(as)
      return client
    },
    { now: () => 0 },
  )
  const work = {
    type: 'live',
    read: what === 'tree' ? { what } : { what, object: id },
    as: { user, groups },
  } as const
  return { reached, result: read(unit, work, AbortSignal.timeout(5_000)) }
}

test('a runner reads as the user, and values of Secrets stay there', async () => {
  const { reached, result } = reading('jane', { groups: ['devs'] })
  const { data } = (await result) as { readonly data?: object }
  assert.deepEqual(data, { password: '***' })
  assert.deepEqual(reached, [{ user: 'jane', groups: ['devs'] }])
})

test('a runner never reads as itself, nor as an account or administrator of its cluster', async () => {
  for (const [user, groups] of [
    ['', []],
    ['system:admin', []],
    ['system:serviceaccount:keelson-runner:keelson-runner', []],
    ['jane', ['system:masters']],
    ['jane', ['devs', 'system:authenticated']],
  ] as const) {
    const { reached, result } = reading(user, { groups })
    await assert.rejects(result, { code: 403, message: 'a runner reads for persons only' })
    assert.deepEqual(reached, [])
  }
})

test('a runner that may not impersonate says which flags grant it', async () => {
  const refusals = [
    'users "jane" is forbidden: User "runner" cannot impersonate resource "users" in API group ""',
    'secrets is forbidden: User "runner" cannot impersonate-on:user-info:list resource "secrets" in API group ""',
  ]
  for (const refusal of refusals)
    for (const what of ['object', 'tree'] as const)
      await assert.rejects(reading('jane', { what, refusal }).result, {
        code: 403,
        message: /--live-users and --live-/,
      })
  const refusal = 'secrets "login" is forbidden: User "jane" cannot get resource "secrets"'
  await assert.rejects(reading('jane', { refusal }).result, { code: 403, message: `on the cluster: ${refusal}` })
})

test('without the consent of its owner a runner takes no orders to read', () => {
  assert.deepEqual(orderTypesTaken(false), ['plan', 'comparison', 'head', 'release'])
  assert.deepEqual(orderTypesTaken(true), ['plan', 'comparison', 'head', 'release', 'live'])
})

test('a head that the runner must not apply, or does not get, is not planned, and fails nothing', async () => {
  const content = Buffer.from('head')
  const artifact = {
    ...{ path: 'gitrepository/apps/app-pr-1/x.tar.gz', digest: sha256Digest(content), revision: 'pr', url: 'http://x' },
    lastUpdateTime: '2026-11-29T08:00:00Z',
  }
  const head = (get: () => Promise<Uint8Array | undefined>, refusal?: string) => {
    const given = { refusalOf: () => refusal, artifactsWith: () => ({ get }) }
    const { head: perform } = orderPerformers(given as unknown as Parameters<typeof orderPerformers>[0])
    return perform!(unit, { type: 'head', artifact }, AbortSignal.timeout(5_000))
  }
  const open = 'its runner demands signatures, and refuses the head or the unit for the lack of one'
  const unread = async () => assert.fail('it is read')
  assert.deepEqual(await head(unread, 'spec.patches'), { type: 'skipped', open, message: 'spec.patches' })
  const unverified = async () => {
    throw new NotVerified('the source has no SHA256SUMS')
  }
  assert.deepEqual(await head(unverified), { type: 'skipped', open, message: 'the source has no SHA256SUMS' })
  await assert.rejects(
    head(async () => undefined),
    /the hub does not have the head any more/,
  )
  await assert.rejects(
    head(async () => Buffer.from('another')),
    /computed digest/,
  )
})

test('a release that the runner must not apply is not planned at the head of a pull request, and nothing is read for it', async () => {
  const given = { refusalOf: () => 'a HelmRelease', artifactsWith: () => assert.fail('something is read') }
  const { release: perform } = orderPerformers(given as unknown as Parameters<typeof orderPerformers>[0])
  const spec = { interval: '1h' } as HelmRelease['spec']
  const work = { type: 'release', release: { base: spec, head: spec, configMaps: { base: [], head: [] } } } as const
  const release = { ...unit, apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease' }
  assert.deepEqual(await perform!(release, work, AbortSignal.timeout(5_000)), {
    ...{ type: 'skipped', message: 'a HelmRelease' },
    open: 'its runner demands signatures, and refuses the head or the unit for the lack of one',
  })
  await assert.rejects(perform!(unit, work, AbortSignal.timeout(5_000)), /a Kustomization is no HelmRelease/)
})

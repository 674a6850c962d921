import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClient, ClusterListQuery } from '../../../../lib/clusters/client/client.ts'
import type { References } from '../../../../lib/hub/references/references.ts'
import { sharedReads } from '../../../../lib/reconcile/runtime/shared-reads.ts'

const connection = {}

/** A client of one cluster, as one user; `asked` notes what reaches the cluster. */
const clientAs = (user: string, asked: string[]): ClusterClient =>
  ({
    access: { connection, user },
    list: async (query: ClusterListQuery) => {
      asked.push(`${user} lists ${query.labelSelector}`)
      const item = (name: string, owner: string) => ({ metadata: { name, labels: { owner } } })
      return { items: [item('mine', 'a'), item('other', 'b')] }
    },
    apply: async (_object: object, { dryRun }: { readonly dryRun?: boolean }) => {
      asked.push(`${user} applies${dryRun ? ' dry' : ''}`)
      return {}
    },
    delete: async () => void asked.push(`${user} deletes`),
  }) as unknown as ClusterClient

const shared = () => sharedReads(new AbortController().signal)
const owned = (owner: string): ClusterListQuery => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  labelSelector: `owner=${owner}`,
})
const namesIn = async (client: ClusterClient, query: ClusterListQuery) =>
  (await client.list(query)).items.map(({ metadata }) => metadata.name)

test('one list of a cluster serves all owners of a visit', async () => {
  const asked: string[] = []
  const reads = shared()
  assert.deepEqual(await namesIn(reads.cluster(clientAs('hub', asked)), owned('a')), ['mine'])
  assert.deepEqual(await namesIn(reads.cluster(clientAs('hub', asked)), owned('b')), ['other'])
  assert.deepEqual(asked, ['hub lists owner'])
})

test('nobody is shown what another user of the same cluster has read', async () => {
  const asked: string[] = []
  const reads = shared()
  for (const user of ['hub', 'system:serviceaccount:team:deployer'])
    await reads.cluster(clientAs(user, asked)).list(owned('a'))
  assert.deepEqual(asked, ['hub lists owner', 'system:serviceaccount:team:deployer lists owner'])
})

test('access to an object of another namespace is checked for each namespace that refers to it', async () => {
  const asked: string[] = []
  const given = {
    anywhere: async ({ metadata }: { readonly metadata: { readonly namespace: string } }) => {
      asked.push(metadata.namespace)
      return undefined
    },
  } as unknown as References
  const references = shared().references(given)
  const place = { namespace: 'sources', name: 'app' }
  for (const namespace of ['team-a', 'team-a', 'team-b'])
    await references.anywhere(
      { metadata: { namespace } } as never,
      { group: 'source.toolkit.fluxcd.io', kind: 'GitRepository' } as never,
      place,
      {} as never,
    )
  assert.deepEqual(asked, ['team-a', 'team-b'])
})

test('nothing that writes gets through, except for dry runs', async () => {
  const asked: string[] = []
  const client = shared().cluster(clientAs('hub', asked))
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }
  await assert.rejects(client.apply(object as never, { fieldManager: 'x', force: true }), { name: 'WouldWrite' })
  await assert.rejects(client.delete('v1', object as never, { propagation: 'Background' }), { name: 'WouldWrite' })
  await client.apply(object as never, { fieldManager: 'x', force: true, dryRun: true })
  assert.deepEqual(asked, ['hub applies dry'])
})

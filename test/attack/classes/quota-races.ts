import assert from 'node:assert/strict'
import { eventually } from '../../bed/eventually.ts'
import type { ApiClient, ApiResponse } from '../api-client.ts'
import type { Attempt } from '../attack.ts'
import type { AttackWorld } from '../world.ts'

/** A tenant creates many objects at a time, so that a ResourceQuota might count none of them before the others. */

type Creating = (client: ApiClient, path: string, object: object, name: string) => Promise<ApiResponse>

const creations: Readonly<Record<string, Creating>> = {
  POSTs: (client, path, object, name) => client.request('POST', path, { ...object, metadata: { name } }),
  'server-side applies': (client, path, object, name) =>
    client.request(
      'PATCH',
      `${path}/${name}?fieldManager=x`,
      { ...object, metadata: { name } },
      {
        'content-type': 'application/apply-patch+yaml',
      },
    ),
  'made-up names': (client, path, object, name) =>
    client.request('POST', path, { ...object, metadata: { generateName: `${name}-`, labels: { made: 'up' } } }),
}

const room = 5

/** The races for each kind, by the path of its collection in mallory's namespace. */
export const quotaRaces = (
  collections: Readonly<Record<string, readonly [path: string, object: object]>>,
): readonly Attempt[] =>
  Object.entries(collections).flatMap(([kind, [ownPath, object]]) =>
    Object.entries(creations).map(([what, create]) => ({
      title: `of 30 ${what} of a ${kind} at a time no more get through than a ResourceQuota allows`,
      run: async (world: AttackWorld) => {
        const { admin, mallory, freshName } = world
        const namespace = await namespaceOfMallory(world)
        const path = ownPath.replace('/mallory/', `/${namespace}/`)
        const plural = path.split('/').at(-1)!
        const { apiVersion } = object as { readonly apiVersion: string }
        const key = `count/${plural}${apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : ''}`
        const countOf = async () => {
          const { body } = await admin.request('GET', path)
          return (body as { readonly items: readonly unknown[] }).items.length
        }
        const before = await countOf()
        const name = freshName()
        const quota = { metadata: { name }, spec: { hard: { [key]: before + room } } }
        const created = await admin.request('POST', `/api/v1/namespaces/${namespace}/resourcequotas`, quota)
        assert.equal(created.status, 201)
        try {
          const names = Array.from({ length: 30 }, () => freshName())
          const answers = await Promise.all(names.map(each => create(mallory, path, object, each)))
          assert.equal(answers.filter(({ status }) => status === 201).length, room)
          const refused = answers.find(({ status }) => status === 403)!.body as { readonly message: string }
          assert.match(refused.message, new RegExp(`exceeded quota: ${name}, requested: ${key}=1, used: ${key}=\\d+`))
          assert.equal(await countOf(), before + room)
        } finally {
          await admin.request('DELETE', `/api/v1/namespaces/${namespace}`)
        }
        // Finalizers keep some for a moment.
        await eventually(async () => assert.equal(await countOf(), 0))
      },
    })),
  )

/** A namespace of its own, where mallory may do everything: what other attempts delete meanwhile would make room for more. */
const namespaceOfMallory = async ({ admin, freshName }: AttackWorld): Promise<string> => {
  const name = freshName()
  const binding = {
    metadata: { name: 'attacker' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'attacker', namespace: 'mallory' }],
  }
  for (const [collection, object] of [
    ['/api/v1/namespaces', { metadata: { name } }],
    [`/apis/rbac.authorization.k8s.io/v1/namespaces/${name}/rolebindings`, binding],
  ] as const)
    assert.equal((await admin.request('POST', collection, object)).status, 201)
  return name
}

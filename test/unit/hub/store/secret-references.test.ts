import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import type { Hub } from '../../../../lib/hub/store/hub.ts'
import { secretReferenceAnnotation, withSecretReferences } from '../../../../lib/hub/store/secret-references.ts'

const ref: ObjectRef = { group: '', kind: 'Secret', namespace: 'apps', name: 'prod' }
const secret = (annotations: Record<string, string>, data?: Record<string, string>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'prod', namespace: 'apps', annotations },
  ...(data && { data }),
})
const base64 = (text: string) => Buffer.from(text).toString('base64')

const seen = async (stored: KubernetesObject, asked: ObjectRef = ref) => {
  const reads: string[] = []
  const hub = withSecretReferences({ get: async () => stored } as unknown as Pick<Hub, 'get'>, {
    read: async (namespace, name) => {
      reads.push(`${namespace}/${name}`)
      return new Map([
        ['value', Buffer.from('kubeconfig')],
        ['__proto__', Buffer.from('x')],
      ])
    },
  })
  return { object: (await hub.get(asked)) as KubernetesObject & { data?: Record<string, string> }, reads }
}

test('gives reconcilers the data that a Secret refers to, and keeps those of its own', async () => {
  const { object, reads } = await seen(secret({ [secretReferenceAnnotation]: 'clusters/prod' }, { token: base64('t') }))
  assert.deepEqual(reads, ['apps/clusters/prod'])
  assert.deepEqual(Object.entries(object.data!), [
    ['value', base64('kubeconfig')],
    ['__proto__', base64('x')],
    ['token', base64('t')],
  ])
  const own = await seen(secret({ [secretReferenceAnnotation]: 'x' }, { value: base64('mine') }))
  assert.equal(own.object.data?.value, base64('mine'))
})

test('requests nothing without references', async () => {
  const plain = secret({}, { token: base64('t') })
  assert.deepEqual(await seen(plain), { object: plain, reads: [] })
  const other = { ...secret({ [secretReferenceAnnotation]: 'x' }), kind: 'ConfigMap' }
  assert.deepEqual(await seen(other, { ...ref, kind: 'ConfigMap' }), { object: other, reads: [] })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ClusterError } from '../../../../lib/clusters/client/client.ts'
import { type DependencyReader, readDependency } from '../../../../lib/hub/references/read-dependency.ts'

const account = { group: '', kind: 'ServiceAccount', namespace: 'team', name: 'deployer' }
const orForbidden = ", or the ServiceAccount 'team/deployer' may not get it"

const objectAt = (namespace: string, kind: string, name: string) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, ...(namespace && { namespace }) },
})

/** A cluster on which the account may get what is in the namespace `shared`, and nothing else. Tells who read. */
const readerFor = (reads: string[], more: Partial<DependencyReader> = {}): DependencyReader => {
  const resourceFor = async (_: string, kind: string) => ({
    ...{ group: '', version: 'v1', kind, plural: `${kind.toLowerCase()}s`, verbs: ['get'] },
    namespaced: kind !== 'Namespace',
  })
  const found = async ({ namespace, kind, name }: { namespace: string; kind: string; name: string }) =>
    name === 'missing' ? undefined : objectAt(kind === 'Namespace' ? '' : namespace, kind, name)
  return {
    namespace: 'team',
    account,
    asHub: {
      resourceFor,
      get: async (_, ref) => {
        reads.push('hub')
        return found(ref)
      },
    },
    asAccount: {
      resourceFor,
      get: async (_, ref) => {
        reads.push('account')
        if (ref.namespace !== 'shared') throw new ClusterError('forbidden', `User can't get ${ref.name}`)
        return found(ref)
      },
    },
    ...more,
  }
}

const read = async (
  [namespace, kind, name]: readonly [string, string, string],
  hasExpression: boolean,
  more: Partial<DependencyReader> = {},
) => {
  const reads: string[] = []
  const reference = { apiVersion: 'v1', ref: { group: '', kind, namespace, name }, hasExpression }
  const { object, orForbidden } = await readDependency(readerFor(reads, more), reference)
  return { by: reads.join(), found: object?.metadata.name, orForbidden }
}

suite('an object that a spec depends on', () => {
  test('without an expression it is read by the hub, wherever it is', async () => {
    for (const place of [
      ['team', 'ConfigMap', 'a'],
      ['other', 'Secret', 'a'],
      ['', 'Namespace', 'a'],
    ] as const)
      assert.deepEqual(await read(place, false), { by: 'hub', found: 'a', orForbidden: '' })
  })

  test('with an expression, and in the own namespace, it is read by the hub', async () => {
    assert.deepEqual(await read(['team', 'Secret', 'a'], true), { by: 'hub', found: 'a', orForbidden: '' })
  })

  test('with an expression, and in another namespace, it is read by the account', async () => {
    assert.deepEqual(await read(['shared', 'Secret', 'a'], true), { by: 'account', found: 'a', orForbidden })
  })

  test('one that the account may not get reads as one that there is not', async () => {
    const missing = { by: 'account', found: undefined, orForbidden }
    assert.deepEqual(await read(['shared', 'Secret', 'missing'], true), missing)
    assert.deepEqual(await read(['other', 'Secret', 'a'], true), missing)
    assert.deepEqual(await read(['other', 'Secret', 'missing'], true), missing)
  })

  test('one of the cluster scope is foreign, though the reference names the own namespace', async () => {
    for (const namespace of ['', 'team'])
      assert.deepEqual(await read([namespace, 'Namespace', 'a'], true), {
        by: 'account',
        found: undefined,
        orForbidden,
      })
  })

  test('on another cluster no namespace is the own one', async () => {
    const elsewhere = { namespace: undefined }
    assert.deepEqual(await read(['team', 'Secret', 'a'], true, elsewhere), {
      by: 'account',
      found: undefined,
      orForbidden,
    })
    assert.deepEqual(await read(['shared', 'Secret', 'a'], true, elsewhere), { by: 'account', found: 'a', orForbidden })
  })

  test('where no account acts, the hub reads everything, as Flux does', async () => {
    const asHub = { account: undefined }
    assert.deepEqual(await read(['other', 'Secret', 'a'], true, asHub), { by: 'hub', found: 'a', orForbidden: '' })
  })

  test('an unreachable cluster does not mean that the object is absent', async () => {
    const unreachable = {
      ...readerFor([]).asAccount,
      get: async () => {
        throw new ClusterError('unreachable', 'no route')
      },
    }
    await assert.rejects(read(['other', 'Secret', 'a'], true, { asAccount: unreachable }), { code: 'unreachable' })
  })
})

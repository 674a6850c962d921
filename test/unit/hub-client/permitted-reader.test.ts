import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKind } from '../../../lib/hub-client/fleet-kinds.ts'
import { ApiFailure, type HubApi } from '../../../lib/hub-client/hub-api.ts'
import { NamespaceNeeded, permittedReader } from '../../../lib/hub-client/permitted-reader.ts'

/** Lists of a person who may list Runs in these namespaces, `*` for all, and what was requested. */
const listsOf = (permitted: string[]) => {
  const requests: string[] = []
  const api = {
    get: async (path: string) => {
      requests.push(path)
      return { items: permitted.toSorted() }
    },
  } as unknown as HubApi
  const read = async (_api: HubApi, namespace = '*') => {
    requests.push(namespace)
    if (!permitted.includes(namespace) && !permitted.includes('*')) throw new ApiFailure(403, `not in ${namespace}`)
    return { items: [namespace] }
  }
  const reader = (namespace?: string) => permittedReader(runKind, namespace, read)
  return { api, requests, reader, signal: new AbortController().signal }
}
const question = '/fleet/namespaces?resource=runs.fleet.keelson.dev'

test('reads all namespaces, or the chosen one, as it was asked to', async () => {
  const { api, requests, reader, signal } = listsOf(['*'])
  assert.deepEqual(await reader()(api, signal), { items: ['*'] })
  assert.deepEqual(await reader('blue')(api, signal), { items: ['blue'] })
  assert.deepEqual(requests, ['*', 'blue'])
})

test('reads the only namespace in which the person may list, says so, and begins with it from then on', async () => {
  const { api, requests, reader, signal } = listsOf(['blue'])
  const read = reader()
  for (let i = 0; i < 2; i++) assert.deepEqual(await read(api, signal), { items: ['blue'], onlyIn: 'blue' })
  assert.deepEqual(requests, ['*', question, 'blue', 'blue'])
})

test('begins from the start after the right has been taken away', async () => {
  const permitted = ['blue']
  const { api, requests, reader, signal } = listsOf(permitted)
  const read = reader()
  await read(api, signal)
  permitted.splice(0, 1, 'green')
  requests.length = 0
  await assert.rejects(read(api, signal), { message: 'not in blue' })
  assert.deepEqual(await read(api, signal), { items: ['green'], onlyIn: 'green' })
  assert.deepEqual(requests, ['blue', '*', question, 'green'])
})

test('needs a choice among several namespaces; a refusal stays one where there is none, or one was chosen', async () => {
  const several = listsOf(['green', 'blue'])
  await assert.rejects(several.reader()(several.api, several.signal), (error: unknown) => {
    assert.ok(error instanceof NamespaceNeeded)
    assert.deepEqual([error.status, error.message, error.namespaces], [403, 'not in *', ['blue', 'green']])
    return true
  })
  await assert.rejects(several.reader('red')(several.api, several.signal), {
    name: 'ApiFailure',
    message: 'not in red',
  })
  const none = listsOf([])
  await assert.rejects(none.reader()(none.api, none.signal), { name: 'ApiFailure', message: 'not in *' })
})

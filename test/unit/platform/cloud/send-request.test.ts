import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cached } from '../../../../lib/platform/cloud/cached.ts'
import { type Fetch, sendRequest } from '../../../../lib/platform/cloud/send-request.ts'
import { fakeCloud } from './fake-cloud.ts'

const request = { service: 'Vault', what: 'decrypt', url: 'https://vault.example/v1/x?token=hush' } as const

test('an unreachable host is named, with the reason below the `fetch failed`', async () => {
  await assert.rejects(sendRequest(fakeCloud({}).fetch, request), {
    message: 'Vault: decrypt: vault.example could not be reached: getaddrinfo ENOTFOUND vault.example',
  })
})

test('an endless response is cut off', async () => {
  async function* endless() {
    for (;;) yield new Uint8Array(64 << 10)
  }
  const fetch = (async () => ({ status: 200, headers: new Headers(), body: endless() })) as Fetch
  await assert.rejects(sendRequest(fetch, request), /the response is larger than 1048576 bytes/)
})

test('gives up on a server that never responds', async () => {
  const fetch: Fetch = (_, { signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  await assert.rejects(sendRequest(fetch, { ...request, timeoutMs: 20 }), /no response within 0.02 s/)
})

test('a failure is not cached: the next caller tries again', async () => {
  let asked = 0
  const value = cached(
    async () => {
      if (asked++ === 0) throw new Error('down')
      return { expiresAt: 10 }
    },
    () => 0,
  )
  await assert.rejects(value(), /down/)
  assert.deepEqual(await value(), { expiresAt: 10 })
  await value()
  assert.equal(asked, 2)
})

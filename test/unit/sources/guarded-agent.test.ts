import assert from 'node:assert/strict'
import type { lookup } from 'node:dns'
import { test } from 'node:test'
import { guardedAgent } from '../../../lib/platform/http/guarded-agent.ts'

test('refuses names that resolve to a link-local address, among others', async () => {
  // No name server of the test's own is asked by Node's resolver, hence the stand-in.
  const resolve = ((_host: string, _options: object, done: (error: null, addresses: object[]) => void) =>
    done(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '169.254.169.254', family: 4 },
    ])) as unknown as typeof lookup
  const agent = guardedAgent({ resolve })
  const request = agent.request({ origin: 'http://metadata.test:9', path: '/', method: 'GET' })
  await assert.rejects(request, { name: 'ForbiddenAddress', message: /^metadata.test is a link-local address/ })
  await agent.close()
})

import assert from 'node:assert/strict'
import type { lookup } from 'node:dns'
import { test } from 'node:test'
import { guardedAgent } from '../../../lib/http/guarded-agent.ts'
import { isLinkLocal } from '../../../lib/rules/link-local.ts'

test('knows link-local addresses in every spelling', () => {
  for (const address of [
    '169.254.169.254',
    '[fe80::1%eth0]',
    'febf::1',
    '::ffff:169.254.169.254',
    '[::ffff:a9fe:a9fe]',
    '64:ff9b::a9fe:a9fe',
    'fd00:ec2::254',
  ]) {
    assert.equal(isLinkLocal(address), true, address)
  }
  for (const address of ['169.253.255.255', '10.0.0.1', '127.0.0.1', '[::1]', 'fec0::1', 'fd00::1', 'example.com']) {
    assert.equal(isLinkLocal(address), false, address)
  }
})

test('refuses names that resolve to a link-local address, among others', async () => {
  // No name server of the test's own is asked by Node's resolver, hence the stand-in.
  const resolve = ((_host: string, _options: object, done: (error: null, addresses: object[]) => void) =>
    done(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '169.254.169.254', family: 4 },
    ])) as unknown as typeof lookup
  const agent = guardedAgent({}, resolve)
  const request = agent.request({ origin: 'http://metadata.test:9', path: '/', method: 'GET' })
  await assert.rejects(request, { name: 'ForbiddenAddress', message: /^metadata.test is a link-local address/ })
  await agent.close()
})

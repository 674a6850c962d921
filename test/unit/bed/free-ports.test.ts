import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { freePorts } from '../../bed/free-ports.ts'

test('ports are free, different, and none that a connection could be given', async () => {
  const ports = await freePorts(20)
  assert.equal(new Set(ports).size, 20)
  for (const port of ports) {
    assert.ok(port >= 20_000 && port < 30_000)
    const server = createServer().listen(port, '127.0.0.1')
    await once(server, 'listening')
    await once(server.close(), 'close')
  }
})

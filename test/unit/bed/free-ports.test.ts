import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { command } from '../../bed/command.ts'
import { freePort, freePorts } from '../../bed/free-ports.ts'

test('ports are free, different, and none that a connection could be given', async () => {
  const ports = await freePorts(20)
  assert.equal(new Set(ports).size, 20)
  const lowest = Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10)
  for (const port of ports) {
    assert.ok(port < lowest)
    const server = createServer().listen(port, '127.0.0.1')
    await once(server, 'listening')
    await once(server.close(), 'close')
  }
})

test('no other test gets a port as long as the process lives that has chosen it', async () => {
  const first = await freePort()
  const range = { first, end: first + 2 }
  const bed = JSON.stringify(import.meta.resolve('../../bed/free-ports.ts'))
  const other = `const { freePorts } = await import(${bed}); console.log(...(await freePorts(1, ${JSON.stringify(range)})))`
  const chosenElsewhere = await command(process.execPath, ['--input-type=module', '-e', other])
  assert.equal(Number(chosenElsewhere), first + 1)
  assert.equal(await freePort(range), first + 1) // the other process has ended
  await assert.rejects(freePorts(1, range), /no more free ports/)
})

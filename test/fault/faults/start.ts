import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { adminOf } from '../../attack/world.ts'
import type { Hub } from '../../bed/hub.ts'
import type { Fault, Scene } from '../fault.ts'

/** A stopped hub, with a Secret in it. */
const stoppedHub = async ({ hub: start }: Scene): Promise<Hub> => {
  const hub = await start()
  const secrets = '/api/v1/namespaces/default/secrets'
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'kept' }, stringData: { a: 'kept-secret' } }
  assert.equal((await adminOf(hub).request('POST', secrets, secret)).status, 201)
  // Enough that a damaged place is in a table's own pages.
  for (let i = 0; i < 20; i++) {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `m-${i}` }, data: { a: 'x'.repeat(20_000) } }
    assert.equal((await adminOf(hub).request('POST', '/api/v1/namespaces/default/configmaps', map)).status, 201)
  }
  await hub.stop()
  return hub
}

/** Damages a file of a hub's data directory, and has the hub say at its start what is wrong. */
const damaged = (name: string, path: string, damage: (file: string) => void, says: RegExp): Fault => ({
  name,
  quick: true,
  async play(scene) {
    const hub = await stoppedHub(scene)
    const file = join(hub.dataDirectory, path)
    const sound = readFileSync(file)
    damage(file)
    const failure = await hub.start().then(
      () => assert.fail('the hub started'),
      (error: Error) => error.message,
    )
    const [line = ''] = failure.split('\n').filter(line => line.startsWith('✗'))
    assert.match(line, says)
    assert.ok(line.includes(file), `names ${file}: ${line}`)
    assert.ok(failure.length < 1_000, `${failure.length} characters`)
    assert.doesNotMatch(failure, /undefined|Cannot read|is not a function| {4}at /)
    assert.equal(await hub.ended(), 1)
    writeFileSync(file, sound)
    await hub.start()
    assert.equal((await adminOf(hub).request('GET', '/api/v1/namespaces/default/secrets/kept')).status, 200)
    return 'did not start, and said in one line what is wrong and what to do; started with the file put back'
  },
})

const overwrite = (file: string, at: number, content: Uint8Array): void => {
  const opened = openSync(file, 'r+')
  writeSync(opened, content, 0, content.length, at)
  closeSync(opened)
}

const noise = (bytes: number): Buffer => Buffer.from(Array.from({ length: bytes }, (_, i) => (i * 151 + 7) % 256))

export const startFaults: readonly Fault[] = [
  damaged(
    'master.key is another one',
    'master.key',
    file => writeFileSync(file, `${noise(32).toString('base64')}\n`),
    /decrypts none of the Secrets in hub.db: they were encrypted with another key; restore that one from a backup/,
  ),
  damaged(
    'master.key is damaged',
    'master.key',
    file => writeFileSync(file, 'no key\n'),
    /is damaged: each of its lines/,
  ),
  damaged(
    'hub.db is damaged in the middle',
    'hub.db',
    file => overwrite(file, Math.floor(statSync(file).size / 8192) * 4096, noise(3 * 4096)),
    /is damaged .*: put the data directory back from a backup, or move/,
  ),
  damaged('hub.db is cut short', 'hub.db', file => truncateSync(file, 5_000), /is damaged .*: put the data directory/),
  damaged(
    'hub.db is something else',
    'hub.db',
    file => writeFileSync(file, noise(9_000)),
    /is damaged .*not a database/,
  ),
  damaged(
    'identity/ca.crt is damaged',
    'identity/ca.crt',
    file => writeFileSync(file, 'no certificate'),
    /is not a certificate: restore it from a backup/,
  ),
]

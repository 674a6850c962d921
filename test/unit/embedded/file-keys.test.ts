import assert from 'node:assert/strict'
import { chmod, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { embeddedPlatform } from '../../../lib/platform/adapters/embedded/embedded-platform.ts'
import { fileKeys } from '../../../lib/platform/adapters/embedded/file-keys.ts'
import { systemClock } from '../../../lib/platform/adapters/embedded/system-clock.ts'
import { systemRandom } from '../../../lib/platform/adapters/embedded/system-random.ts'
import type { KeyScope } from '../../../lib/platform/ports/keys.ts'
import { widget } from '../../contracts/store-world.ts'
import { inDirectory } from './world.ts'

const options = { clock: systemClock, random: systemRandom, create: true }

const scope: KeyScope = { purpose: 'secrets', namespace: 'default' }

test('makes a key file that only its owner can read', () =>
  inDirectory(async path => {
    await fileKeys(`${path}/master.key`, options)
    assert.equal((await stat(`${path}/master.key`)).mode & 0o777, 0o600)
  }))

test('refuses a key file that others can read, without showing the key', () =>
  inDirectory(async path => {
    await fileKeys(`${path}/master.key`, options)
    const key = await readFile(`${path}/master.key`, 'utf8')
    for (const mode of [0o640, 0o604, 0o660, 0o666]) {
      await chmod(`${path}/master.key`, mode)
      await assert.rejects(fileKeys(`${path}/master.key`, options), (error: Error) => {
        assert.match(
          error.message,
          new RegExp(`master.key has mode ${mode.toString(8)}, so others can read it: chmod 600 it`),
        )
        assert.ok(!error.message.includes(key.trim()))
        return true
      })
    }
  }))

test('refuses a damaged key file and one behind a link', () =>
  inDirectory(async path => {
    for (const content of ['', 'short\n', `${'A'.repeat(43)}=\nnot a key\n`]) {
      await writeFile(`${path}/master.key`, content, { mode: 0o600 })
      await assert.rejects(fileKeys(`${path}/master.key`, options), /is damaged/)
    }
    await symlink(`${path}/master.key`, `${path}/link.key`)
    await assert.rejects(fileKeys(`${path}/link.key`, options), /cannot read the key file/)
  }))

test('opens with an older key what was sealed before a new one was put on top', () =>
  inDirectory(async path => {
    const file = `${path}/master.key`
    const sealed = await (await fileKeys(file, options)).seal(Buffer.from('old'), 'c', scope)
    const old = await readFile(file, 'utf8')
    await writeFile(file, `${Buffer.from(systemRandom.bytes(32)).toString('base64')}\n${old}`)
    const keys = await fileKeys(file, options)
    assert.equal(Buffer.from(await keys.open(sealed, 'c', scope)).toString(), 'old')
    const fresh = await keys.seal(Buffer.from('new'), 'c', scope)
    await writeFile(file, old)
    await assert.rejects((await fileKeys(file, options)).open(fresh, 'c', scope), /does not open/)
  }))

test('does not make a new key for data that a lost one has sealed', () =>
  inDirectory(async path => {
    const platform = await embeddedPlatform(path)
    await platform.objects.commit({ op: 'create', ref: widget('a'), body: '', refersTo: [] })
    await platform.close()
    await rm(`${path}/master.key`)
    await assert.rejects(embeddedPlatform(path), /master.key is missing: without it the stored Secrets can't be read/)
  }))

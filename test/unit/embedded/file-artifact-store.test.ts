import assert from 'node:assert/strict'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileArtifactStore } from '../../../lib/platform/adapters/embedded/file-artifact-store.ts'
import { systemClock } from '../../../lib/platform/adapters/embedded/system-clock.ts'
import { diskOf, inDirectory } from './world.ts'

test('clears what a killed process left half written', () =>
  inDirectory(async path => {
    await fileArtifactStore(path, { clock: systemClock, disk: diskOf(path) })
    await writeFile(`${path}/.unfinished/half`, 'ha')
    const artifacts = await fileArtifactStore(path, { clock: systemClock, disk: diskOf(path) })
    assert.deepEqual(await readdir(`${path}/.unfinished`), [])
    assert.deepEqual(await Array.fromAsync(artifacts.list('')), [])
  }))

test('lets only the owner read artifacts', () =>
  inDirectory(async path => {
    const artifacts = await fileArtifactStore(path, { clock: systemClock, disk: diskOf(path) })
    await artifacts.put('build/a', Buffer.from('x'))
    assert.equal((await stat(`${path}/build/a`)).mode & 0o777, 0o600)
    assert.equal((await stat(`${path}/build`)).mode & 0o777, 0o700)
  }))

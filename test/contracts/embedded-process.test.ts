import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, test } from 'node:test'
import { type EmbeddedPlatform, embeddedPlatform } from '../../lib/platform/adapters/embedded/embedded-platform.ts'
import type { StoredObject } from '../../lib/platform/ports/objects.ts'
import { eventually } from '../bed/eventually.ts'
import { widgets } from './store-world.ts'

/** Writes objects and artifacts for ever, and says what it was told is stored. */
const writer = `
  import { embeddedPlatform } from ${JSON.stringify(join(import.meta.dirname, '../../lib/platform/adapters/embedded/embedded-platform.ts'))}
  const [path, run] = process.argv.slice(1)
  try {
    const { objects, artifacts, leases } = await embeddedPlatform(path)
    await leases.acquire({ group: 'test', kind: 'Widget', namespace: '', name: 'held' }, 3_600_000)
    console.log('open')
    await Promise.all([1, 2, 3, 4].map(async lane => {
      for (let i = 0; ; i++) {
        const name = run + '-' + lane + '-' + i
        const ref = { group: '${widgets.group}', kind: '${widgets.kind}', namespace: '', name }
        await objects.commit({ op: 'create', ref, body: name.repeat(100), refersTo: ['all'] })
        if (i % 10 === 0) await artifacts.put('blob/' + name, Buffer.from(name.repeat(10_000)))
        console.log(name + (i % 10 === 0 ? ' artifact' : ''))
      }
    }))
  } catch (error) {
    console.log('failed ' + error.message)
  }`

const start = (path: string, run: string): ChildProcess =>
  spawn(process.execPath, ['--input-type=module', '-e', writer, path, run], { stdio: ['ignore', 'pipe', 'inherit'] })

const inDirectory = async (story: (path: string) => Promise<void>) => {
  const path = await mkdtemp(join(tmpdir(), 'keelson-process-'))
  try {
    await story(path)
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}

/** All pages: how many a child writes before it is killed is the machine's business. */
const listed = async ({ objects }: EmbeddedPlatform): Promise<readonly StoredObject[]> => {
  const found: StoredObject[] = []
  for (let next: string | undefined; ; ) {
    const page = await objects.list({ ...widgets, ...(next && { continue: next }) })
    found.push(...page.items)
    next = page.continue
    if (!next) return found
  }
}

describe('embedded platform and its process', () => {
  test('keeps all that it called stored when the process is killed', () =>
    inDirectory(async path => {
      const promised: string[] = []
      for (let round = 0; round < 3; round++) {
        const child = start(path, `r${round}`)
        const ended = once(child, 'exit')
        const lines = createInterface(child.stdout!)
        lines.on('line', line => {
          if (line.startsWith('failed')) assert.fail(line)
          if (line !== 'open') promised.push(line)
        })
        await once(lines, 'line')
        const enough = promised.length + 20 + 7 * round
        await eventually(() => promised.length > enough, { every: 5 })
        child.kill('SIGKILL')
        await ended
        await new Promise(setImmediate)

        const platform = await embeddedPlatform(path)
        const stored = new Map((await listed(platform)).map(({ ref, body }) => [ref.name, body]))
        const referrers = new Set((await platform.objects.referrers('all', {})).refs.map(({ name }) => name))
        for (const line of promised) {
          const [name, artifact] = line.split(' ') as [string, string?]
          assert.equal(stored.get(name), name.repeat(100))
          assert.ok(referrers.has(name))
          if (artifact)
            assert.equal(String(Buffer.from((await platform.artifacts.get(`blob/${name}`))!)), name.repeat(10_000))
        }
        const held = { group: 'test', kind: 'Widget', namespace: '', name: 'held' }
        assert.ok(await platform.leases.acquire(held, 1000), 'what the dead process held is free at once')
        await platform.close()
      }
      assert.ok(promised.length > 50, `${promised.length} writes`)
    }))

  test('refuses a second process in one line, until the first is gone', () =>
    inDirectory(async path => {
      const child = start(path, 'first')
      const ended = once(child, 'exit')
      await once(createInterface(child.stdout!), 'line')
      const second = start(path, 'second')
      const [line] = await once(createInterface(second.stdout!), 'line')
      assert.equal(line, `failed another process is using ${path}: a data directory serves one hub at a time`)
      child.kill('SIGKILL')
      await ended
      await (await embeddedPlatform(path)).close()
    }))

  test('says in one line why a data directory cannot be used', () =>
    inDirectory(async path => {
      await writeFile(join(path, 'file'), '')
      await assert.rejects(embeddedPlatform(join(path, 'file', 'hub')), {
        name: 'DataDirectoryError',
        message: /^cannot use .*\/file\/hub as data directory: ENOTDIR/,
      })
      await assert.rejects(embeddedPlatform(join(path, '\0')), { name: 'DataDirectoryError' })
    }))
})

/** What the allocators of a hub and a runner are told (lib/cli/memory-policy.ts), seen in the environment and command line that its process really has. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { eventually } from '../bed/eventually.ts'
import { type Hub, hub } from '../bed/hub.ts'
import { runner } from '../bed/runner.ts'

const elsewhere = process.platform === 'linux' ? false : 'only glibc on Linux has these settings'

const environmentOf = (pid: number): Record<string, string> =>
  Object.fromEntries(
    readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .filter(Boolean)
      .map(entry => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  )

const nodeFlagsOf = ({ pid }: Pick<Hub, 'pid'>): readonly string[] =>
  readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    .split('\0')
    .slice(1)
    .filter((_, at, rest) => rest.slice(0, at + 1).every(word => word.startsWith('--')))

test('a hub makes malloc return free memory, and stays the same process', {
  skip: elsewhere,
}, async () => {
  const running = await hub({ nodeFlags: ['--max-old-space-size=1000'] })
  // Its id is the one that the test was given when it started it.
  const environment = environmentOf(running.pid!)
  assert.equal(environment.MALLOC_MMAP_THRESHOLD_, '131072')
  assert.equal(environment.MALLOC_TRIM_THRESHOLD_, '131072')
  assert.equal(environment.MALLOC_ARENA_MAX, '4')
  assert.deepEqual(nodeFlagsOf(running), ['--max-old-space-size=1000', '--min-semi-space-size=4'])
  await running.stop()
  assert.equal(await running.ended(), 0)
})

test('what the environment says about malloc already stays, and what a flag says about the young generation', {
  skip: elsewhere,
}, async () => {
  const running = await hub({ env: { MALLOC_ARENA_MAX: '2' }, nodeFlags: ['--min-semi-space-size=2'] })
  assert.deepEqual(nodeFlagsOf(running), ['--min-semi-space-size=2'])
  const environment = environmentOf(running.pid!)
  assert.equal(environment.MALLOC_ARENA_MAX, '2')
  assert.equal(environment.MALLOC_TRIM_THRESHOLD_, '131072')
})

test('a runner takes little memory, and stays the same process', { skip: elsewhere }, async () => {
  const on = await hub()
  const it = runner(on, on, { cluster: 'default/aurora', joinToken: 'none' })
  const { pid } = it
  const flags = [
    '--max-semi-space-size=1',
    '--no-incremental-marking',
    '--no-sparkplug',
    '--no-maglev',
    '--no-opt',
    '--liftoff-only',
    '--wasm-wrapper-tiering-budget=1000000000',
  ]
  await eventually(() => assert.deepEqual(nodeFlagsOf(it), flags))
  assert.equal(it.pid, pid)
  const { MALLOC_ARENA_MAX, MALLOC_TRIM_THRESHOLD_ } = environmentOf(pid!)
  assert.deepEqual([MALLOC_ARENA_MAX, MALLOC_TRIM_THRESHOLD_], ['1', '32768'])
})

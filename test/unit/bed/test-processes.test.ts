import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import type { Summary, TestEvent } from '../../bed/one-summary.ts'
import { tempDir } from '../../bed/temp-dir.ts'
import { runTestFiles } from '../../bed/test-processes.ts'

const files = {
  'passes.mjs': `
    import { test } from 'node:test'
    console.log('said')
    test('a', t => { t.diagnostic('noted') })
    test('b', { skip: 'why' }, () => {})`,
  'fails.mjs': `
    import { test } from 'node:test'
    test('a', t => t.test('inner', () => { throw new TypeError('thrown') }))`,
  // Node's own runner never ends when it reads this (nodejs/node#62693).
  'frame.mjs': `
    import { test } from 'node:test'
    test('a', () => { process.stdout.write(Buffer.from([0xff, 0x0f, 0x7f, 0xff, 0xff, 0xff])) })`,
  'outlived.mjs': `
    import { test } from 'node:test'
    import { spawn } from 'node:child_process'
    test('a', () => { spawn(process.execPath, ['-e', 'setTimeout(() => {}, 5_000)'], { stdio: 'inherit', detached: true }).unref() })`,
  'imports.mjs': `
    import { test } from 'node:test'
    import { setTimeout as sleep } from 'node:timers/promises'
    test('a', () => {})
    await sleep(100)
    await import('not-there')`,
  'throws.mjs': `
    import { after, test } from 'node:test'
    import { setTimeout as sleep } from 'node:timers/promises'
    after(() => {})
    await sleep(100)
    throw new Error('no server')`,
  'exits.mjs': `
    import { test } from 'node:test'
    test('a', () => { process.exit(0) })`,
  'killed.mjs': `
    import { test } from 'node:test'
    import { setTimeout as sleep } from 'node:timers/promises'
    test('a', () => {})
    test('b', async () => { await sleep(300); process.kill(process.pid, 'SIGKILL') })`,
  'endless.mjs': `
    import { test } from 'node:test'
    process.on('SIGTERM', () => {})
    setInterval(() => {}, 1000)
    test('a', () => new Promise(() => {}))`,
}

const run = async (file: keyof typeof files, limit = 60_000): Promise<readonly TestEvent[]> =>
  (await Array.fromAsync(runTestFiles([file], { concurrency: 1, limit, grace: 100, cwd: tempDir(files) }))).flat()

const summaries = (events: readonly TestEvent[]): readonly Summary['counts'][] =>
  events.filter(({ type }) => type === 'test:summary').map(({ data }) => (data as Summary).counts)

const failures = (events: readonly TestEvent[]) =>
  events
    .filter(({ type }) => type === 'test:fail')
    .map(({ data }) => data as { name: string; details: { error: { cause: unknown } } })
    .map(({ name, details }) => `${name}: ${inspect(details.error.cause).split('\n')[0]}`)

test('tells what a file printed, what its tests noted, and its numbers, but not the words of its summary', async () => {
  const events = await run('passes.mjs')
  assert.deepEqual(failures(events), [])
  assert.deepEqual(
    events
      .filter(({ type }) => type === 'test:stdout' || type === 'test:diagnostic')
      .map(({ data }) => (data as { message: string }).message),
    ['said\n', 'noted'],
  )
  assert.deepEqual(
    summaries(events).map(({ tests, passed, skipped }) => ({ tests, passed, skipped })),
    [{ tests: 2, passed: 1, skipped: 1 }],
  )
})

test('tells errors as the process that had them shows them', async () => {
  const [inner] = failures(await run('fails.mjs'))
  assert.equal(inner, 'inner: TypeError: thrown')
})

test('tells why a file could not import another one', async () => {
  const events = await run('imports.mjs')
  assert.deepEqual(failures(events), ['imports.mjs: imports.mjs ended with exit code 1'])
  const notes = events
    .filter(({ type }) => type === 'test:diagnostic')
    .map(({ data }) => (data as { message: string }).message)
  assert.equal(notes.length, 1)
  assert.match(notes[0]!, /Cannot find package 'not-there'/)
})

test('says what a file printed that ended before its first test', async () => {
  const [failed] = (await run('throws.mjs')).filter(({ type }) => type === 'test:fail')
  const { cause } = (failed!.data as { details: { error: { cause: unknown } } }).details.error
  assert.match(inspect(cause), /throws\.mjs ended with exit code \d+\n[\s\S]*no server/)
})

test('takes any bytes for output, and waits for no process that a test has left behind', async () => {
  for (const file of ['frame.mjs', 'outlived.mjs'] as const) assert.deepEqual(failures(await run(file)), [], file)
})

test('a file that ends before its tests, is killed, or never ends has failed, and names the test that it was in', async () => {
  const exits = await run('exits.mjs')
  assert.deepEqual(failures(exits), ['exits.mjs: exits.mjs ended before its tests did'])
  const killed = await run('killed.mjs')
  assert.deepEqual(failures(killed), ['killed.mjs: killed.mjs was ended by SIGKILL, in "b"'])
  assert.deepEqual(
    summaries(killed).map(({ tests, passed, failed }) => ({ tests, passed, failed })),
    [{ tests: 2, passed: 1, failed: 1 }],
  )
  const [endless] = failures(await run('endless.mjs', 1_200))
  assert.match(endless!, /^endless\.mjs: endless\.mjs ran for more than 0\.02 minutes/)
})

test('runs no more files at a time than it may, and yields each as it ends', async () => {
  const all = runTestFiles(['passes.mjs', 'fails.mjs', 'passes.mjs'], {
    concurrency: 2,
    limit: 60_000,
    cwd: tempDir(files),
  })
  const ended = await Array.fromAsync(all)
  assert.equal(ended.length, 3)
  assert.equal(ended.flatMap(failures).length, 2)
})
